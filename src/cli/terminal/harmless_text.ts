/** Stored text, made safe to show: what could drive a terminal, or make it show something else, is spelled out. */

import { MARKS_SHOWN_MAX } from "../../limits.ts";

/** Drives a terminal, shows nothing, or shows something else on each: all of category C but visible format characters. */
const UNSEEN = String
  .raw`[[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\u0600-\u0605\u06dd\u070f\u08e2\u200c\u200d]]`;

/** Letters and symbols without a shape: Braille, music, Khitan and hieroglyphs have one. */
const BLANK = String.raw`[\u2800\u{1d159}\u{16fe4}\u{13441}\u{13442}]`;

/** Stops a vowel in an Indic script; what joins, or does not, is said behind it. */
const VIRAMA = String.raw`[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca]`;

/** Scripts whose letters join. */
const JOINING = String
  .raw`[\p{scx=Arab}\p{scx=Syrc}\p{scx=Mand}\p{scx=Nkoo}\p{scx=Mong}\p{scx=Phag}\p{scx=Adlm}\p{scx=Rohg}]`;

/** Joiners elsewhere show nothing. */
const JOINER = String.raw`(?!(?<=${VIRAMA})|(?<=${JOINING}\p{M}*).\p{L}|(?<=\p{L}).${VIRAMA})[\u200c\u200d]`;

/** Marks that stand on nothing, hence on what is printed before, and those of a pile. */
const MARK = String.raw`(?<![[\p{L}\p{N}\p{P}\p{S}]--["]][\p{M}\u200c\u200d]{0,${MARKS_SHOWN_MAX - 1}})\p{M}`;

/** Vowels and finals of Hangul without the letter before them: terminals give them any width. */
const JAMO = String.raw`(?<![\u1100-\u115e\ua960-\ua97c])[\u1161-\u11a7\ud7b0-\ud7c6]` +
  String.raw`|(?<![\u1161-\u11a7\ud7b0-\ud7c6\uac00-\ud7a3])[\u11a8-\u11ff\ud7cb-\ud7fb]`;

/** Emoji as Unicode lists them keep their joiners and selectors; those that spell a region in tags are not among them. */
const EMOJI = String.raw`(?<emoji>[\p{RGI_Emoji}--\p{RGI_Emoji_Tag_Sequence}])`;

const UNSAFE = new RegExp([EMOJI, UNSEEN, BLANK, JOINER, MARK, JAMO].join("|"), "gv");

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** A text on one line, as `\n` and `\u{1b}` where it had to be spelled out. Not reversible: exact text is JSON's. */
export function harmless(text: string): string {
  return spelledOut(
    text,
    (character) => SHORT[character] ?? `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}

/** The lines of a text, each harmless; a tab becomes spaces. */
export function harmlessLines(text: string): readonly string[] {
  return text.split("\n").map((line) => harmless(line.replaceAll("\t", "    ")));
}

/** A value as JSON on one line: exact, and plain for a terminal, since what is unsafe stands as `\u` escapes. */
export function harmlessJson(value: unknown): string {
  return escapeJson(JSON.stringify(value));
}

/** The same JSON, with what is unsafe in its texts as `\u` escapes. Its line feeds stay: JSON has them outside texts. */
export function escapeJson(json: string): string {
  return spelledOut(json, (character) =>
    character === "\n" ? character : Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
    ).join(""));
}

const PLAIN = /^[\x20-\x7e]*$/;

function spelledOut(text: string, spell: (character: string) => string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(UNSAFE, (found, emoji: string | undefined) => emoji ?? spell(found));
}
