/** Writes turns to an index. The number and count of each term are read and written once for a whole batch. */

import { insertTerms, SELECT_TERM, type Term, termChecksum, updateTerms } from "../tables/index_terms.ts";
import { blockOf, type IndexRow } from "../tables/chunk_indexes.ts";
import { type AddedPostings, addPostings } from "../tables/postings.ts";
import { type Operation, together, type WriteTransaction } from "../engine/operation.ts";
import type { Row } from "../engine/values.ts";
import { ConflictError, IntegrityError } from "../errors.ts";
import { BLOCK_TURNS_MAX, INDEX_CHUNKS_MAX, TERMS_PER_REQUEST, TERMS_PER_STEP } from "../limits.ts";
import {
  encodeChunks,
  encodeTerms,
  type IndexedChunk,
  type IndexedTerm,
  type IndexedTurn,
  insertIndexedTurns,
} from "../tables/indexed_turns.ts";
import { DELETE_PARTS_OF_TURN, type DrainingPart, insertParts } from "../tables/draining_turns.ts";
import type { Posting, TermCount } from "../tables/posting_list.ts";

/** A turn, chunked and analyzed. */
export interface PreparedTurn {
  /** The turn's row. */
  readonly turn: number;
  /** The checksum of the payload that was analyzed. */
  readonly source: number;
  /** Its timestamp, in milliseconds since the Unix epoch. */
  readonly atMs: number;
  readonly ranges: readonly IndexedChunk[];
  /** Term → the chunks that have it, in order. */
  readonly terms: ReadonlyMap<string, readonly TermCount[]>;
}

interface NumberedTerm {
  readonly number: number;
  /** Documents before this batch; 0 for a new term. */
  readonly before: number;
  documents: number;
}

/** Adds turns to an index and to its totals. The caller writes the row of the index. */
export function* addTurns(
  transaction: WriteTransaction,
  index: IndexRow,
  turns: readonly PreparedTurn[],
): Operation<void> {
  requireRoom(index, turns);
  const terms = yield* numberTerms(transaction, index, turns);
  const indexed = turns.map((turn) => indexedTurn(index, turn, listOf(turn, terms)));
  for (const turn of indexed) countTurn(index, turn);
  yield* together([
    insertIndexedTurns(transaction, indexed),
    insertPostings(transaction, index, turns, terms),
    writeTerms(transaction, index.id, terms),
  ]);
}

/** A turn with its terms in parts, each for a transaction. */
export interface LongTurn {
  readonly turn: PreparedTurn;
  readonly parts: readonly PreparedTurn["terms"][];
}

/** Splits a turn into parts. */
export function longTurn(turn: PreparedTurn): LongTurn {
  const terms = [...turn.terms];
  const parts: PreparedTurn["terms"][] = [];
  for (let from = 0; from < terms.length; from += TERMS_PER_STEP) {
    parts.push(new Map(terms.slice(from, from + TERMS_PER_STEP)));
  }
  return { turn, parts };
}

/** Adds the next part of a turn, which is not in the index until {@linkcode finishTurn}. */
export function* addPart(
  transaction: WriteTransaction,
  index: IndexRow,
  { turn, parts }: LongTurn,
  part: number,
): Operation<void> {
  if (part === 0) requireRoom(index, [turn]);
  const some = { ...turn, terms: parts[part]! };
  const numbered = yield* numberTerms(transaction, index, [some]);
  const terms = listOf(some, numbered);
  const { turn: row, source } = turn;
  yield* together([
    insertParts(transaction, [{ indexId: index.id, turn: row, part, source, terms }]),
    insertPostings(transaction, index, [some], numbered),
    writeTerms(transaction, index.id, numbered),
  ]);
  if (part === 0) index.draining++;
}

/** Puts a turn of which every part was added into the index. */
export function* finishTurn(
  transaction: WriteTransaction,
  index: IndexRow,
  turn: PreparedTurn,
  parts: readonly DrainingPart[],
): Operation<void> {
  requireRoom(index, [turn]);
  const terms = parts.flatMap((part) => part.terms).sort((left, right) => left.term - right.term);
  const indexed = indexedTurn(index, turn, terms);
  countTurn(index, indexed);
  index.draining--;
  transaction.markDirty("draining_turns");
  yield* together([
    insertIndexedTurns(transaction, [indexed]),
    transaction.run(DELETE_PARTS_OF_TURN, index.id, turn.turn),
  ]);
}

/** Reserves a place for a turn after all others, in a new block if the last one is full. */
export function placeTurn(index: IndexRow, turn: number): void {
  if (index.blockTurns >= BLOCK_TURNS_MAX) {
    index.blocks = [...index.blocks, turn];
    index.blockTurns = 0;
  }
  index.blockTurns++;
}

function requireRoom(index: IndexRow, turns: readonly PreparedTurn[]): void {
  const chunks = turns.reduce((sum, turn) => sum + turn.ranges.length, index.chunks);
  if (chunks <= INDEX_CHUNKS_MAX) return;
  throw new ConflictError("CAPACITY", "Cannot index: the index would have too many chunks", {
    details: { chunks, chunksMax: INDEX_CHUNKS_MAX },
  });
}

/** Returns the numbers of all terms of a batch; new terms take the next free ones. */
function* numberTerms(
  transaction: WriteTransaction,
  index: IndexRow,
  turns: readonly PreparedTurn[],
): Operation<ReadonlyMap<string, NumberedTerm>> {
  const numbered = new Map<string, NumberedTerm>();
  const terms = [...new Set(turns.flatMap((turn) => [...turn.terms.keys()]))];
  for (let from = 0; from < terms.length; from += TERMS_PER_REQUEST) {
    const some = terms.slice(from, from + TERMS_PER_REQUEST);
    const rows = yield* transaction.getEach(SELECT_TERM, some.map((term) => [index.id, term]));
    for (const [at, term] of some.entries()) numbered.set(term, numberedTerm(index, term, rows[at]));
  }
  for (const { terms } of turns) {
    for (const [term, counts] of terms) numbered.get(term)!.documents += counts.length;
  }
  return numbered;
}

function numberedTerm(index: IndexRow, term: string, row: Row | undefined): NumberedTerm {
  if (row === undefined) return { number: ++index.terms, before: 0, documents: 0 };
  const [number, documents, checksum] = row as readonly [number, number, number];
  if (termChecksum(index.id, number, term, documents) !== checksum) throw damagedTerm();
  return { number, before: documents, documents };
}

/** The terms of a turn, by number. */
function listOf(
  { terms }: PreparedTurn,
  numbered: ReadonlyMap<string, NumberedTerm>,
): readonly IndexedTerm[] {
  const list = [...terms].map(([term, counts]) => ({
    term: numbered.get(term)!.number,
    documents: counts.length,
  }));
  return list.sort((left, right) => left.term - right.term);
}

function indexedTurn(
  index: IndexRow,
  { turn, source, atMs, ranges, terms }: PreparedTurn,
  list: readonly IndexedTerm[],
): IndexedTurn {
  return {
    indexId: index.id,
    turn,
    source,
    chunks: ranges.length,
    documents: ranges.reduce((count, { length }) => count + (length > 0 ? 1 : 0), 0),
    totalLength: ranges.reduce((sum, { length }) => sum + length, 0),
    postings: terms.size,
    chunkList: encodeChunks({ atMs, ranges }),
    termList: encodeTerms(list),
  };
}

function countTurn(index: IndexRow, { chunks, documents, totalLength }: IndexedTurn): void {
  index.turns++;
  index.chunks += chunks;
  index.documents += documents;
  index.totalLength += totalLength;
}

/** Inserts the postings in the order of the table, so that neighbouring rows are written together. */
function* insertPostings(
  transaction: WriteTransaction,
  index: IndexRow,
  turns: readonly PreparedTurn[],
  numbered: ReadonlyMap<string, NumberedTerm>,
): Operation<void> {
  const blocks = new Map<number, Map<number, Posting[]>>();
  for (const { turn, terms } of [...turns].sort((left, right) => left.turn - right.turn)) {
    const block = blockOf(index, turn);
    let byTerm = blocks.get(block);
    if (byTerm === undefined) blocks.set(block, byTerm = new Map());
    for (const [term, counts] of terms) {
      const { number } = numbered.get(term)!;
      const postings = byTerm.get(number);
      if (postings === undefined) byTerm.set(number, [{ turn, counts }]);
      else postings.push({ turn, counts });
    }
  }
  const added: AddedPostings[] = [];
  for (const [block, byTerm] of blocks) {
    for (const [term, postings] of [...byTerm].sort(([left], [right]) => left - right)) {
      added.push({ place: { indexId: index.id, block, term }, postings });
    }
  }
  for (let from = 0; from < added.length; from += TERMS_PER_REQUEST) {
    yield* addPostings(transaction, added.slice(from, from + TERMS_PER_REQUEST));
  }
}

function* writeTerms(
  transaction: WriteTransaction,
  indexId: number,
  numbered: ReadonlyMap<string, NumberedTerm>,
): Operation<void> {
  const inserted: Term[] = [];
  const updated: Term[] = [];
  for (const [term, { number, before, documents }] of numbered) {
    (before === 0 ? inserted : updated).push({ indexId, number, term, documents });
  }
  const changed = yield* together([insertTerms(transaction, inserted), updateTerms(transaction, updated)]);
  if (changed.flat().some((count) => count !== 1)) throw damagedTerm();
}

function damagedTerm(): IntegrityError {
  return new IntegrityError("The checksum of a term of the index does not match", {
    details: { table: "index_terms" },
  });
}
