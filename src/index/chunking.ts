/** Creates chunks: ranges of message texts, with their sources. */

import { codePointLength } from "../canonical/text.ts";
import { chunkId, contentHash } from "../contracts/digest.ts";
import { printedAs } from "../contracts/discreet.ts";
import type { Chunk } from "../contracts/chunk.ts";
import type { Message } from "../contracts/message.ts";
import type { Turn } from "../contracts/turn.ts";
import { chunkerVersion, type ChunkRange, type ChunkSize } from "./chunk_ranges.ts";

/** Creates the chunk of a range of a message. It takes two hashes: call it only for chunks that are returned. */
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
  return printed({
    chunkId: chunkId(source, version),
    source,
    content: range.content,
    chunkerVersion: version,
  });
}

const printed = printedAs<Chunk>("Chunk", ({ chunkId, source, content }) => ({
  chunkId,
  turnId: source.turnId,
  messageId: source.messageId,
  characters: codePointLength(content),
}));
