/** Reading turns in pages; no statement stays open between two pages. */

import type { Damage } from "../engine/damage.ts";
import type { Operation, ReadTransaction } from "../engine/operation.ts";
import { ConflictError } from "../errors.ts";
import type { Place } from "../scopes/place.ts";
import type { Snapshot } from "../contracts/snapshot.ts";
import { type Reading, requireCurrent } from "../scopes/take_snapshot.ts";
import type { TimedTurn } from "../contracts/turn.ts";
import { requireScope } from "../scopes/present_scope.ts";
import type { ScopeRow } from "../tables/scopes.ts";
import { SELECT_TURN, SELECT_TURNS_AFTER, type StoredTurn, toStoredTurn } from "../tables/turns.ts";

/** A page of turns, oldest first. */
interface TurnPage {
  readonly turns: readonly StoredTurn[];
  /** The row after which the next page begins; null once there is none. */
  readonly after: number | null;
}

/** Where and when to read. */
interface PagePlan {
  readonly place: Place;
  readonly epoch: string;
  readonly atMs: number;
  readonly snapshot: Snapshot;
  readonly limit: number;
  readonly damage: Damage;
}

/** The page after some row, if the snapshot is still current; expired turns are left out, and damaged ones if the plan says so. */
export function* readTurnPage(
  transaction: ReadTransaction,
  plan: PagePlan,
  { after, before }: RowRange,
): Operation<TurnPage> {
  const reading = yield* requireCurrent(transaction, plan.place, plan.snapshot, plan);
  const rows = yield* transaction.all(SELECT_TURNS_AFTER, reading.row.id, after, plan.limit);
  const isEnd = rows.length < plan.limit || rows.at(-1)![0] as number >= before;
  const wanted = rows.filter(([id]) => id as number < before && !reading.expiredTurns.has(id as number));
  const turns = wanted.map((row) =>
    plan.damage.readTurn(row[0] as number, () => toStoredTurn(reading.row, row))
  );
  return {
    turns: turns.filter((turn) => turn !== undefined),
    after: isEnd ? null : rows.at(-1)![0] as number,
  };
}

/** Which turns are read; null for any. */
interface TurnRange {
  /** Only the newest so many. */
  readonly last: number | null;
  /** The id of the turn that comes before the first. */
  readonly after: string | null;
  /** The id of the turn that comes after the last. */
  readonly before: string | null;
  /** The place of the first in the history, from 0. */
  readonly from: number | null;
}

/** The rows between which the turns of a range lie. */
interface RowRange {
  readonly after: number;
  readonly before: number;
}

/** Finds the rows between which those turns lie. */
export function* rowsOfTurns(
  transaction: ReadTransaction,
  plan: PagePlan,
  { last, after, before, from }: TurnRange,
): Operation<RowRange> {
  const reading = yield* requireCurrent(transaction, plan.place, plan.snapshot, plan);
  const end = before === null ? Number.MAX_SAFE_INTEGER : yield* rowOfTurn(transaction, reading, before);
  let start = 0;
  if (last !== null) start = yield* startOfLast(transaction, reading, { last, end });
  if (from !== null) start = yield* startOfPlace(transaction, reading, from);
  if (after !== null) start = Math.max(start, yield* rowOfTurn(transaction, reading, after));
  return { after: start, before: end };
}

const SELECT_TURN_BEFORE = `SELECT id FROM turns WHERE scope = $1 AND id < $2 ORDER BY id DESC LIMIT 1`;

const SELECT_NEWEST_TURNS = `SELECT id FROM turns WHERE scope = $1 AND id < $2 ORDER BY id DESC LIMIT $3`;

function* startOfLast(
  transaction: ReadTransaction,
  { row: scope, expiredTurns }: Reading,
  { last, end }: { readonly last: number; readonly end: number },
): Operation<number> {
  if (last === 0) return Number.MAX_SAFE_INTEGER;
  const rows = yield* transaction.all(SELECT_NEWEST_TURNS, scope.id, end, last + expiredTurns.size);
  const kept = rows.map(([id]) => id as number).filter((id) => !expiredTurns.has(id)).slice(0, last);
  const oldest = kept.at(-1);
  if (oldest === undefined) return 0;
  const before = yield* transaction.get(SELECT_TURN_BEFORE, scope.id, oldest);
  return before === undefined ? 0 : before[0] as number;
}

const SELECT_TURN_AT = `SELECT id FROM turns WHERE scope = $1 ORDER BY id LIMIT 1 OFFSET $2`;

/** The row after which the turn at a place comes; expired turns have none. */
function* startOfPlace(
  transaction: ReadTransaction,
  { row: scope, expiredTurns }: Reading,
  from: number,
): Operation<number> {
  if (from === 0) return 0;
  const expired = [...expiredTurns].sort((left, right) => left - right);
  let place = from - 1;
  for (;;) {
    const row = yield* transaction.get(SELECT_TURN_AT, scope.id, place);
    if (row === undefined) return Number.MAX_SAFE_INTEGER;
    const found = row[0] as number;
    const passed = expired.findIndex((id) => id > found);
    const places = from - 1 + (passed < 0 ? expired.length : passed);
    if (places === place) return found;
    place = places;
  }
}

const SELECT_TURN_ROW = `SELECT id FROM turns WHERE scope = $1 AND turn_id = $2`;

function* rowOfTurn(
  transaction: ReadTransaction,
  { row: scope, expiredTurns }: Reading,
  turnId: string,
): Operation<number> {
  const row = yield* transaction.get(SELECT_TURN_ROW, scope.id, turnId);
  if (row === undefined || expiredTurns.has(row[0] as number)) {
    throw new ConflictError("MISSING", "There is no turn to begin or end at");
  }
  return row[0] as number;
}

/** Reads one turn; null if it is not there, or has expired. */
export function* readTurn(
  transaction: ReadTransaction,
  place: Place,
  { turnId, atMs }: { readonly turnId: string; readonly atMs: number },
): Operation<{ readonly row: ScopeRow; readonly turn: TimedTurn | null }> {
  const row = yield* requireScope(transaction, place);
  const found = yield* transaction.get(SELECT_TURN, row.id, turnId);
  if (found === undefined) return { row, turn: null };
  const { turn, expires } = toStoredTurn(row, found);
  return { row, turn: expires !== null && expires <= atMs ? null : turn };
}
