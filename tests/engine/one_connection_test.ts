import assert from "node:assert/strict";
import { nodeSqlite } from "../../src/engines/sqlite/drivers/node_sqlite.ts";
import { FaultyDriver } from "../kit/faulty_driver.ts";
import { TestStore } from "../kit/test_store.ts";
import { factAt, factOf } from "../../src/testing/records/record_samples.ts";

Deno.test("DRV-14 a store in memory opens one connection to each database, for any calls", async () => {
  const driver = new FaultyDriver(nodeSqlite);
  await using store = new TestStore(":memory:", driver, null);
  driver.startTrace();
  const memory = await store.open();
  const { records } = memory;
  await Promise.all(
    ["a", "b", "c"].map((key) => records.put(factAt(key), factOf(key), { expectedRevision: null, ttl: 60 })),
  );
  assert.equal(await records.forget(factAt("a"), 1), true);
  assert.equal((await records.get(factAt("b")))?.value.text, "b");
  assert.deepEqual((await records.list("orchard")).items.map(({ key }) => key), ["b", "c"]);
  assert.equal((await memory.deletionWatermark()).sequence, 1);
  assert.equal((await memory.check()).ok, true);
  const opened = driver.stopTrace().filter(({ verb }) => verb === "open").map(({ database }) => database);
  assert.deepEqual(opened, ["ledger", "main"]);
});

Deno.test("DRV-14 two stores in memory share nothing", async () => {
  await using left = new TestStore(":memory:", new FaultyDriver(nodeSqlite), null);
  await using right = new TestStore(":memory:", new FaultyDriver(nodeSqlite), null);
  const [first, second] = [await left.open(), await right.open()];
  await first.records.put(factAt("a"), factOf("x"), { expectedRevision: null, ttl: 60 });
  assert.equal(await second.records.get(factAt("a")), null);
  assert.notEqual((await first.deletionWatermark()).lineage, (await second.deletionWatermark()).lineage);
});
