/** The default token counter: o200k_base from `gpt-tokenizer`, loaded when it is first asked for. */

import { PolicyError } from "../../errors.ts";
import { runCuts } from "./token_runs.ts";
import type { TokenCounter } from "./token_counter.ts";

/** What is used of the tokenizer's module. */
interface Tokenizer {
  countTokens(text: string, options: { readonly disallowedSpecial: Set<string> }): number;
  setMergeCacheSize(size: number): void;
  clearMergeCache(): void;
}

/** Text that looks like a special token is text: nothing is disallowed, and nothing special allowed. */
const PLAIN = { disallowedSpecial: new Set<string>() };

/**
 * Characters of texts whose words the tokenizer may remember before all are forgotten. It remembers the words it has no
 * single token for; with as many as it holds by itself, 100 000, a further one costs up to 40 times what forgetting and
 * merging it again does. A million characters are about as many words of eight letters, some 20 MB. Forgetting more
 * often, at 100 000, made ordinary text twice as slow.
 */
const REMEMBERED_CHARACTERS_MAX = 1_000_000;

/** Counts with o200k_base in linear time; ill-formed text counts as its U+FFFD form. */
export class O200kCounter implements TokenCounter {
  readonly name = "o200k_base";
  /** The tokenizer's version, and that of the rule by which long runs are cut. */
  readonly version = "gpt-tokenizer-4+runs-128";
  readonly #tokenizer: Tokenizer;

  /** Characters counted since the tokenizer's memory was emptied. */
  #remembered = 0;

  /** Takes the loaded tokenizer. */
  constructor(tokenizer: Tokenizer) {
    this.#tokenizer = tokenizer;
    // It would make room for each word by looking for the oldest one behind all that it forgot before.
    tokenizer.setMergeCacheSize(Number.MAX_SAFE_INTEGER);
  }

  /** The tokens of a text. Never throws. */
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
 * The default token counter: `o200k_base`. The first call loads the tokenizer (about 80 ms and 70 MB); later ones give
 * the same counter. Long runs without a break are counted in pieces, so that counting is linear on any text; such a
 * count may be off by a token a piece, either way.
 *
 * @throws {PolicyError} where the tokenizer cannot be loaded
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
    throw new PolicyError("The default token counter could not be loaded", { cause: error });
  }
}
