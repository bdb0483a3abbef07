/** Case folding, the same wherever a letter stands: per code point and full (ß is ss, every sigma is σ). */

import { CASE_FOLDINGS } from "./case_folding_table.ts";

/** Anything beyond ASCII. */
const BEYOND_ASCII = /[\u0080-\uffff]/;

/** Whether a text is ASCII alone, for which lower-casing is folding and every normal form is the text itself. */
export function isAscii(text: string): boolean {
  return !BEYOND_ASCII.test(text);
}

/**
 * Folds case. `toLowerCase` of a whole text would not do: it writes a sigma at a word's end differently, and keeps ß.
 */
export function foldCase(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  let folded = "";
  for (const character of text) {
    folded += CASE_FOLDINGS.get(character.codePointAt(0) ?? 0) ?? character.toLowerCase();
  }
  return folded;
}
