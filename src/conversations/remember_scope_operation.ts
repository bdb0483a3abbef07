/** The operations of a scope that are remembered. */

import type { ScopeRow } from "../tables/scopes.ts";
import type { Operation, WriteTransaction } from "../engine/operation.ts";
import { forgetOldestOperations, type OperationKey, rememberOperation } from "../tables/operation_ids.ts";
import { SCOPE_OPERATIONS_MAX } from "../limits.ts";

/** Forgets a scope's oldest operations, so that one more may be remembered; for most calls there is nothing to do. */
export function* makeRoomForOperation(
  transaction: WriteTransaction,
  row: ScopeRow,
  key: OperationKey | null,
): Operation<void> {
  if (key === null || row.operations < SCOPE_OPERATIONS_MAX) return;
  const count = row.operations + 1 - SCOPE_OPERATIONS_MAX;
  row.operations -= yield* forgetOldestOperations(transaction, key.scopeHash, count);
}

/** Remembers an answer, for which there is room. Counts it before it yields; the caller writes the row. */
export function* rememberScopeOperation(
  transaction: WriteTransaction,
  row: ScopeRow,
  key: OperationKey | null,
  result: number,
): Operation<void> {
  if (key !== null) row.operations++;
  yield* rememberOperation(transaction, key, result);
}
