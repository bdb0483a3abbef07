/** Latin letters without their marks, as many people type them: "Pensao", "Zolwia". */

import { isAscii } from "./case_fold.ts";

/** A Latin letter with a mark, or one of those that Unicode does not take apart. */
const MARKED = /\p{Script=Latin}\p{M}|[øđðłħıœæþŋ]/u;

const LATIN_MARKS = /(\p{Script=Latin})\p{M}+/gu;

/** Latin letters with a stroke, without a dot, or two in one: Unicode does not take them apart. */
const PLAIN: ReadonlyMap<string, string> = new Map([
  ...[["ø", "o"], ["đ", "d"], ["ð", "d"], ["ł", "l"], ["ħ", "h"], ["ı", "i"], ["ŋ", "n"]] as const,
  ...[["œ", "oe"], ["æ", "ae"], ["þ", "th"]] as const,
]);

/** The plain spelling of a folded word; null where it is the word itself. Other scripts keep their marks: й is not и. */
export function withoutDiacritics(word: string): string | null {
  if (isAscii(word)) return null;
  const apart = word.normalize("NFD");
  if (!MARKED.test(apart)) return null;
  return apart.replace(LATIN_MARKS, "$1").replace(/[\u0080-\uffff]/g, (letter) => PLAIN.get(letter) ?? letter)
    .normalize("NFC");
}
