/** Putting a summary of turns that are exactly as it says. */

import { instantFromMs } from "../canonical/time.ts";
import { matches, type Summary } from "../contracts/summary.ts";
import type { TimedTurn } from "../contracts/turn.ts";
import { changedScope, eraseSummary } from "../deletion/cascade.ts";
import { noteExpiry, type ScopeRow, writeScope } from "../tables/scopes.ts";
import { hasPassed } from "../engine/effective_time.ts";
import { type Operation, together, type WriteTransaction } from "../engine/operation.ts";
import { type OperationKey, recallOperation } from "../tables/operation_ids.ts";
import { ConflictError } from "../errors.ts";
import type { Place } from "../scopes/place.ts";
import { absence, changeOf, requireUpkept } from "../scopes/present_scope.ts";
import { type Deadline, requireFuture } from "./put_turn.ts";
import { makeRoomForOperation, rememberScopeOperation } from "./remember_scope_operation.ts";
import { requireSame, type Snapshot } from "../contracts/snapshot.ts";
import { readScopeRows, toScopeState } from "../scopes/take_snapshot.ts";
import { insertSummary } from "../tables/summaries.ts";
import { SELECT_TURN, type StoredTurn, toStoredTurn } from "../tables/turns.ts";

/** A put, validated and encoded. */
export interface PutSummaryPlan {
  readonly place: Place;
  readonly epoch: string;
  readonly snapshot: Snapshot;
  readonly summary: Summary;
  readonly payload: string;
  readonly createdMs: number;
  readonly expiresMs: number | null;
  /** The lifetime that was given as an option; null where none was. */
  readonly expiry: Deadline | null;
  readonly operation: OperationKey | null;
}

const EXPIRES_AT = { action: "put summary", field: "summary.expiresAt" };

/** Puts a summary in place of the one before; returns the scope's new revision. */
export function* putSummary(transaction: WriteTransaction, plan: PutSummaryPlan): Operation<number> {
  const { place, epoch, summary, operation } = plan;
  const [rows, recalled] = yield* together([
    readScopeRows(transaction, place),
    recallOperation(transaction, operation),
  ]);
  if (rows === null) throw yield* absence(transaction, place);
  if (recalled !== null) return recalled;
  const { row } = rows;
  requireUpkept(transaction, row);
  const atMs = transaction.time().effectiveMs;
  const { id } = yield* toScopeState(transaction, rows, { atMs, epoch });
  requireSame({ id, revision: row.revision }, plan.snapshot);
  requireFuture(transaction, plan.expiry, EXPIRES_AT);
  if (plan.expiresMs !== null) hasPassed(transaction.time(), plan.expiresMs, EXPIRES_AT);
  const [covered] = yield* together([
    readCovered(transaction, row, summary),
    makeRoomForOperation(transaction, row, operation),
  ]);
  if (!matches(summary, covered.map(({ turn }) => turn as TimedTurn), place.scope, instantFromMs(atMs))) {
    throw new ConflictError("SNAPSHOT", "Cannot put summary: it is not of these turns as they are now");
  }
  const change = changeOf(transaction, place, row);
  yield* together([
    changedScope(change),
    eraseSummary(change),
    writeSummary(transaction, row, plan, covered),
    rememberScopeOperation(transaction, row, operation, row.revision + 1),
    writeScope(transaction, row),
  ]);
  return row.revision;
}

/** What is written of a summary. */
export type WrittenSummary = Pick<PutSummaryPlan, "payload" | "createdMs" | "expiresMs">;

/** Writes a summary where there is none, once everything is validated. Changes the scope's row before it yields; the caller
 * writes it. */
export function* writeSummary(
  transaction: WriteTransaction,
  row: ScopeRow,
  { payload, createdMs, expiresMs }: WrittenSummary,
  covered: readonly StoredTurn[],
): Operation<void> {
  const summary = { scope: row.id, created: createdMs, expires: expiresMs, payload };
  noteExpiry(row, expiresMs);
  yield* insertSummary(transaction, summary, covered.map(({ id }) => id));
}

/** The turns it covers, in the order of the history; those that are not there any more are missing. */
export function* readCovered(
  transaction: WriteTransaction,
  row: ScopeRow,
  summary: Summary,
): Operation<readonly StoredTurn[]> {
  const keys = summary.coveredTurnIds.map((turnId) => [row.id, turnId]);
  const found = (yield* transaction.getEach(SELECT_TURN, keys)).filter((turn) => turn !== undefined);
  return found.map((turn) => toStoredTurn(row, turn)).sort((left, right) => left.id - right.id);
}
