/** A binary heap, for the best of many items when only a few are needed. */

/** A binary heap that is ordered by a comparison function. */
export class Heap<T> {
  readonly #isBetter: (left: T, right: T) => boolean;
  #items: T[] = [];

  /** Creates an empty heap; `isBetter` returns whether the left item comes first. */
  constructor(isBetter: (left: T, right: T) => boolean) {
    this.#isBetter = isBetter;
  }

  /** The number of items. */
  get size(): number {
    return this.#items.length;
  }

  /** The best item; undefined if the heap is empty. */
  get best(): T | undefined {
    return this.#items[0];
  }

  /** Returns up to `count` items in no order: the best one, and some of the next best. */
  near(count: number): readonly T[] {
    return this.#items.slice(0, count);
  }

  /** Replaces all items, in linear time. The heap takes over the array. */
  fill(items: T[]): void {
    this.#items = items;
    for (let at = (items.length >> 1) - 1; at >= 0; at--) this.#sink(at);
  }

  /** Adds an item. */
  push(item: T): void {
    const items = this.#items;
    let at = items.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isBetter(item, items[parent]!)) break;
      items[at] = items[parent]!;
      at = parent;
    }
    items[at] = item;
  }

  /** Removes and returns the best item. */
  pop(): T | undefined {
    const items = this.#items;
    const best = items[0];
    const last = items.pop();
    if (items.length > 0) {
      items[0] = last!;
      this.#sink(0);
    }
    return best;
  }

  #sink(from: number): void {
    const items = this.#items;
    const item = items[from]!;
    let at = from;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && this.#isBetter(items[child + 1]!, items[child]!)) child++;
      if (!this.#isBetter(items[child]!, item)) break;
      items[at] = items[child]!;
      at = child;
    }
    items[at] = item;
  }
}
