/** Seeded transactions on one store, and the same calls one by one on another: both stores come to the same state. */

import assert from "node:assert/strict";
import { type Memory, MemoryError, openMemory, type Transaction } from "@holdfast/memory";
import { Seeded } from "../model/records/seeded.ts";

const NOW_MS = Date.UTC(2026, 2, 1);
const TENANT = "acme";
const SESSIONS = ["ticket-7", "ticket-8"];
const KEYS = ["a", "b", "c"];
const TRANSACTIONS = 150;

type Call =
  | { readonly op: "append"; readonly sessionId: string; readonly messageId: string; readonly skips: boolean }
  | {
    readonly op: "put";
    readonly key: string;
    readonly expectedRevision: number | null;
    readonly step: number;
  };

const runOf = (key: string) => ({ tenantId: TENANT, kind: "checkpoint", key }) as const;
const messageOf = (messageId: string) =>
  ({ messageId, role: "user", content: `What of ${messageId}?` }) as const;
const valueOf = (step: number) => ({ schema: 1, step, items: [] });

/** Ids and revisions repeat now and then, so that a third of the transactions is refused. */
async function drawCalls(seeded: Seeded, memory: Memory): Promise<readonly Call[]> {
  const calls: Call[] = [];
  for (const key of seeded.shuffled(KEYS).slice(0, seeded.integer(0, 2))) {
    const found = await memory.records.get(runOf(key));
    const expectedRevision = seeded.chance(0.1) ? 9_999 : found?.revision ?? null;
    calls.push({ op: "put", key, expectedRevision, step: seeded.integer(0, 2) });
  }
  for (let count = seeded.integer(1, 3); count > 0; count--) {
    const messageId = `m${seeded.integer(0, 400)}`;
    calls.push({ op: "append", sessionId: seeded.pick(SESSIONS), messageId, skips: seeded.chance(0.3) });
  }
  return seeded.shuffled(calls);
}

function add(transaction: Transaction, call: Call): void {
  if (call.op === "put") {
    transaction.put(runOf(call.key), valueOf(call.step) as never, {
      expectedRevision: call.expectedRevision,
      ttl: 60,
    });
  } else {
    const scope = { tenantId: TENANT, sessionId: call.sessionId };
    const onDuplicate = call.skips ? "skip" : "error";
    transaction.append(scope, [messageOf(call.messageId)], { onDuplicate } as never);
  }
}

/** What the store holds, without the ids of turns, which are random, and revisions of records, which are one counter. */
async function stateOf(memory: Memory): Promise<unknown> {
  const records = await Promise.all(KEYS.map((key) => memory.records.get(runOf(key))));
  const { scopes } = await memory.inspect();
  const sessions = await Promise.all(scopes.map(async ({ scope }) => {
    const conversation = memory.conversation(scope);
    const turns = await Array.fromAsync(conversation.turns());
    return [
      scope.sessionId,
      await conversation.revision(),
      turns.map(({ messages }) => messages.map(({ messageId }) => messageId)),
    ];
  }));
  return { records: records.map((record) => record?.value ?? null), sessions };
}

async function one(memory: Memory, call: Call): Promise<unknown> {
  if (call.op === "put") {
    const found = await memory.records.get(runOf(call.key));
    const options = { expectedRevision: found?.revision ?? null, ttl: 60 };
    return await memory.records.put(runOf(call.key), valueOf(call.step) as never, options);
  }
  const conversation = memory.conversation({ tenantId: TENANT, sessionId: call.sessionId });
  return await conversation.append([messageOf(call.messageId)], {
    onDuplicate: call.skips ? "skip" : "error",
  });
}

for (const seed of [1, 2, 3]) {
  Deno.test(`Transactions do what their calls do one by one, or nothing (seed ${seed})`, async () => {
    const seeded = new Seeded(seed);
    await using whole = await openMemory(":memory:", { clock: () => NOW_MS });
    await using single = await openMemory(":memory:", { clock: () => NOW_MS });
    const outcomes = { done: 0, refused: 0 };
    for (let count = 0; count < TRANSACTIONS; count++) {
      const calls = await drawCalls(seeded, whole);
      const before = await stateOf(whole);
      const refusal = await whole.transaction((transaction) => {
        for (const call of calls) add(transaction, call);
      }).then(() => null, (error: unknown) => error);
      if (refusal === null) {
        outcomes.done++;
        for (const call of calls) await one(single, call);
        assert.deepEqual(await stateOf(whole), await stateOf(single), JSON.stringify(calls));
      } else {
        assert.ok(refusal instanceof MemoryError, `${refusal}`);
        outcomes.refused++;
        assert.deepEqual(await stateOf(whole), before, JSON.stringify(calls));
      }
    }
    assert.ok(outcomes.done > 50 && outcomes.refused > 15, JSON.stringify(outcomes));
    for (const memory of [whole, single]) assert.equal((await memory.check()).ok, true);
  });
}
