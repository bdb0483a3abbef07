/** The default profile's analyzer: identifiers with their parts, dense scripts, stems, dates and numbers. */

import { isAscii } from "./case_fold.ts";
import { DENSE_OR_WORD, denseTerms, isDense } from "./dense_scripts.ts";
import { identifierTerms } from "./identifier_terms.ts";
import { namedDays } from "./turn_date.ts";
import { wordRuns } from "./word_runs.ts";

/**
 * Characters that change how a word looks, and not which word it is. These are joiners, soft hyphens, direction marks,
 * variation selectors, the Arabic tatweel, and the vowel points of Arabic and Hebrew, which most writers leave out.
 */
const INVISIBLE =
  /[\p{Default_Ignorable_Code_Point}\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u065f\u0670]/gu;

/** Characters that join words to an identifier: the separators of names, paths, addresses, versions and times. */
const JOINERS: ReadonlySet<string> = new Set("-._/\\:@'’‐&+#~");

const SIGNED_NAME = /^(?:\+\+|#)(?![\p{L}\p{N}])/u;

/**
 * Returns the terms of a text, duplicates kept. Documents and questions both go through this function. It never throws,
 * and returns equal terms for canonically or compatibly equal texts.
 */
export function richTerms(text: string): string[] {
  const terms: string[] = [];
  const plain = normalise(text);
  for (const { start, end } of wordRuns(plain, DENSE_OR_WORD, isJoiner)) {
    addRun(plain.slice(start, end), terms);
    // Without the sign, C++ and C# would both be C.
    if (end - start === 1) {
      const sign = SIGNED_NAME.exec(plain.slice(end, end + 3));
      if (sign !== null) terms.push(`${plain.slice(start, end).toLowerCase()}${sign[0]}`);
    }
  }
  addAll(namedDays(plain), terms);
  addAll(groupedNumbers(plain), terms);
  return terms;
}

/** Numbers written in groups of three: "12,044", "1 850", "1.000.000", "3'200". */
const GROUPED_NUMBER = /(?<![\d.,'])\d{1,3}(?:([ ,.'’])\d{3})(?:\1\d{3})*(?![\d.,'’]?\d)/g;

/** Yields grouped numbers without their separators, as people search for them: 12044. */
function* groupedNumbers(text: string): Generator<string, void, undefined> {
  for (const [number] of text.matchAll(GROUPED_NUMBER)) yield number.replace(/\D/g, "");
}

function normalise(text: string): string {
  if (isAscii(text)) return text;
  return text.normalize("NFKC").replace(INVISIBLE, "").normalize("NFC");
}

function isJoiner(sign: string): boolean {
  return JOINERS.has(sign);
}

/** Adds the terms of a run, which can have both dense script and identifiers: "iPhoneの使い方". */
function addRun(run: string, terms: string[]): void {
  if (isAscii(run)) return addAll(identifierTerms(run), terms);
  let start = -1;
  let end = 0;
  for (const match of run.matchAll(DENSE_OR_WORD)) {
    if (isDense(match[0])) {
      if (start >= 0) addAll(identifierTerms(run.slice(start, end)), terms);
      addAll(denseTerms(match[0]), terms);
      start = -1;
    } else {
      if (start < 0) start = match.index;
      end = match.index + match[0].length;
    }
  }
  if (start >= 0) addAll(identifierTerms(run.slice(start, end)), terms);
}

function addAll(from: Iterable<string>, terms: string[]): void {
  for (const term of from) terms.push(term);
}
