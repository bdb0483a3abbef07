/**
 * Erases from indexes: a turn's chunks and postings by its list of terms, so that no text is read, and a term with its
 * last posting, since terms are text. An index that is too damaged for that is erased as a whole: it can be rebuilt.
 */

import { type Operation, together, type WriteTransaction } from "../engine/operation.ts";
import type { Row, SqlValue } from "../engine/values.ts";
import { TERMS_PER_REQUEST, TERMS_PER_STEP } from "../limits.ts";
import {
  DELETE_PART,
  DELETE_PARTS_OF_INDEX,
  type DrainingPart,
  insertParts,
  SELECT_STALE_PART,
  toIntactPart,
} from "../tables/draining_turns.ts";
import {
  decodeTerms,
  DELETE_UNINDEXED_OF_INDEX,
  DELETE_UNINDEXED_TURN,
  headOf,
  type IndexedTerm,
  isIntactIndexedTurn,
} from "../tables/indexed_turns.ts";
import type { Change, ContentsChange } from "./cascade.ts";
import {
  blockOf,
  DELETE_INDEX,
  type IndexRow,
  readIndexesUnchecked,
  type UncheckedIndex,
  writeIndex,
} from "../tables/chunk_indexes.ts";
import { type Term, termChecksum, updateTerms } from "../tables/index_terms.ts";
import { removePostings } from "../tables/postings.ts";

/** The tables that hold what derives from text. */
const INDEX_TABLES = ["indexed_turns", "index_terms", "postings"] as const;

const SELECT_INDEXED_TURN =
  `SELECT turn, source, chunks, documents, total_length, postings, checksum, lists_checksum,
  chunk_list, term_list FROM indexed_turns WHERE index_id = $1 AND turn = $2`;

/** Erases a turn from every index of its scope. */
export function* eraseTurnFromIndexes(change: Change, turn: number): Operation<void> {
  const indexes = yield* readIndexesUnchecked(change.transaction, change.row.id);
  yield* together(indexes.map((index) => eraseTurnFrom(change, index, turn)));
}

function* eraseTurnFrom(
  change: Change,
  { index, isIntact }: UncheckedIndex,
  turn: number,
): Operation<void> {
  const { transaction } = change;
  const [found] = yield* together([
    transaction.get(SELECT_INDEXED_TURN, index.id, turn),
    transaction.run(DELETE_UNINDEXED_TURN, index.id, turn),
  ]);
  if (index.draining > 0) change.isDraining = true;
  if (found === undefined) return;
  const head = headOf(index.id, found);
  let isErased = isIntact && isIntactIndexedTurn(index.id, found);
  if (isErased) {
    const terms = [...decodeTerms(found[9] as Uint8Array)];
    // Longer turns are erased in parts, each in a transaction of its own: until then a search leaves them out.
    if (terms.length > TERMS_PER_STEP) {
      change.isDraining = true;
      yield* beginDraining(change, index, head, terms);
    } else {
      isErased = yield* eraseTerms(change, index, turn, terms);
    }
  }
  if (isErased) yield* eraseIndexedTurn(change, index, head);
  else yield* eraseIndex(change, index.id);
}

/** Notes which postings of a turn are left. */
function* beginDraining(
  { transaction, erased }: Change,
  index: IndexRow,
  { turn, source }: ReturnType<typeof headOf>,
  terms: readonly IndexedTerm[],
): Operation<void> {
  const parts: DrainingPart[] = [];
  for (let from = 0; from < terms.length; from += TERMS_PER_STEP) {
    const some = terms.slice(from, from + TERMS_PER_STEP);
    parts.push({ indexId: index.id, turn, part: parts.length, source, terms: some });
  }
  erased.postings += terms.length;
  index.draining++;
  yield* insertParts(transaction, parts);
}

/** Erases a part of a turn that a scope's indexes no longer have. Returns whether there may be another. */
export function* drainSome(transaction: WriteTransaction, scope: number): Operation<boolean> {
  for (const unchecked of yield* readIndexesUnchecked(transaction, scope)) {
    if (unchecked.index.draining === 0) continue;
    const row = yield* transaction.get(SELECT_STALE_PART, unchecked.index.id);
    if (row === undefined) continue;
    yield* drainPart(transaction, unchecked, toIntactPart(row));
    return true;
  }
  return false;
}

function* drainPart(
  transaction: WriteTransaction,
  { index, isIntact }: UncheckedIndex,
  part: DrainingPart | null,
): Operation<void> {
  const change = { transaction, erased: { postings: 0, chunks: 0 } };
  const isErased = isIntact && part !== null &&
    (yield* eraseTerms(change, index, part.turn, part.terms));
  if (!isErased) return yield* eraseIndex(change, index.id);
  markIndexDirty(transaction);
  transaction.markDirty("draining_turns");
  yield* transaction.run(DELETE_PART, index.id, part.turn, part.part);
  if (part.part > 0) return;
  index.draining--;
  yield* writeIndex(transaction, index);
}

/** What erasing from an index needs. */
interface IndexChange {
  readonly transaction: WriteTransaction;
  readonly erased: Pick<Change["erased"], "postings" | "chunks">;
}

/** Erases a turn's postings; false where one is missing, or it or its term is damaged. */
function* eraseTerms(
  { transaction, erased }: IndexChange,
  index: IndexRow,
  turn: number,
  terms: readonly IndexedTerm[],
): Operation<boolean> {
  const block = blockOf(index, turn);
  for (let from = 0; from < terms.length; from += TERMS_PER_REQUEST) {
    const some = terms.slice(from, from + TERMS_PER_REQUEST);
    const [postings, areLowered] = yield* together([
      removePostings(transaction, some.map(({ term }) => ({ indexId: index.id, block, term })), turn),
      lowerTerms(transaction, index.id, some),
    ]);
    if (postings === null) return false;
    erased.postings += postings.removed;
    // A retired index is removed in parts, terms before postings, so rows may be missing.
    if ((postings.isMissing || !areLowered) && index.retired === 0) return false;
  }
  return true;
}

/** Terms whose rows one statement reads: as many as it has places for. */
const TERMS_PER_STATEMENT = 32;

const SELECT_TERMS =
  `SELECT number, term, documents, checksum FROM index_terms WHERE index_id = $1 AND number IN (
  $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
  $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33)`;
const DELETE_TERM = `DELETE FROM index_terms WHERE index_id = $1 AND number = $2`;

/** Takes documents from terms, and erases terms with their last one; false where a row is missing or damaged. */
function* lowerTerms(
  transaction: WriteTransaction,
  indexId: number,
  terms: readonly IndexedTerm[],
): Operation<boolean> {
  const reads: Operation<readonly Row[]>[] = [];
  for (let from = 0; from < terms.length; from += TERMS_PER_STATEMENT) {
    const numbers = Array.from({ length: TERMS_PER_STATEMENT }, (_, at) => terms[from + at]?.term ?? null);
    reads.push(transaction.all(SELECT_TERMS, indexId, ...numbers));
  }
  const rows = (yield* together(reads)).flat();
  const found = new Map(rows.map((row) => [row[0] as number, row as [number, string, number, number]]));
  const lowered: Term[] = [];
  const deleted: (readonly SqlValue[])[] = [];
  let areIntact = true;
  for (const { term: number, documents: by } of terms) {
    const [, term = "", documents = 0, checksum = -1] = found.get(number) ?? [];
    const left = documents - by;
    if (termChecksum(indexId, number, term, documents) !== checksum || left < 0) areIntact = false;
    else if (left === 0) deleted.push([indexId, number]);
    else lowered.push({ indexId, number, term, documents: left });
  }
  yield* together([transaction.runEach(DELETE_TERM, deleted), updateTerms(transaction, lowered)]);
  return areIntact;
}

const DELETE_INDEXED_TURN = `DELETE FROM indexed_turns WHERE index_id = $1 AND turn = $2`;

function* eraseIndexedTurn(
  { transaction, erased }: IndexChange,
  index: IndexRow,
  { turn, chunks, documents, totalLength }: ReturnType<typeof headOf>,
): Operation<void> {
  erased.chunks += chunks;
  index.turns--;
  index.chunks -= chunks;
  index.documents -= documents;
  index.totalLength -= totalLength;
  markIndexDirty(transaction);
  yield* together([transaction.run(DELETE_INDEXED_TURN, index.id, turn), writeIndex(transaction, index)]);
}

const SUM_CHUNKS = `SELECT coalesce(sum(chunks), 0) FROM indexed_turns WHERE index_id = $1`;
const SUM_POSTINGS = `SELECT coalesce(sum(turns), 0) FROM postings WHERE index_id = $1`;
const DELETE_POSTINGS_OF_INDEX = `DELETE FROM postings WHERE index_id = $1`;
const DELETE_TERMS_OF_INDEX = `DELETE FROM index_terms WHERE index_id = $1`;
const DELETE_TURNS_OF_INDEX = `DELETE FROM indexed_turns WHERE index_id = $1`;

/** Erases a whole index, whatever state it is in. */
function* eraseIndex({ transaction, erased }: IndexChange, index: number): Operation<void> {
  const [chunks, postings] = yield* together([
    transaction.get(SUM_CHUNKS, index),
    transaction.get(SUM_POSTINGS, index),
  ]);
  erased.chunks += chunks![0] as number;
  erased.postings += postings![0] as number;
  markIndexDirty(transaction);
  const [parts] = yield* together([
    transaction.run(DELETE_PARTS_OF_INDEX, index),
    transaction.run(DELETE_POSTINGS_OF_INDEX, index),
    transaction.run(DELETE_TERMS_OF_INDEX, index),
    transaction.run(DELETE_TURNS_OF_INDEX, index),
    transaction.run(DELETE_UNINDEXED_OF_INDEX, index),
    transaction.run(DELETE_INDEX, index),
  ]);
  if (parts > 0) transaction.markDirty("draining_turns");
}

/** Erases the indexes of a scope. */
export function* eraseIndexesOfScope(change: ContentsChange): Operation<void> {
  const indexes = yield* readIndexesUnchecked(change.transaction, change.row.id);
  yield* together(indexes.map(({ index }) => eraseIndex(change, index.id)));
}

/** Marks the tables of indexes as dirty. */
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
  const indexes = yield* readIndexesUnchecked(transaction, scope);
  const past = indexes.filter(({ index }) => turn <= index.indexedTo);
  yield* transaction.runEach(INSERT_UNINDEXED_TURN, past.map(({ index }) => [index.id, turn]));
}

/** Notes that turns before the end of an index are not indexed. */
export function* noteUnindexedIn(
  transaction: WriteTransaction,
  index: number,
  turns: readonly number[],
): Operation<void> {
  yield* transaction.runEach(INSERT_UNINDEXED_TURN, turns.map((turn) => [index, turn]));
}
