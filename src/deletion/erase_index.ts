/**
 * Erasing from the indexes: a turn's chunks and postings by its list of terms, so that no text is read; a term with its
 * last posting, since terms are text. An index that is too damaged for that goes as a whole: it can be made again.
 */

import type { Operation, WriteTransaction } from "../engine/operation.ts";
import { decodeTerms, headOf, type IndexedTerm, isSoundIndexedTurn } from "../tables/indexed_turns.ts";
import type { Change } from "./cascade.ts";
import { blockOf, type IndexRow, readIndexesUnchecked, writeIndex } from "../tables/chunk_indexes.ts";
import { termChecksum, updateTerm } from "../tables/index_terms.ts";
import { removePosting } from "../tables/postings.ts";

/** The tables that hold what derives from text. */
const INDEX_TABLES = ["indexed_turns", "index_terms", "postings"] as const;

const DELETE_UNINDEXED_TURN = `DELETE FROM unindexed_turns WHERE index_id = $1 AND turn = $2`;

const SELECT_INDEXED_TURN =
  `SELECT turn, source, chunks, documents, total_length, postings, checksum, lists_checksum,
  chunk_list, term_list FROM indexed_turns WHERE index_id = $1 AND turn = $2`;

/** Erases a turn from every index of its scope. */
export function* eraseTurnFromIndexes(change: Change, turn: number): Operation<void> {
  const { transaction, row } = change;
  for (const { index, sound } of yield* readIndexesUnchecked(transaction, row.id)) {
    yield* transaction.run(DELETE_UNINDEXED_TURN, index.id, turn);
    const found = yield* transaction.get(SELECT_INDEXED_TURN, index.id, turn);
    if (found === undefined) continue;
    const erased = sound && isSoundIndexedTurn(index.id, found) &&
      (yield* eraseTerms(change, index, turn, found[9] as Uint8Array));
    if (erased) yield* eraseIndexedTurn(change, index, headOf(index.id, found));
    else yield* eraseIndex(change, index.id);
  }
}

/** Terms whose rows are read at once: as many as the statement has places for. */
const TERMS_PER_READ = 32;

/** Erases a turn's postings; false where one is missing, or it or its term is damaged. */
function* eraseTerms(
  { transaction, erased }: Change,
  index: IndexRow,
  turn: number,
  list: Uint8Array,
): Operation<boolean> {
  const block = blockOf(index, turn);
  const terms = [...decodeTerms(list)];
  for (let from = 0; from < terms.length; from += TERMS_PER_READ) {
    const some = terms.slice(from, from + TERMS_PER_READ);
    let isMissing = false;
    for (const { term } of some) {
      const outcome = yield* removePosting(transaction, { indexId: index.id, block, term }, turn);
      if (outcome === "damaged") return false;
      if (outcome === "removed") erased.postings++;
      else isMissing = true;
    }
    const areLowered = yield* lowerTerms(transaction, index.id, some);
    // A retired index loses its terms first of all, and then its postings.
    if ((isMissing || !areLowered) && index.retired === 0) return false;
  }
  return true;
}

const SELECT_TERMS =
  `SELECT number, term, documents, checksum FROM index_terms WHERE index_id = $1 AND number IN (
  $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
  $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33)`;
const DELETE_TERM = `DELETE FROM index_terms WHERE index_id = $1 AND number = $2`;

/** Takes documents from terms, and terms themselves with their last one; false where a row is missing or damaged. */
function* lowerTerms(
  transaction: WriteTransaction,
  index: number,
  terms: readonly IndexedTerm[],
): Operation<boolean> {
  const numbers = Array.from({ length: TERMS_PER_READ }, (_, at) => terms[at]?.term ?? null);
  const rows = yield* transaction.all(SELECT_TERMS, index, ...numbers);
  const found = new Map(rows.map((row) => [row[0] as number, row as [number, string, number, number]]));
  let areIntact = true;
  for (const { term: number, documents: by } of terms) {
    const [, term = "", documents = 0, checksum = -1] = found.get(number) ?? [];
    const left = documents - by;
    if (termChecksum(index, number, term, documents) !== checksum || left < 0) areIntact = false;
    else if (left === 0) yield* transaction.run(DELETE_TERM, index, number);
    else yield* updateTerm(transaction, { indexId: index, number, term, documents: left });
  }
  return areIntact;
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
  for (const { index } of yield* readIndexesUnchecked(change.transaction, change.row.id)) {
    yield* eraseIndex(change, index.id);
  }
}

/** Notes that tables of the index lost content. */
export function markIndexDirty(transaction: WriteTransaction): void {
  for (const table of INDEX_TABLES) transaction.markDirty(table);
}

const INSERT_UNINDEXED_TURN = `INSERT INTO unindexed_turns (index_id, turn) VALUES ($1, $2)
  ON CONFLICT (index_id, turn) DO NOTHING`;

/** Notes a turn that changed in its place, in each index that would otherwise take it for indexed. */
export function* noteUnindexed(
  transaction: WriteTransaction,
  scope: number,
  turn: number,
): Operation<void> {
  for (const { index } of yield* readIndexesUnchecked(transaction, scope)) {
    if (turn <= index.indexedTo) yield* noteUnindexedIn(transaction, index.id, turn);
  }
}

/** Notes that a turn before the end of an index is not indexed. */
export function* noteUnindexedIn(
  transaction: WriteTransaction,
  index: number,
  turn: number,
): Operation<void> {
  yield* transaction.run(INSERT_UNINDEXED_TURN, index, turn);
}
