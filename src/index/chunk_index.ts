/** The chunks of a whole history, made beforehand. */

import { readFields, requireList } from "../contracts/arguments.ts";
import { historyDigest } from "../contracts/digest.ts";
import { type Chunk, toChunk, validateSource } from "../contracts/chunk.ts";
import type { TimedTurn } from "../contracts/turn.ts";
import { ContractError } from "../errors.ts";
import { LIST_ARGUMENT_ITEMS_MAX } from "../limits.ts";
import { chunkerVersion, type ChunkSize } from "./chunk_ranges.ts";

/** The chunks of a history, and which history and chunker they are of. */
export interface ChunkIndex {
  /** The digest of the history. */
  readonly historyFingerprint: string;
  /** `characters-v1:<chunk characters>:<overlap characters>`. */
  readonly chunkerVersion: string;
  /** The chunks, turns in order. */
  readonly chunks: readonly Chunk[];
}

/**
 * Validates an index that a caller handed in: it must be of this history and chunker, and each chunk's text must be what
 * its source names. That it is complete is not checked, as in the reference.
 *
 * @throws {ContractError} naming what is wrong
 */
export function requireChunkIndex(
  value: unknown,
  history: readonly TimedTurn[],
  size: ChunkSize,
): readonly Chunk[] {
  const index = readFields("chunkIndex", value, ["historyFingerprint", "chunkerVersion", "chunks"]);
  if (index.historyFingerprint !== historyDigest(history) || index.chunkerVersion !== chunkerVersion(size)) {
    throw new ContractError("chunkIndex", "Chunk index is of another history or configuration");
  }
  const chunks = requireList("chunkIndex.chunks", index.chunks, LIST_ARGUMENT_ITEMS_MAX);
  const turns = new Map(history.map((turn) => [turn.turnId, turn]));
  const seen = new Set<string>();
  return chunks.map((item, position) => {
    const field = `chunkIndex.chunks[${position}]`;
    const chunk = toChunk(item, field);
    const turn = turns.get(chunk.source.turnId);
    if (turn === undefined) {
      throw new ContractError(field, `${field} is of a turn that the history does not have`);
    }
    if (seen.has(chunk.chunkId)) throw new ContractError(field, `${field} repeats a chunk id`);
    seen.add(chunk.chunkId);
    validateSource(chunk, turn);
    return chunk;
  });
}
