/** What holds where several processes have one file open. */

import assert from "node:assert/strict";
import { COUNTER, RUN, START } from "../../../src/testing/records/record_samples.ts";
import { countInProcess, SHARED } from "../../kit/counting_process.ts";
import { LockHolder } from "../../kit/lock_holder.ts";
import type { SqliteSuite } from "./promise.ts";

const CREATE = { expectedRevision: null, ttl: 60 };
const BUSY = { name: "StorageError", code: "BUSY", retryable: true };

export function testProcesses({ promise, target }: SqliteSuite): void {
  if (!target.durable) return;

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
