/** CAP: shortens a long message to its head and its tail, with a marker between them. */

import { BudgetError } from "../errors.ts";
import { CodePointMap } from "../canonical/code_point_map.ts";
import type { CapValues } from "./configuration.ts";
import type { Elision } from "./counting/elision.ts";
import type { PartCounter, TokenCut } from "./counting/part_counter.ts";

/**
 * Finds the part to cut out of a text so that the rest has at most `maxTokens`. Returns null if the text is short enough.
 * The cut is between code points, so that no character is split. The marker, with the number of tokens cut out, counts
 * too.
 *
 * @param ids the ids of the text, for the error
 * @throws {BudgetError} `CAP_BUDGET` if not even one code point at each end and the marker fit
 */
export function findElision(
  text: string,
  cap: CapValues,
  counter: PartCounter,
  ids: Readonly<Record<string, string>> = {},
): Elision | null {
  if (counter.count(text) <= cap.maxTokens) return null;
  const shortening = new Shortening(text, cap, counter);
  const elision = shortening.shortest();
  if (elision !== null) return elision;
  const { maxTokens } = cap;
  const neededTokens = shortening.leastTokens();
  throw new BudgetError(
    "CAP_BUDGET",
    `A head, an elision marker and a tail take ${neededTokens} tokens, but cap.maxTokens is ${maxTokens}`,
    { details: { maxTokens, neededTokens, ...ids } },
  );
}

/** Returns the text with a marker in place of the part that is cut out. */
export function elide(text: string, { start, end, tokens }: Elision): string {
  return `${text.slice(0, start)}${MARKER[0]}${tokens}${MARKER[1]}${text.slice(end)}`;
}

const MARKER = ["\n[... ", " tokens elided ...]\n"] as const;

class Shortening {
  readonly #points: CodePointMap;
  readonly #cap: CapValues;
  readonly #counter: PartCounter;
  /** Code points of the longest head and tail that are tried; the search only shrinks them. */
  readonly #head: number;
  readonly #tail: number;
  readonly #headText: string;
  readonly #tailText: string;
  /** The exact cuts in head and tail. With them, most candidates prove too large with hardly any counting. */
  readonly #headCuts: readonly TokenCut[];
  readonly #tailCuts: readonly TokenCut[];
  readonly #tailEnd: TokenCut;

  constructor(text: string, cap: CapValues, counter: PartCounter) {
    this.#points = new CodePointMap(text);
    this.#cap = cap;
    this.#counter = counter;
    const { length } = this.#points;
    const head = this.#longest(cap.headTokens, (size) => this.#points.slice(0, size));
    const tail = this.#longest(cap.tailTokens, (size) => this.#points.slice(length - size));
    this.#head = Math.min(length, Math.max(1, head));
    this.#tail = Math.min(length, Math.max(1, tail));
    this.#headText = this.#points.slice(0, this.#head);
    this.#tailText = this.#points.slice(length - this.#tail);
    this.#headCuts = counter.tokensAtCuts(this.#headText);
    this.#tailCuts = counter.tokensAtCuts(this.#tailText);
    this.#tailEnd = {
      offset: this.#tailText.length,
      tokens: counter.hasCuts ? counter.count(this.#tailText) : 0,
    };
  }

  /** The reference's bisection, step by step. Counts need not rise with every code point, so another search may differ. */
  #longest(tokensMax: number, cut: (size: number) => string): number {
    let best = 0;
    let low = 0;
    let high = this.#points.length;
    while (low <= high) {
      const middle = Math.floor((low + high) / 2);
      if (this.#counter.countAfresh(cut(middle)) <= tokensMax) {
        best = middle;
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return best;
  }

  /** Returns the first candidate that fits; null if none does. */
  shortest(): Elision | null {
    let head = this.#head;
    let tail = this.#tail;
    while (head > 0 && tail > 0) {
      const candidate = this.#isTooLarge(head, tail) ? null : this.#candidate(head, tail);
      if (candidate !== null && this.#fits(candidate)) return candidate;
      if (head >= tail && head > 1) head--;
      else if (tail > 1) tail--;
      else break;
    }
    return null;
  }

  /** Returns the tokens of the shortest candidate, or of the whole text if it has nothing to cut out. */
  leastTokens(): number {
    const { text } = this.#points;
    const least = this.#candidate(1, 1);
    return this.#counter.countAfresh(least === null ? text : elide(text, least));
  }

  /**
   * Whether the candidate is too large, whatever the number in its marker. The number takes at least one token, so the
   * text before and after it decides; and only the text beyond the exact cuts needs counting. Always false for a
   * counter whose exact cuts are not known.
   */
  #isTooLarge(head: number, tail: number): boolean {
    if (!this.#counter.hasCuts) return false;
    const headEnd = this.#points.offset(head);
    const headCut = this.#headCuts.findLast(({ offset }) => offset < headEnd) ?? { offset: 0, tokens: 0 };
    const before = headCut.tokens +
      this.#counter.countAfresh(this.#headText.slice(headCut.offset, headEnd) + MARKER[0]);
    const start = this.#tailText.length - this.#points.slice(this.#points.length - tail).length;
    const tailCut = this.#tailCuts.find(({ offset }) => offset > start) ?? this.#tailEnd;
    const behind = this.#counter.countAfresh(MARKER[1] + this.#tailText.slice(start, tailCut.offset));
    return before + 1 + behind + this.#tailEnd.tokens - tailCut.tokens > this.#cap.maxTokens;
  }

  #fits(candidate: Elision): boolean {
    return this.#counter.countAfresh(elide(this.#points.text, candidate)) <= this.#cap.maxTokens;
  }

  /** Returns the elision between head and tail; null if there is nothing between them. */
  #candidate(head: number, tail: number): Elision | null {
    const { length } = this.#points;
    if (head >= length - tail) return null;
    return {
      start: this.#points.offset(head),
      end: this.#points.offset(length - tail),
      tokens: this.#counter.countPartsOnce(this.#omittedParts(head, length - tail)),
    };
  }

  /** Splits the text to cut out into parts. The long middle part is always the same, so that it is counted once. */
  #omittedParts(start: number, end: number): readonly string[] {
    const middle = this.#points.length - this.#tail;
    if (this.#head >= middle) return [this.#points.slice(start, end)];
    return [
      this.#points.slice(start, this.#head),
      this.#points.slice(this.#head, middle),
      this.#points.slice(middle, end),
    ];
  }
}
