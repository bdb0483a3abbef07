/** Creates chunks: ranges of message texts, with their sources. */

import { codePointLength } from "../canonical/text.ts";
import { chunkId, contentHash } from "../contracts/digest.ts";
import { printedAs } from "../contracts/discreet.ts";
import type { Chunk } from "../contracts/chunk.ts";
import type { Turn } from "../contracts/turn.ts";
import type { IndexedText } from "./indexed_texts.ts";
import { chunkerVersion, type ChunkRange, type ChunkSize } from "./chunk_ranges.ts";

/** Creates the chunk of a range of a text. It takes two hashes: call it only for chunks that are returned. */
export function makeChunk(
  turn: Turn,
  { message: { messageId }, call, text }: Pick<IndexedText, "message" | "call" | "text">,
  range: ChunkRange,
  size: ChunkSize,
): Chunk {
  const source = {
    scope: turn.scope,
    turnId: turn.turnId,
    messageId,
    ...(call === null ? {} : { toolCallId: call.id }),
    revision: turn.revision,
    start: range.start,
    end: range.end,
    messageHash: contentHash({ content: text }),
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
