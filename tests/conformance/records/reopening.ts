/** What holds across openings, connections and processes: for stores in files. */

import assert from "node:assert/strict";
import { countOpenFiles } from "../../../src/engines/sqlite/files/open_files.ts";
import { countInProcess, SHARED } from "../../kit/counting_process.ts";
import { LockHolder } from "../../kit/lock_holder.ts";
import { MutableClock } from "../../kit/mutable_clock.ts";
import type { RecordsSuite } from "./promise.ts";
import { COUNTER, factAt, factOf, LISTS, PREFERENCE, RUN, START } from "./samples.ts";

const CREATE = { expectedRevision: null, ttl: 60 };
const BUSY = { name: "StorageError", code: "BUSY", retryable: true };

export function testReopening(suite: RecordsSuite): void {
  if (!suite.target.durable) return;
  testSurvival(suite);
  testTwoConnections(suite);
  testReadOnly(suite);
  testOtherProcesses(suite);
}

function testSurvival({ promise }: RecordsSuite): void {
  promise("Records, counter, revocations and operation ids survive a reopen", async (store) => {
    const first = await store.open();
    await first.records.put(PREFERENCE, LISTS, { ...CREATE, operationId: "call-1" });
    await first.records.forget(RUN, null, { revoke: true });
    const watermark = await first.deletionWatermark();
    await first.close();
    const second = await store.open();
    assert.deepEqual((await second.records.get(PREFERENCE))?.value, LISTS);
    assert.deepEqual(await second.deletionWatermark(), watermark);
    await assert.rejects(second.records.put(RUN, START, CREATE), { reason: "DELETED" });
    assert.equal(await second.records.put(PREFERENCE, LISTS, { ...CREATE, operationId: "call-1" }), 1);
    assert.equal(await second.records.put(PREFERENCE, LISTS, { ...CREATE, expectedRevision: 1 }), 2);
  });

  promise("Opening and closing changes no cell", async (store) => {
    const first = await store.open();
    await first.records.put(PREFERENCE, LISTS, CREATE);
    const before = store.dump();
    await first.close();
    const second = await store.open();
    assert.deepEqual(store.dump(), before);
    await second.close();
    await store.open();
    assert.deepEqual(store.dump(), before);
  });
}

function testTwoConnections({ promise }: RecordsSuite): void {
  promise("Two openings of one file see each other's commits, and one counter", async (store) => {
    const [left, right] = [await store.open(), await store.open()];
    assert.equal(await left.records.put(PREFERENCE, factOf("left"), CREATE), 1);
    assert.equal((await right.records.get(PREFERENCE))?.value.text, "left");
    assert.equal(await right.records.put(PREFERENCE, factOf("right"), { ...CREATE, expectedRevision: 1 }), 2);
    assert.equal((await left.records.get(PREFERENCE))?.value.text, "right");
    await assert.rejects(left.records.put(PREFERENCE, factOf("left"), { ...CREATE, expectedRevision: 1 }), {
      currentRevision: 2,
    });
  });

  promise("A revocation through one opening holds at once through the other", async (store) => {
    const [left, right] = [await store.open(), await store.open()];
    await right.records.put(factAt("warm"), factOf("x"), CREATE);
    await left.records.forget(RUN, null, { revoke: true });
    await assert.rejects(right.records.put(RUN, START, CREATE), { reason: "DELETED" });
    assert.deepEqual(await right.deletionWatermark(), await left.deletionWatermark());
  });

  promise("Interleaved puts and forgets through two openings all count", async (store) => {
    const openings = [await store.open(), await store.open()];
    const flows = openings.flatMap(({ records }, opening) =>
      Array.from({ length: 25 }, async (_, index) => {
        const revision = await records.put(factAt(`k${opening}-${index}`), factOf("x"), CREATE);
        return await records.forget(factAt(`k${opening}-${index}`), revision);
      })
    );
    assert.deepEqual(await Promise.all(flows), Array(50).fill(true));
    assert.equal((await openings[0]!.deletionWatermark()).sequence, 50);
  });

  promise("A file that is closed through one opening stays open through the other", async (store) => {
    const before = countOpenFiles();
    const [left, right] = [await store.open(), await store.open()];
    await left.close();
    assert.equal(await right.records.put(RUN, START, CREATE), 1);
    assert.equal(countOpenFiles() - before, 2);
  });
}

function testReadOnly({ promise }: RecordsSuite): void {
  promise("A store opened read-only reads, and refuses every change with READONLY", async (store) => {
    const clock = new MutableClock(1_000);
    const writer = await store.open({ clock: clock.now });
    await writer.records.put(RUN, START, CREATE);
    await writer.close();
    const reader = await store.open({ readOnly: true, clock: clock.now });
    const { records } = reader;
    assert.equal((await records.get(RUN))?.revision, 1);
    assert.equal((await records.list("orchard")).items.length, 1);
    assert.equal((await reader.deletionWatermark()).sequence, 0);
    const refusal = { name: "StorageError", code: "READONLY" };
    await store.assertChangesNothing(
      () => records.put(RUN, START, { ...CREATE, expectedRevision: 1 }),
      refusal,
    );
    await store.assertChangesNothing(() => records.forget(RUN, 1), refusal);
    await store.assertChangesNothing(() => records.purge("orchard"), refusal);
    await store.assertChangesNothing(() => records.update(RUN, (value) => value, { ttl: 60 }), refusal);
  });

  promise("A store opened read-only sees what a writer commits meanwhile", async (store) => {
    const writer = await store.open();
    await writer.records.put(PREFERENCE, factOf("first"), CREATE);
    const reader = await store.open({ readOnly: true });
    assert.equal((await reader.records.get(PREFERENCE))?.value.text, "first");
    await writer.records.put(PREFERENCE, factOf("second"), { ...CREATE, expectedRevision: 1 });
    assert.equal((await reader.records.get(PREFERENCE))?.value.text, "second");
  });

  promise("acceptClock on a store opened read-only is READONLY, and leaves nothing open", async (store) => {
    const before = countOpenFiles();
    const clock = new MutableClock(1_000);
    const writer = await store.open({ clock: clock.now });
    await writer.records.put(RUN, START, CREATE);
    await writer.close();
    clock.set(1);
    await assert.rejects(store.open({ readOnly: true, acceptClock: true, clock: clock.now }), {
      code: "READONLY",
    });
    assert.equal(countOpenFiles(), before);
  });
}

function testOtherProcesses({ promise }: RecordsSuite): void {
  promise(
    "CON-04 while another process holds the write lock, writes are BUSY in time and reads work",
    async (store) => {
      const memory = await store.open({ busyTimeoutMs: 50 });
      const { records } = memory;
      await records.put(RUN, START, CREATE);
      await using holder = await LockHolder.hold(store.path);
      await store.assertChangesNothing(
        () => records.put(RUN, START, { ...CREATE, expectedRevision: 1 }),
        BUSY,
      );
      await store.assertChangesNothing(() => records.forget(RUN, 1), BUSY);
      await store.assertChangesNothing(() => records.purge("orchard"), BUSY);
      assert.equal((await records.get(RUN))?.revision, 1);
      assert.equal((await records.list("orchard")).items.length, 1);
      assert.equal((await memory.check()).ok, true);
      const another = await store.open({ busyTimeoutMs: 50 });
      assert.equal((await another.records.get(RUN))?.revision, 1);
      await another.close();
      await holder.release();
      assert.equal(await records.put(RUN, START, { ...CREATE, expectedRevision: 1 }), 2);
    },
  );

  promise("CON-04 a write waits for another process's lock, and the event loop does not", async (store) => {
    const { records } = await store.open({ busyTimeoutMs: 60_000 });
    await using holder = await LockHolder.hold(store.path);
    const waiting = records.put(RUN, START, CREATE);
    let ticks = 0;
    while (ticks < 5) await new Promise((resolve) => setTimeout(() => resolve(ticks++), 5));
    assert.deepEqual(store.sql("SELECT count(*) FROM records"), [[0]]);
    await holder.release();
    assert.equal(await waiting, 1);
  });

  promise("CON-06 a process killed in the middle of a write leaves no lock and no change", async (store) => {
    const first = await store.open();
    await first.records.put(RUN, START, CREATE);
    const before = store.dump();
    await first.close();
    await using holder = await LockHolder.hold(store.path);
    await holder.kill();
    await Deno.writeTextFile(`${store.path}.lock`, String(Deno.ppid));
    const { records } = await store.open();
    assert.deepEqual(store.dump(), before);
    assert.equal(await records.put(RUN, START, { ...CREATE, expectedRevision: 1 }), 2);
  });

  promise(
    "DRV-03 two processes that read, compare and write meet no lock error, and lose nothing",
    async (store) => {
      const memory = await store.open({ kinds: [COUNTER] });
      await memory.records.put(SHARED, { n: 0 }, { expectedRevision: null, ttl: null });
      const ended = await Promise.all([countInProcess(store.path, 25), countInProcess(store.path, 25)]);
      assert.deepEqual(ended, [{ code: 0, said: "" }, { code: 0, said: "" }]);
      assert.deepEqual((await memory.records.get(SHARED))?.value, { n: 50 });
    },
  );
}
