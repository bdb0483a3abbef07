/** Whole rows of records, for checks and exports. Not in `records.ts`, which every start loads. */

import type { Operation, WriteTransaction } from "../engine/operation.ts";
import type { Row } from "../engine/values.ts";
import { IntegrityError } from "../errors.ts";
import { assertValue, headChecksum, type Identity, type RecordHead, toHead } from "./records.ts";
import { RECORDS } from "./schema/main_tables.ts";

/** Records by tenant, kind and key. Parameters: the three to begin after, how many. */
export const SELECT_RECORDS_AFTER = `${RECORDS.select}
  WHERE (tenant, kind, key) > ($1, $2, $3) ORDER BY tenant, kind, key LIMIT $4`;

/** The identity of a row. */
export function identityOf(row: Row): Identity {
  const { tenant, kind, key } = RECORDS.toFields(row);
  return { tenantId: tenant, kind, key };
}

/** Requires that a record's row is intact, its body included. */
export function requireRecord(row: Row): { readonly head: RecordHead; readonly body: string } {
  const { revision, created, maxAge, expires, version, valueChecksum, checksum, body, ...rest } = RECORDS
    .toFields(row);
  const { born, subject, names } = rest;
  const identity = identityOf(row);
  const head = toHead(identity, [
    ...[revision, created, maxAge, expires, version, born, subject, names, valueChecksum, checksum],
  ]);
  assertValue(identity, { revision, expires, version, body }, valueChecksum);
  return { head, body };
}

/** Writes a record, in place of the one that its identity has. */
export function* upsertRecord(
  transaction: WriteTransaction,
  identity: Identity,
  record: RecordHead & { readonly body: string },
): Operation<void> {
  const { tenantId: tenant, kind, key } = identity;
  const changed = yield* transaction.run(
    RECORDS.upsert,
    ...RECORDS.toValues({ ...record, tenant, kind, key }),
  );
  if (changed !== 1) throw new IntegrityError("Cannot put record: the file did not take the write");
}

const UPDATE_LABEL = `UPDATE records SET subject = $1, names = $2, born = $3, checksum = $4
  WHERE tenant = $5 AND kind = $6 AND key = $7`;

/** Writes whose record it is; nothing else of the row changes. */
export function* relabelRecord(
  transaction: WriteTransaction,
  identity: Identity,
  head: RecordHead,
): Operation<void> {
  const { tenantId, kind, key } = identity;
  const { subject, names, born } = head;
  transaction.markDirty("records");
  yield* transaction.run(
    UPDATE_LABEL,
    ...[subject, names, born, headChecksum(identity, head), tenantId, kind, key],
  );
}
