/** Caches of token counts. They are only in memory, because on disk they would be fingerprints of deleted text. */

import type { Elision } from "./elision.ts";
import { HashedMemory, NearMemory } from "./hashed_memory.ts";
import type { Measure } from "./part_counter.ts";
import { RecentMap, type TextMemory } from "./recent_map.ts";

/** Characters of texts in one generation of a cache: enough for several contexts of 100 000 tokens. */
const CHARACTERS_MAX = 4_000_000;

/** The caches of one counter. None of the values holds text. */
export class CountMemory {
  /** Text → tokens. */
  readonly counts: TextMemory<number>;
  /** Part of a text → its contribution to the count of any text. */
  readonly measures: TextMemory<Measure>;
  /** Cap and text → the part that is cut out. */
  readonly capped: TextMemory<Elision>;

  /** Creates caches; by default, their keys are the texts themselves. */
  constructor(memories?: Pick<CountMemory, "counts" | "measures" | "capped">) {
    this.counts = memories?.counts ?? new RecentMap(CHARACTERS_MAX);
    this.measures = memories?.measures ?? new RecentMap(CHARACTERS_MAX);
    this.capped = memories?.capped ?? new RecentMap(CHARACTERS_MAX);
  }

  /** Creates caches that keep no text, for a store that remembers counts across calls. */
  static hashed(entriesMax: number): CountMemory {
    return new CountMemory({
      counts: new HashedMemory(entriesMax),
      measures: new HashedMemory(entriesMax),
      capped: new HashedMemory(entriesMax),
    });
  }

  /** Creates the caches of a single call, in front of others that last longer. */
  static before(far: CountMemory): CountMemory {
    const near = new CountMemory();
    return new CountMemory({
      counts: new NearMemory(near.counts, far.counts),
      measures: new NearMemory(near.measures, far.measures),
      capped: new NearMemory(near.capped, far.capped),
    });
  }
}
