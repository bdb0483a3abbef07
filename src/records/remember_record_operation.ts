/** How long the answers of record operations are remembered. */

import { type Operation, together, type WriteTransaction } from "../engine/operation.ts";
import { forgetOldOperations, type OperationKey, rememberOperation } from "../tables/operation_ids.ts";
import { RECORD_OPERATION_KEPT_MS } from "../limits.ts";

/** Remembers an answer for a day, where the call has an operation id, and forgets a few older ones. */
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
