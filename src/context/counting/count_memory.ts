/** What is remembered of counting, in memory alone: on disk it would be a fingerprint of deleted text. */

import type { Elision } from "./elision.ts";
import { HashedMemory, NearMemory } from "./hashed_memory.ts";
import type { Measure } from "./part_counter.ts";
import { RecentMap, type TextMemory } from "./recent_map.ts";

/** Characters of texts whose counts one memory remembers, per generation: some contexts of 100 000 tokens. */
const CHARACTERS_MAX = 4_000_000;

/** Counts remembered for one counter. None of the values holds text. */
export class CountMemory {
  /** Text → tokens. */
  readonly counts: TextMemory<number>;
  /** Part of a text → how it counts in any text. */
  readonly measures: TextMemory<Measure>;
  /** Cap and text → what is cut out. */
  readonly capped: TextMemory<Elision>;

  /** Texts are remembered as they are, unless it is said otherwise. */
  constructor(memories?: Pick<CountMemory, "counts" | "measures" | "capped">) {
    this.counts = memories?.counts ?? new RecentMap(CHARACTERS_MAX);
    this.measures = memories?.measures ?? new RecentMap(CHARACTERS_MAX);
    this.capped = memories?.capped ?? new RecentMap(CHARACTERS_MAX);
  }

  /** One that keeps no text, for a store that remembers across calls. */
  static hashed(entriesMax: number): CountMemory {
    return new CountMemory({
      counts: new HashedMemory(entriesMax),
      measures: new HashedMemory(entriesMax),
      capped: new HashedMemory(entriesMax),
    });
  }

  /** One for a single call, in front of another. */
  static before(far: CountMemory): CountMemory {
    const near = new CountMemory();
    return new CountMemory({
      counts: new NearMemory(near.counts, far.counts),
      measures: new NearMemory(near.measures, far.measures),
      capped: new NearMemory(near.capped, far.capped),
    });
  }
}
