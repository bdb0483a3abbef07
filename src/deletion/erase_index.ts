/**
 * Erasing from the indexes: a turn's chunks and postings by its list of terms, so that no text is read; a term with its
 * last posting, since terms are text. An index that is too damaged for that goes as a whole: it can be made again.
 */

import { checksumOf } from "../canonical/checksum.ts";
import type { Operation, WriteTransaction } from "../engine/operation.ts";
import { decodeTerms, headOf, isSoundIndexedTurn } from "../retrieval/indexed_turn.ts";
import type { Change } from "./cascade.ts";
import { blockOf, type IndexRow, readIndexesAnyhow, writeIndex } from "./index_row.ts";
import { removePosting } from "./posting_row.ts";

/** The tables that hold what derives from text. */
const INDEX_TABLES = ["indexed_turns", "index_terms", "postings"] as const;

const DELETE_UNINDEXED_TURN = `DELETE FROM unindexed_turns WHERE index_id = $1 AND turn = $2`;

const SELECT_INDEXED_TURN =
  `SELECT turn, source, chunks, documents, total_length, postings, checksum, lists_checksum,
  chunk_list, term_list FROM indexed_turns WHERE index_id = $1 AND turn = $2`;

/** Erases a turn from every index of its scope. */
export function* eraseTurnFromIndexes(change: Change, turn: number): Operation<void> {
  const { transaction, row } = change;
  for (const { index, sound } of yield* readIndexesAnyhow(transaction, row.id)) {
    yield* transaction.run(DELETE_UNINDEXED_TURN, index.id, turn);
    const found = yield* transaction.get(SELECT_INDEXED_TURN, index.id, turn);
    if (found === undefined) continue;
    const erased = sound && isSoundIndexedTurn(index.id, found) &&
      (yield* eraseTerms(change, index, turn, found[9] as Uint8Array));
    if (erased) yield* eraseIndexedTurn(change, index, headOf(index.id, found));
    else yield* eraseIndex(change, index.id);
  }
}

/** Erases a turn's postings; false where one is missing, or it or its term is damaged. */
function* eraseTerms(
  { transaction, erased }: Change,
  index: IndexRow,
  turn: number,
  list: Uint8Array,
): Operation<boolean> {
  const block = blockOf(index, turn);
  for (const { term, documents } of decodeTerms(list)) {
    const outcome = yield* removePosting(transaction, { indexId: index.id, block, term }, turn);
    if (outcome === "removed") erased.postings++;
    const isLowered = yield* lowerTerm(transaction, index.id, term, documents);
    if (outcome === "damaged") return false;
    // A retired index loses its terms first of all, and then its postings.
    if ((outcome === "missing" || !isLowered) && index.retired === 0) return false;
  }
  return true;
}

const SELECT_TERM = `SELECT term, documents, checksum FROM index_terms WHERE index_id = $1 AND number = $2`;
const UPDATE_TERM =
  `UPDATE index_terms SET documents = $1, checksum = $2 WHERE index_id = $3 AND number = $4`;
const DELETE_TERM = `DELETE FROM index_terms WHERE index_id = $1 AND number = $2`;

/** Takes documents from a term, and the term itself with its last one; false where its row is damaged. */
function* lowerTerm(
  transaction: WriteTransaction,
  index: number,
  number: number,
  by: number,
): Operation<boolean> {
  const found = yield* transaction.get(SELECT_TERM, index, number);
  if (found === undefined) return false;
  const [term, documents, checksum] = found as [string, number, number];
  const left = documents - by;
  if (termChecksum(index, number, term, documents) !== checksum || left < 0) return false;
  if (left === 0) yield* transaction.run(DELETE_TERM, index, number);
  else yield* transaction.run(UPDATE_TERM, left, termChecksum(index, number, term, left), index, number);
  return true;
}

/** The checksum over a term's row. */
export function termChecksum(index: number, number: number, term: string, documents: number): number {
  return checksumOf(index, number, term, documents);
}

const DELETE_INDEXED_TURN = `DELETE FROM indexed_turns WHERE index_id = $1 AND turn = $2`;

function* eraseIndexedTurn(
  { transaction, erased }: Change,
  index: IndexRow,
  { turn, chunks, documents, totalLength }: ReturnType<typeof headOf>,
): Operation<void> {
  yield* transaction.run(DELETE_INDEXED_TURN, index.id, turn);
  erased.chunks += chunks;
  index.turns--;
  index.chunks -= chunks;
  index.documents -= documents;
  index.totalLength -= totalLength;
  yield* writeIndex(transaction, index);
  markIndexDirty(transaction);
}

const SUM_CHUNKS = `SELECT coalesce(sum(chunks), 0) FROM indexed_turns WHERE index_id = $1`;
const SUM_POSTINGS = `SELECT coalesce(sum(turns), 0) FROM postings WHERE index_id = $1`;
const DELETE_POSTINGS_OF_INDEX = `DELETE FROM postings WHERE index_id = $1`;
const DELETE_TERMS_OF_INDEX = `DELETE FROM index_terms WHERE index_id = $1`;
const DELETE_TURNS_OF_INDEX = `DELETE FROM indexed_turns WHERE index_id = $1`;
const DELETE_UNINDEXED_OF_INDEX = `DELETE FROM unindexed_turns WHERE index_id = $1`;
const DELETE_INDEX = `DELETE FROM chunk_indexes WHERE id = $1`;

/** Erases a whole index, whatever state it is in. */
function* eraseIndex({ transaction, erased }: Change, index: number): Operation<void> {
  erased.chunks += (yield* transaction.get(SUM_CHUNKS, index))![0] as number;
  erased.postings += (yield* transaction.get(SUM_POSTINGS, index))![0] as number;
  yield* transaction.run(DELETE_POSTINGS_OF_INDEX, index);
  yield* transaction.run(DELETE_TERMS_OF_INDEX, index);
  yield* transaction.run(DELETE_TURNS_OF_INDEX, index);
  yield* transaction.run(DELETE_UNINDEXED_OF_INDEX, index);
  yield* transaction.run(DELETE_INDEX, index);
  markIndexDirty(transaction);
}

/** Erases the indexes of a scope. */
export function* eraseIndexesOfScope(change: Change): Operation<void> {
  for (const { index } of yield* readIndexesAnyhow(change.transaction, change.row.id)) {
    yield* eraseIndex(change, index.id);
  }
}

/** Notes that tables of the index lost content. */
export function markIndexDirty(transaction: WriteTransaction): void {
  for (const table of INDEX_TABLES) transaction.markDirty(table);
}

const INSERT_UNINDEXED_TURN = `INSERT INTO unindexed_turns (index_id, turn) VALUES ($1, $2)
  ON CONFLICT (index_id, turn) DO NOTHING`;

/**
 * Notes a turn that was written, where an index would take it for indexed: one that changed in its place, and a new one
 * whose row has the number of a turn that was deleted.
 */
export function* noteUnindexed(
  transaction: WriteTransaction,
  scope: number,
  turn: number,
): Operation<void> {
  for (const { index } of yield* readIndexesAnyhow(transaction, scope)) {
    if (turn <= index.indexedTo) yield* transaction.run(INSERT_UNINDEXED_TURN, index.id, turn);
  }
}
