/** Makes stored text safe to print: escapes characters that could drive a terminal or disguise the text. */

import { MARKS_SHOWN_MAX } from "../../limits.ts";

/** Control, invisible and unassigned characters: all of category C except visible format characters. */
const UNSEEN = String
  .raw`[[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\u0600-\u0605\u06dd\u070f\u08e2\u200c\u200d]]`;

/** Letters and symbols that look blank: there is one each in Braille, music, Khitan and hieroglyphs. */
const BLANK = String.raw`[\u2800\u{1d159}\u{16fe4}\u{13441}\u{13442}]`;

/** Suppresses a vowel in an Indic script; a joiner after it changes how the letters join. */
const VIRAMA = String.raw`[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca]`;

/** Scripts whose letters join. */
const JOINING = String
  .raw`[\p{scx=Arab}\p{scx=Syrc}\p{scx=Mand}\p{scx=Nkoo}\p{scx=Mong}\p{scx=Phag}\p{scx=Adlm}\p{scx=Rohg}]`;

/** Joiners in places where they have no visible effect. */
const JOINER = String.raw`(?!(?<=${VIRAMA})|(?<=${JOINING}\p{M}*).\p{L}|(?<=\p{L}).${VIRAMA})[\u200c\u200d]`;

/** Marks without a base letter, which would cover the text before them, and marks beyond the allowed number. */
const MARK = String.raw`(?<![[\p{L}\p{N}\p{P}\p{S}]--["]][\p{M}\u200c\u200d]{0,${MARKS_SHOWN_MAX - 1}})\p{M}`;

/** Hangul vowels and finals without the letter before them: terminals disagree about their width. */
const JAMO = String.raw`(?<![\u1100-\u115e\ua960-\ua97c])[\u1161-\u11a7\ud7b0-\ud7c6]` +
  String.raw`|(?<![\u1161-\u11a7\ud7b0-\ud7c6\uac00-\ud7a3])[\u11a8-\u11ff\ud7cb-\ud7fb]`;

/** Emoji of Unicode's list keep their joiners and selectors, except those that spell a region in tags. */
const EMOJI = String.raw`(?<emoji>[\p{RGI_Emoji}--\p{RGI_Emoji_Tag_Sequence}])`;

const UNSAFE = new RegExp([EMOJI, UNSEEN, BLANK, JOINER, MARK, JAMO].join("|"), "gv");

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** The text on one line, with unsafe characters escaped as `\n` or `\u{1b}`. Not reversible: JSON has the exact text. */
export function harmless(text: string): string {
  return escapeUnsafe(
    text,
    (character) => SHORT[character] ?? `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}

/** The lines of a text, each made harmless; a tab becomes four spaces. */
export function harmlessLines(text: string): readonly string[] {
  return text.split("\n").map((line) => harmless(line.replaceAll("\t", "    ")));
}

/** A value as JSON on one line: exact, with unsafe characters as `\u` escapes. */
export function harmlessJson(value: unknown): string {
  return escapeJson(JSON.stringify(value));
}

/** Escapes unsafe characters in JSON as `\u`. Line feeds stay: in JSON they only stand outside strings. */
export function escapeJson(json: string): string {
  return escapeUnsafe(json, (character) =>
    character === "\n" ? character : Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
    ).join(""));
}

const PLAIN = /^[\x20-\x7e]*$/;

function escapeUnsafe(text: string, spell: (character: string) => string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(UNSAFE, (found, emoji: string | undefined) => emoji ?? spell(found));
}
