import assert from "node:assert/strict";
import { fact, factId, TestBed } from "./store.ts";

Deno.test("REC-01: get() hides a record at its deadline", async () => {
  await using bed = await TestBed.inMemory();
  await bed.records.put(factId("a"), fact(), { expectedRevision: null, ttl: 10, now: 100 });
  assert.equal((await bed.records.get(factId("a"), { now: 109 }))?.expires, 110);
  assert.equal(await bed.records.get(factId("a"), { now: 110 }), null);
});

Deno.test("REC-01: list() hides a record at its deadline", async () => {
  await using bed = await TestBed.inMemory();
  await bed.records.put(factId("a"), fact(), { expectedRevision: null, ttl: 10, now: 100 });
  assert.equal((await bed.records.list("orchard", { now: 109 })).items.length, 1);
  assert.equal((await bed.records.list("orchard", { now: 110 })).items.length, 0);
});

Deno.test("REC-01: list() of one kind hides a record at its deadline", async () => {
  await using bed = await TestBed.inMemory();
  await bed.records.put(factId("a"), fact(), { expectedRevision: null, ttl: 10, now: 100 });
  assert.equal((await bed.records.list("orchard", { kind: "fact", now: 109 })).items.length, 1);
  assert.equal((await bed.records.list("orchard", { kind: "fact", now: 110 })).items.length, 0);
});

Deno.test("REC-01: update() does not see a record at its deadline", async () => {
  await using bed = await TestBed.inMemory();
  await bed.records.put(factId("a"), fact(), { expectedRevision: null, ttl: 10 });
  bed.seconds += 10;
  await assert.rejects(bed.records.update(factId("a"), () => fact("again"), { ttl: 10 }), {
    reason: "MISSING",
  });
});

Deno.test("update() tells a record that expired meanwhile as missing", async () => {
  await using bed = await TestBed.inMemory();
  await bed.records.put(factId("a"), fact(), { expectedRevision: null, ttl: 10 });
  const change = (): ReturnType<typeof fact> => {
    bed.seconds += 10;
    return fact("too late");
  };
  await assert.rejects(bed.records.update(factId("a"), change, { ttl: 10 }), { reason: "MISSING" });
});

Deno.test("put() refuses an expired row", async () => {
  await using bed = await TestBed.inMemory();
  const revision = await bed.records.put(factId("a"), fact(), { expectedRevision: null, ttl: 10, now: 100 });
  const late = { expectedRevision: revision, ttl: 10, now: 110 };
  await assert.rejects(bed.records.put(factId("a"), fact(), late), { reason: "EXPIRED" });
});

Deno.test("purge() removes a record at its deadline, and not before", async () => {
  await using bed = await TestBed.inMemory();
  await bed.records.put(factId("a"), fact(), { expectedRevision: null, ttl: 10, now: 100 });
  assert.equal(await bed.records.purge("orchard", { now: 109 }), 0);
  assert.equal(await bed.records.purge("orchard", { now: 110 }), 1);
});

Deno.test("maxAge can only be lowered by a later put", async () => {
  await using bed = await TestBed.inMemory();
  const first = await bed.records.put(factId("a"), fact(), {
    expectedRevision: null,
    ttl: 60,
    now: 100,
    maxAge: 30,
  });
  await bed.records.put(factId("a"), fact(), { expectedRevision: first, ttl: 60, now: 110, maxAge: 500 });
  assert.equal((await bed.records.get(factId("a"), { now: 110 }))?.expires, 130);
});

Deno.test("REC-19: maxAge counts from the first put, however often the record is put", async () => {
  await using bed = await TestBed.inMemory();
  const first = await bed.records.put(factId("a"), fact(), {
    expectedRevision: null,
    ttl: 60,
    now: 100,
    maxAge: 30,
  });
  await bed.records.put(factId("a"), fact(), { expectedRevision: first, ttl: 60, now: 120 });
  const found = bed.records.get(factId("a"), { now: 120 });
  assert.equal(await found.then((record) => record?.expires, ({ code }) => code), 130);
});
