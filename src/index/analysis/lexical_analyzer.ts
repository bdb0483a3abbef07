/** The reference's analyzer. Words are letters, digits and underscores, joined by single hyphens and full stops. */

import { foldCase } from "./case_fold.ts";
import { wordRuns } from "./word_runs.ts";

/** A word without combining marks: they split words, as in the reference. */
const WORD = /[\p{L}\p{N}_]+/gu;

function isJoiner(sign: string): boolean {
  return sign === "-" || sign === ".";
}

/** Returns the lexical tokens of a text, in order and with duplicates. They are NFKC-normalised and case-folded. */
export function lexicalTokens(text: string): string[] {
  const folded = foldCase(text.normalize("NFKC"));
  const tokens: string[] = [];
  for (const { start, end } of wordRuns(folded, WORD, isJoiner)) tokens.push(folded.slice(start, end));
  return tokens;
}
