/** Every promise about backups and restores: what comes back, and what does not. */

import assert from "node:assert/strict";
import type { Memory, StoreOptions } from "../../../mod.ts";
import {
  atNoon,
  clockAtNoon,
  derive,
  erase,
  HARBOUR,
  ORCHARD,
  readIds,
  talk,
  turnOf,
} from "../kit/conversation_samples.ts";
import type { StoreUnderTest } from "../kit/store_under_test.ts";
import type { Suite } from "../kit/suite.ts";
import { exported, fill, NONE, NOTE, ONE_OF_EACH } from "../lines/filled_store.ts";
import { factAt, factOf } from "../records/record_samples.ts";
import { TURNS } from "../../tables/schema/main_tables.ts";

const REPLACED = { name: "StorageError", code: "REPLACED" };
const CREATE = { expectedRevision: null, ttl: 3_600 };

/** A store whose backup has three turns and a fact, one of each of which was deleted since, and something written. */
async function deleteSince(store: StoreUnderTest): Promise<{ memory: Memory; backup: string }> {
  const memory = await store.open(atNoon());
  const conversation = await talk(memory, ["t1", "t2", "t3"]);
  await memory.records.put(factAt("a"), factOf("kept"), CREATE);
  const revision = await memory.records.put(factAt("b"), factOf("forgotten"), CREATE);
  const backup = await store.backUp();
  await erase(conversation, "turn", "t2");
  await memory.records.forget(factAt("b"), revision);
  await conversation.append([{ role: "user", content: "after the backup" }]);
  return { memory, backup };
}

/** Restores with everything that was deleted so far. */
async function restore(
  store: StoreUnderTest,
  memory: Memory,
  backup: string,
  options: StoreOptions = atNoon(),
): Promise<Memory> {
  return await store.restore(backup, { ...options, watermark: await memory.deletionWatermark() });
}

export function testBackups(suite: Suite): void {
  testRestored(suite);
  testDeletedSince(suite);
  testRefusals(suite);
}

function testRestored({ restoring }: Suite): void {
  restoring("A restore gives what the backup had, less what was deleted since", async (store) => {
    const { memory, backup } = await deleteSince(store);
    const restored = await restore(store, memory, backup);
    assert.deepEqual(await readIds(restored.conversation(ORCHARD)), ["t1", "t3"]);
    assert.deepEqual((await restored.records.get(factAt("a")))?.value, factOf("kept"));
    assert.equal(await restored.records.get(factAt("b")), null);
    const { erased, from, to } = restored.restored!;
    assert.deepEqual(erased, { records: 1, scopes: 0, turns: 1, pins: 0, entries: 0 });
    assert.deepEqual([from.sequence, to.sequence], [0, 2]);
  });

  restoring("A restore replaces the store: a process that has it open gets REPLACED", async (store) => {
    const { memory, backup } = await deleteSince(store);
    const restored = await restore(store, memory, backup);
    await assert.rejects(memory.records.put(factAt("c"), factOf("lost"), CREATE), REPLACED);
    await assert.rejects(memory.conversation(ORCHARD).snapshot(), REPLACED);
    await assert.rejects(store.open(atNoon()), REPLACED);
    await restored.records.put(factAt("c"), factOf("kept"), CREATE);
  });

  restoring(
    "After a restore no revision is given that was given before, also after the backup",
    async (store) => {
      const { memory, backup } = await deleteSince(store);
      const before = await memory.records.put(factAt("c"), factOf("later"), CREATE);
      const scope = await memory.conversation(ORCHARD).revision();
      const restored = await restore(store, memory, backup);
      assert(await restored.records.put(factAt("c"), factOf("again"), CREATE) > before);
      const { revision } = await restored.conversation(ORCHARD).append([{ role: "user", content: "again" }]);
      assert(revision > scope);
      assert(await restored.conversation(HARBOUR).create() > scope);
    },
  );

  restoring(
    "A restore leaves out summary and cached responses, and a search indexes again",
    async (store) => {
      const memory = await store.open(atNoon());
      const conversation = await talk(memory, ["pears", "plums"]);
      const snapshot = await derive(conversation);
      await conversation.search("pears");
      const restored = await restore(store, memory, await store.backUp());
      const there = restored.conversation(ORCHARD);
      assert.equal((await there.snapshot()).summary, null);
      await assert.rejects(there.assertCurrent(snapshot), { reason: "SNAPSHOT" });
      assert.equal((await there.search("pears"))[0]?.content, "pears");
    },
  );
}

function testDeletedSince({ restoring }: Suite): void {
  restoring("A receipt is valid after the restore of a backup from before its deletion", async (store) => {
    const memory = await store.open(atNoon());
    const conversation = await talk(memory, ["t1", "t2"]);
    const before = await erase(conversation, "turn", "t1");
    const backup = await store.backUp();
    const after = await erase(conversation, "turn", "t2");
    const scope = await erase(conversation, "scope");
    const restored = await restore(store, memory, backup);
    for (const receipt of [before, after, scope]) {
      assert.equal((await restored.verifyReceipt(receipt, ORCHARD)).valid, true);
    }
    await assert.rejects(restored.conversation(ORCHARD).create(), { reason: "DELETED" });
  });

  restoring("An id that was deleted after the backup stays reserved in the restored store", async (store) => {
    const { memory, backup } = await deleteSince(store);
    await memory.records.forget(factAt("d"), null, { revoke: true });
    const restored = await restore(store, memory, backup);
    const conversation = restored.conversation(ORCHARD);
    const expectedRevision = await conversation.revision();
    await assert.rejects(conversation.putTurn(turnOf("t2"), { operationId: "again", expectedRevision }), {
      reason: "DELETED",
    });
    await assert.rejects(restored.records.put(factAt("d"), factOf("x"), CREATE), { reason: "DELETED" });
  });

  restoring(
    "The same backup restored twice brings back nothing that was deleted in between",
    async (store) => {
      const { memory, backup } = await deleteSince(store);
      const first = await restore(store, memory, backup);
      await erase(first.conversation(ORCHARD), "turn", "t1");
      const second = await restore(store, first, backup);
      assert.deepEqual(await readIds(second.conversation(ORCHARD)), ["t3"]);
      await assert.rejects(first.conversation(ORCHARD).snapshot(), REPLACED);
    },
  );

  restoring(
    "DEL-06 after a restore an export adds what the backup lacked, and nothing that was deleted meanwhile",
    async (store) => {
      const options = { clock: clockAtNoon().now, kinds: [NOTE] };
      const memory = await store.open(options);
      await fill(memory, ONE_OF_EACH);
      const backup = await store.backUp();
      const conversation = memory.conversation(ORCHARD);
      await conversation.append([{ role: "user", content: "after the backup" }]);
      const note = { tenantId: "orchard", kind: "note", key: "c" };
      await memory.records.put(note, 1, { expectedRevision: null, ttl: null });
      const lines = await exported(memory);
      await erase(conversation, "turn", "plums1");
      await memory.records.forget({ ...note, key: "a" }, 1);
      const watermark = JSON.parse(lines[0]!).watermark;
      const restored = await store.restore(backup, { ...options, watermark });
      const { imported, refused, conflicting, unchanged } = await restored.importLines(lines);
      assert.deepEqual(imported, { ...NONE, records: 1, turns: 1 });
      assert.deepEqual(refused, { ...NONE, records: 1, turns: 1, summaries: 1 });
      assert.deepEqual(conflicting, NONE);
      assert.deepEqual(unchanged, { ...NONE, records: 1, scopes: 2, turns: 2, pins: 2 });
    },
  );
}

function testRefusals({ restoring }: Suite): void {
  restoring("A restore that knows of fewer deletions than its watermark is refused", async (store) => {
    const { memory, backup } = await deleteSince(store);
    const watermark = await memory.deletionWatermark();
    const ahead = { ...watermark, sequence: watermark.sequence + 1 };
    await assert.rejects(store.restore(backup, { ...atNoon(), watermark: ahead }), { code: "INTEGRITY" });
    assert.equal((await memory.conversation(ORCHARD).snapshot()).turnCount, 3);
  });

  restoring("A backup of a store with a damaged row is refused, and may leave it out", async (store) => {
    store.damaged = true;
    const memory = await store.open(atNoon());
    await talk(memory, ["t1", "t2"]);
    await store.damage(TURNS, ({ turnId }) => turnId === "t1" ? { payload: "{" } : null);
    await assert.rejects(store.backUp(), { code: "INTEGRITY" });
    const backup = await store.backUp("mended.backup", { damaged: "skip" });
    const restored = await restore(store, memory, backup);
    assert.deepEqual(await readIds(restored.conversation(ORCHARD)), ["t2"]);
    assert.equal((await restored.check()).ok, true);
  });
}
