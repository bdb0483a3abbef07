/** The reference's chunker: splits a text into overlapping chunks by code points. */

import { isBlank } from "../canonical/text.ts";
import { CodePointMap } from "../canonical/code_point_map.ts";

/** The size and overlap of chunks. */
export interface ChunkSize {
  /** Code points of a chunk. */
  readonly chunkCharacters: number;
  /** Code points that a chunk shares with the one before; below `chunkCharacters`. */
  readonly overlapCharacters: number;
}

/** The range of a chunk within its text. */
export interface ChunkRange {
  /** The first code point. */
  readonly start: number;
  /** The code point after the last. */
  readonly end: number;
  /** The text; not blank. */
  readonly content: string;
}

/** Returns the name of the chunker with its sizes, which every chunk has. */
export function chunkerVersion(size: ChunkSize): string {
  return `characters-v1:${size.chunkCharacters}:${size.overlapCharacters}`;
}

/** Yields the chunks of a text, in order. Blank chunks are left out; the last chunk ends with the text. */
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
