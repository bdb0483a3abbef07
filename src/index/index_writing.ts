/** Writes turns to an index. The number and count of each term are read and written once for a whole batch. */

import { insertTerm, SELECT_TERM, termChecksum, updateTerm } from "../tables/index_terms.ts";
import { blockOf, type IndexRow } from "../tables/chunk_indexes.ts";
import { addPostings } from "../tables/postings.ts";
import type { Operation, WriteTransaction } from "../engine/operation.ts";
import { ConflictError, IntegrityError } from "../errors.ts";
import { BLOCK_TURNS_MAX, INDEX_CHUNKS_MAX } from "../limits.ts";
import { encodeChunks, encodeTerms, type IndexedChunk, insertIndexedTurn } from "../tables/indexed_turns.ts";
import type { Posting, TermCount } from "../tables/posting_list.ts";

/** A turn, chunked and analyzed. */
export interface PreparedTurn {
  /** The turn's row. */
  readonly turn: number;
  /** The checksum of the payload that was analyzed. */
  readonly source: number;
  readonly chunks: readonly IndexedChunk[];
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
  for (const turn of turns) yield* insertTurn(transaction, index, turn, terms);
  yield* insertPostings(transaction, index, turns, terms);
  yield* writeTerms(transaction, index.id, terms);
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
  const chunks = turns.reduce((sum, turn) => sum + turn.chunks.length, index.chunks);
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
  for (const { terms } of turns) {
    for (const [term, counts] of terms) {
      let known = numbered.get(term);
      if (known === undefined) {
        const row = yield* transaction.get(SELECT_TERM, index.id, term);
        if (row === undefined) {
          known = { number: ++index.terms, before: 0, documents: 0 };
        } else {
          const [number, documents, checksum] = row as [number, number, number];
          if (termChecksum(index.id, number, term, documents) !== checksum) throw damagedTerm();
          known = { number, before: documents, documents };
        }
        numbered.set(term, known);
      }
      known.documents += counts.length;
    }
  }
  return numbered;
}

function* insertTurn(
  transaction: WriteTransaction,
  index: IndexRow,
  { turn, source, chunks, terms }: PreparedTurn,
  numbered: ReadonlyMap<string, NumberedTerm>,
): Operation<void> {
  const documents = chunks.reduce((count, { length }) => count + (length > 0 ? 1 : 0), 0);
  const totalLength = chunks.reduce((sum, { length }) => sum + length, 0);
  const head = {
    indexId: index.id,
    turn,
    source,
    chunks: chunks.length,
    documents,
    totalLength,
    postings: terms.size,
  };
  const chunkList = encodeChunks(chunks);
  const termList = encodeTerms(
    [...terms].map(([term, counts]) => ({ term: numbered.get(term)!.number, documents: counts.length }))
      .sort((left, right) => left.term - right.term),
  );
  yield* insertIndexedTurn(transaction, { ...head, chunkList, termList });
  index.turns++;
  index.chunks += chunks.length;
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
  for (const [block, byTerm] of blocks) {
    for (const [term, postings] of [...byTerm].sort(([left], [right]) => left - right)) {
      yield* addPostings(transaction, { indexId: index.id, block, term }, postings);
    }
  }
}

function* writeTerms(
  transaction: WriteTransaction,
  indexId: number,
  numbered: ReadonlyMap<string, NumberedTerm>,
): Operation<void> {
  for (const [term, { number, before, documents }] of numbered) {
    const row = { indexId, number, term, documents };
    const changed = yield* before === 0 ? insertTerm(transaction, row) : updateTerm(transaction, row);
    if (changed !== 1) throw damagedTerm();
  }
}

function damagedTerm(): IntegrityError {
  return new IntegrityError("The checksum of a term of the index does not match", {
    details: { table: "index_terms" },
  });
}
