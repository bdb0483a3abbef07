import { insertScope, readScope, type ScopeRow } from "../tables/scopes.ts";
import { isReserved } from "../deletion/tombstones.ts";
import { type Operation, together, type WriteTransaction } from "../engine/operation.ts";
import { startOfRange } from "../engine/revision_range.ts";
import { ConflictError } from "../errors.ts";
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
  { scopeHash, scope }: Place,
  generation: number,
): Operation<ScopeRow> {
  const [reserved, row] = yield* together([
    isReserved(transaction, scopeHash),
    insertScope(transaction, {
      scopeHash,
      tenant: scope.tenantId,
      session: scope.sessionId,
      revision: startOfRange(generation),
    }),
  ]);
  if (reserved) throw new ConflictError("DELETED", "The scope was deleted for ever");
  return row;
}
