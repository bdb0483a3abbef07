/** How long the answers of record operations are remembered. */

import type { Operation, WriteTransaction } from "../engine/operation.ts";
import { forgetOldOperations, type OperationKey, rememberOperation } from "../tables/operation_ids.ts";
import { RECORD_OPERATION_KEPT_MS } from "../limits.ts";

/** Remembers an answer for a day, and clears away a few that are older. */
export function* rememberRecordOperation(
  transaction: WriteTransaction,
  key: OperationKey,
  result: number,
): Operation<void> {
  yield* forgetOldOperations(transaction, key.scopeHash, RECORD_OPERATION_KEPT_MS);
  yield* rememberOperation(transaction, key, result);
}
