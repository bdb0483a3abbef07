/** Measures text in terminal cells; cuts, pads and wraps it to a number of cells. */

import { eastAsianWidth } from "get-east-asian-width";
import { GRAPHEME_CELLS_MAX } from "../../limits.ts";

const GRAPHEMES = new Intl.Segmenter("und", { granularity: "grapheme" });
const ASCII = /^[\x20-\x7e]*$/;
const EMOJI = /^\p{RGI_Emoji}$|\ufe0f/v;
/** Combining marks, joiners, selectors, and the vowels and finals of Hangul syllables. */
const WITHOUT_WIDTH = /[\p{Mn}\p{Me}\u200c\u200d\u1160-\u11ff\ud7b0-\ud7ff]/u;

/** The number of cells that a harmless text takes. */
export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let cells = 0;
  for (const { segment } of GRAPHEMES.segment(text)) cells += graphemeWidth(segment);
  return cells;
}

/** The larger width where terminals disagree: a line that is too short does no harm, one that is too long wraps. */
function graphemeWidth(grapheme: string): number {
  if (EMOJI.test(grapheme)) return 2;
  let cells = 0;
  for (const character of grapheme) {
    if (!WITHOUT_WIDTH.test(character)) cells += eastAsianWidth(character.codePointAt(0)!);
  }
  return cells;
}

/** A letter with its marks. */
const LETTER = /\P{M}[\p{M}\u200c\u200d]*|\p{M}+/gu;

/** The graphemes of a text, which must not be split. One that is too wide is split into letters with their marks. */
function* unbroken(text: string, cellsMax: number): Generator<string> {
  for (const { segment } of GRAPHEMES.segment(text)) {
    if (graphemeWidth(segment) <= cellsMax) yield segment;
    else yield* segment.match(LETTER)!;
  }
}

/** Cuts a text to at most `cells`; a text that was cut ends with an ellipsis. No grapheme is split. */
export function cutToWidth(text: string, cells: number): string {
  if (displayWidth(text) <= cells) return text;
  let taken = "";
  let width = 0;
  for (const segment of unbroken(text, GRAPHEME_CELLS_MAX)) {
    width += graphemeWidth(segment);
    if (width > cells - 1) break;
    taken += segment;
  }
  return cells < 1 ? "" : `${taken}…`;
}

/** Pads a text with spaces to a number of cells. */
export function padTo(text: string, cells: number, align: "left" | "right"): string {
  const space = " ".repeat(Math.max(0, cells - displayWidth(text)));
  return align === "left" ? text + space : space + text;
}

/**
 * Wraps a text into lines of at most `cells` (at least 2); lines after the first have at most `cellsAfter`. Breaks after
 * a space, and inside a word only if the word is longer than a line.
 */
export function wrapped(text: string, cells: number, cellsAfter: number = cells): readonly string[] {
  if (displayWidth(text) <= cells) return [text];
  const lines: string[] = [];
  let line = "";
  let width = 0;
  for (const segment of unbroken(text, Math.min(GRAPHEME_CELLS_MAX, cells, cellsAfter))) {
    const more = graphemeWidth(segment);
    if (width + more > (lines.length === 0 ? cells : cellsAfter)) {
      const end = /\S .*[^ ]$/.test(line) ? line.lastIndexOf(" ") + 1 : line.length;
      lines.push(line.slice(0, end));
      line = line.slice(end);
      width = displayWidth(line);
    }
    line += segment;
    width += more;
  }
  return [...lines, line];
}
