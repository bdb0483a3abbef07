/** The indexes of a scope: their identity, their progress, and which one is retired for another. */

import type { ScopeRow } from "../tables/scopes.ts";
import { markIndexDirty } from "../deletion/erase_index.ts";
import {
  DELETE_INDEX,
  type IndexRow,
  insertIndex,
  readIndexes,
  writeIndex,
} from "../tables/chunk_indexes.ts";
import type { Operation, ReadTransaction, WriteTransaction } from "../engine/operation.ts";
import {
  CLEARED_POSTINGS_MAX,
  CLEARED_TERMS_MAX,
  CLEARED_TURNS_MAX,
  INDEXES_PER_READ,
  SCOPE_INDEXES_MAX,
} from "../limits.ts";
import type { Analyzer } from "./analysis/analyzer.ts";
import { chunkerVersion, type ChunkSize } from "./chunk_ranges.ts";
import { DELETE_PARTS_OF_INDEX } from "../tables/draining_turns.ts";
import { DELETE_UNINDEXED_OF_INDEX, SELECT_IS_INDEXED } from "../tables/indexed_turns.ts";

/** The identity of an index. Other settings do not need an index of their own. */
export interface IndexKind {
  /** Chunk size, overlap and analyzer. */
  readonly key: string;
  readonly size: ChunkSize;
  readonly analyzer: Analyzer;
}

/** Returns the kind of index for a chunk size and an analyzer. */
export function indexKind({ chunkCharacters, overlapCharacters }: ChunkSize, analyzer: Analyzer): IndexKind {
  const size = { chunkCharacters, overlapCharacters };
  return { key: `${chunkerVersion(size)}/${analyzer.key}`, size, analyzer };
}

/** Finds the index of a kind; null if there is none. */
export function* findIndex(
  transaction: ReadTransaction,
  scope: number,
  kind: Pick<IndexKind, "key">,
): Operation<IndexRow | null> {
  return indexOfKind(yield* readIndexes(transaction, scope), kind);
}

/** The index of a kind among those of a scope; null where there is none. */
export function indexOfKind(
  indexes: readonly IndexRow[],
  { key }: Pick<IndexKind, "key">,
): IndexRow | null {
  return indexes.find((index) => index.indexKey === key && index.retired === 0) ?? null;
}

/** Returns the number of turns that are not indexed yet. */
export function unindexedTurns(scope: ScopeRow, index: IndexRow | null): number {
  return scope.turns - (index?.turns ?? 0);
}

/** Whether every turn is indexed. Expired turns need not be, because no search returns them. */
export function* isComplete(
  transaction: ReadTransaction,
  { row, expiredTurns }: { readonly row: ScopeRow; readonly expiredTurns: ReadonlySet<number> },
  index: IndexRow | null,
): Operation<boolean> {
  const missing = unindexedTurns(row, index);
  if (missing === 0 || missing > expiredTurns.size) return missing === 0;
  if (index === null) return missing === expiredTurns.size;
  const keys = [...expiredTurns].map((turn) => [index.id, turn]);
  const found = yield* transaction.getEach(SELECT_IS_INDEXED, keys);
  return missing === found.filter((indexed) => indexed === undefined).length;
}

/** Creates an index. If the scope has as many as are allowed, the least recently used one is retired. */
export function* makeIndex(
  transaction: WriteTransaction,
  scope: number,
  { key }: Pick<IndexKind, "key">,
): Operation<IndexRow> {
  const live = (yield* readIndexes(transaction, scope)).filter((index) => index.retired === 0);
  live.sort((left, right) => right.used - left.used);
  for (const index of live.slice(SCOPE_INDEXES_MAX - 1)) {
    index.retired = 1;
    yield* writeIndex(transaction, index);
  }
  return yield* insertIndex(transaction, { scope, indexKey: key, used: (live[0]?.used ?? 0) + 1 });
}

/** Whether another index of the scope was used after this one. */
export function* isOutdated(transaction: ReadTransaction, index: IndexRow): Operation<boolean> {
  return (yield* readIndexes(transaction, index.scope)).some(({ used }) => used > index.used);
}

/** Marks an index as the most recently used one. */
export function* noteUse(transaction: WriteTransaction, index: IndexRow): Operation<void> {
  const indexes = yield* readIndexes(transaction, index.scope);
  const own = indexes.find(({ born }) => born === index.born);
  const used = Math.max(0, ...indexes.map((other) => other.used));
  if (own === undefined || own.used === used) return;
  own.used = used + 1;
  yield* writeIndex(transaction, own);
}

const SELECT_INDEXES_AFTER =
  `SELECT id, scope, retired FROM chunk_indexes WHERE id > $1 ORDER BY id LIMIT $2`;

/** Reads a page of all indexes. Returns the scopes of retired ones, and where the next page begins, if any. */
export function* selectRetired(
  transaction: ReadTransaction,
  after: number,
): Operation<{ readonly scopes: readonly number[]; readonly after: number | null }> {
  const rows =
    (yield* transaction.all(SELECT_INDEXES_AFTER, after, INDEXES_PER_READ)) as unknown as (readonly [
      id: number,
      scope: number,
      retired: number,
    ])[];
  return {
    scopes: rows.filter(([, , retired]) => retired === 1).map(([, scope]) => scope),
    after: rows.length < INDEXES_PER_READ ? null : rows.at(-1)![0],
  };
}

const SELECT_LAST_TERM =
  `SELECT max(number) FROM (SELECT number FROM index_terms WHERE index_id = $1 ORDER BY number LIMIT $2)`;
const DELETE_TERMS_UP_TO = `DELETE FROM index_terms WHERE index_id = $1 AND number <= $2`;
const SELECT_FIRST_BLOCK = `SELECT block FROM postings WHERE index_id = $1 ORDER BY block LIMIT 1`;
const SELECT_LAST_POSTING = `SELECT max(term) FROM (SELECT term FROM postings WHERE index_id = $1 AND
  block = $2 ORDER BY term LIMIT $3)`;
const DELETE_POSTINGS_UP_TO = `DELETE FROM postings WHERE index_id = $1 AND block = $2 AND term <= $3`;
const SELECT_LAST_TURN =
  `SELECT max(turn) FROM (SELECT turn FROM indexed_turns WHERE index_id = $1 ORDER BY turn LIMIT $2)`;
const DELETE_TURNS_UP_TO = `DELETE FROM indexed_turns WHERE index_id = $1 AND turn <= $2`;

/** The progress of deleting retired indexes. */
interface Cleared {
  /** The number of indexes that are now fully deleted. */
  readonly indexes: number;
  /** Whether there is more to delete. */
  readonly more: boolean;
}

/** Deletes a part of the first retired index of a scope. The terms go first, because they are text. */
export function* clearRetired(transaction: WriteTransaction, scope: number): Operation<Cleared> {
  const retired = (yield* readIndexes(transaction, scope)).filter((index) => index.retired === 1);
  const [index] = retired;
  if (index === undefined) return { indexes: 0, more: false };
  markIndexDirty(transaction);
  if (yield* clearTerms(transaction, index.id)) return { indexes: 0, more: true };
  if (yield* clearPostings(transaction, index.id)) return { indexes: 0, more: true };
  if (yield* clearTurns(transaction, index.id)) return { indexes: 0, more: true };
  yield* transaction.run(DELETE_UNINDEXED_OF_INDEX, index.id);
  if ((yield* transaction.run(DELETE_PARTS_OF_INDEX, index.id)) > 0) transaction.markDirty("draining_turns");
  yield* transaction.run(DELETE_INDEX, index.id);
  return { indexes: 1, more: retired.length > 1 };
}

function* clearTerms(transaction: WriteTransaction, index: number): Operation<boolean> {
  const last = (yield* transaction.get(SELECT_LAST_TERM, index, CLEARED_TERMS_MAX))![0]!;
  if (last !== null) yield* transaction.run(DELETE_TERMS_UP_TO, index, last);
  return last !== null;
}

function* clearPostings(transaction: WriteTransaction, index: number): Operation<boolean> {
  const block = (yield* transaction.get(SELECT_FIRST_BLOCK, index))?.[0];
  if (block === undefined) return false;
  const last = (yield* transaction.get(SELECT_LAST_POSTING, index, block, CLEARED_POSTINGS_MAX))![0]!;
  yield* transaction.run(DELETE_POSTINGS_UP_TO, index, block, last);
  return true;
}

function* clearTurns(transaction: WriteTransaction, index: number): Operation<boolean> {
  const last = (yield* transaction.get(SELECT_LAST_TURN, index, CLEARED_TURNS_MAX))![0]!;
  if (last !== null) yield* transaction.run(DELETE_TURNS_UP_TO, index, last);
  return last !== null;
}
