import assert from "node:assert/strict";
import { THREAD, VISITS } from "./shared_names.ts";
import { assertIntact, medianAndWorst, say, StoreDirectory } from "./shared_store.ts";
import type { MixResult } from "./task.ts";
import { Crew, nameOf, type Staff, Worker } from "./workers.ts";

const LONG = Deno.env.get("HOLDFAST_LONG") === "1";
const FOR_MS = LONG ? 30_000 : 3_000;

/** Four writers, each a process, or several of them in one process. */
const STAFFS: readonly Staff[] = [{ processes: 4, threads: 0 }, { processes: 2, threads: 2 }];

for (const staff of STAFFS) {
  Deno.test(`${nameOf(staff)} that mix everything meet no lock error, and none of them starves`, async () => {
    using store = new StoreDirectory();
    await using memory = await store.open();
    await memory.records.put(VISITS, { n: 0 }, { expectedRevision: null, ttl: null });
    await memory.conversation(THREAD).create();
    await using workers = await Crew.start(staff);
    // The timeout is long enough for a loaded machine and short enough to show that somebody starves.
    await workers.perform(() => ({ do: "open", path: store.path, busyTimeoutMs: 20_000 }));
    const results = await workers.perform<MixResult>((seed) => ({
      do: "mix",
      seed,
      forMs: FOR_MS,
      prunes: LONG,
    }));
    for (const [index, { calls, conflicts, waitsMs }] of results.entries()) {
      say(`writer ${index}: ${calls} calls, ${conflicts} conflicts, ${medianAndWorst(waitsMs)}`);
      assert.ok(calls >= 10, `writer ${index} made ${calls} calls`);
    }
    const revisions = results.flatMap((result) => result.revisions);
    assert.equal(new Set(revisions).size, revisions.length, "no revision was handed out twice");
    for (const [key, revision] of results.flatMap((result) => result.kept)) {
      const found = await memory.records.get({ tenantId: "orchard", kind: "fact", key });
      assert.equal(found?.revision, revision, key);
    }
    const forgotten = results.reduce((sum, result) => sum + result.forgotten, 0);
    assert.equal((await memory.deletionWatermark()).sequence, forgotten);
    await assertIntact(memory);
  });

  Deno.test(`${nameOf(staff)} that open and close a store over and over meet no lock error`, async () => {
    using store = new StoreDirectory();
    await using workers = await Crew.start(staff);
    const rounds = LONG ? 200 : 25;
    for (let round = 0; round < rounds; round++) {
      await workers.perform((index) => ({ do: "first open", path: store.path, key: `r${round}-w${index}` }));
    }
    await using memory = await store.open();
    assert.equal((await memory.records.list("orchard", { limit: 1_000 })).items.length, 4 * rounds);
    await assertIntact(memory);
  });
}

Deno.test("check() finds nothing wrong while another process forgets", async () => {
  using store = new StoreDirectory();
  await using memory = await store.open();
  await using workers = await Worker.startAll(1);
  await workers.perform(() => ({ do: "open", path: store.path }));
  await workers.perform(() => ({ do: "forgets", key: "gone", times: 1 }));
  let running = true;
  const forgetting = workers.perform<number>(() => ({ do: "forgets", key: "gone", times: 150 })).then(
    (result) => {
      running = false;
      return result;
    },
  );
  let checks = 0;
  for (; running && checks < 1_000; checks++) await assertIntact(memory);
  assert.deepEqual(await forgetting, [150]);
  assert.ok(checks > 0);
  assert.equal((await memory.deletionWatermark()).sequence, 151);
});
