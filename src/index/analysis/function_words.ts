/** Function words: words that questions are built from, and that do not help to find the answer. */

import { wordTerm } from "./identifier_terms.ts";

/**
 * English only; for other languages inverse document frequency has the same effect. "May" is missing on purpose, because
 * it is a month, and "won" because it is a form of win. "don", "didn", "wasn" and the like are the stems of don't,
 * didn't and wasn't.
 */
const WORDS = `
  a about after again all also am an and any are aren as at be because been before being both but by can couldn could
  did didn do does doesn doing don during each either else every few for from had hadn has hasn have haven having he her
  here hers herself him himself his how i if in into is isn it its itself just let many me might more most much must
  mustn my myself neither no nor not now of off on once one only or other our ours ourselves out over own please same
  shall shan she should shouldn so some such than that the their theirs them themselves then there these they this those
  through to too under until up upon us very was wasn we were weren what when where whether which while who whom whose
  why will with would wouldn yes yet you your yours yourself yourselves`;

const FUNCTION_TERMS: ReadonlySet<string> = new Set(WORDS.trim().split(/\s+/).map(wordTerm));

/** Whether a term of a question is the term of a function word. */
export function isFunctionTerm(term: string): boolean {
  return FUNCTION_TERMS.has(term);
}
