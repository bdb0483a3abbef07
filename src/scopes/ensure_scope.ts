import { insertScope, readScope, type ScopeRow } from "../tables/scopes.ts";
import { isReserved } from "../deletion/tombstones.ts";
import type { Operation, WriteTransaction } from "../engine/operation.ts";
import { startOfRange } from "../engine/revision_range.ts";
import { ConflictError } from "../errors.ts";
import type { Place } from "./place.ts";

/** The scope's row; makes it where there is none. */
export function* ensureScope(
  transaction: WriteTransaction,
  { scopeHash, scope }: Place,
  generation: number,
): Operation<ScopeRow> {
  const row = yield* readScope(transaction, scopeHash);
  if (row !== null) return row;
  if (yield* isReserved(transaction, scopeHash)) {
    throw new ConflictError("DELETED", "The scope was deleted for ever");
  }
  return yield* insertScope(transaction, {
    scopeHash,
    tenant: scope.tenantId,
    session: scope.sessionId,
    revision: startOfRange(generation),
  });
}
