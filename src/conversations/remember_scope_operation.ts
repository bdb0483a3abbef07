/** The operations of a scope that are remembered. */

import type { ScopeRow } from "../tables/scopes.ts";
import type { Operation, WriteTransaction } from "../engine/operation.ts";
import { forgetOldestOperations, type OperationKey, rememberOperation } from "../tables/operation_ids.ts";
import { SCOPE_OPERATIONS_MAX } from "../limits.ts";

/** Remembers an answer; beyond the limit the oldest goes. The caller writes the row. */
export function* rememberScopeOperation(
  transaction: WriteTransaction,
  row: ScopeRow,
  key: OperationKey,
  result: number,
): Operation<void> {
  yield* rememberOperation(transaction, key, result);
  row.operations++;
  if (row.operations > SCOPE_OPERATIONS_MAX) {
    row.operations -= yield* forgetOldestOperations(
      transaction,
      key.scopeHash,
      row.operations - SCOPE_OPERATIONS_MAX,
    );
  }
}
