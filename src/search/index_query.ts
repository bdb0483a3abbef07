/** Prepares a search: finds the terms of the question in the index, and the statistics of what is searched. */

import { SELECT_TERM, termChecksum } from "../tables/index_terms.ts";
import { blockOf, type IndexRow } from "../tables/chunk_indexes.ts";
import { readRowOfTurn } from "../tables/postings.ts";
import type { Operation, ReadTransaction } from "../engine/operation.ts";
import type { Row } from "../engine/values.ts";
import { IntegrityError } from "../errors.ts";
import type { CorpusStatistics } from "./bm25.ts";
import { isShown, type VisibleText } from "./evidence_source.ts";
import { analyzerOf } from "../index/analysis/analyzer.ts";
import { type IndexedText, indexedTexts } from "../index/indexed_texts.ts";
import { CodePointMap } from "../canonical/code_point_map.ts";
import {
  type IndexedChunk,
  SELECT_TURN_OF_INDEX,
  toIndexedTurnHead,
  toSearchedTurn,
} from "../tables/indexed_turns.ts";
import { readParts } from "../tables/draining_turns.ts";
import { decodePostings, type TermCount } from "../tables/posting_list.ts";
import { link, LoadedTurn } from "./loaded_turn.ts";
import type { SearchFilter } from "./search_filter.ts";
import type { StoredTurn } from "../tables/turns.ts";

/** A term of the question that the index has. */
export interface FoundTerm {
  /** Its position in the question. */
  readonly index: number;
  /** Its number in the index. */
  readonly number: number;
  /** The number of chunks that have it. */
  readonly documents: number;
}

/** Finds the terms of a question that an index has. */
export function* findTerms(
  transaction: ReadTransaction,
  index: IndexRow,
  terms: readonly string[],
): Operation<readonly FoundTerm[]> {
  const found: FoundTerm[] = [];
  const rows = yield* transaction.getEach(SELECT_TERM, terms.map((term) => [index.id, term]));
  for (const [position, term] of terms.entries()) {
    const row = rows[position];
    if (row !== undefined) found.push(toFoundTerm({ index: index.id, term, position }, row));
  }
  return found;
}

/** What of an index a search leaves out: turns that are being added or erased. */
export interface WithoutDraining {
  /** Terms with the documents of other turns alone. */
  readonly found: readonly FoundTerm[];
  /** The rows of those turns. */
  readonly draining: ReadonlySet<number>;
}

/** Takes the documents of turns that are being added or erased from the counts of terms. */
export function* withoutDraining(
  transaction: ReadTransaction,
  index: IndexRow,
  found: readonly FoundTerm[],
): Operation<WithoutDraining> {
  if (index.draining === 0) return { found, draining: NO_TURNS };
  const parts = yield* readParts(transaction, index.id);
  const left = new Map(found.map(({ number, documents }) => [number, documents]));
  for (const { term, documents } of parts.flatMap(({ terms }) => terms)) {
    const count = left.get(term);
    if (count !== undefined) left.set(term, count - documents);
  }
  return {
    found: found.map((term) => ({ ...term, documents: left.get(term.number)! })),
    draining: new Set(parts.map(({ turn }) => turn)),
  };
}

const NO_TURNS: ReadonlySet<number> = new Set();

/** Validates the columns `number`, `documents`, `checksum` of a term that stands at a position of the question. */
export function toFoundTerm(
  { index, term, position }: { readonly index: number; readonly term: string; readonly position: number },
  row: Row,
): FoundTerm {
  const [number, documents, checksum] = row as [number, number, number];
  if (termChecksum(index, number, term, documents) !== checksum) throw damaged("index_terms");
  return { index: position, number, documents };
}

/** A turn of the window whose text was shortened. */
export interface ShortenedTurn {
  readonly stored: StoredTurn;
  /** The text that the window shows. */
  readonly visible: VisibleText;
}

/** A question to an index, and the turns that it searches. */
export interface Query {
  readonly index: IndexRow;
  /** The number of terms of the question, including those that the index does not have. */
  readonly terms: number;
  /** For each term of the question, whether messages lend their score for it. */
  readonly lent: readonly boolean[];
  readonly found: readonly FoundTerm[];
  /** The row of the oldest turn in the window. */
  readonly boundary: number;
  /** The rows of turns that have expired or are skipped, and of those that are being added or erased. */
  readonly expiredTurns: ReadonlySet<number>;
  /** The rows of turns that are being added or erased: `found` does not count them. */
  readonly draining: ReadonlySet<number>;
  /** Chunks that it leaves out are not returned, and count like all others. */
  readonly filter: SearchFilter;
  /** Shortened turns of the window, oldest first. Their chunks are searched, except those that are shown whole. */
  readonly shortened: readonly ShortenedTurn[];
}

/** The statistics of the chunks that are searched, and the shortened turns of the window. */
export interface Corpus {
  readonly statistics: CorpusStatistics;
  /** Oldest first, linked. */
  readonly shortened: readonly LoadedTurn[];
  /** The first block that still has turns. */
  readonly firstBlock: number;
}

/** Statistics while they are being summed. */
interface Totals {
  documents: number;
  totalLength: number;
  readonly documentFrequencies: number[];
}

/** Subtracts the window and expired turns from the totals of the index, and adds chunks that the window cut out. */
export function* readCorpus(transaction: ReadTransaction, query: Query): Operation<Corpus> {
  const { index, found } = query;
  const totals: Totals = {
    documents: index.documents,
    totalLength: index.totalLength,
    documentFrequencies: new Array<number>(query.terms).fill(0),
  };
  for (const term of found) totals.documentFrequencies[term.index] = term.documents;
  const postings = yield* takeWindow(transaction, query, totals);
  yield* takeExpired(transaction, query, totals);
  const shortened = yield* addShortened(transaction, query, totals, postings);
  if (totals.documents < 0 || totals.documentFrequencies.some((count) => count < 0)) {
    throw damaged("chunk_indexes");
  }
  const oldest = (yield* transaction.get(SELECT_OLDEST_TURN, index.id))![0] as number | null;
  return { statistics: totals, shortened, firstBlock: blockOf(index, oldest ?? 0) };
}

const SELECT_OLDEST_TURN = `SELECT min(turn) FROM indexed_turns WHERE index_id = $1`;

const SELECT_HEADS_FROM =
  `SELECT turn, source, chunks, documents, total_length, postings, checksum FROM indexed_turns
  WHERE index_id = $1 AND turn >= $2`;
const SELECT_POSTINGS_FROM =
  `SELECT turn, turns, posting_list FROM postings WHERE index_id = $1 AND block = $2 AND term = $3
  AND turn >= coalesce((SELECT max(turn) FROM postings WHERE index_id = $1 AND block = $2 AND term = $3
  AND turn <= $4), $4)`;

/** Turn of the window → its postings for the terms of the question. */
type WindowPostings = ReadonlyMap<
  number,
  readonly (readonly [index: number, counts: readonly TermCount[]])[]
>;

function* takeWindow(transaction: ReadTransaction, query: Query, totals: Totals): Operation<WindowPostings> {
  const { index, found, boundary, shortened } = query;
  const kept = new Map<number, [number, readonly TermCount[]][]>();
  for (const { stored } of shortened) kept.set(stored.id, []);
  if (boundary === Number.MAX_SAFE_INTEGER) return kept;
  for (const row of yield* transaction.all(SELECT_HEADS_FROM, index.id, boundary)) {
    const head = toIndexedTurnHead(index.id, row);
    totals.documents -= head.documents;
    totals.totalLength -= head.totalLength;
  }
  for (let block = blockOf(index, boundary); block < index.blocks.length; block++) {
    for (const { index: term, number } of found) {
      const rows = yield* transaction.all(SELECT_POSTINGS_FROM, index.id, block, number, boundary);
      for (
        const { turn, counts } of rows.flatMap((row) =>
          decodePostings({ indexId: index.id, term: number }, row)
        )
      ) {
        if (turn < boundary || query.draining.has(turn)) continue;
        totals.documentFrequencies[term]! -= counts.length;
        kept.get(turn)?.push([term, counts]);
      }
    }
  }
  return kept;
}

const SELECT_HEAD =
  `SELECT turn, source, chunks, documents, total_length, postings, checksum FROM indexed_turns
  WHERE index_id = $1 AND turn = $2`;

function* takeExpired(transaction: ReadTransaction, query: Query, totals: Totals): Operation<void> {
  const { index, found, boundary, expiredTurns } = query;
  for (const turn of expiredTurns) {
    if (turn >= boundary) continue;
    const row = yield* transaction.get(SELECT_HEAD, index.id, turn);
    if (row === undefined) continue;
    const head = toIndexedTurnHead(index.id, row);
    totals.documents -= head.documents;
    totals.totalLength -= head.totalLength;
    for (const { index: term, number } of found) {
      const place = { indexId: index.id, block: blockOf(index, turn), term: number };
      const row = yield* readRowOfTurn(transaction, place, turn);
      const posting = row.find((other) => other.turn === turn);
      totals.documentFrequencies[term]! -= posting?.counts.length ?? 0;
    }
  }
}

function* addShortened(
  transaction: ReadTransaction,
  query: Query,
  totals: Totals,
  postings: WindowPostings,
): Operation<readonly LoadedTurn[]> {
  const turns: LoadedTurn[] = [];
  for (const { stored, visible } of query.shortened) {
    const row = yield* transaction.get(SELECT_TURN_OF_INDEX, query.index.id, stored.id);
    if (row === undefined || row[1] !== stored.payloadChecksum) throw damaged("indexed_turns");
    const { source, atMs, ranges } = toSearchedTurn(query.index.id, row);
    const known = { turn: stored.id, source, atMs, ranges, unread: new Set<number>(), counts: new Map() };
    const texts = indexedTexts(stored.turn, analyzerOf(query.index.indexKey));
    const turn = new LoadedTurn(known, (range) => !isRangeShown(texts, range, visible));
    for (const [term, counts] of postings.get(stored.id) ?? []) turn.take(term, counts);
    addDocuments(turn, totals);
    if (turn.messages.length > 0) turns.push(turn);
  }
  for (const [position, turn] of turns.entries()) link(turn, turns[position + 1] ?? null);
  return turns;
}

function isRangeShown(texts: readonly IndexedText[], range: IndexedChunk, visible: VisibleText): boolean {
  const text = texts[range.text];
  if (text === undefined) throw damaged("indexed_turns");
  const content = new CodePointMap(text.text).slice(range.start, range.end);
  return isShown({ messageId: text.message.messageId, isCall: text.call !== null, content }, visible);
}

function addDocuments(turn: LoadedTurn, totals: Totals): void {
  for (const { documents } of turn.messages) {
    for (const document of documents) {
      totals.documents++;
      totals.totalLength += document.range.length;
      for (const term of turn.counts.keys()) {
        if (turn.frequency(term, document) > 0) totals.documentFrequencies[term]!++;
      }
    }
  }
}

function damaged(table: string): IntegrityError {
  return new IntegrityError("The index is inconsistent", { details: { table } });
}
