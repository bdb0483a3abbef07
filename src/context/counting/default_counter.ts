/** The default token counter: o200k_base from `gpt-tokenizer`, loaded on first use. */

import { PolicyError } from "../../errors.ts";
import { runCuts } from "./token_runs.ts";
import type { TokenCounter } from "./token_counter.ts";

/** The functions of the tokenizer's module that are used here. */
interface Tokenizer {
  countTokens(text: string, options: { readonly disallowedSpecial: Set<string> }): number;
  setMergeCacheSize(size: number): void;
  clearMergeCache(): void;
}

/** Counts text that looks like a special token as plain text. */
const PLAIN = { disallowedSpecial: new Set<string>() };

/**
 * Characters of texts after which the tokenizer's cache is emptied. It holds the words that are more than one token. With
 * its own limit of 100 000 words, each further word costs up to 40 times as much as merging it again. A million
 * characters are about as many words of eight letters, and some 20 MB. Emptying the cache more often, at 100 000
 * characters, made ordinary text twice as slow.
 */
const REMEMBERED_CHARACTERS_MAX = 1_000_000;

/** Counts tokens of o200k_base in linear time. Lone surrogates count as U+FFFD. */
export class O200kCounter implements TokenCounter {
  readonly name = "o200k_base";
  /** The version of the tokenizer, and of the rule by which long runs are split. */
  readonly version = "gpt-tokenizer-4+runs-128";
  readonly #tokenizer: Tokenizer;

  /** Characters counted since the tokenizer's cache was emptied. */
  #remembered = 0;

  /** Creates a counter from the loaded tokenizer. */
  constructor(tokenizer: Tokenizer) {
    this.#tokenizer = tokenizer;
    // A full cache searches for its oldest word past all the words that it removed before, which is slow.
    tokenizer.setMergeCacheSize(Number.MAX_SAFE_INTEGER);
  }

  /** Returns the tokens of a text. Never throws. */
  countText(text: string): number {
    const wellFormed = text.toWellFormed();
    let tokens = 0;
    let from = 0;
    for (const cut of runCuts(wellFormed)) {
      tokens += this.#count(wellFormed.slice(from, cut));
      from = cut;
    }
    return tokens + this.#count(from === 0 ? wellFormed : wellFormed.slice(from));
  }

  #count(text: string): number {
    if (text === "") return 0;
    const tokens = this.#tokenizer.countTokens(text, PLAIN);
    this.#remembered += text.length;
    if (this.#remembered > REMEMBERED_CHARACTERS_MAX) {
      this.#remembered = 0;
      this.#tokenizer.clearMergeCache();
    }
    return tokens;
  }
}

let loading: Promise<O200kCounter> | null = null;

/**
 * Returns the default token counter, `o200k_base`. The first call loads the tokenizer (about 80 ms and 70 MB); later
 * calls return the same counter. Long runs without a break are counted in chunks, so that counting takes linear time for
 * any text. The count of such a run may be off by one token per chunk, in either direction.
 *
 * @throws {PolicyError} if the tokenizer cannot be loaded
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { defaultTokenCounter } from "@holdfast/memory";
 *
 * const counter = await defaultTokenCounter();
 * assert.equal(counter.countText("hello world"), 2);
 * assert.ok(counter.countText("<|endoftext|>") > 1); // text, not a special token
 * ```
 */
export function defaultTokenCounter(): Promise<TokenCounter> {
  loading ??= load();
  return loading;
}

async function load(): Promise<O200kCounter> {
  try {
    return new O200kCounter(await import("gpt-tokenizer/encoding/o200k_base"));
  } catch (error) {
    loading = null; // the next call tries again
    throw new PolicyError("Cannot load the default token counter", { cause: error });
  }
}
