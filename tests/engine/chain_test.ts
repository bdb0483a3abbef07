import assert from "node:assert/strict";
import { chainEvents, decodeCounts, encodeCounts, firstHead, verifyChain } from "../../src/engine/chain.ts";
import type { DeletionEvent, RecordedEvent } from "../../src/engine/operation.ts";
import { IntegrityError } from "../../src/errors.ts";

const LINEAGE = "0c68e52e55caa0bec66a84d1937b872e";
const START = { sequence: 0, head: firstHead(LINEAGE) };

function eventOf(number: number): DeletionEvent {
  return {
    kind: "record",
    scopeHash: new Uint8Array(16).fill(number),
    keyHash: new Uint8Array(16).fill(number + 100),
    reserved: number % 2 === 0,
    floor: number * 10,
    counts: { records: 1 },
    ...number === 2 ? { hashes: [new Uint8Array(16).fill(1), new Uint8Array(16).fill(2)] } : {},
  };
}

const EVENTS = chainEvents([eventOf(1), eventOf(2), eventOf(3)], START, 1_750_000_000_000);

Deno.test("firstHead() is another for each lineage", () => {
  assert.equal(firstHead(LINEAGE), "70b61b36f27af7100137a031d9ca217fb5d3a540ceb608f2d8a3d06924cb92ed");
  assert.notEqual(firstHead(LINEAGE.replace("0c", "0d")), START.head);
});

Deno.test("chainEvents() continues the numbering as one batch, each head over the one before", () => {
  assert.deepEqual(EVENTS.map(({ sequence, batch, at }) => [sequence, batch, at]), [
    [1, 1, 1_750_000_000_000],
    [2, 1, 1_750_000_000_000],
    [3, 1, 1_750_000_000_000],
  ]);
  assert.equal(new Set(EVENTS.map(({ head }) => head)).size, 3);
  const [next] = chainEvents([eventOf(4)], { sequence: 3, head: EVENTS[2]!.head }, 1_750_000_000_001);
  assert.deepEqual([next!.sequence, next!.batch], [4, 4]);
});

Deno.test("verifyChain() leads from a place to the last event", () => {
  assert.deepEqual(verifyChain(EVENTS, START), { sequence: 3, head: EVENTS[2]!.head });
  assert.deepEqual(verifyChain(EVENTS.slice(1), { sequence: 1, head: EVENTS[0]!.head }), {
    sequence: 3,
    head: EVENTS[2]!.head,
  });
  assert.deepEqual(verifyChain([], START), START);
});

/** One change to the second event. */
const CHANGES: readonly (readonly [string, Partial<RecordedEvent>])[] = [
  ["sequence", { sequence: 3 }],
  ["batch", { batch: 2 }],
  ["kind", { kind: "pin" }],
  ["scopeHash", { scopeHash: new Uint8Array(16) }],
  ["keyHash", { keyHash: new Uint8Array(16) }],
  ["reserved", { reserved: false }],
  ["floor", { floor: 21 }],
  ["at", { at: 1_750_000_000_001 }],
  ["counts", { counts: { records: 2 } }],
  ["counts, one more", { counts: { records: 1, turns: 0 } }],
  ["hashes", { hashes: [new Uint8Array(16).fill(1)] }],
  ["head", { head: EVENTS[0]!.head }],
];

for (const [what, change] of CHANGES) {
  Deno.test(`verifyChain() refuses an event whose ${what} was changed`, () => {
    const changed = EVENTS.with(1, { ...EVENTS[1]!, ...change });
    assert.throws(() => verifyChain(changed, START), IntegrityError);
  });
}

Deno.test("verifyChain() refuses a gap, a repetition, another order, and another start", () => {
  const [first, second, third] = EVENTS as [RecordedEvent, RecordedEvent, RecordedEvent];
  for (const events of [[first, third], [second, third], [first, first, second], [second, first, third]]) {
    assert.throws(() => verifyChain(events, START), IntegrityError);
  }
  assert.throws(() => verifyChain(EVENTS, { sequence: 0, head: firstHead("another") }), IntegrityError);
});

Deno.test("a head does not depend on the order of counts", () => {
  assert.equal(encodeCounts({ b: 1, a: 2 }), '{"a":2,"b":1}');
  const [given, turned] = [{ b: 1, a: 2 }, { a: 2, b: 1 }].map((counts) =>
    chainEvents([{ ...eventOf(1), counts }], START, 1_750_000_000_000)[0]!.head
  );
  assert.equal(given, turned);
});

Deno.test("decodeCounts() takes whole numbers by name, and nothing else", () => {
  assert.deepEqual(decodeCounts('{"pins":2,"turns":1}'), { pins: 2, turns: 1 });
  for (const damaged of ["", "null", "[1]", "1", '"1"', '{"turns":"1"}', '{"turns":1.5}', '{"turns":null}']) {
    assert.throws(() => decodeCounts(damaged), IntegrityError, damaged);
  }
});
