/** Removes the marks of Latin letters, as many people type them: "Pensao", "Zolwia". */

import { isAscii } from "./case_fold.ts";

/** A Latin letter with a mark, or one of the letters that Unicode does not decompose. */
const MARKED = /\p{Script=Latin}\p{M}|[øđðłħıœæþŋ]/u;

const LATIN_MARKS = /(\p{Script=Latin})\p{M}+/gu;

/** Latin letters with a stroke, without a dot, or two in one, which Unicode does not decompose. */
const PLAIN: ReadonlyMap<string, string> = new Map([
  ...[["ø", "o"], ["đ", "d"], ["ð", "d"], ["ł", "l"], ["ħ", "h"], ["ı", "i"], ["ŋ", "n"]] as const,
  ...[["œ", "oe"], ["æ", "ae"], ["þ", "th"]] as const,
]);

/** Returns a folded word without its marks, or null if it has none. Other scripts keep their marks: й is not и. */
export function withoutDiacritics(word: string): string | null {
  if (isAscii(word)) return null;
  const decomposed = word.normalize("NFD");
  if (!MARKED.test(decomposed)) return null;
  return decomposed.replace(LATIN_MARKS, "$1").replace(
    /[\u0080-\uffff]/g,
    (letter) => PLAIN.get(letter) ?? letter,
  )
    .normalize("NFC");
}
