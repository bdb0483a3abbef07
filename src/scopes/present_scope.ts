/** Requirements on the scope of a call: that it exists, is at a revision, and that nothing in it has expired. */

import { type Change, type Erased, nothingErased } from "../deletion/cascade.ts";
import { readScope, type ScopeRow } from "../tables/scopes.ts";
import { isReserved } from "../deletion/tombstones.ts";
import type { Operation, ReadTransaction, WriteTransaction } from "../engine/operation.ts";
import { ConflictError } from "../errors.ts";
import { CLOCK_BEHIND_MS_MAX } from "../limits.ts";
import { ExpiryPending, type Place } from "./place.ts";

/** Reads the scope's row; throws `MISSING` or `DELETED` if there is none. */
export function* requireScope(transaction: ReadTransaction, place: Place): Operation<ScopeRow> {
  const row = yield* readScope(transaction, place.scopeHash);
  if (row !== null) return row;
  throw yield* absence(transaction, place);
}

/** Reads the scope's row, for a caller that needs only the revision. */
export function* readRevision(
  transaction: ReadTransaction,
  place: Place,
): Operation<{ readonly row: ScopeRow }> {
  return { row: yield* requireScope(transaction, place) };
}

/** Makes the error for a scope that does not exist: `MISSING`, or `DELETED` if its identifier is reserved. */
export function* absence(transaction: ReadTransaction, place: Place): Operation<ConflictError> {
  return (yield* isReserved(transaction, place.scopeHash))
    ? new ConflictError("DELETED", "The scope was deleted for ever")
    : new ConflictError("MISSING", "There is no such scope; create it first");
}

/** Requires that nothing in the scope has expired. While the clock is behind, expiry is suspended. */
export function requireUpkept(transaction: WriteTransaction, row: ScopeRow): void {
  const { effectiveMs, behindMs } = transaction.time();
  if (row.nextExpiry !== null && row.nextExpiry <= effectiveMs && behindMs <= CLOCK_BEHIND_MS_MAX) {
    throw new ExpiryPending();
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
