/** A binary heap: the best of many, of which mostly few are asked for. */

/** See the module's documentation. */
export class Heap<T> {
  readonly #isBetter: (left: T, right: T) => boolean;
  #items: T[] = [];

  /** Takes which of two comes first. */
  constructor(isBetter: (left: T, right: T) => boolean) {
    this.#isBetter = isBetter;
  }

  /** How many there are. */
  get size(): number {
    return this.#items.length;
  }

  /** The best; undefined where there is none. */
  get best(): T | undefined {
    return this.#items[0];
  }

  /** The best and some of those that come soon after it, in no order. */
  near(count: number): readonly T[] {
    return this.#items.slice(0, count);
  }

  /** Puts others in place of all. */
  fill(items: T[]): void {
    this.#items = items;
    for (let at = (items.length >> 1) - 1; at >= 0; at--) this.#sink(at);
  }

  /** Adds one. */
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

  /** Takes the best out. */
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
