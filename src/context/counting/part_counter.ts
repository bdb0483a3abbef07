/** Counts a text that is put together from parts, most of which were counted before. */

import type { CountMemory } from "./count_memory.ts";
import { O200kCounter } from "./default_counter.ts";
import { countTokens, type TokenCounter } from "./token_counter.ts";
import { isExactCut } from "./token_runs.ts";

/**
 * How a part counts within any text: what lies between its first and last exact cut always counts the same; what lies
 * outside them counts together with the neighbouring parts.
 */
export interface Measure {
  /** Where the first cut lies, in code units; the end of the part where it has none. */
  readonly first: number;
  /** Tokens between the cuts; null where there is no cut. */
  readonly inner: number | null;
  /** Where the last cut lies. */
  readonly last: number;
}

/** An exact cut of a text. */
export interface TokenCut {
  /** In code units. */
  readonly offset: number;
  /** Tokens of the text before it. */
  readonly tokens: number;
}

/** Counts texts and remembers the counts. */
export class PartCounter {
  /** The counter that is asked. */
  readonly counter: TokenCounter;
  readonly #memory: CountMemory;
  /** Whether exact cuts are known for the counter; for any other a text is counted as a whole. */
  readonly hasCuts: boolean;

  /** Takes a counter, and what is remembered of it. */
  constructor(counter: TokenCounter, memory: CountMemory) {
    this.counter = counter;
    this.#memory = memory;
    this.hasCuts = counter instanceof O200kCounter;
  }

  /** The tokens of a text. */
  count(text: string): number {
    const known = this.#memory.counts.get(text);
    if (known !== undefined) return known;
    const tokens = countTokens(this.counter, text);
    this.#memory.counts.set(text, tokens);
    return tokens;
  }

  /** The tokens of a text, counted anew. */
  countAfresh(text: string): number {
    return countTokens(this.counter, text);
  }

  /** The tokens of the text that the parts make: exactly what {@linkcode count} gives for it. */
  countParts(parts: readonly string[]): number {
    return this.hasCuts ? this.#sum(parts) : this.count(parts.join(""));
  }

  /** The same, for a text that will not be asked for again: nothing as large is remembered. */
  countPartsOnce(parts: readonly string[]): number {
    return this.hasCuts ? this.#sum(parts) : this.countAfresh(parts.join(""));
  }

  /** About the tokens of a part within a text: as many as it has by itself. */
  countPart(part: string): number {
    if (!this.hasCuts) return this.count(part);
    const { first, inner, last } = this.#measure(part);
    return this.count(part.slice(0, first)) + (inner ?? 0) + this.count(part.slice(last));
  }

  /**
   * The offsets of a text's exact cuts, each with the tokens before it: a text that begins like this one up to a cut has
   * at least those. None where cuts are not known.
   */
  tokensAtCuts(text: string): readonly TokenCut[] {
    const cuts: TokenCut[] = [];
    let from = 0;
    let tokens = 0;
    for (let offset = 1; this.hasCuts && offset < text.length; offset++) {
      if (!isExactCut(text, offset)) continue;
      tokens += this.count(text.slice(from, offset));
      cuts.push({ offset, tokens });
      from = offset;
    }
    return cuts;
  }

  #sum(parts: readonly string[]): number {
    let tokens = 0;
    let open = "";
    for (const part of parts) {
      const { first, inner, last } = this.#measure(part);
      if (inner === null) {
        open += part;
      } else {
        tokens += this.count(open + part.slice(0, first)) + inner;
        open = part.slice(last);
      }
    }
    return tokens + this.count(open);
  }

  #measure(part: string): Measure {
    const known = this.#memory.measures.get(part);
    if (known !== undefined) return known;
    const measure = this.#measured(part);
    this.#memory.measures.set(part, measure);
    return measure;
  }

  #measured(part: string): Measure {
    let first = 1;
    while (first < part.length && !isExactCut(part, first)) first++;
    if (first >= part.length) return { first: part.length, inner: null, last: part.length };
    let last = part.length - 1;
    while (!isExactCut(part, last)) last--;
    return { first, inner: countTokens(this.counter, part.slice(first, last)), last };
  }
}
