/** A chunk index: the chunks of a whole history, made before an assembly. */

import { readFields, requireList } from "../contracts/arguments.ts";
import { historyDigest } from "../contracts/digest.ts";
import { type Chunk, toChunk, validateSource } from "../contracts/chunk.ts";
import type { TimedTurn } from "../contracts/turn.ts";
import { ContractError } from "../errors.ts";
import { LIST_ARGUMENT_ITEMS_MAX } from "../limits.ts";
import { chunkerVersion, type ChunkSize } from "./chunk_ranges.ts";

/** The chunks of a history, with the digest of the history and the version of the chunker. */
export interface ChunkIndex {
  /** The digest of the history. */
  readonly historyFingerprint: string;
  /** `characters-v1:<chunk characters>:<overlap characters>`. */
  readonly chunkerVersion: string;
  /** The chunks, in the order of the turns. */
  readonly chunks: readonly Chunk[];
}

/**
 * Validates a caller's chunk index. It must be made from this history with this chunker, and the text of each chunk must
 * match its source. As in the reference, it may be incomplete.
 *
 * @throws {ContractError} that names the field
 */
export function requireChunkIndex(
  value: unknown,
  history: readonly TimedTurn[],
  size: ChunkSize,
): readonly Chunk[] {
  const index = readFields("chunkIndex", value, ["historyFingerprint", "chunkerVersion", "chunks"]);
  if (index.historyFingerprint !== historyDigest(history) || index.chunkerVersion !== chunkerVersion(size)) {
    const message = "Expected chunkIndex to be made from this history and chunk size: make it again";
    throw new ContractError("chunkIndex", message);
  }
  const chunks = requireList("chunkIndex.chunks", index.chunks, LIST_ARGUMENT_ITEMS_MAX);
  const turns = new Map(history.map((turn) => [turn.turnId, turn]));
  const seen = new Set<string>();
  return chunks.map((item, position) => {
    const field = `chunkIndex.chunks[${position}]`;
    const chunk = toChunk(item, field);
    const turn = turns.get(chunk.source.turnId);
    if (turn === undefined) {
      throw new ContractError(field, `Expected ${field} to be a chunk of a turn in the history`);
    }
    if (seen.has(chunk.chunkId)) throw new ContractError(field, `Expected ${field} to have a unique chunkId`);
    seen.add(chunk.chunkId);
    validateSource(chunk, turn);
    return chunk;
  });
}
