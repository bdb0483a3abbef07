/** Remembered operations: the same call again returns its first answer, the same id with other input is refused. */

import { equalBytes } from "../canonical/keyed_hash.ts";
import type { Operation, WriteTransaction } from "../engine/operation.ts";
import type { Row } from "../engine/values.ts";
import { ConflictError, IntegrityError } from "../errors.ts";
import { OPERATIONS_CLEARED_PER_CALL } from "../limits.ts";
import type { Fields } from "./schema/descriptor.ts";
import { OPERATIONS } from "./schema/main_tables.ts";

/** An operation id and its input, as keyed hashes: neither can be read back. */
export interface OperationKey {
  readonly scopeHash: Uint8Array;
  readonly operationHash: Uint8Array;
  readonly inputHash: Uint8Array;
}

const SELECT_OPERATION = `${OPERATIONS.select} WHERE scope_hash = $1 AND operation_hash = $2`;

/** Remembered operations in the order of their keys. Parameters: the key to begin after, how many. */
export const SELECT_OPERATIONS_AFTER = `${OPERATIONS.select}
  WHERE (scope_hash, operation_hash) > ($1, $2) ORDER BY scope_hash, operation_hash LIMIT $3`;

/** Decodes a remembered operation as it is, and says whether it is intact. */
export function toOperation(
  row: Row,
): { readonly operation: Fields<typeof OPERATIONS.columns>; readonly isIntact: boolean } {
  const operation = OPERATIONS.toFields(row);
  return { operation, isIntact: OPERATIONS.isIntact(operation) };
}

/**
 * The first answer to this operation; null if it is not remembered, or the call has no operation id. Operations of
 * records are remembered for a day, those of a scope until it has too many.
 */
export function* recallOperation(
  transaction: WriteTransaction,
  key: OperationKey | null,
  keptMs: number = Infinity,
): Operation<number | null> {
  return answerOf(transaction, key, yield* findOperation(transaction, key), keptMs);
}

/** The row of this operation, not validated; undefined if there is none, or the call has no operation id. */
export function* findOperation(
  transaction: WriteTransaction,
  key: OperationKey | null,
): Operation<Row | undefined> {
  if (key === null) return undefined;
  return yield* transaction.get(SELECT_OPERATION, key.scopeHash, key.operationHash);
}

/** The answer that a row of this operation holds, as {@linkcode recallOperation} returns it. */
export function answerOf(
  transaction: WriteTransaction,
  key: OperationKey | null,
  row: Row | undefined,
  keptMs: number = Infinity,
): number | null {
  if (key === null || row === undefined) return null;
  const { operation: { inputHash, result, at }, isIntact } = toOperation(row);
  if (!isIntact) {
    throw new IntegrityError("Cannot recall operation: its checksum does not match", {
      details: { table: "operations" },
    });
  }
  if (keptMs < Infinity && at + keptMs <= transaction.time().effectiveMs) return null;
  if (!equalBytes(inputHash, key.inputHash)) {
    throw new ConflictError("IDEMPOTENCY", "The operation id was used before with other input");
  }
  return result;
}

const DELETE_OLDEST_OPERATIONS = `DELETE FROM operations WHERE (scope_hash, operation_hash) IN (
  SELECT scope_hash, operation_hash FROM operations WHERE scope_hash = $1 ORDER BY at LIMIT $2)`;

/** Forgets a scope's oldest operations; returns how many were forgotten. */
export function forgetOldestOperations(
  transaction: WriteTransaction,
  scopeHash: Uint8Array,
  count: number,
): Operation<number> {
  return transaction.run(DELETE_OLDEST_OPERATIONS, scopeHash, count);
}

const DELETE_OLD_OPERATIONS = `DELETE FROM operations WHERE (scope_hash, operation_hash) IN (
  SELECT scope_hash, operation_hash FROM operations WHERE scope_hash = $1 AND at <= $2 ORDER BY at LIMIT $3)`;

/** Forgets a few operations that are older than they are kept, more where more are added. */
export function* forgetOldOperations(
  transaction: WriteTransaction,
  scopeHash: Uint8Array,
  keptMs: number,
  added: number = 1,
): Operation<void> {
  const { effectiveMs } = transaction.time();
  const count = OPERATIONS_CLEARED_PER_CALL * added;
  yield* transaction.run(DELETE_OLD_OPERATIONS, scopeHash, effectiveMs - keptMs, count);
}

/** Remembers an answer, where the call has an operation id. */
export function* rememberOperation(
  transaction: WriteTransaction,
  key: OperationKey | null,
  result: number,
): Operation<void> {
  if (key === null) return;
  const at = transaction.time().effectiveMs;
  yield* transaction.run(OPERATIONS.upsert, ...OPERATIONS.toValues({ ...key, result, at }));
}

/** How many operation ids a scope remembers. Parameter: the scope's hash. */
export const COUNT_OPERATIONS = `SELECT count(*) FROM operations WHERE scope_hash = $1`;
