/** The part of a turn that an index stores: where its chunks are, and which terms it has. It stores no text. */

import { checksumOf } from "../canonical/checksum.ts";
import { VarintReader, VarintWriter } from "../canonical/varints.ts";
import type { Operation, WriteTransaction } from "../engine/operation.ts";
import type { Row } from "../engine/values.ts";
import type { Role } from "../contracts/message.ts";
import { IntegrityError } from "../errors.ts";
import { INDEXED_TURNS } from "./schema/index_tables.ts";

/** The roles of speakers, by the number that a list of chunks has for each. */
const ROLES: readonly Role[] = ["system", "developer", "user", "assistant", "tool"];

/** The place of a chunk in its turn. */
export interface IndexedChunk {
  /** The place of its text among the indexed texts of the turn, from 0. */
  readonly text: number;
  /** Who speaks. */
  readonly role: Role;
  /** Its first code point. */
  readonly start: number;
  /** The code point after its last. */
  readonly end: number;
  /** Its terms, duplicates counted; 0: it has no words and is no document. */
  readonly length: number;
  /** Whether its text ends with a question. */
  readonly asks: boolean;
}

/** A term of a turn. */
export interface IndexedTerm {
  /** Its number in the index. */
  readonly term: number;
  /** In how many of the turn's chunks it occurs. */
  readonly documents: number;
}

/** A turn's totals. */
interface IndexedTurnHead {
  readonly indexId: number;
  /** The turn's row. */
  readonly turn: number;
  /** The checksum of the turn's payload that was indexed. */
  readonly source: number;
  readonly chunks: number;
  /** Chunks that have words. */
  readonly documents: number;
  /** Terms of all of them, duplicates counted. */
  readonly totalLength: number;
  /** Postings: its terms, each once. */
  readonly postings: number;
}

/** Validates the columns `turn`, `source`, `chunks`, `documents`, `total_length`, `postings`, `checksum` of an index. */
export function toIndexedTurnHead(indexId: number, row: Row): IndexedTurnHead {
  const head = headOf(indexId, row);
  if (INDEXED_TURNS.checksum(head) !== row[6]) throw damaged();
  return head;
}

/** Whether a row's head and lists are intact; the lists' checksum and the lists come after the head. */
export function isIntactIndexedTurn(indexId: number, row: Row): boolean {
  return INDEXED_TURNS.checksum(headOf(indexId, row)) === row[6] &&
    areIntactLists(indexId, [row[0]!, row[1]!, ...row.slice(7)]);
}

/** The part of an indexed turn that a search reads. */
interface SearchedTurn extends Pick<IndexedTurnHead, "turn" | "source"> {
  /** The turn's timestamp, in milliseconds since the Unix epoch. */
  readonly atMs: number;
  readonly ranges: readonly IndexedChunk[];
  readonly termList: Uint8Array;
}

/** Validates the columns `turn`, `source`, `lists_checksum`, `chunk_list`, `term_list`: each further column would slow a search down. */
export function toSearchedTurn(indexId: number, row: Row): SearchedTurn {
  if (!areIntactLists(indexId, row)) throw damaged();
  const [turn, source, , chunkList, termList] = row as [number, number, number, Uint8Array, Uint8Array];
  return { turn, source, ...decodeChunks(chunkList), termList };
}

function areIntactLists(indexId: number, row: Row): boolean {
  const [turn, source, checksum, chunkList, termList] = row;
  if (!(chunkList instanceof Uint8Array && termList instanceof Uint8Array)) return false;
  return listsChecksum({ indexId, turn: turn as number, source: source as number }, chunkList, termList) ===
    checksum;
}

function listsChecksum(
  { indexId, turn, source }: Pick<IndexedTurnHead, "indexId" | "turn" | "source">,
  chunkList: Uint8Array,
  termList: Uint8Array,
): number {
  // It covers the index and the turn too, so that lists cannot be swapped between rows.
  return checksumOf(indexId, turn, source, chunkList, termList);
}

/** Validates head and lists. */
export function toIndexedTurn(
  indexId: number,
  row: Row,
): IndexedTurnHead & { readonly ranges: readonly IndexedChunk[]; readonly termList: Uint8Array } {
  if (!isIntactIndexedTurn(indexId, row)) throw damaged();
  const head = headOf(indexId, row);
  return { ...head, ranges: decodeChunks(row[8] as Uint8Array).ranges, termList: row[9] as Uint8Array };
}

/** A row's head, unvalidated. */
export function headOf(indexId: number, row: Row): IndexedTurnHead {
  const [turn, source, chunks, documents, totalLength, postings] = row as readonly number[];
  return { indexId, turn, source, chunks, documents, totalLength, postings } as IndexedTurnHead;
}

/** What an index has of a turn. */
export interface IndexedTurn extends IndexedTurnHead {
  readonly chunkList: Uint8Array;
  readonly termList: Uint8Array;
}

/** Writes what an index has of some turns. */
export function* insertIndexedTurns(
  transaction: WriteTransaction,
  turns: readonly IndexedTurn[],
): Operation<void> {
  const rows = turns.map((turn) => {
    const { chunkList, termList } = turn;
    return INDEXED_TURNS.toValues({ ...turn, listsChecksum: listsChecksum(turn, chunkList, termList) });
  });
  yield* transaction.runEach(INDEXED_TURNS.insert, rows);
}

/** Milliseconds from the year 1 to the Unix epoch: times are stored from there, so that none is negative. */
const EPOCH_FROM_YEAR_1_MS = 62_135_596_800_000;

/** What a list of chunks holds. */
interface TimedChunks {
  /** The turn's timestamp, in milliseconds since the Unix epoch. */
  readonly atMs: number;
  readonly ranges: readonly IndexedChunk[];
}

/**
 * Chunks as bytes: the turn's time; for each chunk the distance from the text before, the role and whether it asks as one
 * number; the start since the chunk before, the size, the length.
 */
export function encodeChunks({ atMs, ranges }: TimedChunks): Uint8Array {
  const writer = new VarintWriter();
  writer.add(atMs + EPOCH_FROM_YEAR_1_MS);
  let text = 0;
  let start = 0;
  for (const chunk of ranges) {
    if (chunk.text !== text) start = 0;
    writer.add((chunk.text - text) * 16 + ROLES.indexOf(chunk.role) * 2 + (chunk.asks ? 1 : 0));
    writer.add(chunk.start - start);
    writer.add(chunk.end - chunk.start);
    writer.add(chunk.length);
    ({ text, start } = chunk);
  }
  return writer.bytes();
}

/** Reads chunks back. */
function decodeChunks(bytes: Uint8Array): TimedChunks {
  const ranges: IndexedChunk[] = [];
  const reader = new VarintReader(bytes);
  const atMs = reader.next() - EPOCH_FROM_YEAR_1_MS;
  let text = 0;
  let before = 0;
  while (!reader.isAtEnd) {
    const head = reader.next();
    const step = Math.floor(head / 16);
    const start = reader.next() + (step === 0 ? before : 0);
    const end = start + reader.next();
    const length = reader.next();
    const role = ROLES[(head >> 1) & 7];
    if (Number.isNaN(step + end + length) || role === undefined) throw damaged();
    text += step;
    before = start;
    ranges.push({ text, role, start, end, length, asks: head % 2 === 1 });
  }
  if (Number.isNaN(atMs)) throw damaged();
  return { atMs, ranges };
}

/** Terms, by number, as bytes: the distance from the one before and whether it has several documents; then how many. */
export function encodeTerms(terms: readonly IndexedTerm[]): Uint8Array {
  const writer = new VarintWriter();
  let before = 0;
  for (const { term, documents } of terms) {
    writer.add((term - before) * 2 + (documents > 1 ? 1 : 0));
    if (documents > 1) writer.add(documents);
    before = term;
  }
  return writer.bytes();
}

/** Reads terms back, one by one. */
export function* decodeTerms(bytes: Uint8Array): Generator<IndexedTerm, void, undefined> {
  const reader = new VarintReader(bytes);
  let term = 0;
  while (!reader.isAtEnd) {
    const step = reader.next();
    const documents = step % 2 === 1 ? reader.next() : 1;
    if (Number.isNaN(step + documents)) throw damaged();
    term += Math.floor(step / 2);
    yield { term, documents };
  }
}

/** Terms to find in many lists. */
export interface SoughtTerms {
  /** By number: its place in the question. */
  readonly places: ReadonlyMap<number, number>;
  /** The greatest number: a list need not be read any further. */
  readonly last: number;
}

/** Finds the places of sought terms in a turn's list. Most lists have none, and a search scans hundreds of them. */
export function termsAmong({ places, last }: SoughtTerms, list: Uint8Array): Set<number> {
  const found = new Set<number>();
  const reader = new VarintReader(list);
  for (let term = 0; !reader.isAtEnd && term < last;) {
    const step = reader.next();
    if (step % 2 === 1) reader.next();
    term += Math.floor(step / 2);
    const place = places.get(term);
    if (place !== undefined) found.add(place);
    else if (Number.isNaN(term)) throw damaged();
  }
  return found;
}

function damaged(): IntegrityError {
  return new IntegrityError("The checksum of an indexed turn does not match", {
    details: { table: "indexed_turns" },
  });
}

/** A turn with its lists. Parameters: the index, the turn's row. */
export const SELECT_TURN_OF_INDEX =
  `SELECT turn, source, lists_checksum, chunk_list, term_list FROM indexed_turns WHERE index_id = $1 AND turn = $2`;

/** Whether an index has a turn. Parameters: the index, the turn's row. */
export const SELECT_IS_INDEXED = `SELECT 1 FROM indexed_turns WHERE index_id = $1 AND turn = $2`;

/** Parameters: the index, the turn's row. */
export const DELETE_UNINDEXED_TURN = `DELETE FROM unindexed_turns WHERE index_id = $1 AND turn = $2`;

/** Parameter: the index. */
export const DELETE_UNINDEXED_OF_INDEX = `DELETE FROM unindexed_turns WHERE index_id = $1`;
