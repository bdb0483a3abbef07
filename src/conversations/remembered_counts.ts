/** Token counts that a store remembers across calls, for each counter; gone with the store. */

import { CountMemory } from "../context/counting/count_memory.ts";
import type { TokenCounter } from "../context/counting/token_counter.ts";
import type { Engine } from "../engine/engine.ts";
import { REMEMBERED_COUNTS_MAX } from "../limits.ts";

const MEMORIES = new WeakMap<Engine, WeakMap<TokenCounter, CountMemory>>();

/** What an open store remembers of a counter, for one call. */
export function rememberedCounts(engine: Engine, counter: TokenCounter): CountMemory {
  let ofEngine = MEMORIES.get(engine);
  if (ofEngine === undefined) MEMORIES.set(engine, ofEngine = new WeakMap());
  let memory = ofEngine.get(counter);
  if (memory === undefined) ofEngine.set(counter, memory = CountMemory.hashed(REMEMBERED_COUNTS_MAX));
  return CountMemory.before(memory);
}
