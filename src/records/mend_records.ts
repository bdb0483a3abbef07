/** Takes damaged records and remembered operations out of a copy. */

import { checksumOf } from "../canonical/checksum.ts";
import type { Damage } from "../engine/damage.ts";
import type { Operation, WriteTransaction } from "../engine/operation.ts";
import { CHECK_ROWS_PER_BATCH } from "../limits.ts";
import { toRecord } from "./read.ts";
import type { Identity } from "../tables/records.ts";

const SELECT_RECORDS =
  `SELECT revision, created, max_age, expires, value_checksum, checksum, body, tenant, kind, key
  FROM records WHERE (tenant, kind, key) > ($1, $2, $3) ORDER BY tenant, kind, key LIMIT $4`;
const DELETE_RECORD = `DELETE FROM records WHERE tenant = $1 AND kind = $2 AND key = $3`;

/** Mends some records after one of them; gives the last one, null at the end. No revision of a record is given twice. */
export function* mendRecords(
  transaction: WriteTransaction,
  after: Identity,
  damage: Damage,
): Operation<Identity | null> {
  const { tenantId, kind, key } = after;
  const rows = yield* transaction.all(SELECT_RECORDS, tenantId, kind, key, CHECK_ROWS_PER_BATCH);
  let last = after;
  for (const row of rows) {
    const identity = { tenantId: row[7] as string, kind: row[8] as string, key: row[9] as string };
    last = identity;
    if (damage.read(() => toRecord(identity, row)) !== undefined) continue;
    yield* transaction.run(DELETE_RECORD, identity.tenantId, identity.kind, identity.key);
    transaction.markDirty("records");
  }
  return rows.length < CHECK_ROWS_PER_BATCH ? null : last;
}

/** A place among the remembered operations. */
export type OperationPlace = readonly [scopeHash: Uint8Array, operationHash: Uint8Array];

const SELECT_OPERATIONS = `SELECT scope_hash, operation_hash, input_hash, result, at, checksum FROM operations
  WHERE (scope_hash, operation_hash) > ($1, $2) ORDER BY scope_hash, operation_hash LIMIT $3`;
const DELETE_OPERATION = `DELETE FROM operations WHERE scope_hash = $1 AND operation_hash = $2`;

/** Mends some remembered operations, likewise: one that is left out is taken for new if it is repeated. */
export function* mendOperations(
  transaction: WriteTransaction,
  after: OperationPlace,
  damage: Damage,
): Operation<OperationPlace | null> {
  const rows = yield* transaction.all(SELECT_OPERATIONS, ...after, CHECK_ROWS_PER_BATCH);
  let last = after;
  for (const row of rows) {
    last = [row[0] as Uint8Array, row[1] as Uint8Array];
    if (checksumOf(...row.slice(0, 5)) === row[5]) continue;
    damage.noteRow({ table: "operations" });
    yield* transaction.run(DELETE_OPERATION, ...last);
  }
  return rows.length < CHECK_ROWS_PER_BATCH ? null : last;
}
