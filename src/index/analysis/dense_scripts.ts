/** Scripts without spaces between words: their runs are indexed as overlapping pairs of characters. */

/**
 * Han, kana, Hangul, Thai, Lao, Khmer and Myanmar. Korean has spaces, but its words have endings, which pairs make
 * harmless. Script extensions include the long-vowel sign ー in kana. The intersection with letters, marks and letter
 * numbers excludes punctuation and digits.
 */
const DENSE = String
  .raw`[[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]&&[\p{L}\p{M}\p{Nl}]]`;

/**
 * A run of dense script, or a word of letters, digits, combining marks and underscores. A longer run is matched in
 * several parts, because an unbounded run of some megabytes overflows the stack of the regular expression engine.
 */
export const DENSE_OR_WORD: RegExp = new RegExp(
  String.raw`${DENSE}{1,4096}|[[\p{L}\p{M}\p{N}_]--${DENSE}]{1,4096}`,
  "gv",
);

const STARTS_DENSE = new RegExp(`^${DENSE}`, "v");
const UNIT = /\P{M}\p{M}*|\p{M}+/gu;
const IDEOGRAPH = /^\p{Script=Han}/u;

/** Whether a match of {@linkcode DENSE_OR_WORD} is a run of dense script. */
export function isDense(run: string): boolean {
  return STARTS_DENSE.test(run);
}

/**
 * Yields the terms of a run of dense script. These are overlapping pairs of characters (each with its combining marks), and
 * also each ideograph alone, because a single one is often a word that people search for.
 */
export function* denseTerms(run: string): Generator<string, void, undefined> {
  const units = run.match(UNIT) ?? [];
  if (units.length === 1) yield run;
  for (let index = 0; index < units.length && units.length > 1; index++) {
    const unit = units[index] ?? "";
    if (IDEOGRAPH.test(unit)) yield unit;
    if (index + 1 < units.length) yield unit + units[index + 1];
  }
}
