/** The calls that are made from inside another, one for each public method, all of them about a tenant of their own. */

import assert from "node:assert/strict";
import type { Conversation, Memory, Receipt, Scope, Snapshot } from "@holdfast/memory";
import { COUNTER, factAt, factOf } from "../../src/testing/records/record_samples.ts";
import { NOON, pinOf, readTurns, summaryOf, talk, turnOf } from "../conversations/samples.ts";
import { STUB4 } from "../context/golden.ts";
import { innerJournalCalls, prepareInnerJournal } from "./inner_journal_calls.ts";

/** The tenant of the calls that are made from inside. */
export const INNER_TENANT = "inner-tenant";

const SCOPE: Scope = { tenantId: INNER_TENANT, sessionId: "spring" };

/** What a call needs, read before. */
export interface Arranged {
  readonly memory: Memory;
  readonly conversation: Conversation;
  readonly snapshot: Snapshot;
  readonly summary: ReturnType<typeof summaryOf>;
  readonly receipt: Receipt;
  readonly lines: readonly string[];
  /** The revision of the record `kept`. */
  readonly revision: number;
  /** A path where nothing is. */
  readonly path: string;
}

/** One call: made at once, and held to what it promises once everything has ended. */
export interface InnerCall {
  readonly call: (arranged: Arranged) => Promise<unknown>;
  readonly promised: (value: never, arranged: Arranged) => unknown;
}

function inner<T>(
  call: (arranged: Arranged) => Promise<T>,
  promised: (value: T, arranged: Arranged) => unknown,
): InnerCall {
  return { call, promised };
}

const KEPT = factAt("kept", INNER_TENANT);
const VISITS = { tenantId: INNER_TENANT, key: "visits" };
const NEW = factAt("new", INNER_TENANT);

/** Puts what the calls are about into a store. */
export async function prepareInner(memory: Memory): Promise<void> {
  await memory.records.put(KEPT, factOf("kept"), { expectedRevision: null, ttl: 86_400 });
  await memory.records.of(COUNTER).put(VISITS, { n: 1 }, { expectedRevision: null });
  const conversation = await talk(memory, ["i1", "i2", "i3"], SCOPE);
  await conversation.search("i1");
  await prepareInnerJournal(memory, SCOPE);
}

/** Reads what the calls need. */
export async function arrange(memory: Memory, path: string): Promise<Arranged> {
  const conversation = memory.conversation(SCOPE);
  const target = { kind: "turn", key: "i3", expectedRevision: await conversation.revision() } as const;
  const receipt = await conversation.delete(target);
  await conversation.indexBatch(await conversation.snapshot());
  const snapshot = await conversation.snapshot();
  await conversation.cachePut(snapshot, "answer", { n: 1 });
  return {
    memory,
    conversation,
    snapshot,
    summary: summaryOf(await readTurns(conversation), "said", { createdAt: "2027-01-01T00:00:00Z" }),
    receipt,
    lines: await Array.fromAsync(memory.exportLines({ scope: SCOPE, includeContent: true })),
    revision: (await memory.records.get(KEPT))!.revision,
    path,
  };
}

const ids = async ({ conversation }: Arranged): Promise<string[]> =>
  (await readTurns(conversation)).map(({ turnId }) => turnId);

/** See the module's documentation. */
export const INNER_CALLS: Readonly<Record<string, InnerCall>> = {
  "Records.put": inner(
    ({ memory }) => memory.records.put(NEW, factOf("new"), { expectedRevision: null, ttl: 600, now: NOON }),
    async (revision, { memory }) =>
      assert.deepEqual(await memory.records.get(NEW, { now: NOON }), {
        revision,
        expires: NOON + 600,
        value: factOf("new"),
      }),
  ),
  "Records.get": inner(
    ({ memory }) => memory.records.get(KEPT),
    (found, { revision }) => assert.deepEqual([found?.revision, found?.value], [revision, factOf("kept")]),
  ),
  "Records.update": inner(
    ({ memory }) => memory.records.update(KEPT, (value) => ({ ...value, text: "new" }), { ttl: 600 }),
    async (revision, { memory }) => {
      const found = await memory.records.get(KEPT);
      assert.deepEqual([found?.revision, found?.value.text], [revision, "new"]);
    },
  ),
  "Records.forget": inner(
    ({ memory, revision }) => memory.records.forget(KEPT, revision),
    async (removed, { memory }) => assert.deepEqual([removed, await memory.records.get(KEPT)], [true, null]),
  ),
  "Records.purge": inner(
    ({ memory }) => memory.records.purge(INNER_TENANT, { now: NOON + 90_000 }),
    async (removed, { memory }) => assert.deepEqual([removed, await memory.records.get(KEPT)], [1, null]),
  ),
  "Records.list": inner(
    ({ memory }) => memory.records.list(INNER_TENANT),
    ({ items }) => assert.deepEqual(items.map(({ key }) => key), ["visits", "kept"]),
  ),
  "Records.of": inner(
    ({ memory }) => Promise.resolve(memory.records.of(COUNTER)),
    async (counters) => assert.equal((await counters.get(VISITS))?.value.n, 1),
  ),
  "KindRecords.put": inner(
    ({ memory }) =>
      memory.records.of(COUNTER).put({ ...VISITS, key: "new" }, { n: 5 }, { expectedRevision: null }),
    async (revision, { memory }) => {
      const found = await memory.records.of(COUNTER).get({ ...VISITS, key: "new" });
      assert.deepEqual(found, { revision, expires: null, value: { n: 5 } });
    },
  ),
  "KindRecords.get": inner(
    ({ memory }) => memory.records.of(COUNTER).get(VISITS),
    (found) => assert.equal(found?.value.n, 1),
  ),
  "KindRecords.update": inner(
    ({ memory }) => memory.records.of(COUNTER).update(VISITS, ({ n }) => ({ n: n + 1 })),
    async (_revision, { memory }) => assert.equal((await memory.records.of(COUNTER).get(VISITS))?.value.n, 2),
  ),
  "KindRecords.forget": inner(
    async ({ memory }) => {
      const counters = memory.records.of(COUNTER);
      return await counters.forget(VISITS, (await counters.get(VISITS))!.revision);
    },
    async (removed, { memory }) =>
      assert.deepEqual([removed, await memory.records.of(COUNTER).get(VISITS)], [true, null]),
  ),
  "KindRecords.list": inner(
    ({ memory }) => memory.records.of(COUNTER).list(INNER_TENANT),
    ({ items }) => assert.deepEqual(items.map(({ key, value }) => [key, value?.n]), [["visits", 1]]),
  ),
  "KindRecords.getMany": inner(
    ({ memory }) => memory.records.of(COUNTER).getMany(INNER_TENANT, ["none", "visits"]),
    (found) => assert.deepEqual(found.map((item) => item?.value?.n), [undefined, 1]),
  ),
  "Conversation.create": inner(
    ({ conversation }) => conversation.create(),
    (revision, { snapshot }) => assert.equal(revision, snapshot.revision),
  ),
  "Conversation.revision": inner(
    ({ conversation }) => conversation.revision(),
    (revision, { snapshot }) => assert.equal(revision, snapshot.revision),
  ),
  "Conversation.putTurn": inner(
    ({ conversation, snapshot }) =>
      conversation.putTurn(turnOf("i4", "new", { scope: SCOPE }), {
        operationId: "inner",
        expectedRevision: snapshot.revision,
      }),
    async (_revision, arranged) => assert.deepEqual(await ids(arranged), ["i1", "i2", "i4"]),
  ),
  "Conversation.putPin": inner(
    ({ conversation, snapshot }) =>
      conversation.putPin(pinOf("inner", "x", { scope: SCOPE }), { expectedRevision: snapshot.revision }),
    async (_revision, { conversation }) => assert.equal((await conversation.snapshot()).pins[0]!.value, "x"),
  ),
  "Conversation.putSummary": inner(
    ({ conversation, snapshot, summary }) => conversation.putSummary(snapshot, summary),
    async (_revision, { conversation }) =>
      assert.equal((await conversation.snapshot()).summary?.content, "said"),
  ),
  "Conversation.append": inner(
    ({ conversation }) => conversation.append([{ role: "user", content: "new" }]),
    async ({ turnId }, arranged) => assert.deepEqual(await ids(arranged), ["i1", "i2", turnId]),
  ),
  "Conversation.snapshot": inner(
    ({ conversation }) => conversation.snapshot(),
    ({ id, turnCount }, { snapshot }) => assert.deepEqual([id, turnCount], [snapshot.id, 2]),
  ),
  "Conversation.unpin": inner(
    ({ conversation }) => conversation.unpin("none").catch(({ reason }) => reason),
    (reason) => assert.equal(reason, "MISSING"),
  ),
  "Conversation.turn": inner(
    ({ conversation }) => conversation.turn("i1"),
    (turn) => assert.equal(turn?.turnId, "i1"),
  ),
  "Conversation.turns": inner(
    ({ conversation }) => readTurns(conversation),
    (turns) => assert.deepEqual(turns.map(({ turnId }) => turnId), ["i1", "i2"]),
  ),
  "Conversation.media": inner(
    ({ conversation }) => conversation.media("0".repeat(64)).catch(({ reason }) => reason),
    (reason) => assert.equal(reason, "MISSING"),
  ),
  "Conversation.withMedia": inner(
    ({ conversation }) => conversation.withMedia([{ messageId: "m", role: "user", content: "none" }]),
    (messages) => assert.deepEqual(messages.map(({ content }) => content), ["none"]),
  ),
  "Conversation.assertCurrent": inner(
    ({ conversation, snapshot }) => conversation.assertCurrent(snapshot),
    ({ id }, { snapshot }) => assert.equal(id, snapshot.id),
  ),
  "Conversation.delete": inner(
    ({ conversation, snapshot }) =>
      conversation.delete({ kind: "turn", key: "i1", expectedRevision: snapshot.revision }),
    async (receipt, arranged) => {
      assert.deepEqual([receipt.erased.turns, await ids(arranged)], [1, ["i2"]]);
      assert.equal((await arranged.memory.verifyReceipt(receipt)).valid, true);
    },
  ),
  "Conversation.cachePut": inner(
    ({ conversation, snapshot }) => conversation.cachePut(snapshot, "new", { n: 2 }),
    async (_, { conversation, snapshot }) =>
      assert.deepEqual(await conversation.cacheGet(snapshot, "new"), { n: 2 }),
  ),
  "Conversation.cacheGet": inner(
    ({ conversation, snapshot }) => conversation.cacheGet(snapshot, "answer"),
    (payload) => assert.deepEqual(payload, { n: 1 }),
  ),
  "Conversation.indexBatch": inner(
    ({ conversation, snapshot }) => conversation.indexBatch(snapshot),
    ({ status }) => assert.equal(status, "READY"),
  ),
  "Conversation.chunkIndex": inner(
    ({ conversation, snapshot }) => conversation.chunkIndex(snapshot),
    ({ chunks }) => assert.equal(chunks.length, 2),
  ),
  "Conversation.search": inner(
    ({ conversation }) => conversation.search("i2"),
    ([best]) => assert.equal(best?.content, "i2"),
  ),
  "Conversation.assemble": inner(
    ({ conversation }) => conversation.assemble("i2", {}, { system: "S", counting: { counter: STUB4 } }),
    ({ context }) => assert.deepEqual(context.diagnostics.keptTurnIds, ["i1", "i2"]),
  ),
  "Memory.conversation": inner(
    ({ memory }) => memory.conversation(SCOPE).revision(),
    (revision, { snapshot }) => assert.equal(revision, snapshot.revision),
  ),
  ...innerJournalCalls(SCOPE),
  "Memory.search": inner(
    ({ memory }) => memory.search({ tenantId: INNER_TENANT }, "i1"),
    ([best]) => assert.equal(best?.content, "i1"),
  ),
  "Memory.sessions": inner(
    ({ memory }) => memory.sessions(INNER_TENANT),
    ({ items }) => assert.deepEqual(items.map(({ sessionId }) => sessionId), [SCOPE.sessionId]),
  ),
  "Memory.erase": inner(
    ({ memory }) => memory.erase({ tenantId: INNER_TENANT, subject: "nobody" }),
    ({ erased }) => assert.equal(erased.sessions, 0),
  ),
  "Conversation.describe": inner(
    ({ conversation }) => conversation.describe({ title: "inner" }),
    ({ title }) => assert.equal(title, "inner"),
  ),
  "Records.label": inner(
    ({ memory }) => memory.records.label({ ...NEW, key: "none" }, "nobody"),
    (isThere) => assert.equal(isThere, false),
  ),
  "Memory.transaction": inner(
    ({ memory }) =>
      memory.transaction((transaction) => [
        transaction.append(SCOPE, [{ role: "user", content: "new" }]),
        transaction.put(NEW, factOf("new"), { expectedRevision: null, ttl: 60 }),
      ]),
    async ([{ turnId }], arranged) => assert.deepEqual(await ids(arranged), ["i1", "i2", turnId]),
  ),
  "Memory.prune": inner(
    ({ memory }) => memory.prune(),
    ({ scrub }) => assert.equal(scrub?.complete, true),
  ),
  "Memory.verifyReceipt": inner(
    ({ memory, receipt }) => memory.verifyReceipt(receipt),
    ({ valid, remains }) => assert.deepEqual([valid, remains], [true, {}]),
  ),
  "Memory.check": inner(
    ({ memory }) => memory.check(),
    ({ problems }) => assert.deepEqual(problems, []),
  ),
  "Memory.deletionWatermark": inner(
    ({ memory }) => memory.deletionWatermark(),
    ({ sequence }, { receipt }) => assert(sequence >= receipt.sequence),
  ),
  "Memory.backup": inner(
    ({ memory, path }) => memory.backup(path),
    ({ bytes }, { path }) => assert.equal(bytes, Deno.statSync(path).size),
  ),
  "Memory.exportLedger": inner(
    ({ memory, path }) => memory.exportLedger(path),
    ({ bytes }, { path }) => assert.equal(bytes, Deno.statSync(path).size),
  ),
  "Memory.inspect": inner(
    ({ memory }) => memory.inspect(),
    ({ tenants }) => assert(tenants.some(({ tenantId }) => tenantId === INNER_TENANT)),
  ),
  "Memory.exportLines": inner(
    ({ memory }) => Array.fromAsync(memory.exportLines({ scope: SCOPE, includeContent: true })),
    (lines, arranged) => assert.deepEqual(lines.slice(1, -1), arranged.lines.slice(1, -1)),
  ),
  "Memory.importLines": inner(
    ({ memory, lines }) => memory.importLines(lines),
    ({ unchanged }) => assert.equal(unchanged.turns, 2),
  ),
  "Memory.close": inner(({ memory }) => memory.close(), () => {}),
};
