import { eraseLeftOperations } from "../deletion/draining_scopes.ts";
import { tenantHash } from "../deletion/scope_hashes.ts";
import { floorsOf, isReserved } from "../deletion/tombstones.ts";
import { type Operation, together, type WriteTransaction } from "../engine/operation.ts";
import { startOfRange } from "../engine/revision_range.ts";
import { ConflictError } from "../errors.ts";
import { insertScope, newScope, readMostRecent, readScope, type ScopeRow } from "../tables/scopes.ts";
import type { Place } from "./place.ts";

/** Reads the scope's row; creates the scope if there is none. */
export function* ensureScope(
  transaction: WriteTransaction,
  place: Place,
  generation: number,
): Operation<ScopeRow> {
  return (yield* readScope(transaction, place.scopeHash)) ??
    (yield* createScope(transaction, place, generation));
}

/** Creates a scope that is known not to be there; throws `DELETED` if its identifier is permanently reserved. */
export function* createScope(
  transaction: WriteTransaction,
  place: Place,
  generation: number,
  subject: Uint8Array | null = null,
): Operation<ScopeRow> {
  const row = yield* planScope(transaction, place, generation, subject);
  yield* insertScope(transaction, row);
  return row;
}

/** The row of a scope that is known not to be there. The caller inserts it. Throws as {@linkcode createScope}. */
export function* planScope(
  transaction: WriteTransaction,
  { scopeHash, scope: { tenantId: tenant, sessionId: session }, hashKey }: Place,
  generation: number,
  subject: Uint8Array | null,
): Operation<ScopeRow> {
  const own = tenantHash(hashKey, tenant);
  const [reserved, [floor = 0], newest] = yield* together([
    isReserved(transaction, scopeHash),
    floorsOf(transaction, own, [own]),
    readMostRecent(transaction, tenant),
    eraseLeftOperations(transaction, scopeHash),
  ]);
  if (reserved) throw new ConflictError("DELETED", "The scope was deleted for ever");
  // No revision is given twice: a session of the same name may have been erased with its tenant or subject.
  const revision = Math.max(startOfRange(generation), floor === 0 ? 0 : floor + 1);
  return newScope(transaction, { scopeHash, tenant, session, revision, subject }, newest);
}
