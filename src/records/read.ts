/** Reads whole records, lists a tenant's live ones, and purges expired ones. */

import type { GroupTime, Operation, ReadTransaction, WriteTransaction } from "../engine/operation.ts";
import type { Row } from "../engine/values.ts";
import { EXPIRED_PER_GROUP_MAX, TENANTS_PER_READ } from "../limits.ts";
import {
  assertValue,
  HEAD_COLUMNS,
  type Identity,
  type RecordHead,
  SELECT_NEXT_TENANT,
  toHead,
} from "../tables/records.ts";

const SELECT_RECORD = `SELECT ${HEAD_COLUMNS}, body FROM records
  WHERE tenant = $1 AND kind = $2 AND key = $3`;

/** A record as stored, expired or not. */
export interface RawRecord {
  readonly head: RecordHead;
  readonly body: string;
}

/** A whole record, expired or not; null if there is no row. */
export function* readRecord(transaction: ReadTransaction, identity: Identity): Operation<RawRecord | null> {
  const row = yield* transaction.get(SELECT_RECORD, identity.tenantId, identity.kind, identity.key);
  return row === undefined ? null : toRecord(identity, row);
}

/** Validates the columns of a head, its checksum, and the body. */
function toRecord(identity: Identity, row: Row): RawRecord {
  const head = toHead(identity, row);
  const body = row.at(-1) as string;
  assertValue(identity, { ...head, body }, head.valueChecksum);
  return { head, body };
}

/** The records of a page, which begins after a kind and key. */
interface ListPlan {
  readonly tenantId: string;
  readonly kind: string | null;
  readonly after: { readonly kind: string; readonly key: string };
  readonly limit: number;
  readonly now: number;
}

/** A live record's identity and head. */
interface ListedRecord extends RecordHead {
  readonly kind: string;
  readonly key: string;
}

const SELECT_LIVE_RECORDS = `SELECT ${HEAD_COLUMNS}, kind, key FROM records
  WHERE tenant = $1 AND (kind, key) > ($2, $3) AND (expires IS NULL OR expires > $4) ORDER BY kind, key LIMIT $5`;

const SELECT_LIVE_RECORDS_OF_KIND =
  `SELECT ${HEAD_COLUMNS}, kind, key FROM records WHERE tenant = $1 AND kind = $2 AND key > $3 AND (expires IS NULL OR expires > $4)
  ORDER BY key LIMIT $5`;

/** Lists a page of live records, by kind and key. */
export function* listRecords(
  transaction: ReadTransaction,
  plan: ListPlan,
): Operation<readonly ListedRecord[]> {
  const { tenantId, kind, after, limit, now } = plan;
  const rows = kind === null
    ? yield* transaction.all(SELECT_LIVE_RECORDS, tenantId, after.kind, after.key, now, limit)
    : yield* transaction.all(SELECT_LIVE_RECORDS_OF_KIND, tenantId, kind, after.key, now, limit);
  return rows.map((row) => {
    const identity = { tenantId, kind: row.at(-2) as string, key: row.at(-1) as string };
    return { ...toHead(identity, row), kind: identity.kind, key: identity.key };
  });
}

const DELETE_EXPIRED_RECORDS = `DELETE FROM records WHERE tenant = $1 AND expires <= $2`;

/** Removes a tenant's expired records of every kind; returns their number. */
export function* purgeRecords(
  transaction: WriteTransaction,
  tenant: string,
  now: number | null,
): Operation<number> {
  const removed = yield* transaction.run(DELETE_EXPIRED_RECORDS, tenant, now ?? purgeNow(transaction.time()));
  if (removed > 0) transaction.markDirty("records");
  return removed;
}

const DELETE_SOME_EXPIRED_RECORDS = `DELETE FROM records WHERE (tenant, kind, key) IN (
  SELECT tenant, kind, key FROM records WHERE tenant = $1 AND expires <= $2 LIMIT $3)`;

/** Removes a bounded number of a tenant's expired records. */
export function* purgeSome(
  transaction: WriteTransaction,
  tenant: string,
): Operation<{ readonly removed: number; readonly more: boolean }> {
  const now = purgeNow(transaction.time());
  const removed = yield* transaction.run(DELETE_SOME_EXPIRED_RECORDS, tenant, now, EXPIRED_PER_GROUP_MAX);
  if (removed > 0) transaction.markDirty("records");
  return { removed, more: removed === EXPIRED_PER_GROUP_MAX };
}

/** The next tenant that has records, in code point order; null after the last. */
export function* selectNextTenant(transaction: ReadTransaction, after: string): Operation<string | null> {
  return ((yield* transaction.get(SELECT_NEXT_TENANT, after))?.[0] ?? null) as string | null;
}

const SELECT_EXPIRED_RECORD = `SELECT 1 FROM records WHERE tenant = $1 AND expires <= $2 LIMIT 1`;

/** Of the next tenants in code point order, those with expired records. Also returns the last tenant read, null at the end. */
export function* selectExpiredTenants(
  transaction: ReadTransaction,
  after: string,
  now: number,
): Operation<{ readonly expired: readonly string[]; readonly after: string | null }> {
  const expired: string[] = [];
  let tenant: string | null = after;
  for (let count = 0; count < TENANTS_PER_READ; count++) {
    tenant = yield* selectNextTenant(transaction, tenant);
    if (tenant === null) break;
    if ((yield* transaction.get(SELECT_EXPIRED_RECORD, tenant, now)) !== undefined) expired.push(tenant);
  }
  return { expired, after: tenant };
}

/** The clock's own time in seconds. Records that expired between it and a later highest time seen are hidden, not erased. */
export function purgeNow({ effectiveMs, behindMs }: GroupTime): number {
  return Math.floor((effectiveMs - behindMs) / 1000);
}
