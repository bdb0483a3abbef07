/** Putting a pin, perhaps with the text it was taken from. */

import { extract, type SourceRef } from "../contracts/source_ref.ts";
import { changedScope } from "../deletion/cascade.ts";
import { itemHashOf } from "../deletion/scope_hashes.ts";
import { noteExpiry, type ScopeRow, writeScope } from "../tables/scopes.ts";
import { tombstoneOf } from "../deletion/tombstones.ts";
import type { Operation, WriteTransaction } from "../engine/operation.ts";
import { type OperationKey, recallOperation } from "../tables/operation_ids.ts";
import { ConflictError } from "../errors.ts";
import { SCOPE_PINS_MAX } from "../limits.ts";
import type { Place } from "../scopes/place.ts";
import { changeOf, requireRevision, requireScope, requireUpkept } from "../scopes/present_scope.ts";
import { type Deadline, requireFuture } from "./put_turn.ts";
import { rememberScopeOperation } from "./remember_scope_operation.ts";
import { upsertPin } from "../tables/pins.ts";
import { SELECT_TURN, toStoredTurn } from "../tables/turns.ts";

/** A put, validated and encoded. */
export interface PutPinPlan {
  readonly place: Place;
  readonly key: string;
  readonly revision: number;
  readonly source: SourceRef | null;
  readonly payload: string;
  /** Encodes the pin with another revision, where none was given: it is then the next one. */
  readonly revised: ((revision: number) => WrittenPin) | null;
  readonly effectiveMs: number;
  readonly expiry: Deadline | null;
  readonly expectedRevision: number;
  readonly operation: OperationKey | null;
}

const SELECT_PIN_REVISION = `SELECT revision FROM pins WHERE scope = $1 AND key = $2`;

/** Puts a pin; gives the scope's new revision. */
export function* putPin(transaction: WriteTransaction, given: PutPinPlan): Operation<number> {
  const { place, key, operation } = given;
  const row = yield* requireScope(transaction, place);
  if (operation !== null) {
    const recalled = yield* recallOperation(transaction, operation);
    if (recalled !== null) return recalled;
  }
  requireUpkept(transaction, row);
  requireRevision(row, given.expectedRevision);
  const old = yield* transaction.get(SELECT_PIN_REVISION, row.id, key);
  const plan = yield* withNextRevision(transaction, given, old === undefined ? null : old[0] as number);
  requireFuture(transaction, plan.expiry, { action: "put pin", field: "pin.expiresAt" });
  if (old === undefined) requirePinCapacity(row);
  yield* writePin(
    transaction,
    row,
    plan,
    plan.source === null ? null : yield* proveSource(transaction, row, plan.source),
  );
  if (old === undefined) row.pins++;
  else transaction.markDirty("pins");
  noteExpiry(row, plan.expiry?.dueMs ?? null);
  yield* changedScope(changeOf(transaction, place, row));
  if (operation !== null) yield* rememberScopeOperation(transaction, row, operation, row.revision);
  yield* writeScope(transaction, row);
  return row.revision;
}

/** Requires that the scope may have one more pin. */
export function requirePinCapacity(row: ScopeRow): void {
  if (row.pins < SCOPE_PINS_MAX) return;
  throw new ConflictError("CAPACITY", "Cannot put pin: the scope has as many as it may", {
    details: { pins: row.pins, pinsMax: SCOPE_PINS_MAX },
  });
}

/** What is written of a pin. */
export type WrittenPin = Pick<PutPinPlan, "key" | "revision" | "effectiveMs" | "expiry" | "payload">;

/** Writes a pin, once everything is validated; the caller counts it and writes the scope's row. */
export function* writePin(
  transaction: WriteTransaction,
  row: ScopeRow,
  { key, revision, effectiveMs, expiry, payload }: WrittenPin,
  sourceTurn: number | null,
): Operation<void> {
  const expires = expiry?.dueMs ?? null;
  yield* upsertPin(transaction, {
    scope: row.id,
    key,
    revision,
    effective: effectiveMs,
    expires,
    sourceTurn,
    payload,
  });
}

function* withNextRevision(
  transaction: WriteTransaction,
  plan: PutPinPlan,
  old: number | null,
): Operation<PutPinPlan> {
  const { place, key, revision, revised } = plan;
  let before = old ?? 0;
  if (old === null) {
    const keyHash = itemHashOf(place.hashKey, "pin", place.scope, key);
    const { reserved, floor } = yield* tombstoneOf(transaction, place.scopeHash, keyHash);
    if (reserved) throw new ConflictError("DELETED", "Cannot put pin: its key was deleted for ever");
    before = floor;
  }
  if (revision === before + 1) return plan;
  if (revised !== null) return { ...plan, ...revised(before + 1) };
  throw new ConflictError(
    "REVISION",
    `Cannot put pin: its revision must be ${before + 1}, received ${revision}`,
    {
      currentRevision: before,
    },
  );
}

/** Requires that the cited text is there, exactly; gives the row of its turn. */
export function* proveSource(
  transaction: WriteTransaction,
  row: ScopeRow,
  source: SourceRef,
): Operation<number> {
  const found = yield* transaction.get(SELECT_TURN, row.id, source.turnId);
  if (found === undefined) {
    throw new ConflictError("MISSING", "Cannot put pin: there is no turn that it cites");
  }
  const { id, turn } = toStoredTurn(row, found);
  extract(source, turn, "pin.source");
  return id;
}
