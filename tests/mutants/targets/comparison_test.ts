import assert from "node:assert/strict";
import { COUNTER, fact, factId, TestBed } from "./store.ts";

const VISITS = { tenantId: "orchard", kind: COUNTER.name, key: "visits" };

Deno.test("put() refuses a stale revision and tells the current one", async () => {
  await using bed = await TestBed.inMemory();
  const first = await bed.records.put(factId("a"), fact("one"), { expectedRevision: null, ttl: 60 });
  const second = await bed.records.put(factId("a"), fact("two"), { expectedRevision: first, ttl: 60 });
  const stale = bed.records.put(factId("a"), fact("stale"), { expectedRevision: first, ttl: 60 });
  await assert.rejects(stale, { reason: "REVISION", currentRevision: second });
  assert.equal((await bed.records.get(factId("a")))?.value.text, "two");
});

Deno.test("put() refuses a revision where there is no record", async () => {
  await using bed = await TestBed.inMemory();
  await assert.rejects(bed.records.put(factId("a"), fact(), { expectedRevision: 1, ttl: 60 }), {
    reason: "REVISION",
  });
});

Deno.test("REC-06: forget() with a stale revision removes nothing", async () => {
  await using bed = await TestBed.inMemory();
  const first = await bed.records.put(factId("a"), fact("one"), { expectedRevision: null, ttl: 60 });
  const second = await bed.records.put(factId("a"), fact("two"), { expectedRevision: first, ttl: 60 });
  assert.equal(await bed.records.forget(factId("a"), first), false);
  assert.equal((await bed.records.get(factId("a")))?.revision, second);
});

Deno.test("A refused put gives its revision back", async () => {
  await using bed = await TestBed.inMemory();
  const tooOld = { expectedRevision: null, ttl: 60, now: 100, maxAge: 30 };
  const first = await bed.records.put(factId("a"), fact(), tooOld);
  // Its own maxAge is spent, so that it is refused after it drew a revision.
  const refused = bed.records.put(factId("a"), fact(), {
    expectedRevision: first,
    ttl: 60,
    now: 110,
    maxAge: 5,
  });
  const next = bed.records.put(factId("b"), fact(), { expectedRevision: null, ttl: 60 });
  await assert.rejects(refused, { reason: "EXPIRED" });
  assert.equal(await next, first + 1);
});

Deno.test("update() gives up after its attempts", async () => {
  await using bed = await TestBed.inMemory();
  let revision = await bed.records.put(VISITS, { n: 0 }, { expectedRevision: null, ttl: null });
  const spoiled = async (): Promise<{ readonly n: number }> => {
    revision = await bed.records.put(VISITS, { n: 100 }, { expectedRevision: revision, ttl: null });
    return { n: 1 };
  };
  const updating = bed.records.update(VISITS, spoiled, { ttl: null, attempts: 2 });
  await assert.rejects(updating, { reason: "REVISION", currentRevision: 3 });
});

Deno.test("update() recomputes after a conflict", async () => {
  await using bed = await TestBed.inMemory();
  const first = await bed.records.put(VISITS, { n: 0 }, { expectedRevision: null, ttl: null });
  let rival: Promise<number> | null = null;
  const increment = async ({ n }: { n: number }): Promise<{ readonly n: number }> => {
    await (rival ??= bed.records.put(VISITS, { n: 10 }, { expectedRevision: first, ttl: null }));
    return { n: n + 1 };
  };
  const updating = bed.records.update<string, { n: number }>(VISITS, increment, { ttl: null });
  await assert.doesNotReject(updating);
  assert.deepEqual((await bed.records.get(VISITS))?.value, { n: 11 });
});

Deno.test("An operation id gives the first answer again", async () => {
  await using bed = await TestBed.inMemory();
  const call = { expectedRevision: null, ttl: 60, operationId: "op-1" };
  const first = await bed.records.put(factId("a"), fact(), call);
  assert.equal(await bed.records.put(factId("a"), fact(), call).catch(({ reason }) => reason), first);
});

Deno.test("RPC-01: an operation id with other input is refused", async () => {
  await using bed = await TestBed.inMemory();
  await bed.records.put(factId("a"), fact("one"), { expectedRevision: null, ttl: 60, operationId: "op-1" });
  const other = bed.records.put(factId("b"), fact("two"), {
    expectedRevision: null,
    ttl: 60,
    operationId: "op-1",
  });
  await assert.rejects(other, { reason: "IDEMPOTENCY" });
});

Deno.test("An operation id is forgotten after a day", async () => {
  await using bed = await TestBed.inMemory();
  const call = { expectedRevision: null, ttl: 60, operationId: "op-1" };
  const first = await bed.records.put(factId("a"), fact(), call);
  bed.seconds += 86_400;
  const other = bed.records.put(factId("b"), fact(), call).catch(({ reason }) => reason);
  assert.equal(await other, first + 1);
});
