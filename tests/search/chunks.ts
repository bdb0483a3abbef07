/** The chunks of whole turns, as a caller would hand them in. */

import type { Chunk } from "../../src/contracts/chunk.ts";
import type { Turn } from "../../src/contracts/turn.ts";
import { chunkRanges, type ChunkSize } from "../../src/index/chunk_ranges.ts";
import { makeChunk } from "../../src/index/chunking.ts";

/** Turns in order, messages in order, pieces in order. */
export function chunksOf(turns: readonly Turn[], size: ChunkSize): readonly Chunk[] {
  return turns.flatMap((turn) =>
    turn.messages.flatMap((message) =>
      [...chunkRanges(message.content, size)].map((range) => makeChunk(turn, message, range, size))
    )
  );
}
