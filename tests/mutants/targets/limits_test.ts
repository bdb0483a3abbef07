import assert from "node:assert/strict";
import { fact, factId, TestBed } from "./store.ts";

Deno.test("A fact of more bytes than its kind allows is refused", async () => {
  await using bed = await TestBed.inMemory();
  const snowmen = "\u2603".repeat(256);
  const put = bed.records.put(factId("a"), fact(snowmen, snowmen), { expectedRevision: null, ttl: 10 });
  await assert.rejects(put, { code: "CONTRACT", field: "value" });
});

Deno.test("A text is measured in code points: 256 characters outside the first plane fit", async () => {
  await using bed = await TestBed.inMemory();
  // 256 escaped pairs are 3 072 bytes: as an identifier's length is measured alike, an operation id stands for both.
  const operationId = "\u{1f33e}".repeat(256);
  const put = bed.records.put(factId("a"), fact(), { expectedRevision: null, ttl: 10, operationId });
  await assert.doesNotReject(put);
});

Deno.test("A boolean is no integer", async () => {
  await using bed = await TestBed.inMemory();
  const ttl = true as unknown as number;
  await assert.rejects(bed.records.put(factId("a"), fact(), { expectedRevision: null, ttl }), {
    field: "ttl",
  });
});

Deno.test("A ttl beyond a day is refused", async () => {
  await using bed = await TestBed.inMemory();
  await assert.rejects(bed.records.put(factId("a"), fact(), { expectedRevision: null, ttl: 86_401 }), {
    field: "ttl",
  });
});

Deno.test("JSN-01: text with a lone surrogate is refused", async () => {
  await using bed = await TestBed.inMemory();
  await assert.rejects(bed.records.put(factId("a"), fact("\ud800"), { expectedRevision: null, ttl: 10 }), {
    code: "CONTRACT",
    field: "value.text",
  });
});

Deno.test("A value that a proxy stands for is refused", async () => {
  await using bed = await TestBed.inMemory();
  const proxy = new Proxy(fact(), {});
  await assert.rejects(bed.records.put(factId("a"), proxy, { expectedRevision: null, ttl: 10 }), {
    code: "CONTRACT",
  });
});

Deno.test("A tenant is matched as a whole", async () => {
  await using bed = await TestBed.inMemory();
  const put = bed.records.put(factId("a", "orchard\n"), fact(), { expectedRevision: null, ttl: 10 });
  await assert.rejects(put, { code: "CONTRACT", field: "tenantId" });
});
