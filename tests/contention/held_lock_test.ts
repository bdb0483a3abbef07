import assert from "node:assert/strict";
import { StorageError } from "@holdfast/memory";
import { assertIntact, StoreDirectory } from "./shared_store.ts";
import { Worker } from "./workers.ts";

const IDENTITY = { tenantId: "orchard", kind: "fact", key: "preference" } as const;
const LISTS = { schema: 1, text: "Prefers lists.", source: "chat-7", reviewed: false } as const;
const TABLES = { ...LISTS, text: "Prefers tables." } as const;

function isBusy(error: unknown): boolean {
  assert.ok(error instanceof StorageError);
  assert.equal(error.code, "BUSY");
  assert.equal(error.retryable, true);
  assert.equal(error.details.outcome, undefined);
  return true;
}

Deno.test("CON-04: while another process holds the lock a put fails as BUSY, changes nothing, and works after its release", async () => {
  using store = new StoreDirectory();
  await using memory = await store.open({ busyTimeoutMs: 100 });
  const { records } = memory;
  const first = await records.put(IDENTITY, LISTS, { expectedRevision: null, ttl: 3_600 });
  await using holder = await Worker.start();
  await holder.perform({ do: "hold", path: store.path });

  await assert.rejects(records.put(IDENTITY, TABLES, { expectedRevision: first, ttl: 3_600 }), isBusy);
  await assert.rejects(records.forget(IDENTITY, first), isBusy);
  await assert.rejects(records.purge("orchard"), isBusy);
  assert.deepEqual((await records.get(IDENTITY))?.value, LISTS);
  assert.equal((await records.list("orchard")).items.length, 1);
  assert.equal((await memory.deletionWatermark()).sequence, 0);

  await holder.perform({ do: "release" });
  assert.equal(await records.put(IDENTITY, TABLES, { expectedRevision: first, ttl: 3_600 }), first + 1);
  await assertIntact(memory);
});

Deno.test("CON-04: while another process holds the lock a store opens, reads and closes", async () => {
  using store = new StoreDirectory();
  {
    await using memory = await store.open();
    await memory.records.put(IDENTITY, LISTS, { expectedRevision: null, ttl: 3_600 });
  }
  await using holder = await Worker.start();
  await holder.perform({ do: "hold", path: store.path });
  {
    await using memory = await store.open({ busyTimeoutMs: 100 });
    assert.deepEqual((await memory.records.get(IDENTITY))?.value, LISTS);
  }
  await holder.perform({ do: "release" });
  await using memory = await store.open();
  await assertIntact(memory);
});

Deno.test("While another process holds the ledger a forget fails as BUSY, records nothing, and a put works", async () => {
  using store = new StoreDirectory();
  await using memory = await store.open({ busyTimeoutMs: 100 });
  const { records } = memory;
  const first = await records.put(IDENTITY, LISTS, { expectedRevision: null, ttl: 3_600 });
  await using holder = await Worker.start();
  await holder.perform({ do: "hold", path: `${store.path}.deletions` });

  await assert.rejects(records.forget(IDENTITY, first), isBusy);
  const second = await records.put(IDENTITY, TABLES, { expectedRevision: first, ttl: 3_600 });
  assert.deepEqual((await records.get(IDENTITY))?.value, TABLES);

  await holder.perform({ do: "release" });
  assert.equal(await records.forget(IDENTITY, first), false);
  assert.equal(await records.forget(IDENTITY, second), true);
  assert.equal((await memory.deletionWatermark()).sequence, 1);
  await assertIntact(memory);
});

Deno.test("The event loop keeps ticking while a put waits for another process's lock", async () => {
  using store = new StoreDirectory();
  await using memory = await store.open({ busyTimeoutMs: 60_000 });
  await using holder = await Worker.start();
  await holder.perform({ do: "hold", path: store.path });
  let put: number | null = null;
  const waiting = memory.records.put(IDENTITY, LISTS, { expectedRevision: null, ttl: 3_600 }).then(
    (revision) => {
      put = revision;
    },
  );
  // The lock is only given back once the timer has ticked often: a wait inside SQLite would never let it.
  let ticks = 0;
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      if (++ticks < 50) return;
      clearInterval(timer);
      resolve();
    }, 1);
  });
  assert.equal(put, null);
  await holder.perform({ do: "release" });
  await waiting;
  assert.equal(put, 1);
  assert.equal(ticks, 50);
});

Deno.test("A put that is cancelled while it waits for another process's lock never happens", async () => {
  using store = new StoreDirectory();
  await using memory = await store.open({ busyTimeoutMs: 60_000 });
  await using holder = await Worker.start();
  await holder.perform({ do: "hold", path: store.path });
  const controller = new AbortController();
  const { signal } = controller;
  const cancelled = memory.records.put(IDENTITY, LISTS, { expectedRevision: null, ttl: 3_600, signal });
  const kept = memory.records.put({ ...IDENTITY, key: "kept" }, LISTS, {
    expectedRevision: null,
    ttl: 3_600,
  });
  setTimeout(() => controller.abort("enough"), 5);
  await assert.rejects(cancelled, (reason) => reason === "enough");
  await holder.perform({ do: "release" });
  assert.equal(await kept, 1);
  assert.equal(await memory.records.get(IDENTITY), null);
});
