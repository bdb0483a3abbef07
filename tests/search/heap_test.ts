import assert from "node:assert/strict";
import fc from "fast-check";
import { Heap } from "../../src/search/heap.ts";

Deno.test("A heap gives its items best first, whichever way they came in", () => {
  fc.assert(fc.property(fc.array(fc.integer()), fc.array(fc.integer()), (filled, pushed) => {
    const heap = new Heap<number>((left, right) => left > right);
    heap.fill([...filled]);
    for (const item of pushed) heap.push(item);
    const items = [...filled, ...pushed];
    assert.equal(heap.size, items.length);
    assert.equal(heap.best, items.length === 0 ? undefined : Math.max(...items));
    const given: (number | undefined)[] = [];
    while (heap.size > 0) given.push(heap.pop());
    assert.deepEqual(given, items.toSorted((left, right) => right - left));
    assert.equal(heap.pop(), undefined);
  }));
});

Deno.test("Near the best of a heap is the best itself, and nothing that it does not hold", () => {
  const heap = new Heap<number>((left, right) => left > right);
  heap.fill([3, 9, 1, 7, 5]);
  const near = heap.near(3);
  assert.equal(near[0], 9);
  assert.equal(near.length, 3);
  assert.ok(near.every((item) => [3, 9, 1, 7, 5].includes(item)));
});
