import assert from "node:assert/strict";
import fc from "fast-check";
import { Heap } from "../../src/search/heap.ts";

Deno.test("A heap returns its items best first, in whatever order they were added", () => {
  fc.assert(fc.property(fc.array(fc.integer()), fc.array(fc.integer()), (filled, pushed) => {
    const heap = new Heap<number>((left, right) => left > right);
    heap.fill([...filled]);
    for (const item of pushed) heap.push(item);
    const items = [...filled, ...pushed];
    assert.equal(heap.size, items.length);
    assert.equal(heap.best, items.length === 0 ? undefined : Math.max(...items));
    const popped: (number | undefined)[] = [];
    while (heap.size > 0) popped.push(heap.pop());
    assert.deepEqual(popped, items.toSorted((left, right) => right - left));
    assert.equal(heap.pop(), undefined);
  }));
});

Deno.test("Heap.near() returns the best item first, and only items of the heap", () => {
  const heap = new Heap<number>((left, right) => left > right);
  heap.fill([3, 9, 1, 7, 5]);
  const near = heap.near(3);
  assert.equal(near[0], 9);
  assert.equal(near.length, 3);
  assert.ok(near.every((item) => [3, 9, 1, 7, 5].includes(item)));
});
