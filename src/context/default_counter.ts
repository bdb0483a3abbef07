/** The default token counter: o200k_base from `gpt-tokenizer`, loaded when it is first asked for. */

import { PolicyError } from "../errors.ts";
import { runCuts } from "./token_runs.ts";
import type { TokenCounter } from "./token_counter.ts";

/** What is used of the tokenizer's module. */
interface Tokenizer {
  countTokens(text: string, options: { readonly disallowedSpecial: Set<string> }): number;
}

/** Text that looks like a special token is text: nothing is disallowed, and nothing special allowed. */
const PLAIN = { disallowedSpecial: new Set<string>() };

/** Counts with o200k_base in linear time; ill-formed text counts as its U+FFFD form. */
export class O200kCounter implements TokenCounter {
  readonly name = "o200k_base";
  /** The tokenizer's version, and that of the rule by which long runs are cut. */
  readonly version = "gpt-tokenizer-4+runs-128";
  readonly #tokenizer: Tokenizer;

  /** Takes the loaded tokenizer. */
  constructor(tokenizer: Tokenizer) {
    this.#tokenizer = tokenizer;
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
    return text === "" ? 0 : this.#tokenizer.countTokens(text, PLAIN);
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
