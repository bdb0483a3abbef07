/** How many cells of a terminal a text takes, and texts cut or filled to a number of cells. */

import { eastAsianWidth } from "get-east-asian-width";
import { GRAPHEME_CELLS_MAX } from "../../limits.ts";

const GRAPHEMES = new Intl.Segmenter("und", { granularity: "grapheme" });
const ASCII = /^[\x20-\x7e]*$/;
const EMOJI = /^\p{RGI_Emoji}$|\ufe0f/v;
/** Marks that stand on what is before them, joiners, selectors, and the vowels and finals of Hangul syllables. */
const WITHOUT_WIDTH = /[\p{Mn}\p{Me}\u200c\u200d\u1160-\u11ff\ud7b0-\ud7ff]/u;

/** The cells of a harmless text. */
export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let cells = 0;
  for (const { segment } of GRAPHEMES.segment(text)) cells += graphemeWidth(segment);
  return cells;
}

/** Where terminals disagree, the larger: a line that is too short does no harm, one that is too long breaks. */
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

/** What may not be cut apart. Of what is too wide for that, letters with their marks. */
function* unbroken(text: string, cellsMax: number): Generator<string> {
  for (const { segment } of GRAPHEMES.segment(text)) {
    if (graphemeWidth(segment) <= cellsMax) yield segment;
    else yield* segment.match(LETTER)!;
  }
}

/** A text in at most so many cells; one that had to be cut ends with an ellipsis. No grapheme is cut apart. */
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

/** A text filled with spaces to a number of cells. */
export function filledTo(text: string, cells: number, align: "left" | "right"): string {
  const space = " ".repeat(Math.max(0, cells - displayWidth(text)));
  return align === "left" ? text + space : space + text;
}

/**
 * A text in pieces of at most so many cells, of which there must be 2 at least; the pieces after the first may be given
 * fewer. Broken after a space where a piece has one, inside a word only where that is longer than a piece.
 */
export function wrapped(text: string, cells: number, cellsAfter: number = cells): readonly string[] {
  if (displayWidth(text) <= cells) return [text];
  const pieces: string[] = [];
  let piece = "";
  let width = 0;
  for (const segment of unbroken(text, Math.min(GRAPHEME_CELLS_MAX, cells, cellsAfter))) {
    const more = graphemeWidth(segment);
    if (width + more > (pieces.length === 0 ? cells : cellsAfter)) {
      const end = /\S .*[^ ]$/.test(piece) ? piece.lastIndexOf(" ") + 1 : piece.length;
      pieces.push(piece.slice(0, end));
      piece = piece.slice(end);
      width = displayWidth(piece);
    }
    piece += segment;
    width += more;
  }
  return [...pieces, piece];
}
