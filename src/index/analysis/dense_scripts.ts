/** Scripts that are written without spaces between words: their runs are indexed as overlapping pairs. */

/**
 * Han, kana, Hangul, Thai, Lao, Khmer and Myanmar. Korean has spaces, but its words carry endings that pairs see past;
 * Myanmar is written like Khmer. Script extensions, so that the long-vowel sign ー belongs to kana; intersected with
 * letters, marks and letter numbers, so that punctuation and digits do not.
 */
const DENSE = String
  .raw`[[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]&&[\p{L}\p{M}\p{Nl}]]`;

/**
 * A run of dense script, or else a word of letters, digits, combining marks and underscores. Longer ones come in pieces:
 * the engine's stack gives way in an unbounded run of some megabytes.
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
 * The terms of a run of dense script: overlapping pairs of characters (each with its combining marks), and each
 * ideograph by itself too, because one is often a word and is asked for alone.
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
