/** Putting a pin, perhaps with the text it was taken from. */

import { extract, type SourceRef } from "../contracts/source_ref.ts";
import { changedScope } from "../deletion/cascade.ts";
import { itemHashOf } from "../deletion/scope_hashes.ts";
import { noteExpiry, noteWriting, readScope, type ScopeRow, writeScope } from "../tables/scopes.ts";
import { type Tombstone, tombstoneOf } from "../deletion/tombstones.ts";
import { known, type Operation, together, type WriteTransaction } from "../engine/operation.ts";
import type { Row } from "../engine/values.ts";
import { type OperationKey, recallOperation } from "../tables/operation_ids.ts";
import { ConflictError } from "../errors.ts";
import { SCOPE_PINS_MAX } from "../limits.ts";
import type { Place } from "../scopes/place.ts";
import { absence, changeOf, requireRevision, requireUpkept } from "../scopes/present_scope.ts";
import { type Deadline, requireFuture } from "./put_turn.ts";
import { makeRoomForOperation, rememberScopeOperation } from "./remember_scope_operation.ts";
import { type PinRow, SELECT_PIN_REVISION, upsertPin } from "../tables/pins.ts";
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

/** Puts a pin; returns the scope's new revision. */
export function* putPin(transaction: WriteTransaction, given: PutPinPlan): Operation<number> {
  const { place, key, operation } = given;
  const [row, recalled, tombstone] = yield* together([
    readScope(transaction, place.scopeHash),
    recallOperation(transaction, operation),
    // A later revision mostly follows a pin that is there.
    given.revision === 1 ? readTombstone(transaction, given) : known(null),
  ]);
  if (row === null) throw yield* absence(transaction, place);
  if (recalled !== null) return recalled;
  requireUpkept(transaction, row);
  requireRevision(row, given.expectedRevision);
  const [old, cited] = yield* together([
    transaction.get(SELECT_PIN_REVISION, row.id, key),
    given.source === null ? known(undefined) : transaction.get(SELECT_TURN, row.id, given.source.turnId),
    makeRoomForOperation(transaction, row, operation),
    noteWriting(transaction, row),
  ]);
  const plan = yield* withNextRevision(
    transaction,
    given,
    old === undefined ? null : old[0] as number,
    tombstone,
  );
  requireFuture(transaction, plan.expiry, { action: "put pin", field: "pin.expiresAt" });
  if (old === undefined) requirePinCapacity(row);
  const sourceTurn = plan.source === null ? null : requireCited(row, cited, plan.source);
  if (old === undefined) row.pins++;
  else transaction.markDirty("pins");
  noteExpiry(row, plan.expiry?.expiryMs ?? null);
  yield* together([
    changedScope(changeOf(transaction, place, row)),
    writePin(transaction, row, plan, sourceTurn),
    rememberScopeOperation(transaction, row, operation, row.revision + 1),
    writeScope(transaction, row),
  ]);
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
  written: WrittenPin,
  sourceTurn: number | null,
): Operation<void> {
  yield* upsertPin(transaction, toPinRow(row, written, sourceTurn));
}

/** The row that a pin is written as. */
export function toPinRow(
  { id: scope }: ScopeRow,
  { key, revision, effectiveMs: effective, expiry, payload }: WrittenPin,
  sourceTurn: number | null,
): PinRow {
  return { scope, key, revision, effective, expires: expiry?.expiryMs ?? null, sourceTurn, payload };
}

function readTombstone(transaction: WriteTransaction, { place, key }: PutPinPlan): Operation<Tombstone> {
  const keyHash = itemHashOf(place.hashKey, "pin", place.scope, key);
  return tombstoneOf(transaction, place.scopeHash, keyHash);
}

function* withNextRevision(
  transaction: WriteTransaction,
  plan: PutPinPlan,
  old: number | null,
  tombstone: Tombstone | null,
): Operation<PutPinPlan> {
  const { revision, revised } = plan;
  let before = old ?? 0;
  if (old === null) {
    const { reserved, floor } = tombstone ?? (yield* readTombstone(transaction, plan));
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

/** Requires that the cited text is there, exactly; returns the row of its turn. */
export function* proveSource(
  transaction: WriteTransaction,
  row: ScopeRow,
  source: SourceRef,
): Operation<number> {
  return requireCited(row, yield* transaction.get(SELECT_TURN, row.id, source.turnId), source);
}

function requireCited(row: ScopeRow, found: Row | undefined, source: SourceRef): number {
  if (found === undefined) {
    throw new ConflictError("MISSING", "Cannot put pin: there is no turn that it cites");
  }
  const { id, turn } = toStoredTurn(row, found);
  extract(source, turn, "pin.source");
  return id;
}
