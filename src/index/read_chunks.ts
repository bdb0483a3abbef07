/** Reads all chunks of a scope, for an assembly in memory, and verifies them against their turns. */

import { historyDigest } from "../contracts/digest.ts";
import type { Chunk } from "../contracts/chunk.ts";
import type { TimedTurn } from "../contracts/turn.ts";
import { type IndexRow, readIndexes } from "../tables/chunk_indexes.ts";
import { NOTHING_SKIPPED } from "../engine/damage.ts";
import type { Operation, ReadTransaction } from "../engine/operation.ts";
import { ConflictError, IntegrityError } from "../errors.ts";
import { TURNS_PER_PAGE } from "../limits.ts";
import type { ChunkIndex } from "./chunk_index.ts";
import { chunkerVersion, chunkRanges, type ChunkSize } from "./chunk_ranges.ts";
import { makeChunk } from "./chunking.ts";
import { type IndexedChunk, SELECT_TURN_OF_INDEX, toSearchedTurn } from "../tables/indexed_turns.ts";
import { Pace } from "../pace.ts";
import { View, ViewGone } from "./scope_view.ts";
import { type IndexKind, isComplete } from "./index_state.ts";
import { indexedTexts } from "./indexed_texts.ts";
import { analyzerOf } from "./analysis/analyzer.ts";
import type { Snapshot } from "../contracts/snapshot.ts";
import { type Reading, requireCurrent } from "../scopes/take_snapshot.ts";
import type { Moment, StoreAccess } from "../scopes/store_access.ts";
import { SELECT_TURNS_AFTER, type StoredTurn, toStoredTurn } from "../tables/turns.ts";

/**
 * Reads the chunk index of a snapshot.
 *
 * @throws {ConflictError} `SNAPSHOT` if the snapshot is stale; `NOT_READY` if the index is not complete
 */
export async function readChunkIndex(
  store: StoreAccess,
  snapshot: Snapshot,
  { size, signal }: { readonly size: ChunkSize; readonly signal: AbortSignal | undefined },
): Promise<ChunkIndex> {
  try {
    return await readChunks(store, snapshot, { size, signal });
  } catch (error) {
    if (!(error instanceof ViewGone)) throw error;
    throw new ConflictError("SNAPSHOT", "The snapshot is stale; take a fresh one", { cause: error });
  }
}

interface Opened {
  readonly reading: Reading;
  readonly index: IndexRow | null;
}

async function readChunks(
  store: StoreAccess,
  snapshot: Snapshot,
  { size, signal }: { readonly size: ChunkSize; readonly signal: AbortSignal | undefined },
): Promise<ChunkIndex> {
  const { place, engine } = store;
  const moment = (transaction: ReadTransaction): Moment => ({
    atMs: transaction.time().effectiveMs,
    epoch: engine.epoch,
  });
  const opened = await store.read(function* (transaction): Operation<Opened> {
    const reading = yield* requireCurrent(transaction, place, snapshot, moment(transaction));
    return { reading, index: yield* findComplete(transaction, reading, size) };
  }, signal);
  const view = new View({
    place,
    ...opened,
    isIndexed: true,
    damage: NOTHING_SKIPPED,
    read: (factory) => store.read(factory, signal),
  });
  const { turns, chunks } = await readPages(view, size, new Pace(signal ?? null));
  await store.read(
    (transaction) => requireCurrent(transaction, place, snapshot, moment(transaction)),
    signal,
  );
  return Object.freeze({
    historyFingerprint: historyDigest(turns),
    chunkerVersion: chunkerVersion(size),
    chunks: Object.freeze(chunks),
  });
}

/** Finds a complete index with this chunk size. It may have any analyzer, because chunks do not depend on it. */
function* findComplete(
  transaction: ReadTransaction,
  reading: Reading,
  size: ChunkSize,
): Operation<IndexRow | null> {
  if (reading.snapshot.turnCount === 0) return null;
  const version = `${chunkerVersion(size)}/`;
  for (const index of yield* readIndexes(transaction, reading.row.id)) {
    if (index.retired === 1 || !index.indexKey.startsWith(version)) continue;
    if (yield* isComplete(transaction, reading, index)) return index;
  }
  throw new ConflictError("NOT_READY", "Cannot read chunks: call indexBatch until it reports READY");
}

interface Page {
  readonly stored: readonly { readonly turn: StoredTurn; readonly ranges: readonly IndexedChunk[] }[];
  readonly after: number | null;
}

async function readPages(
  view: View,
  size: ChunkSize,
  pace: Pace,
): Promise<{ readonly turns: readonly TimedTurn[]; readonly chunks: readonly Chunk[] }> {
  const turns: TimedTurn[] = [];
  const chunks: Chunk[] = [];
  const { index } = view;
  let after: number | null = index === null ? null : 0;
  while (after !== null && index !== null) {
    if (pace.mustYield()) await pace.rest();
    const from: number = after;
    const page: Page = await view.read((transaction) => readPage(transaction, view, index, from));
    for (const { turn, ranges } of page.stored) {
      if (pace.mustYield()) await pace.rest();
      turns.push(turn.turn);
      for (const chunk of verifiedChunks(turn.turn, ranges, { size, analyzer: analyzerOf(index.indexKey) })) {
        chunks.push(chunk);
      }
    }
    after = page.after;
  }
  return { turns, chunks };
}

function* readPage(
  transaction: ReadTransaction,
  { row, expiredTurns }: View,
  index: IndexRow,
  after: number,
): Operation<Page> {
  const rows = yield* transaction.all(SELECT_TURNS_AFTER, row.id, after, TURNS_PER_PAGE);
  const stored: { readonly turn: StoredTurn; readonly ranges: readonly IndexedChunk[] }[] = [];
  for (const found of rows) {
    const turn = toStoredTurn(row, found);
    if (expiredTurns.has(turn.id)) continue;
    const indexed = yield* transaction.get(SELECT_TURN_OF_INDEX, index.id, turn.id);
    if (indexed === undefined) throw damaged();
    const { source, ranges } = toSearchedTurn(index.id, indexed);
    if (source !== turn.payloadChecksum) throw damaged();
    stored.push({ turn, ranges });
  }
  return { stored, after: rows.length < TURNS_PER_PAGE ? null : rows.at(-1)![0] as number };
}

/** Yields the chunks of a turn's contents; throws unless the index has exactly the chunks of its texts. */
function* verifiedChunks(
  turn: TimedTurn,
  ranges: readonly IndexedChunk[],
  { size, analyzer }: Omit<IndexKind, "key">,
): Generator<Chunk, void, undefined> {
  let next = 0;
  for (const [position, text] of indexedTexts(turn, analyzer).entries()) {
    for (const range of chunkRanges(text.text, size)) {
      const indexed = ranges[next++];
      if (indexed?.text !== position || indexed.start !== range.start || indexed.end !== range.end) {
        throw damaged();
      }
      if (text.call === null) yield makeChunk(turn, text, range, size);
    }
  }
  if (next !== ranges.length) throw damaged();
}

function damaged(): IntegrityError {
  return new IntegrityError("The index does not match the turns", {
    details: { table: "indexed_turns" },
  });
}
