/** Putting a record: compare-and-swap on its revision, and a new deadline. */

import { isReserved } from "../deletion/tombstones.ts";
import { clockBehind } from "../engine/effective_time.ts";
import { known, type Operation, together, type WriteTransaction } from "../engine/operation.ts";
import { ConflictError } from "../errors.ts";
import { CLOCK_BEHIND_MS_MAX, RECORD_OPERATION_KEPT_MS } from "../limits.ts";
import { rememberRecordOperation } from "./remember_record_operation.ts";
import { type OperationKey, recallOperation } from "../tables/operation_ids.ts";
import { upsertRecord } from "../tables/record_rows.ts";
import { type Identity, isExpired, type RecordHead, toHead, valueChecksum } from "../tables/records.ts";

/** A put, validated and ready to run; all that is hashed or encoded was so before. */
interface PutPlan {
  readonly identity: Identity;
  /** The keyed hash of the identity; asked for only where there is no row. */
  readonly keyHash: () => Uint8Array;
  readonly body: string;
  readonly expectedRevision: number | null;
  readonly ttl: number | null;
  readonly maxAge: number | null;
  /** Seconds; null for the store's time. */
  readonly now: number | null;
  readonly operation: OperationKey | null;
}

/** One record's head, without its body. */
export const SELECT_RECORD_HEAD =
  `SELECT revision, created, max_age, expires, value_checksum, checksum FROM records
  WHERE tenant = $1 AND kind = $2 AND key = $3`;

/** Puts a record; returns its new revision. */
export function* putRecord(transaction: WriteTransaction, plan: PutPlan): Operation<number> {
  const { identity, operation } = plan;
  const [recalled, row, reserved] = yield* together([
    recallOperation(transaction, operation, RECORD_OPERATION_KEPT_MS),
    transaction.get(SELECT_RECORD_HEAD, identity.tenantId, identity.kind, identity.key),
    // A put that expects a revision mostly finds a row, and need not hash its identity.
    plan.expectedRevision === null ? isReserved(transaction, plan.keyHash()) : known(null),
  ]);
  if (recalled !== null) return recalled;
  const now = plan.now ?? readNow(transaction, plan);
  const old = row === undefined ? null : toHead(identity, row);
  if (old !== null) assertReplaceable(old, plan.expectedRevision, now);
  else assertCreatable(plan, reserved ?? (yield* isReserved(transaction, plan.keyHash())));
  const head = planHead(plan, old, now, transaction.nextRevision());
  if (old !== null) transaction.markDirty("records");
  yield* together([
    writeRecord(transaction, plan, head),
    rememberRecordOperation(transaction, operation, head.revision),
  ]);
  return head.revision;
}

/** The store's time in seconds. A deadline must not be set from a clock that is known to be behind. */
function readNow(transaction: WriteTransaction, plan: PutPlan): number {
  const { effectiveMs, behindMs } = transaction.time();
  if (behindMs > CLOCK_BEHIND_MS_MAX && (plan.ttl !== null || plan.maxAge !== null)) {
    throw clockBehind(behindMs, { action: "put record" });
  }
  return Math.floor(effectiveMs / 1000);
}

function assertReplaceable(old: RecordHead, expected: number | null, now: number): void {
  if (isExpired(old.expires, now)) {
    throw new ConflictError("EXPIRED", "Cannot put record: it has expired; purge before creating it afresh", {
      currentRevision: old.revision,
    });
  }
  if (old.revision === expected) return;
  throw revisionConflict(expected, old.revision);
}

function assertCreatable(plan: PutPlan, reserved: boolean): void {
  if (reserved) {
    throw new ConflictError("DELETED", "Cannot put record: its identity was revoked for ever", {
      currentRevision: null,
    });
  }
  if (plan.expectedRevision !== null) throw revisionConflict(plan.expectedRevision, null);
}

function revisionConflict(expected: number | null, current: number | null): ConflictError {
  return new ConflictError("REVISION", `Cannot put record: expected revision ${expected}, found ${current}`, {
    currentRevision: current,
  });
}

/** The row to write: created once, a `maxAge` that only falls, and a deadline that never passes it. */
export function planHead(
  plan: Pick<PutPlan, "identity" | "body" | "ttl" | "maxAge">,
  old: RecordHead | null,
  now: number,
  revision: number,
): RecordHead {
  const created = old?.created ?? now;
  const maxAge = lower(old?.maxAge ?? null, plan.maxAge);
  const expires = lower(plan.ttl === null ? null : now + plan.ttl, maxAge === null ? null : created + maxAge);
  if (isExpired(expires, now)) {
    throw new ConflictError(
      "EXPIRED",
      "Cannot put record: the time from its creation that maxAge allows has passed",
      {
        currentRevision: old?.revision ?? null,
      },
    );
  }
  const checksum = valueChecksum(plan.identity, { revision, expires, body: plan.body });
  return { revision, created, maxAge, expires, valueChecksum: checksum };
}

function lower(left: number | null, right: number | null): number | null {
  if (left === null) return right;
  return right === null ? left : Math.min(left, right);
}

/** Writes a record's row, once everything is validated. */
export function* writeRecord(
  transaction: WriteTransaction,
  plan: Pick<PutPlan, "identity" | "body">,
  head: RecordHead,
): Operation<void> {
  yield* upsertRecord(transaction, plan.identity, { ...head, body: plan.body });
}
