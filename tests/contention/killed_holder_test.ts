import assert from "node:assert/strict";
import { THREAD, VISITS } from "./shared_names.ts";
import { assertIntact, medianAndWorst, say, StoreDirectory } from "./shared_store.ts";
import type { MixResult } from "./task.ts";
import { Worker } from "./workers.ts";

const LONG = Deno.env.get("HOLDFAST_LONG") === "1";
const FOR_MS = LONG ? 30_000 : 3_000;
const KILLS_MAX = 400;

const IDENTITY = { tenantId: "orchard", kind: "fact", key: "preference" } as const;
const LISTS = { schema: 1, text: "Prefers lists.", source: "chat-7", reviewed: false } as const;

for (const name of ["", ".deletions"]) {
  const what = name === "" ? "the store" : "the ledger";
  Deno.test(`CON-06: a process killed while it holds the lock of ${what} leaves no lock behind`, async () => {
    using store = new StoreDirectory();
    await using memory = await store.open({ busyTimeoutMs: 100 });
    const holder = await Worker.start();
    await holder.perform({ do: "hold", path: `${store.path}${name}` });
    await holder.kill();
    const revision = await memory.records.put(IDENTITY, LISTS, { expectedRevision: null, ttl: 3_600 });
    assert.equal(await memory.records.forget(IDENTITY, revision), true);
    await assertIntact(memory);
  });
}

Deno.test("CON-06: a process killed in the middle of a write leaves everything that was committed, and new ones open at once", async () => {
  using store = new StoreDirectory();
  {
    await using memory = await store.open();
    await memory.records.put(IDENTITY, LISTS, { expectedRevision: null, ttl: 3_600 });
  }
  const holder = await Worker.start();
  assert.equal(await holder.perform({ do: "hold written", path: store.path }), 1);
  await using others = await Worker.startAll(4);
  await holder.kill();
  await others.perform((index) => ({ do: "first open", path: store.path, key: `w${index}` }));
  await using memory = await store.open();
  assert.deepEqual((await memory.records.get(IDENTITY))?.value, LISTS);
  assert.equal((await memory.records.list("orchard")).items.length, 5);
  await assertIntact(memory);
});

Deno.test("CON-06: a lock file that names a living process means nothing", async () => {
  using store = new StoreDirectory();
  for (const suffix of [".lock", ".pid", ".deletions.lock"]) {
    Deno.writeTextFileSync(store.path + suffix, `${Deno.pid}\n`, { mode: 0o600 });
  }
  await using memory = await store.open({ busyTimeoutMs: 100 });
  assert.equal(await memory.records.put(IDENTITY, LISTS, { expectedRevision: null, ttl: 3_600 }), 1);
  await assertIntact(memory);
});

Deno.test("CON-06: processes that are killed in the middle of their writes disturb none of the others", async () => {
  using store = new StoreDirectory();
  await using memory = await store.open();
  await memory.records.put(VISITS, { n: 0 }, { expectedRevision: null, ttl: null });
  await memory.conversation(THREAD).create();
  await using steady = await Worker.startAll(2);
  await steady.perform(() => ({ do: "open", path: store.path, busyTimeoutMs: 20_000 }));
  let running = true;
  const mixing = steady.perform<MixResult>((seed) => ({ do: "mix", seed, forMs: FOR_MS, prunes: false }))
    .finally(() => {
      running = false;
    });
  let kills = 0;
  while (running && kills < KILLS_MAX) {
    const victim = await Worker.start();
    await victim.perform({ do: "open", path: store.path, busyTimeoutMs: 20_000 });
    const mixed = victim.perform({ do: "mix", seed: 1_000 + kills, forMs: 60_000, prunes: false }).then(
      () => "done",
      () => "killed",
    );
    await memory.records.put({ ...IDENTITY, key: `k${kills}` }, LISTS, {
      expectedRevision: null,
      ttl: 3_600,
    });
    await victim.kill();
    assert.equal(await mixed, "killed");
    kills++;
  }
  for (const { calls, waitsMs } of await mixing) {
    say(`${calls} calls beside ${kills} kills, ${medianAndWorst(waitsMs)}`);
  }
  assert.ok(kills > 0);
  const { items } = await memory.records.list("orchard", { kind: "fact", limit: 1_000 });
  assert.equal(items.filter(({ key }) => /^k\d+$/.test(key)).length, kills);
  await assertIntact(memory);
});
