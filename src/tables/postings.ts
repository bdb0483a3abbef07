/** Rows of postings: each has those of one term in a run of turns, so that a posting need not be a row of its own. */

import type { Operation, ReadTransaction, WriteTransaction } from "../engine/operation.ts";
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

/** The row that a turn's posting is in, if there is one: the last that does not begin after it. Empty: none. */
export function* readRowOfTurn(
  transaction: ReadTransaction,
  place: TermInBlock,
  turn: number,
): Operation<readonly Posting[]> {
  const { indexId, block, term } = place;
  const row = yield* transaction.get(SELECT_ROW_OF_TURN, indexId, block, term, turn);
  return row === undefined ? [] : decodePostings(place, row);
}

/** Adds postings of one term, in the order of their turns. */
export function* addPostings(
  transaction: WriteTransaction,
  place: TermInBlock,
  postings: readonly Posting[],
): Operation<void> {
  const last = yield* readRowOfTurn(transaction, place, Number.MAX_SAFE_INTEGER);
  const lastFrom = last[0]?.turn ?? 0;
  // Turns are indexed in order; one that changed comes back between others.
  const amid = postings.findIndex(({ turn }) => turn > lastFrom);
  const newer = amid === -1 ? [] : postings.slice(amid);
  for (const posting of amid === -1 ? postings : postings.slice(0, amid)) {
    const around = yield* readRowOfTurn(transaction, place, posting.turn);
    yield* replaceRow(transaction, place, around, merged(around, [posting]));
  }
  if (newer.length > 0) yield* replaceRow(transaction, place, last, merged(last, newer));
}

/** Takes a turn's posting out of its row, if it is there; a damaged row stays as it is. */
export function* removePosting(
  transaction: WriteTransaction,
  place: TermInBlock,
  turn: number,
): Operation<"removed" | "missing" | "damaged"> {
  const { indexId, block, term } = place;
  const row = yield* transaction.get(SELECT_ROW_OF_TURN, indexId, block, term, turn);
  if (row === undefined) return "missing";
  const from = row[0] as number;
  const left = withoutTurn(place, row, turn);
  if (left === "missing" || left === "damaged") return left;
  requireOne(
    left === "emptied"
      ? yield* transaction.run(DELETE_ROW, indexId, block, term, from)
      : yield* transaction.run(
        UPDATE_ROW,
        left.turn,
        left.turns,
        left.postingList,
        indexId,
        block,
        term,
        from,
      ),
  );
  return "removed";
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

/**
 * Writes what is to be in place of a row; a row is named for a turn it has. What it cannot hold gets further rows: full
 * ones at the end, where turns keep coming, and equal ones elsewhere, so that none is split again at once.
 */
function* replaceRow(
  transaction: WriteTransaction,
  place: TermInBlock,
  old: readonly Posting[],
  postings: readonly Posting[],
): Operation<void> {
  const { indexId, block, term } = place;
  const from = old[0]?.turn;
  const key = [indexId, block, term] as const;
  if (from !== undefined && from !== postings[0]?.turn) {
    requireOne(yield* transaction.run(DELETE_ROW, ...key, from));
  }
  const rows = Math.ceil(postings.length / POSTINGS_PER_ROW_MAX);
  const isAtEnd = (old.at(-1)?.turn ?? 0) < (postings.at(-1)?.turn ?? 0);
  const perRow = isAtEnd ? POSTINGS_PER_ROW_MAX : Math.ceil(postings.length / rows);
  for (let at = 0; at < postings.length; at += perRow) {
    const { turn, turns, postingList } = encodePostings(place, postings.slice(at, at + perRow));
    requireOne(
      turn === from
        ? yield* transaction.run(UPDATE_ROW, turn, turns, postingList, ...key, from)
        : yield* transaction.run(POSTINGS.insert, ...key, turn, turns, postingList),
    );
  }
}

function requireOne(changed: number): void {
  if (changed !== 1) throw new IntegrityError("Cannot write postings: the file did not take the write");
}
