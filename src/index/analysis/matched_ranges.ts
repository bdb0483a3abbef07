/** Finds the words of a text that a question asks for, to show them. */

import type { Analyzer } from "./analyzer.ts";
import { DENSE_OR_WORD, isDense } from "./dense_scripts.ts";
import { wordRuns } from "./word_runs.ts";

/** A range of a text, in code points. */
export interface MatchedRange {
  /** The first code point. */
  readonly start: number;
  /** The code point after the last. */
  readonly end: number;
}

/** Whether some text has a term of the question. */
type Matches = (text: string) => boolean;

/**
 * Returns the words of a text that have a term of the question, in order and without overlaps; `from` is where the text
 * begins. Of an identifier only the parts that match, of a dense script the characters. A date of the turn is no word.
 */
export function matchedRanges(
  text: string,
  { analyzer, terms, from }: {
    readonly analyzer: Analyzer;
    readonly terms: readonly string[];
    readonly from: number;
  },
): readonly MatchedRange[] {
  const sought = new Set(terms);
  const known = new Map<string, boolean>();
  const matches: Matches = (word) => {
    let found = known.get(word);
    if (found === undefined) {
      found = analyzer.documentTerms(word, "").frequencies.keys().some((term) => sought.has(term));
      known.set(word, found);
    }
    return found;
  };
  const units: MatchedRange[] = [];
  for (const { start, end } of wordRuns(text, DENSE_OR_WORD, isJoined)) {
    const run = text.slice(start, end);
    if (!matches(run)) continue;
    const parts = [...partsOf(run, matches)].map((part) => ({
      start: start + part.start,
      end: start + part.end,
    }));
    units.push(...(parts.length > 0 ? parts : [{ start, end }]));
  }
  return inCodePoints(text, merged(units), from);
}

function isJoined(sign: string): boolean {
  return !/\s/.test(sign);
}

/** Yields the parts of a run that match by themselves. */
function* partsOf(run: string, matches: Matches): Generator<MatchedRange, void, undefined> {
  for (const { 0: word, index } of run.matchAll(DENSE_OR_WORD)) {
    if (!matches(word)) continue;
    if (!isDense(word)) {
      yield { start: index, end: index + word.length };
      continue;
    }
    // Pairs of characters, as they are indexed.
    const characters = [...word];
    let at = index;
    for (const [place, character] of characters.entries()) {
      const pair = character + (characters[place + 1] ?? "");
      if (matches(character)) yield { start: at, end: at + character.length };
      if (matches(pair)) yield { start: at, end: at + pair.length };
      at += character.length;
    }
  }
}

function merged(ranges: readonly MatchedRange[]): readonly MatchedRange[] {
  const all: MatchedRange[] = [];
  for (const range of ranges) {
    const last = all.at(-1);
    if (last === undefined || range.start >= last.end) all.push(range);
    else all[all.length - 1] = { start: last.start, end: Math.max(last.end, range.end) };
  }
  return all;
}

/** Counts in code points, in one pass. */
function inCodePoints(text: string, ranges: readonly MatchedRange[], from: number): readonly MatchedRange[] {
  let [unit, point] = [0, from];
  const pointAt = (to: number): number => {
    for (; unit < to; point++) unit += (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1;
    return point;
  };
  return ranges.map(({ start, end }) => Object.freeze({ start: pointAt(start), end: pointAt(end) }));
}
