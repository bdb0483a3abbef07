/** Removes damaged records and remembered operations from a copy. */

import type { Damage } from "../engine/damage.ts";
import type { Operation, WriteTransaction } from "../engine/operation.ts";
import { CHECK_ROWS_PER_BATCH } from "../limits.ts";
import { SELECT_OPERATIONS_AFTER, toOperation } from "../tables/operation_ids.ts";
import { identityOf, requireRecord, SELECT_RECORDS_AFTER } from "../tables/record_rows.ts";
import type { Identity } from "../tables/records.ts";
import { DELETE_RECORD } from "../tables/records.ts";

/** Mends a batch of records after one of them; returns the last one, null at the end. No revision is issued twice. */
export function* mendRecords(
  transaction: WriteTransaction,
  after: Identity,
  damage: Damage,
): Operation<Identity | null> {
  const { tenantId, kind, key } = after;
  const rows = yield* transaction.all(SELECT_RECORDS_AFTER, tenantId, kind, key, CHECK_ROWS_PER_BATCH);
  let last = after;
  for (const row of rows) {
    const identity = identityOf(row);
    last = identity;
    if (damage.read(() => requireRecord(row)) !== undefined) continue;
    yield* transaction.run(DELETE_RECORD, identity.tenantId, identity.kind, identity.key);
    transaction.markDirty("records");
  }
  return rows.length < CHECK_ROWS_PER_BATCH ? null : last;
}

/** The key of a remembered operation. */
export type OperationPlace = readonly [scopeHash: Uint8Array, operationHash: Uint8Array];

const DELETE_OPERATION = `DELETE FROM operations WHERE scope_hash = $1 AND operation_hash = $2`;

/** Mends a batch of remembered operations likewise; a removed one runs again if it is repeated. */
export function* mendOperations(
  transaction: WriteTransaction,
  after: OperationPlace,
  damage: Damage,
): Operation<OperationPlace | null> {
  const rows = yield* transaction.all(SELECT_OPERATIONS_AFTER, ...after, CHECK_ROWS_PER_BATCH);
  let last = after;
  for (const row of rows) {
    const { operation, isIntact } = toOperation(row);
    last = [operation.scopeHash, operation.operationHash];
    if (isIntact) continue;
    damage.noteRow({ table: "operations" });
    yield* transaction.run(DELETE_OPERATION, ...last);
  }
  return rows.length < CHECK_ROWS_PER_BATCH ? null : last;
}
