/** Reading turns in pages; no statement stays open between two pages. */

import type { Damage } from "../engine/damage.ts";
import type { Operation, ReadTransaction } from "../engine/operation.ts";
import { ConflictError } from "../errors.ts";
import type { Place } from "../scopes/place.ts";
import type { Snapshot } from "../contracts/snapshot.ts";
import { type Reading, requireCurrent } from "../scopes/take_snapshot.ts";
import { SELECT_TURNS_AFTER, type StoredTurn, toStoredTurn } from "../tables/turns.ts";

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
  after: number,
): Operation<TurnPage> {
  const reading = yield* requireCurrent(transaction, plan.place, plan.snapshot, plan);
  const rows = yield* transaction.all(SELECT_TURNS_AFTER, reading.row.id, after, plan.limit);
  const turns = rows.filter(([id]) => !reading.expiredTurns.has(id as number)).map((row) =>
    plan.damage.readTurn(row[0] as number, () => toStoredTurn(reading.row, row))
  );
  return {
    turns: turns.filter((turn) => turn !== undefined),
    after: rows.length < plan.limit ? null : rows.at(-1)![0] as number,
  };
}

/** The row after which those turns begin that are among the newest `last`, and come after the turn `after`. */
export function* startOfTurns(
  transaction: ReadTransaction,
  plan: PagePlan,
  { last, after }: { readonly last: number | null; readonly after: string | null },
): Operation<number> {
  const reading = yield* requireCurrent(transaction, plan.place, plan.snapshot, plan);
  const start = last === null ? 0 : yield* startOfLast(transaction, reading, last);
  return after === null ? start : Math.max(start, yield* rowOfTurn(transaction, reading, after));
}

const SELECT_TURN_BEFORE = `SELECT id FROM turns WHERE scope = $1 AND id < $2 ORDER BY id DESC LIMIT 1`;

const SELECT_NEWEST_TURNS = `SELECT id FROM turns WHERE scope = $1 ORDER BY id DESC LIMIT $2`;

function* startOfLast(
  transaction: ReadTransaction,
  { row: scope, expiredTurns }: Reading,
  last: number,
): Operation<number> {
  if (last === 0) return Number.MAX_SAFE_INTEGER;
  const rows = yield* transaction.all(SELECT_NEWEST_TURNS, scope.id, last + expiredTurns.size);
  const kept = rows.map(([id]) => id as number).filter((id) => !expiredTurns.has(id)).slice(0, last);
  const oldest = kept.at(-1);
  if (oldest === undefined) return 0;
  const before = yield* transaction.get(SELECT_TURN_BEFORE, scope.id, oldest);
  return before === undefined ? 0 : before[0] as number;
}

const SELECT_TURN_ROW = `SELECT id FROM turns WHERE scope = $1 AND turn_id = $2`;

function* rowOfTurn(
  transaction: ReadTransaction,
  { row: scope, expiredTurns }: Reading,
  turnId: string,
): Operation<number> {
  const row = yield* transaction.get(SELECT_TURN_ROW, scope.id, turnId);
  if (row === undefined || expiredTurns.has(row[0] as number)) {
    throw new ConflictError("MISSING", "There is no turn to begin after");
  }
  return row[0] as number;
}
