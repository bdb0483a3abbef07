import assert from "node:assert/strict";
import { fact, factId, TestBed } from "./store.ts";

async function bedWithFact(): Promise<TestBed> {
  const bed = await TestBed.inMemory();
  await bed.records.put(factId("a"), fact("one"), { expectedRevision: null, ttl: 60, now: 100 });
  return bed;
}

Deno.test("A row whose deadline was changed is not believed", async () => {
  await using bed = await bedWithFact();
  bed.driver.rows("main", "UPDATE records SET expires = 9999999");
  await assert.rejects(bed.records.get(factId("a"), { now: 500 }), { code: "INTEGRITY" });
});

Deno.test("A row whose maxAge was changed is not believed", async () => {
  await using bed = await bedWithFact();
  bed.driver.rows("main", "UPDATE records SET max_age = 9999999");
  await assert.rejects(bed.records.list("orchard", { now: 100 }), { code: "INTEGRITY" });
});

Deno.test("A row whose body was changed is not believed", async () => {
  await using bed = await bedWithFact();
  bed.driver.rows("main", "UPDATE records SET body = replace(body, 'one', 'two')");
  await assert.rejects(bed.records.get(factId("a"), { now: 100 }), { code: "INTEGRITY" });
});

Deno.test("A store whose counter was changed is not written", async () => {
  await using bed = await bedWithFact();
  bed.driver.rows("main", "UPDATE meta SET counter = 0");
  const put = bed.records.put(factId("b"), fact(), { expectedRevision: null, ttl: 60 });
  await assert.rejects(put, { code: "INTEGRITY" });
});

Deno.test("A ledger whose count was changed is not used", async () => {
  await using bed = await TestBed.inFile();
  await bed.close();
  await bed.open();
  bed.driver.rows("ledger", "UPDATE meta SET generation = 7");
  await bed.close();
  await assert.rejects(bed.open(), { code: "INTEGRITY" });
});

Deno.test("A remembered operation that was changed is not believed", async () => {
  await using bed = await TestBed.inMemory();
  const call = { expectedRevision: null, ttl: 60, operationId: "op-1" };
  await bed.records.put(factId("a"), fact(), call);
  bed.driver.rows("main", "UPDATE operations SET result = 77");
  await assert.rejects(bed.records.put(factId("a"), fact(), call), { code: "INTEGRITY" });
});
