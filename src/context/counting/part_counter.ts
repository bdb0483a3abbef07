/** Counts a text that is joined from parts, most of which were counted before. */

import type { CountMemory } from "./count_memory.ts";
import { O200kCounter } from "./default_counter.ts";
import { countTokens, type TokenCounter } from "./token_counter.ts";
import { isExactCut } from "./token_runs.ts";

/**
 * The contribution of a part to the count of any text. The text between its first and last exact cut always counts the
 * same; the text outside them counts together with the neighbouring parts.
 */
export interface Measure {
  /** The code unit offset of the first cut; the length of the part if it has no cut. */
  readonly first: number;
  /** The tokens between the cuts; null if there is no cut. */
  readonly inner: number | null;
  /** The code unit offset of the last cut. */
  readonly last: number;
}

/** An exact cut of a text. */
export interface TokenCut {
  /** The offset in code units. */
  readonly offset: number;
  /** The tokens of the text before it. */
  readonly tokens: number;
}

/** Counts texts and remembers the counts. */
export class PartCounter {
  /** The underlying counter. */
  readonly counter: TokenCounter;
  readonly #memory: CountMemory;
  /** Whether exact cuts are known for the counter. If not, a text is counted as a whole. */
  readonly hasCuts: boolean;

  /** Creates a part counter from a counter and its caches. */
  constructor(counter: TokenCounter, memory: CountMemory) {
    this.counter = counter;
    this.#memory = memory;
    this.hasCuts = counter instanceof O200kCounter;
  }

  /** Returns the tokens of a text. */
  count(text: string): number {
    const known = this.#memory.counts.get(text);
    if (known !== undefined) return known;
    const tokens = countTokens(this.counter, text);
    this.#memory.counts.set(text, tokens);
    return tokens;
  }

  /** Returns the tokens of a text, without the cache. */
  countAfresh(text: string): number {
    return countTokens(this.counter, text);
  }

  /** Returns the tokens of the joined parts: exactly what {@linkcode count} returns for the joined text. */
  countParts(parts: readonly string[]): number {
    return this.hasCuts ? this.#sum(parts) : this.count(parts.join(""));
  }

  /** Returns the same, but does not cache the joined text, which is large and not counted again. */
  countPartsOnce(parts: readonly string[]): number {
    return this.hasCuts ? this.#sum(parts) : this.countAfresh(parts.join(""));
  }

  /** Approximates the tokens of a part within a text by the tokens of the part alone. */
  countPart(part: string): number {
    if (!this.hasCuts) return this.count(part);
    const { first, inner, last } = this.#measure(part);
    return this.count(part.slice(0, first)) + (inner ?? 0) + this.count(part.slice(last));
  }

  /**
   * Returns the exact cuts of a text. Another text with the same beginning up to a cut has at least as many tokens.
   * Returns none if exact cuts are not known for the counter.
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
    const measure = this.#computeMeasure(part);
    this.#memory.measures.set(part, measure);
    return measure;
  }

  #computeMeasure(part: string): Measure {
    let first = 1;
    while (first < part.length && !isExactCut(part, first)) first++;
    if (first >= part.length) return { first: part.length, inner: null, last: part.length };
    let last = part.length - 1;
    while (!isExactCut(part, last)) last--;
    return { first, inner: countTokens(this.counter, part.slice(first, last)), last };
  }
}
