import { openMemory } from "@holdfast/memory";
import assert from "node:assert/strict";
import { fact, factId, TestBed } from "./store.ts";

Deno.test("Within one open store nothing expired comes back when the clock steps back", async () => {
  await using bed = await TestBed.inMemory();
  await bed.records.put(factId("a"), fact(), { expectedRevision: null, ttl: 10 });
  bed.seconds += 10;
  assert.equal(await bed.records.get(factId("a")), null);
  bed.seconds -= 5;
  assert.equal(await bed.records.get(factId("a")), null);
});

Deno.test("The highest time is written with each write, and holds after the store was opened again", async () => {
  await using bed = await TestBed.inFile();
  await bed.records.put(factId("a"), fact(), { expectedRevision: null, ttl: 10 });
  bed.seconds += 10;
  await bed.records.put(factId("b"), fact(), { expectedRevision: null, ttl: 10 });
  await bed.close();
  bed.seconds -= 5;
  await bed.open();
  assert.equal(await bed.records.get(factId("a")), null);
});

Deno.test("A deadline is not set from a clock that is more than a minute behind", async () => {
  await using bed = await TestBed.inMemory();
  await bed.records.put(factId("a"), fact(), { expectedRevision: null, ttl: 10 });
  bed.seconds -= 61;
  const put = bed.records.put(factId("b"), fact(), { expectedRevision: null, ttl: 10 });
  await assert.rejects(put, { reason: "CLOCK" });
});

Deno.test("What the clock took back is hidden, and not erased", async () => {
  await using bed = await TestBed.inMemory();
  await bed.records.put(factId("a"), fact(), { expectedRevision: null, ttl: 10 });
  bed.seconds += 10;
  assert.equal(await bed.records.get(factId("a")), null);
  bed.seconds -= 5;
  assert.equal(await bed.records.purge("orchard"), 0);
});

Deno.test("acceptClock lowers the mark, so that deadlines can be set again", async () => {
  await using bed = await TestBed.inFile();
  await bed.records.put(factId("a"), fact(), { expectedRevision: null, ttl: 10 });
  await bed.close();
  bed.seconds -= 61;
  await bed.open({ acceptClock: true });
  const put = bed.records.put(factId("b"), fact(), { expectedRevision: null, ttl: 10 });
  await assert.doesNotReject(put);
});

Deno.test("A store that has read learns at its next read what time another one has seen since", async () => {
  await using bed = await TestBed.inFile();
  await bed.records.put(factId("a"), fact(), { expectedRevision: null, ttl: 10 });
  await using slow = await openMemory(bed.path, { clock: () => 1_000_000_000 });
  assert.equal((await slow.records.list("orchard")).items.length, 1);
  bed.seconds += 10;
  await bed.records.put(factId("b"), fact(), { expectedRevision: null, ttl: 10 });
  assert.deepEqual((await slow.records.list("orchard")).items.map(({ key }) => key), ["b"]);
});

Deno.test("A deadline that only a clock which was ahead once has passed is the clock's fault", async () => {
  await using bed = await TestBed.inMemory();
  const talk = bed.memory.conversation({ tenantId: "orchard", sessionId: "spring" });
  bed.seconds += 4 * 86_400;
  await talk.append([{ role: "user", content: "It rains." }]);
  bed.seconds -= 4 * 86_400;
  const expiresAt = new Date((bed.seconds + 86_400) * 1_000);
  const append = talk.append([{ role: "user", content: "It is dry." }], { expiresAt });
  await assert.rejects(append, { reason: "CLOCK" });
});

Deno.test("A turn's revision without a time of its own keeps the turn's time", async () => {
  await using bed = await TestBed.inMemory();
  const talk = bed.memory.conversation({ tenantId: "orchard", sessionId: "spring" });
  const messages = [{ messageId: "m1", role: "user", content: "It rains." }] as const;
  const turn = { turnId: "t1", scope: talk.scope, messages };
  const put = { operationId: "1", expectedRevision: await talk.create() };
  const expectedRevision = await talk.putTurn(turn, put);
  const [stored] = await Array.fromAsync(talk.turns());
  bed.seconds += 60;
  await talk.putTurn({ ...turn, revision: 2 }, { operationId: "2", expectedRevision });
  const [revised] = await Array.fromAsync(talk.turns());
  assert.deepEqual([revised?.revision, revised?.timestamp], [2, stored?.timestamp]);
});
