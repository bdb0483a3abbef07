import type { Scope } from "../contracts/scope.ts";
import { isBurned } from "../deletion/tombstones.ts";
import { type Change, type Erased, nothingErased } from "../deletion/cascade.ts";
import { scopeHashOf } from "../deletion/hashes.ts";
import { readScope, type ScopeRow } from "../deletion/scope_row.ts";
import type { Operation, ReadTransaction, WriteTransaction } from "../engine/operation.ts";
import { ConflictError } from "../errors.ts";
import { CLOCK_BEHIND_MS_MAX } from "../limits.ts";

/** A scope, and what stands for it in the store. */
export interface Place {
  readonly scope: Scope;
  readonly hashKey: Uint8Array;
  readonly scopeHash: Uint8Array;
}

/** The place of a scope. */
export function placeOf(hashKey: Uint8Array, scope: Scope): Place {
  return { scope, hashKey, scopeHash: scopeHashOf(hashKey, scope) };
}

/**
 * Something of the scope is due. Internal: the write is rolled back, upkeep runs as a write of its own, and the write
 * runs again.
 */
export class UpkeepDue extends Error {}

/** The scope's row; throws `MISSING` or `DELETED` if there is none. */
export function* requireScope(transaction: ReadTransaction, place: Place): Operation<ScopeRow> {
  const row = yield* readScope(transaction, place.scopeHash);
  if (row !== null) return row;
  throw yield* absence(transaction, place);
}

/** Why there is no such scope. */
export function* absence(transaction: ReadTransaction, place: Place): Operation<ConflictError> {
  return (yield* isBurned(transaction, place.scopeHash))
    ? new ConflictError("DELETED", "The scope was deleted for ever")
    : new ConflictError("MISSING", "There is no such scope; create it first");
}

/** Requires that nothing of the scope is due; where the clock is behind, what is due rests. */
export function requireUpkept(transaction: WriteTransaction, row: ScopeRow): void {
  const { effectiveMs, behindMs } = transaction.time();
  if (row.nextDue !== null && row.nextDue <= effectiveMs && behindMs <= CLOCK_BEHIND_MS_MAX) {
    throw new UpkeepDue();
  }
}

/** Requires the scope's revision. */
export function requireRevision(row: ScopeRow, expected: number): void {
  if (row.revision === expected) return;
  throw new ConflictError("REVISION", `Expected scope revision ${expected}, found ${row.revision}`, {
    currentRevision: row.revision,
  });
}

/** The change of a scope, with nothing erased yet. */
export function changeOf(
  transaction: WriteTransaction,
  place: Place,
  row: ScopeRow,
  erased: Erased = nothingErased(),
): Change {
  return { transaction, row, hashKey: place.hashKey, erased };
}
