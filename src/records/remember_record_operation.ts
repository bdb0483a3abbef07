/** Remembers the results of record operations for a day. */

import { type Operation, together, type WriteTransaction } from "../engine/operation.ts";
import { forgetOldOperations, type OperationKey, rememberOperation } from "../tables/operation_ids.ts";
import { RECORD_OPERATION_KEPT_MS } from "../limits.ts";

/** Remembers the result of a call with an operation id, and removes a few that are older than a day. */
export function* rememberRecordOperation(
  transaction: WriteTransaction,
  key: OperationKey | null,
  result: number,
): Operation<void> {
  if (key === null) return;
  yield* together([
    forgetOldOperations(transaction, key.scopeHash, RECORD_OPERATION_KEPT_MS),
    rememberOperation(transaction, key, result),
  ]);
}
