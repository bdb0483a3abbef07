/** Chunks of turns: pieces of message texts with their sources. */

import { chunkId, contentHash } from "../canonical/digest.ts";
import type { Chunk } from "../contracts/chunk.ts";
import type { Message } from "../contracts/message.ts";
import type { Turn } from "../contracts/turn.ts";
import { chunkerVersion, type ChunkRange, chunkRanges, type ChunkSize } from "./chunk_ranges.ts";

/** The chunk of a message's range. Two hashes: made only for chunks that are kept or returned. */
export function makeChunk(turn: Turn, message: Message, range: ChunkRange, size: ChunkSize): Chunk {
  const source = {
    scope: turn.scope,
    turnId: turn.turnId,
    messageId: message.messageId,
    revision: turn.revision,
    start: range.start,
    end: range.end,
    messageHash: contentHash(message),
  };
  const version = chunkerVersion(size);
  return { chunkId: chunkId(source, version), source, content: range.content, chunkerVersion: version };
}

/** The chunks of turns: turns in order, messages in order, pieces in order. */
export function* chunksOf(turns: Iterable<Turn>, size: ChunkSize): Generator<Chunk, void, undefined> {
  for (const turn of turns) {
    for (const message of turn.messages) {
      for (const range of chunkRanges(message.content, size)) yield makeChunk(turn, message, range, size);
    }
  }
}
