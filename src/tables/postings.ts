/** Rows of postings: each holds those of one term in a run of turns, so that a posting need not be a row of its own. */

import {
  type Operation,
  type ReadTransaction,
  together,
  type WriteTransaction,
} from "../engine/operation.ts";
import type { Row, SqlValue } from "../engine/values.ts";
import { IntegrityError } from "../errors.ts";
import { POSTINGS_PER_ROW_MAX } from "../limits.ts";
import {
  decodePostings,
  encodePostings,
  type Posting,
  type PostingPlace,
  withoutTurn,
} from "./posting_list.ts";
import { POSTINGS } from "./schema/index_tables.ts";

/** A term in a block of an index. */
interface TermInBlock extends PostingPlace {
  readonly block: number;
}

const SELECT_ROW_OF_TURN = `SELECT turn, turns, posting_list FROM postings WHERE index_id = $1 AND block = $2
  AND term = $3 AND turn <= $4 ORDER BY turn DESC LIMIT 1`;

/** Reads the row that a turn's posting is in: the last one that does not begin after it; empty if there is none. */
export function* readRowOfTurn(
  transaction: ReadTransaction,
  place: TermInBlock,
  turn: number,
): Operation<readonly Posting[]> {
  const { indexId, block, term } = place;
  const row = yield* transaction.get(SELECT_ROW_OF_TURN, indexId, block, term, turn);
  return row === undefined ? [] : decodePostings(place, row);
}

/** Postings of one term, in the order of their turns. */
export interface AddedPostings {
  readonly place: TermInBlock;
  readonly postings: readonly Posting[];
}

/** Rows that are written together. */
interface RowChanges {
  readonly deleted: SqlValue[][];
  readonly updated: SqlValue[][];
  readonly inserted: SqlValue[][];
}

function noChanges(): RowChanges {
  return { deleted: [], updated: [], inserted: [] };
}

/** Reads the rows that postings of turns are in, as they are. */
function readRows(
  transaction: ReadTransaction,
  wanted: readonly (readonly [place: TermInBlock, turn: number])[],
): Operation<readonly (Row | undefined)[]> {
  const keys = wanted.map(([{ indexId, block, term }, turn]) => [indexId, block, term, turn]);
  return transaction.getEach(SELECT_ROW_OF_TURN, keys);
}

function decodeRow(place: TermInBlock, row: Row | undefined): readonly Posting[] {
  return row === undefined ? [] : decodePostings(place, row);
}

/** Adds postings of several terms. */
export function* addPostings(
  transaction: WriteTransaction,
  added: readonly AddedPostings[],
): Operation<void> {
  const lastRows = yield* readRows(transaction, added.map(({ place }) => [place, Number.MAX_SAFE_INTEGER]));
  const changes = noChanges();
  const amid: AddedPostings[] = [];
  for (const [at, { place, postings }] of added.entries()) {
    const last = decodeRow(place, lastRows[at]);
    const lastFrom = last[0]?.turn ?? 0;
    // Turns are indexed in order; a changed one is indexed again between others.
    const newer = postings.filter(({ turn }) => turn > lastFrom);
    const between = postings.slice(0, postings.length - newer.length);
    if (between.length > 0) amid.push({ place, postings: between });
    if (newer.length > 0) replaceRow(changes, place, last, merged(last, newer));
  }
  yield* writeRows(transaction, changes);
  yield* addAmid(transaction, amid);
}

/** Adds postings between others: one of each term at a time, since two may belong in the same row. */
function* addAmid(transaction: WriteTransaction, added: readonly AddedPostings[]): Operation<void> {
  for (
    let at = 0, left = added;
    left.length > 0;
    at++, left = left.filter(({ postings }) => at < postings.length)
  ) {
    const next = left.map(({ place, postings }) => [place, postings[at]!] as const);
    const rows = yield* readRows(transaction, next.map(([place, { turn }]) => [place, turn]));
    const changes = noChanges();
    for (const [position, [place, posting]] of next.entries()) {
      const around = decodeRow(place, rows[position]);
      replaceRow(changes, place, around, merged(around, [posting]));
    }
    yield* writeRows(transaction, changes);
  }
}

/** What became of a turn's postings. */
interface Removed {
  readonly removed: number;
  readonly isMissing: boolean;
}

/** Removes a turn's postings from their rows. Changes nothing and returns null where one of the rows is damaged. */
export function* removePostings(
  transaction: WriteTransaction,
  places: readonly TermInBlock[],
  turn: number,
): Operation<Removed | null> {
  const rows = yield* readRows(transaction, places.map((place) => [place, turn]));
  const changes = noChanges();
  let isMissing = false;
  for (const [at, place] of places.entries()) {
    const row = rows[at];
    const left = row === undefined ? "missing" : withoutTurn(place, row, turn);
    if (left === "damaged") return null;
    if (left === "missing") {
      isMissing = true;
      continue;
    }
    const key = [place.indexId, place.block, place.term, row![0]!];
    if (left === "emptied") changes.deleted.push(key);
    else changes.updated.push([left.turn, left.turns, left.postingList, ...key]);
  }
  yield* writeRows(transaction, changes);
  return { removed: changes.deleted.length + changes.updated.length, isMissing };
}

function merged(old: readonly Posting[], added: readonly Posting[]): readonly Posting[] {
  const all = [...old, ...added];
  const isInOrder = old.length === 0 || old.at(-1)!.turn < added[0]!.turn;
  return isInOrder ? all : all.sort((left, right) => left.turn - right.turn);
}

const UPDATE_ROW =
  `UPDATE postings SET turn = $1, turns = $2, posting_list = $3 WHERE index_id = $4 AND block = $5
  AND term = $6 AND turn = $7`;
const DELETE_ROW = `DELETE FROM postings WHERE index_id = $1 AND block = $2 AND term = $3 AND turn = $4`;

function* writeRows(transaction: WriteTransaction, changes: RowChanges): Operation<void> {
  const changed = yield* together([
    transaction.runEach(DELETE_ROW, changes.deleted),
    transaction.runEach(UPDATE_ROW, changes.updated),
    transaction.runEach(POSTINGS.insert, changes.inserted),
  ]);
  if (changed.flat().every((count) => count === 1)) return;
  throw new IntegrityError("Cannot write postings: the file did not take the write");
}

/**
 * Plans the replacement of a row. Postings that do not fit get further rows: full ones at the end, where turns are
 * added, and equal ones elsewhere, so that none has to be split again soon.
 */
function replaceRow(
  changes: RowChanges,
  { indexId, block, term }: TermInBlock,
  old: readonly Posting[],
  postings: readonly Posting[],
): void {
  const from = old[0]?.turn;
  const key = [indexId, block, term];
  if (from !== undefined && from !== postings[0]?.turn) changes.deleted.push([...key, from]);
  const rows = Math.ceil(postings.length / POSTINGS_PER_ROW_MAX);
  const isAtEnd = (old.at(-1)?.turn ?? 0) < (postings.at(-1)?.turn ?? 0);
  const perRow = isAtEnd ? POSTINGS_PER_ROW_MAX : Math.ceil(postings.length / rows);
  for (let at = 0; at < postings.length; at += perRow) {
    const row = encodePostings({ indexId, term }, postings.slice(at, at + perRow));
    const { turn, turns, postingList } = row;
    if (turn === from) changes.updated.push([turn, turns, postingList, ...key, from]);
    else changes.inserted.push([...key, turn, turns, postingList]);
  }
}
