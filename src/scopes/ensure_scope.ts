import { eraseLeftOperations } from "../deletion/draining_scopes.ts";
import { tenantHash } from "../deletion/scope_hashes.ts";
import { floorsOf, isReserved } from "../deletion/tombstones.ts";
import { type Operation, together, type WriteTransaction } from "../engine/operation.ts";
import { startOfRange } from "../engine/revision_range.ts";
import { ConflictError } from "../errors.ts";
import { insertScope, readMostRecent, readScope, type ScopeRow } from "../tables/scopes.ts";
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
  { scopeHash, scope: { tenantId: tenant, sessionId: session }, hashKey }: Place,
  generation: number,
  subject: Uint8Array | null = null,
): Operation<ScopeRow> {
  const own = tenantHash(hashKey, tenant);
  const [reserved, [floor], newest] = yield* together([
    isReserved(transaction, scopeHash),
    floorsOf(transaction, own, [own]),
    readMostRecent(transaction, tenant),
    eraseLeftOperations(transaction, scopeHash),
  ]);
  if (reserved) throw new ConflictError("DELETED", "The scope was deleted for ever");
  // No revision is given twice: a session of the same name may have been erased with its tenant or subject.
  const revision = floor === 0 ? startOfRange(generation) : Math.max(startOfRange(generation), floor! + 1);
  return yield* insertScope(transaction, { scopeHash, tenant, session, revision, subject }, newest);
}
