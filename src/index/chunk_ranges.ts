/** The reference's chunker: overlapping pieces of a text by code points. */

import { isBlank } from "../canonical/text.ts";
import { CodePointMap } from "../canonical/code_point_map.ts";

/** How a text is cut. */
export interface ChunkSize {
  /** Code points of a piece. */
  readonly chunkCharacters: number;
  /** Code points that a piece shares with the one before; below `chunkCharacters`. */
  readonly overlapCharacters: number;
}

/** A piece of a text. */
export interface ChunkRange {
  /** Its first code point. */
  readonly start: number;
  /** The code point after its last. */
  readonly end: number;
  /** Its text; not blank. */
  readonly content: string;
}

/** Names the chunker and its sizes, as chunks carry it. */
export function chunkerVersion(size: ChunkSize): string {
  return `characters-v1:${size.chunkCharacters}:${size.overlapCharacters}`;
}

/** The pieces of a text, in order. Blank pieces are left out; the last piece ends with the text. */
export function* chunkRanges(text: string, size: ChunkSize): Generator<ChunkRange, void, undefined> {
  const stride = size.chunkCharacters - size.overlapCharacters;
  const points = new CodePointMap(text);
  for (let start = 0; start < points.length; start += stride) {
    const end = Math.min(points.length, start + size.chunkCharacters);
    const content = points.slice(start, end);
    if (!isBlank(content)) yield { start, end, content };
    if (end === points.length) return;
  }
}
