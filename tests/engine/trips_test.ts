/**
 * How many round trips each public operation takes: requests that it yields, a batch being one. On SQLite a request costs
 * next to nothing; behind a network it is most of the time. BEGIN, COMMIT, the meta row and the ledger are the group's
 * and do not count. Compared by equality, so that a gain is written down as well as a loss.
 */

import assert from "node:assert/strict";
import { type Memory, openMemory, type Scope } from "../../mod.ts";
import { COUNTER } from "../../src/testing/records/record_samples.ts";
import { countTrips } from "../../src/engines/sqlite/database/connection.ts";
import {
  atNoon,
  pinOf,
  pinUp,
  readTurns,
  sourceOf,
  summaryOf,
  talk,
  turnOf,
} from "../conversations/samples.ts";

const SCOPE: Scope = { tenantId: "orchard", sessionId: "spring" };
const RUN = { tenantId: "orchard", kind: "checkpoint", key: "run" } as const;
const VALUE = { schema: 1, step: 1, items: ["build"] } as const;
const VISITS = { tenantId: "orchard", key: "visits" };
const BUDGET = { maxInputTokens: 700 };
const INSTRUCTIONS = { system: "Answer briefly." };
const WORDS = ["deploy", "rollback", "shard", "latency", "ticket", "invoice", "refund", "customs"];

/** One message with a word that every turn has, one that some have, and one that no other has. */
function message(index: number): { readonly role: "user"; readonly content: string } {
  return { role: "user", content: `The order ${WORDS[index % 8]} was seen as number${index}.` };
}

async function appendTurns(memory: Memory, count: number): Promise<void> {
  const conversation = memory.conversation(SCOPE);
  for (let index = 0; index < count; index++) await conversation.append([message(index)]);
}

async function appendIndexed(memory: Memory, count: number): Promise<void> {
  await appendTurns(memory, count);
  await memory.conversation(SCOPE).search("order");
}

interface Row {
  readonly name: string;
  readonly trips: number;
  /** Prepares the store, and returns what is counted. */
  readonly prepare: (memory: Memory) => Promise<() => Promise<unknown>>;
}

const RECORDS: readonly Row[] = [
  {
    name: "records.get()",
    trips: 1,
    prepare: async ({ records }) => {
      await records.put(RUN, VALUE, { expectedRevision: null, ttl: 60 });
      return () => records.get(RUN);
    },
  },
  {
    name: "records.put() creating",
    trips: 2,
    prepare: ({ records }) =>
      Promise.resolve(() => records.put(RUN, VALUE, { expectedRevision: null, ttl: 60 })),
  },
  {
    name: "records.put() replacing",
    trips: 2,
    prepare: async ({ records }) => {
      const expectedRevision = await records.put(RUN, VALUE, { expectedRevision: null, ttl: 60 });
      return () => records.put(RUN, VALUE, { expectedRevision, ttl: 60 });
    },
  },
  {
    name: "records.put() creating, with an operation id",
    trips: 2,
    prepare: ({ records }) =>
      Promise.resolve(() =>
        records.put(RUN, VALUE, { expectedRevision: null, ttl: 60, operationId: "operation-1" })
      ),
  },
  {
    name: "records.update()",
    trips: 3,
    prepare: async ({ records }) => {
      await records.put(RUN, VALUE, { expectedRevision: null, ttl: 60 });
      return () => records.update(RUN, (value) => ({ ...value, step: 2 }), { ttl: 60 });
    },
  },
  {
    name: "records.forget()",
    trips: 2,
    prepare: async ({ records }) => {
      const revision = await records.put(RUN, VALUE, { expectedRevision: null, ttl: 60 });
      return () => records.forget(RUN, revision);
    },
  },
  {
    name: "records.forget() with an operation id",
    trips: 2,
    prepare: async ({ records }) => {
      const revision = await records.put(RUN, VALUE, { expectedRevision: null, ttl: 60 });
      return () => records.forget(RUN, revision, { operationId: "operation-1" });
    },
  },
  {
    name: "records.of().get()",
    trips: 1,
    prepare: async ({ records }) => {
      await records.of(COUNTER).put(VISITS, { n: 1 }, { expectedRevision: null });
      return () => records.of(COUNTER).get(VISITS);
    },
  },
  {
    name: "records.of().put() creating",
    trips: 2,
    prepare: ({ records }) =>
      Promise.resolve(() => records.of(COUNTER).put(VISITS, { n: 1 }, { expectedRevision: null })),
  },
  {
    name: "records.of().put() replacing an expired record",
    trips: 2,
    prepare: async ({ records }) => {
      await records.of(COUNTER).put(VISITS, { n: 1 }, { expectedRevision: null, ttl: 60, now: 100 });
      return () => records.of(COUNTER).put(VISITS, { n: 1 }, { expectedRevision: null });
    },
  },
  {
    name: "records.of().getMany() of three keys",
    trips: 1,
    prepare: async ({ records }) => {
      await records.of(COUNTER).put(VISITS, { n: 1 }, { expectedRevision: null });
      return () => records.of(COUNTER).getMany("orchard", ["visits", "none", "other"]);
    },
  },
  {
    name: "records.of().list() by key",
    trips: 1,
    prepare: ({ records }) => Promise.resolve(() => records.of(COUNTER).list("orchard", { prefix: "v" })),
  },
  {
    name: "records.of().list() of the newest",
    trips: 1,
    prepare: ({ records }) => Promise.resolve(() => records.of(COUNTER).list("orchard", { order: "newest" })),
  },
  {
    name: "records.list()",
    trips: 1,
    prepare: async ({ records }) => {
      await records.put(RUN, VALUE, { expectedRevision: null, ttl: 60 });
      return () => records.list("orchard");
    },
  },
];

/** An append and three puts, as after a step of an agent. */
const step = (memory: Memory, options: { readonly operationId?: string } = {}): Promise<unknown> =>
  memory.transaction((transaction) => {
    transaction.append(SCOPE, [message(0)]);
    for (const key of ["a", "b", "c"]) {
      transaction.put({ ...RUN, key }, VALUE, { expectedRevision: null, ttl: 60 });
    }
  }, options);

const TRANSACTIONS: readonly Row[] = [
  {
    name: "transaction() of an append and three puts",
    trips: 10,
    prepare: (memory) => Promise.resolve(() => step(memory)),
  },
  {
    name: "transaction() with an operation id",
    trips: 12,
    prepare: (memory) => Promise.resolve(() => step(memory, { operationId: "step-1" })),
  },
  {
    name: "transaction() repeated",
    trips: 2,
    prepare: async (memory) => {
      await step(memory, { operationId: "step-1" });
      return () => step(memory, { operationId: "step-1" });
    },
  },
];

const SESSIONS: readonly Row[] = [
  {
    name: "sessions()",
    trips: 1,
    prepare: async (memory) => {
      await appendTurns(memory, 3);
      return () => memory.sessions(SCOPE.tenantId);
    },
  },
  {
    name: "describe() of a session that is there",
    trips: 3,
    prepare: async (memory) => {
      await appendTurns(memory, 3);
      return () => memory.conversation(SCOPE).describe({ title: "orders" });
    },
  },
  {
    name: "erase() of a tenant",
    trips: 6,
    prepare: async (memory) => {
      await appendTurns(memory, 3);
      return () => memory.erase({ tenantId: SCOPE.tenantId });
    },
  },
];

const CONVERSATIONS: readonly Row[] = [
  {
    name: "append() of the first message",
    trips: 4,
    prepare: (memory) => Promise.resolve(() => memory.conversation(SCOPE).append([message(0)])),
  },
  {
    name: "append() of one message",
    trips: 3,
    prepare: async (memory) => {
      await appendTurns(memory, 3);
      return () => memory.conversation(SCOPE).append([message(3)]);
    },
  },
  {
    name: "append() of one message, indexed before",
    trips: 3,
    prepare: async (memory) => {
      await appendIndexed(memory, 3);
      return () => memory.conversation(SCOPE).append([message(3)]);
    },
  },
  {
    name: "append() of three messages with an operation id",
    trips: 3,
    prepare: async (memory) => {
      await appendTurns(memory, 3);
      const messages = [message(3), message(4), message(5)];
      return () => memory.conversation(SCOPE).append(messages, { operationId: "operation-1" });
    },
  },
  {
    name: "putTurn() of a new turn",
    trips: 3,
    prepare: async (memory) => {
      const conversation = await talk(memory, ["a"]);
      const options = { operationId: "operation-1", expectedRevision: 1 };
      return () => conversation.putTurn(turnOf("b"), options);
    },
  },
  {
    name: "putTurn() of a revision",
    trips: 6,
    prepare: async (memory) => {
      const conversation = await talk(memory, ["a"]);
      const options = { operationId: "operation-1", expectedRevision: 1 };
      return () => conversation.putTurn(turnOf("a", "again", { revision: 2 }), options);
    },
  },
  {
    name: "snapshot()",
    trips: 1,
    prepare: async (memory) => {
      await appendTurns(memory, 3);
      return () => memory.conversation(SCOPE).snapshot();
    },
  },
  {
    name: "snapshot() with a pin and a summary",
    trips: 1,
    prepare: async (memory) => {
      await appendTurns(memory, 3);
      const conversation = memory.conversation(SCOPE);
      await pinUp(conversation, pinOf("a"));
      await conversation.putSummary(await conversation.snapshot(), summaryOf(await readTurns(conversation)));
      return () => conversation.snapshot();
    },
  },
  {
    name: "turns() with the last 20",
    trips: 26,
    prepare: async (memory) => {
      await appendTurns(memory, 25);
      return () => Array.fromAsync(memory.conversation(SCOPE).turns({ last: 20 }));
    },
  },
  {
    name: "putPin() with a source",
    trips: 3,
    prepare: async (memory) => {
      await appendTurns(memory, 3);
      const conversation = memory.conversation(SCOPE);
      const [turn] = await readTurns(conversation);
      const expectedRevision = await conversation.revision();
      return () => conversation.putPin(pinOf("a", "a", { source: sourceOf(turn!) }), { expectedRevision });
    },
  },
  {
    name: "putSummary() of 12 turns",
    trips: 3,
    prepare: async (memory) => {
      await appendTurns(memory, 12);
      const conversation = memory.conversation(SCOPE);
      const snapshot = await conversation.snapshot();
      const summary = summaryOf(await readTurns(conversation));
      return () => conversation.putSummary(snapshot, summary);
    },
  },
  {
    name: "cachePut()",
    trips: 3,
    prepare: async (memory) => {
      await appendTurns(memory, 3);
      const conversation = memory.conversation(SCOPE);
      const snapshot = await conversation.snapshot();
      return () => conversation.cachePut(snapshot, "answer", { text: "yes" });
    },
  },
  {
    name: "cacheGet()",
    trips: 2,
    prepare: async (memory) => {
      await appendTurns(memory, 3);
      const conversation = memory.conversation(SCOPE);
      const snapshot = await conversation.snapshot();
      await conversation.cachePut(snapshot, "answer", { text: "yes" });
      return () => conversation.cacheGet(snapshot, "answer");
    },
  },
];

const INDEXES: readonly Row[] = [
  {
    name: "delete() of an indexed turn",
    trips: 8,
    prepare: async (memory) => {
      await appendIndexed(memory, 20);
      const conversation = memory.conversation(SCOPE);
      const [turn] = await readTurns(conversation);
      const expectedRevision = await conversation.revision();
      return () => conversation.delete({ kind: "turn", key: turn!.turnId, expectedRevision });
    },
  },
  {
    name: "delete() of an indexed scope",
    trips: 4,
    prepare: async (memory) => {
      await appendIndexed(memory, 20);
      const conversation = memory.conversation(SCOPE);
      const expectedRevision = await conversation.revision();
      return () => conversation.delete({ kind: "scope", expectedRevision });
    },
  },
  {
    name: "search() for a word that one turn has",
    trips: 21,
    prepare: async (memory) => {
      await appendIndexed(memory, 40);
      return () => memory.conversation(SCOPE).search("number7");
    },
  },
  {
    name: "search() for words that many turns have",
    trips: 20,
    prepare: async (memory) => {
      await appendIndexed(memory, 40);
      return () => memory.conversation(SCOPE).search("Which order was the invoice?");
    },
  },
  {
    name: "assemble()",
    trips: 56,
    prepare: async (memory) => {
      await appendIndexed(memory, 40);
      const conversation = memory.conversation(SCOPE);
      await pinUp(conversation, pinOf("a"));
      return () => conversation.assemble("Which order was the invoice?", BUDGET, INSTRUCTIONS);
    },
  },
  {
    name: "indexBatch() of 32 turns",
    trips: 16,
    prepare: async (memory) => {
      await appendTurns(memory, 32);
      const conversation = memory.conversation(SCOPE);
      const snapshot = await conversation.snapshot();
      return () => conversation.indexBatch(snapshot, {}, { batchSize: 32 });
    },
  },
];

for (
  const { name, trips, prepare } of [...RECORDS, ...TRANSACTIONS, ...SESSIONS, ...CONVERSATIONS, ...INDEXES]
) {
  Deno.test(`${name} takes ${trips === 1 ? "one round trip" : `${trips} round trips`}`, async () => {
    await using memory = await openMemory(":memory:", { ...atNoon(), kinds: [COUNTER] });
    const run = await prepare(memory);
    const before = countTrips();
    await run();
    assert.equal(countTrips() - before, trips);
    assert.equal((await memory.check()).ok, true);
  });
}
