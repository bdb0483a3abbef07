/** A deletion that is recorded and not applied: who completes it, who waits for it, and who is served meanwhile. */

import assert from "node:assert/strict";
import { type Conversation, type Memory, openMemory } from "@holdfast/memory";
import { RESULT } from "../../src/engines/sqlite/drivers/result_codes.ts";
import {
  after,
  atNoon,
  clockAtNoon,
  derive,
  erase,
  HARBOUR,
  ORCHARD,
  pinOf,
  pinUp,
  readIds,
  readTurns,
  revise,
  talk,
  turnOf,
} from "../conversations/samples.ts";
import { type FaultyDriver, STATEMENT_VERBS } from "../kit/faulty_driver.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import type { TestStore } from "../kit/test_store.ts";
import { progress, promise, rowsByTable } from "./file_store.ts";

type Store = TestStore<FaultyDriver>;

interface Recorded {
  readonly recorded: { readonly sequence: number; readonly head: string };
}

/** Lets a call fail at main's COMMIT, after the ledger's: what it deletes is recorded and not applied. */
async function leavePending(store: Store, call: () => Promise<unknown>): Promise<Recorded["recorded"]> {
  const before = progress(store);
  store.driver.fail({
    database: "main",
    verbs: STATEMENT_VERBS,
    sql: "COMMIT",
    effect: "before",
    code: RESULT.IOERR,
  });
  let details: Recorded | null = null;
  await assert.rejects(call, (error) => {
    assert.equal((error as { code: string }).code, "IO");
    details = (error as { details: Recorded }).details;
    return true;
  });
  assert.deepEqual(progress(store), { recorded: before.recorded + 1, applied: before.applied });
  return details!.recorded;
}

/** Two scopes; the deletion of the first one's `t1`, from which much derives, is pending. */
async function pendingTurn(store: Store): Promise<{
  readonly memory: Memory;
  readonly conversation: Conversation;
  readonly harbour: Conversation;
  readonly recorded: Recorded["recorded"];
}> {
  const memory = await store.open(atNoon());
  const harbour = await talk(memory, ["h1"], HARBOUR);
  const conversation = await talk(memory, ["t1", "t2"]);
  await derive(conversation);
  const target = { kind: "turn", key: "t1", expectedRevision: 4 } as const;
  const recorded = await leavePending(store, () => conversation.delete(target));
  return { memory, conversation, harbour, recorded };
}

function assertApplied(store: Store): void {
  assert.deepEqual(progress(store), { recorded: 1, applied: 1 });
  const { turns, pins, summaries, covered_turns, replays, floors } = rowsByTable(store);
  assert.deepEqual({ turns, pins, summaries, covered_turns, replays, floors }, {
    turns: 2,
    pins: 0,
    summaries: 0,
    covered_turns: 0,
    replays: 0,
    floors: 2, // of a pin that was lost with the turn, and of the turn's message
  });
}

promise(
  "The error of a deletion that is recorded tells its place, which is the receipt's once it is completed",
  async (store) => {
    const { conversation, recorded } = await pendingTurn(store);
    const receipt = await erase(conversation, "turn", "t1");
    assert.deepEqual([receipt.sequence, receipt.head, receipt.already], [
      recorded.sequence,
      recorded.head,
      true,
    ]);
    const { turns, pins, summaries, replay } = receipt.erased;
    assert.deepEqual([turns, pins, summaries, replay], [1, 1, 1, 1]);
  },
);

promise("A pending deletion is completed by a read of its scope, before anything is read", async (store) => {
  const { conversation } = await pendingTurn(store);
  assert.deepEqual(await readIds(conversation), ["t2"]);
  assertApplied(store);
});

promise("A pending deletion is completed by the next write, of whatever scope", async (store) => {
  const { harbour } = await pendingTurn(store);
  await harbour.append([{ role: "user", content: "x" }]);
  assert.deepEqual(progress(store), { recorded: 1, applied: 1 });
  assert.deepEqual(store.sql("SELECT turn_id FROM turns WHERE turn_id IN ('t1', 't2')"), [["t2"]]);
});

promise("A pending deletion is completed by prune()", async (store) => {
  const { memory } = await pendingTurn(store);
  await memory.prune({ scrub: false });
  assertApplied(store);
});

promise("A pending deletion is completed when the store is opened", async (store) => {
  const { memory } = await pendingTurn(store);
  await memory.close();
  await store.open(atNoon());
  assertApplied(store);
});

promise(
  "A pending deletion is completed by another store that has the file open, at its next read of the scope",
  async (store) => {
    const other = await openMemory(store.path, atNoon());
    try {
      await pendingTurn(store);
      assert.deepEqual(await readIds(other.conversation(HARBOUR)), ["h1"]);
      assert.deepEqual(progress(store), { recorded: 1, applied: 0 });
      assert.deepEqual(await readIds(other.conversation(ORCHARD)), ["t2"]);
      assertApplied(store);
    } finally {
      await other.close();
    }
  },
);

promise(
  "Other scopes and records are served while a deletion is pending, and do not wait for it",
  async (store) => {
    const { memory, harbour } = await pendingTurn(store);
    store.driver.fail({
      database: "main",
      sql: "BEGIN IMMEDIATE",
      effect: "before",
      code: RESULT.FULL,
      lasting: true,
    });
    assert.deepEqual(await readIds(harbour), ["h1"]);
    assert.equal(await memory.records.get({ tenantId: "orchard", kind: "fact", key: "a" }), null);
    assert.deepEqual(progress(store), { recorded: 1, applied: 0 });
    store.driver.heal();
  },
);

promise(
  "While it cannot be completed, reads of its scope and all writes fail; once it can, all go on",
  async (store) => {
    const { conversation, harbour } = await pendingTurn(store);
    store.driver.fail({
      database: "main",
      sql: "COMMIT",
      verbs: STATEMENT_VERBS,
      effect: "before",
      code: RESULT.FULL,
      lasting: true,
      skip: 1,
    });
    await assert.rejects(conversation.snapshot(), { code: "FULL" });
    store.driver.heal();
    store.driver.fail({
      database: "main",
      sql: "BEGIN IMMEDIATE",
      effect: "before",
      code: RESULT.FULL,
      lasting: true,
    });
    await assert.rejects(harbour.append([{ role: "user", content: "x" }]), { code: "FULL" });
    await assert.rejects(readIds(conversation), { code: "FULL" });
    store.driver.heal();
    assert.deepEqual(await readIds(conversation), ["t2"]);
    await harbour.append([{ role: "user", content: "x" }]);
  },
);

promise(
  "A store that can not complete it at open opens all the same, with only that scope blocked",
  async (store) => {
    const { memory } = await pendingTurn(store);
    await memory.close();
    store.driver.fail({
      database: "main",
      sql: "BEGIN IMMEDIATE",
      effect: "before",
      code: RESULT.FULL,
      lasting: true,
    });
    const again = await store.open(atNoon());
    assert.deepEqual(await readIds(again.conversation(HARBOUR)), ["h1"]);
    await assert.rejects(again.conversation(ORCHARD).snapshot(), { code: "FULL" });
    store.driver.heal();
    assert.deepEqual(await readIds(again.conversation(ORCHARD)), ["t2"]);
  },
);

promise(
  "A store opened for reading serves other scopes and rejects reads of that one with READONLY",
  async (store) => {
    const { memory } = await pendingTurn(store);
    await memory.close();
    const reader = await store.open({ ...atNoon(), readOnly: true, busyTimeoutMs: 20 });
    assert.deepEqual(await readIds(reader.conversation(HARBOUR)), ["h1"]);
    await assert.rejects(reader.conversation(ORCHARD).snapshot(), { name: "StorageError", code: "READONLY" });
    assert.deepEqual(progress(store), { recorded: 1, applied: 0 });
  },
);

promise("A turn whose deletion is pending cannot be put again, cited or revised", async (store) => {
  const { conversation } = await pendingTurn(store);
  const revised = turnOf("t1", "again", { revision: 2 });
  await assert.rejects(conversation.putTurn(revised, { operationId: "new", expectedRevision: 6 }), {
    reason: "DELETED",
  });
  assert.equal(await conversation.revision(), 6);
});

promise("A pending deletion of a scope ends it for every late writer", async (store) => {
  const memory = await store.open(atNoon());
  const conversation = await talk(memory, ["t1"]);
  await derive(conversation);
  await leavePending(store, () => conversation.delete({ kind: "scope", expectedRevision: 3 }));
  await assert.rejects(conversation.append([{ role: "user", content: "x" }]), { reason: "DELETED" });
  assert.deepEqual(Object.values(rowsByTable(store)), Array(9).fill(0));
});

promise("A pending deletion of a pin is completed like any other", async (store) => {
  const conversation = await talk(await store.open(atNoon()), []);
  await pinUp(conversation, pinOf("k"));
  await leavePending(store, () => conversation.delete({ kind: "pin", key: "k", expectedRevision: 1 }));
  assert.deepEqual((await conversation.snapshot()).pins, []);
  await assert.rejects(pinUp(conversation, pinOf("k", "v", { revision: 2 })), { reason: "DELETED" });
});

promise("A pending deletion of something unknown burns its id when it is completed", async (store) => {
  const conversation = await talk(await store.open(atNoon()), ["t1"]);
  await leavePending(store, () => conversation.delete({ kind: "turn", key: "t9", expectedRevision: 1 }));
  assert.equal(await conversation.revision(), 2);
  await assert.rejects(revise(conversation, turnOf("t9")), { reason: "DELETED" });
});

promise(
  "A batch of expiries that is pending is completed as one: floors are left, nothing is seen by halves",
  async (store) => {
    const clock = clockAtNoon();
    const memory = await store.open({ clock: clock.now });
    const conversation = await talk(memory, []);
    for (const [index, turnId] of ["t1", "t2", "t3"].entries()) {
      const options = { operationId: turnId, expectedRevision: index, expiresAt: after(60) };
      await conversation.putTurn(turnOf(turnId), options);
    }
    await derive(conversation);
    clock.advance(60);
    const before = progress(store);
    store.driver.fail({
      database: "main",
      verbs: STATEMENT_VERBS,
      sql: "COMMIT",
      skip: 1,
      effect: "before",
      code: RESULT.IOERR,
    });
    await assert.rejects(conversation.snapshot(), { code: "IO" });
    assert.deepEqual(progress(store), { recorded: before.recorded + 3, applied: 0 });
    assert.deepEqual((await readTurns(conversation)).length, 0);
    assert.deepEqual(progress(store), { recorded: 3, applied: 3 });
    await assert.rejects(revise(conversation, turnOf("t1", "t1", { revision: 1 })), {
      reason: "REVISION",
      currentRevision: 1,
    });
    await revise(conversation, turnOf("t1", "back", { revision: 2 }));
    await assert.rejects(pinUp(conversation, pinOf("derived", "derived", { revision: 1 })), {
      reason: "REVISION",
      currentRevision: 1,
    });
  },
);

promise(
  "A pending deletion in a damaged scope is completed, and the damage stays to be seen",
  async (store) => {
    const { memory, harbour } = await pendingTurn(store);
    store.damaged = true;
    store.sql("UPDATE scopes SET turns = 7 WHERE tenant = 'orchard'");
    await harbour.append([{ role: "user", content: "x" }]);
    assert.deepEqual(progress(store), { recorded: 1, applied: 1 });
    assert.deepEqual(store.sql("SELECT count(*) FROM turns WHERE turn_id = 't1'"), [[0]]);
    assert.deepEqual((await memory.check()).problems.map(({ table }) => table), ["scopes"]);
  },
);

promise("check() and verifyReceipt() complete what is pending first", async (store) => {
  const { memory, conversation, recorded } = await pendingTurn(store);
  assert.equal((await memory.check()).ok, true);
  assertApplied(store);
  const receipt = await erase(conversation, "turn", "t1");
  assert.equal(receipt.head, recorded.head);
  assert.equal((await memory.verifyReceipt(receipt)).valid, true);
});

testThatNothingIsLeftOpen();
