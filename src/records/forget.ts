/** Forgets records: each one as an event in the ledger, so that no restore brings it back. */

import { toHex } from "../canonical/keyed_hash.ts";
import { targetsOf } from "../deletion/event_targets.ts";
import { tenantHash } from "../deletion/scope_hashes.ts";
import { isReserved } from "../deletion/tombstones.ts";
import { type Operation, type RecordedEvent, together, type WriteTransaction } from "../engine/operation.ts";
import type { Row } from "../engine/values.ts";
import { IntegrityError } from "../errors.ts";
import { RECORD_OPERATION_KEPT_MS } from "../limits.ts";
import { rememberRecordOperation } from "./remember_record_operation.ts";
import { type OperationKey, recallOperation } from "../tables/operation_ids.ts";
import { SELECT_RECORD_HEAD } from "./put.ts";
import { selectNextTenant } from "./read.ts";
import { DELETE_RECORD, type Identity, recordHash } from "../tables/records.ts";

/** A forget, validated and ready to run. */
interface ForgetPlan {
  readonly identity: Identity;
  readonly scopeHash: Uint8Array;
  readonly keyHash: Uint8Array;
  readonly expectedRevision: number | null;
  readonly revoke: boolean;
  readonly operation: OperationKey | null;
}

/** Forgets a record; true only if a row was removed. */
export function* forgetRecord(transaction: WriteTransaction, plan: ForgetPlan): Operation<boolean> {
  const { identity: { tenantId, kind, key }, operation } = plan;
  const [recalled, row] = yield* together([
    recallOperation(transaction, operation, RECORD_OPERATION_KEPT_MS),
    transaction.get(SELECT_RECORD_HEAD, tenantId, kind, key),
  ]);
  if (recalled !== null) return recalled === 1;
  const isExpected = row !== undefined && row[0] === plan.expectedRevision;
  const [removed] = yield* together([
    removeExpected(transaction, plan, row),
    rememberRecordOperation(transaction, operation, isExpected ? 1 : 0),
  ]);
  return removed;
}

function* removeExpected(
  transaction: WriteTransaction,
  plan: ForgetPlan,
  row: Row | undefined,
): Operation<boolean> {
  const { identity, scopeHash, keyHash, revoke } = plan;
  if (row !== undefined) {
    // The row is not validated further: a damaged record must be forgettable too.
    const revision = row[0] as number;
    if (revision !== plan.expectedRevision) return false;
    yield* eraseRecord(transaction, identity);
    transaction.record({
      kind: "record",
      scopeHash,
      keyHash,
      reserved: revoke,
      floor: revision,
      counts: { records: 1 },
    });
    return true;
  }
  if (revoke && !(yield* isReserved(transaction, keyHash))) {
    transaction.record({
      kind: "record",
      scopeHash,
      keyHash,
      reserved: true,
      floor: 0,
      counts: { records: 0 },
    });
  }
  return false;
}

function* eraseRecord(transaction: WriteTransaction, { tenantId, kind, key }: Identity): Operation<void> {
  const removed = yield* transaction.run(DELETE_RECORD, tenantId, kind, key);
  if (removed !== 1) throw new IntegrityError("Cannot forget record: the deletion changed no row");
  transaction.markDirty("records");
}

const SELECT_RECORD_KEYS = `SELECT kind, key FROM records WHERE tenant = $1`;

/** Erases the record that an event names, at any revision. Only recovery from crashes and restores call this. */
export function* applyForget(
  transaction: WriteTransaction,
  event: RecordedEvent,
  hashKey: Uint8Array,
): Operation<void> {
  const identity = yield* findRecord(transaction, event, hashKey);
  if (identity === undefined) return;
  (yield* recordsOf(transaction, event, hashKey)).delete(toHex(event.keyHash));
  yield* eraseRecord(transaction, identity);
}

/** The record that an event names; undefined if there is none. */
export function* findRecord(
  transaction: WriteTransaction,
  event: RecordedEvent,
  hashKey: Uint8Array,
): Operation<Identity | undefined> {
  return (yield* recordsOf(transaction, event, hashKey)).get(toHex(event.keyHash));
}

/** The records of the tenant that an event names, by their hashes. */
function recordsOf(
  transaction: WriteTransaction,
  { scopeHash }: RecordedEvent,
  hashKey: Uint8Array,
): Operation<Map<string, Identity>> {
  const place = toHex(scopeHash);
  return targetsOf(transaction, `records ${place}`, function* (): Operation<Map<string, Identity>> {
    const tenantId = yield* findTenant(transaction, place, hashKey);
    if (tenantId === null) return new Map();
    const rows = yield* transaction.all(SELECT_RECORD_KEYS, tenantId);
    const identities = rows.map(([kind, key]) => ({ tenantId, kind: kind as string, key: key as string }));
    return new Map(identities.map((identity) => [toHex(recordHash(hashKey, identity)), identity]));
  });
}

/** The tenant with a hash; null if it has no records. */
function* findTenant(
  transaction: WriteTransaction,
  hash: string,
  hashKey: Uint8Array,
): Operation<string | null> {
  const tenants = yield* targetsOf(transaction, "tenants", function* (): Operation<Map<string, string>> {
    const found = new Map<string, string>();
    for (let tenant: string | null = "";;) {
      tenant = yield* selectNextTenant(transaction, tenant);
      if (tenant === null) return found;
      found.set(toHex(tenantHash(hashKey, tenant)), tenant);
    }
  });
  return tenants.get(hash) ?? null;
}
