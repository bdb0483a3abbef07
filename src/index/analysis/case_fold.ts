/** Folds case fully and by code point, so that ß becomes ss, and every sigma becomes σ. */

import { CASE_FOLDINGS } from "./case_folding_table.ts";

/** A code unit beyond ASCII. */
const BEYOND_ASCII = /[\u0080-\uffff]/;

/** Whether a text is only ASCII. Lower-casing then folds case, and every normal form is the text itself. */
export function isAscii(text: string): boolean {
  return !BEYOND_ASCII.test(text);
}

/**
 * Folds the case of a text. `toLowerCase` is not enough: it writes a sigma at the end of a word differently, and keeps
 * ß.
 */
export function foldCase(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  let folded = "";
  for (const character of text) {
    folded += CASE_FOLDINGS.get(character.codePointAt(0) ?? 0) ?? character.toLowerCase();
  }
  return folded;
}
