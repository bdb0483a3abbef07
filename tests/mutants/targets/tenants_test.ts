import assert from "node:assert/strict";
import { fact, factId, TestBed } from "./store.ts";

Deno.test("purge() never touches another tenant", async () => {
  await using bed = await TestBed.inMemory();
  for (const tenant of ["orchard", "harbour"]) {
    await bed.records.put(factId("a", tenant), fact(), { expectedRevision: null, ttl: 10, now: 100 });
  }
  assert.equal(await bed.records.purge("orchard", { now: 110 }), 1);
  assert.deepEqual(bed.driver.rows("main", "SELECT tenant FROM records"), [["harbour"]]);
});

Deno.test("list() shows one tenant's records only", async () => {
  await using bed = await TestBed.inMemory();
  await bed.records.put(factId("a", "harbour"), fact(), { expectedRevision: null, ttl: 10 });
  for (const listed of [bed.records.list("orchard"), bed.records.list("orchard", { kind: "fact" })]) {
    assert.deepEqual(await listed.then(({ items }) => items, ({ code }) => code), []);
  }
});

Deno.test("get() reads one tenant's record only", async () => {
  await using bed = await TestBed.inMemory();
  await bed.records.put(factId("a", "harbour"), fact(), { expectedRevision: null, ttl: 10 });
  assert.equal(await bed.records.get(factId("a")).catch(({ code }) => code), null);
});

Deno.test("REC-17: the pages of a list show every record once", async () => {
  await using bed = await TestBed.inMemory();
  for (const key of ["a", "b", "c"]) {
    await bed.records.put(factId(key), fact(), { expectedRevision: null, ttl: 10 });
  }
  const first = await bed.records.list("orchard", { limit: 2 });
  assert.deepEqual(first.items.map(({ key }) => key), ["a", "b"]);
  assert.equal(first.next, "fact/b");
  const second = await bed.records.list("orchard", { limit: 2, after: "fact/b" });
  assert.deepEqual(second.items.map(({ key }) => key), ["c"]);
  assert.equal(second.next, null);
});
