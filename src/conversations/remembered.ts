/** The operations of a scope that are remembered. */

import { keyedHash, toHex } from "../canonical/keyed_hash.ts";
import { requireText } from "../contracts/arguments.ts";
import type { ScopeRow } from "../deletion/scope_row.ts";
import type { Operation, WriteTransaction } from "../engine/operation.ts";
import { forgetOldestOperations, type OperationKey, rememberOperation } from "../engine/operation_ids.ts";
import { OPERATION_ID_CODE_POINTS_MAX, SCOPE_OPERATIONS_MAX } from "../limits.ts";
import type { Place } from "./place.ts";

/** What an operation id stands for: the id and a digest of its input, as keyed hashes. */
export function operationKey(place: Place, operationId: unknown, verb: string, input: string): OperationKey {
  const id = requireText("operationId", operationId, OPERATION_ID_CODE_POINTS_MAX);
  const { hashKey, scopeHash } = place;
  const scope = toHex(scopeHash);
  return {
    scopeHash,
    operationHash: keyedHash(hashKey, ["operation", scope, id]),
    inputHash: keyedHash(hashKey, ["input", scope, verb, input]),
  };
}

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
