/** Creates the chunks of whole turns, as a caller would pass them. */

import type { Chunk } from "../../src/contracts/chunk.ts";
import type { Turn } from "../../src/contracts/turn.ts";
import { chunkRanges, type ChunkSize } from "../../src/index/chunk_ranges.ts";
import { makeChunk } from "../../src/index/chunking.ts";

/** Returns the chunks in the order of turns, messages and text. */
export function chunksOf(turns: readonly Turn[], size: ChunkSize): readonly Chunk[] {
  return turns.flatMap((turn) =>
    turn.messages.flatMap((message) =>
      [...chunkRanges(message.content, size)].map((range) =>
        makeChunk(turn, { message, call: null, text: message.content }, range, size)
      )
    )
  );
}
