/** What is remembered of counting, in memory alone: on disk it would be a fingerprint of deleted text. */

import type { Measure } from "./part_counter.ts";
import { RecentMap } from "./recent_map.ts";

/** Characters of texts whose counts one memory remembers, per generation: some contexts of 100 000 tokens. */
const CHARACTERS_MAX = 4_000_000;

/** Counts remembered for one counter; a store keeps one across calls, `assembleContext` one for each call. */
export class CountMemory {
  /** Text → tokens. */
  readonly counts: RecentMap<number> = new RecentMap(CHARACTERS_MAX);
  /** Part of a text → how it counts in any text. */
  readonly measures: RecentMap<Measure> = new RecentMap(CHARACTERS_MAX);
  /** Text and cap → capped text. */
  readonly capped: RecentMap<string> = new RecentMap(CHARACTERS_MAX);
}
