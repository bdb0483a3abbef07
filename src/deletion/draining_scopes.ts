/** Scopes that were erased with their tenant or subject: no call finds them any more, and their contents go in parts. */

import {
  type Operation,
  type ReadTransaction,
  together,
  type WriteTransaction,
} from "../engine/operation.ts";
import { DRAINED_SCOPES_PER_STEP, DRAINED_TURNS_PER_STEP, TERMS_PER_STEP } from "../limits.ts";
import { DELETE_OPERATIONS_OF_SCOPE, eraseContents, nothingErased } from "./cascade.ts";

// A scope that is there is never drained, whatever a damaged row says.
const SELECT_DRAINING_SCOPES = `SELECT scope, scope_hash FROM draining_scopes
  WHERE scope NOT IN (SELECT id FROM scopes) ORDER BY scope LIMIT $1`;
const DELETE_DRAINING_SCOPE = `DELETE FROM draining_scopes WHERE scope = $1`;
const DELETE_OPERATIONS_OF_ERASED = `DELETE FROM operations WHERE scope_hash = $1
  AND NOT EXISTS (SELECT 1 FROM scopes WHERE scopes.scope_hash = $1)`;

/** Erases the contents of some erased scopes; returns whether there may be more. */
export function* drainScopes(transaction: WriteTransaction): Operation<boolean> {
  const erased = nothingErased();
  const scopes = yield* transaction.all(SELECT_DRAINING_SCOPES, DRAINED_SCOPES_PER_STEP);
  for (const [id, scopeHash] of scopes as unknown as (readonly [number, Uint8Array])[]) {
    yield* together([
      eraseContents({ transaction, row: { id }, erased }),
      transaction.run(DELETE_OPERATIONS_OF_ERASED, scopeHash),
      transaction.run(DELETE_DRAINING_SCOPE, id),
    ]);
    if (erased.turns >= DRAINED_TURNS_PER_STEP || erased.postings > TERMS_PER_STEP) return true;
  }
  return scopes.length === DRAINED_SCOPES_PER_STEP;
}

/** Whether a scope was erased whose contents are still there. */
export function* hasDrainingScopes(transaction: ReadTransaction): Operation<boolean> {
  return (yield* transaction.get(SELECT_DRAINING_SCOPES, 1)) !== undefined;
}

const SELECT_DRAINING_BY_HASH = `SELECT scope FROM draining_scopes WHERE scope_hash = $1 LIMIT 1`;

/** Before a scope is created again: forgets the operations of the erased one of its name, which would answer for its calls. */
export function* eraseLeftOperations(transaction: WriteTransaction, scopeHash: Uint8Array): Operation<void> {
  if ((yield* transaction.get(SELECT_DRAINING_BY_HASH, scopeHash)) === undefined) return;
  yield* transaction.run(DELETE_OPERATIONS_OF_SCOPE, scopeHash);
}
