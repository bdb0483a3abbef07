/** The same promises through a library that needs a rollback journal, where readers and COMMITs can be busy too. */

import assert from "node:assert/strict";
import { THREAD, VISITS } from "./shared_names.ts";
import { oldLibrary } from "./old_library.ts";
import { assertIntact, medianAndWorst, say, StoreDirectory } from "./shared_store.ts";
import type { MixResult } from "./task.ts";
import { Crew, nameOf, type Staff } from "./workers.ts";

const LONG = Deno.env.get("HOLDFAST_LONG") === "1";

/** How many write: each a process, or several of them in one process. */
const STAFFS: readonly Staff[] = [{ processes: 4, threads: 0 }, { processes: 2, threads: 2 }];

for (const staff of STAFFS) {
  Deno.test(`CON-02: first opens of a new file with a rollback journal, ${nameOf(staff)} at once, each succeed on one lineage`, async () => {
    using store = new StoreDirectory();
    await using workers = await Crew.start(staff);
    for (let round = 0; round < (LONG ? 40 : 6); round++) {
      const path = `${store.directory}/round-${round}.db`;
      const results = await workers.perform<{ lineage: string; revision: number }>((index) => ({
        do: "first open",
        path,
        key: `w${index}`,
        old: true,
      }));
      assert.equal(new Set(results.map(({ lineage }) => lineage)).size, 1);
      assert.deepEqual(results.map(({ revision }) => revision).sort(), [1, 2, 3, 4]);
    }
  });

  Deno.test(`${nameOf(staff)} that mix everything with a rollback journal meet no lock error`, async () => {
    using store = new StoreDirectory();
    await using memory = await store.open({ driver: oldLibrary, busyTimeoutMs: 60_000 });
    await memory.records.put(VISITS, { n: 0 }, { expectedRevision: null, ttl: null });
    await memory.conversation(THREAD).create();
    await using workers = await Crew.start(staff);
    await workers.perform(() => ({ do: "open", path: store.path, busyTimeoutMs: 60_000, old: true }));
    const results = await workers.perform<MixResult>((seed) => ({
      do: "mix",
      seed,
      forMs: LONG ? 30_000 : 2_000,
      prunes: false,
    }));
    for (const [index, { calls, conflicts, waitsMs }] of results.entries()) {
      say(`writer ${index}: ${calls} calls, ${conflicts} conflicts, ${medianAndWorst(waitsMs)}`);
      assert.ok(calls >= 10, `writer ${index} made ${calls} calls`);
    }
    const revisions = results.flatMap((result) => result.revisions);
    assert.equal(new Set(revisions).size, revisions.length, "no revision was handed out twice");
    const forgotten = results.reduce((sum, result) => sum + result.forgotten, 0);
    assert.equal((await memory.deletionWatermark()).sequence, forgotten);
    await assertIntact(memory);
  });
}
