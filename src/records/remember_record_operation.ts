/** Remembers the results of record operations for a day. */

import type { Operation, WriteTransaction } from "../engine/operation.ts";
import { forgetOldOperations, type OperationKey, rememberOperation } from "../tables/operation_ids.ts";
import { RECORD_OPERATION_KEPT_MS } from "../limits.ts";

/** Remembers a result, and removes a few that are older than a day. */
export function* rememberRecordOperation(
  transaction: WriteTransaction,
  key: OperationKey,
  result: number,
): Operation<void> {
  yield* forgetOldOperations(transaction, key.scopeHash, RECORD_OPERATION_KEPT_MS);
  yield* rememberOperation(transaction, key, result);
}
