/** Stored text, made safe to show: what could drive a terminal, or make it show something else, is spelled out. */

/**
 * Controls (ESC and the C1 range among them), bidirectional overrides and isolates, invisible format characters, line
 * and paragraph separators, and lone surrogates. Left alone are the joiners that scripts and emoji need, and the format
 * characters of Arabic and Syriac that are visible.
 */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|(?![\u200c\u200d\u0600-\u0605\u06dd\u070f\u08e2])\p{Cf}/gu;

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** A text on one line, as `\n` and `\u{1b}` where it had to be spelled out. Not reversible: exact text is JSON's. */
export function harmless(text: string): string {
  return text.replace(
    UNSAFE,
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
  return json.replace(UNSAFE, (character) =>
    character === "\n" ? character : Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
    ).join(""));
}
