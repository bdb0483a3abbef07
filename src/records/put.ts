/** Puts records: compare-and-swap on the revision, and a new deadline. */

import { isReserved } from "../deletion/tombstones.ts";
import { clockBehind, hasPassed } from "../engine/effective_time.ts";
import { known, type Operation, together, type WriteTransaction } from "../engine/operation.ts";
import type { Ending } from "../contracts/options/lifetime.ts";
import { ConflictError, ContractError } from "../errors.ts";
import { CLOCK_BEHIND_MS_MAX, RECORD_OPERATION_KEPT_MS } from "../limits.ts";
import { rememberRecordOperation } from "./remember_record_operation.ts";
import { type OperationKey, recallOperation } from "../tables/operation_ids.ts";
import { purgeNow } from "./read.ts";
import { newerVersion } from "./stored_value.ts";
import { hashOfSubject, isSameSubject } from "../tables/subjects.ts";
import { upsertRecord } from "../tables/record_rows.ts";
import {
  encodeNames,
  HEAD_COLUMNS,
  type Identity,
  isExpired,
  type RecordHead,
  toHead,
  valueChecksum,
} from "../tables/records.ts";

/** A put, validated, encoded and ready to run. */
export interface PutPlan {
  readonly identity: Identity;
  /** The keyed hash of the identity; computed only if there is no row. */
  readonly keyHash: () => Uint8Array;
  readonly body: string;
  /** The version of its kind. */
  readonly version: number;
  readonly expectedRevision: number | null;
  /** Null where it never ends; `kept` where it ends as before. */
  readonly lifetime: Ending | "kept" | null;
  /** The longest lifetime, in seconds. */
  readonly ttlMax: number;
  /** Whether an expired record counts as none; those of built-in kinds must be purged first. */
  readonly replacesExpired: boolean;
  readonly maxAge: number | null;
  /** Seconds; null for the store's time. */
  readonly now: number | null;
  readonly operation: OperationKey | null;
  /** The name of whose record it is; undefined where the caller does not say. */
  readonly subject: string | undefined;
  readonly hashKey: Uint8Array;
}

const PUTTING = { action: "put record", field: "expiresAt" };

/** One record's head, without its body. */
export const SELECT_RECORD_HEAD = `SELECT ${HEAD_COLUMNS} FROM records
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
  const found = row === undefined ? null : toHead(identity, row);
  const old = found !== null && isReplacedAsNone(transaction, plan, found) ? null : found;
  if (old !== null) assertReplaceable(plan, old, now);
  else assertCreatable(plan, reserved ?? (yield* isReserved(transaction, plan.keyHash())));
  const ttl = secondsOf(transaction, plan, old, now);
  const subject = plan.subject === undefined
    ? null
    : hashOfSubject(plan.hashKey, identity.tenantId, plan.subject);
  requireSameSubject(old, subject);
  const counts = { revision: transaction.nextRevision(), deletions: transaction.deletions() };
  const names = subject === null ? [] : [plan.subject!];
  const head = planHead({ ...plan, ttl, subject, names }, old, now, counts);
  if (found !== null) transaction.markDirty("records");
  yield* together([
    writeRecord(transaction, plan, head),
    rememberRecordOperation(transaction, operation, head.revision),
  ]);
  return head.revision;
}

/** The store's time in seconds. A deadline must not be set from a clock that is known to be behind. */
function readNow(transaction: WriteTransaction, plan: PutPlan): number {
  const { effectiveMs, behindMs } = transaction.time();
  const setsDeadline = plan.lifetime !== null && plan.lifetime !== "kept" || plan.maxAge !== null;
  if (behindMs > CLOCK_BEHIND_MS_MAX && setsDeadline) {
    throw clockBehind(behindMs, { action: "put record" });
  }
  return Math.floor(effectiveMs / 1000);
}

/** Seconds until the lifetime ends, an instant rounded down; null where it never does. */
function secondsOf(
  transaction: WriteTransaction,
  plan: PutPlan,
  old: RecordHead | null,
  now: number,
): number | null {
  const { lifetime, ttlMax } = plan;
  if (lifetime === "kept") return old === null || old.expires === null ? null : old.expires - now;
  if (lifetime === null) return null;
  if ("ttl" in lifetime) return lifetime.ttl;
  const { seconds } = lifetime.at;
  if (plan.now === null) hasPassed(transaction.time(), seconds * 1_000, PUTTING);
  if (seconds <= now) throw new ContractError(PUTTING.field, `${PUTTING.field} must lie in the future`);
  if (seconds - now <= ttlMax) return seconds - now;
  throw new ContractError(PUTTING.field, `${PUTTING.field} must lie at most ${ttlMax} seconds ahead`, {
    details: { maximum: ttlMax },
  });
}

/**
 * Whether a put that expects nothing treats a row as absent: only where a purge would erase it, not where the clock was
 * ahead once and the record is merely hidden.
 */
function isReplacedAsNone(transaction: WriteTransaction, plan: PutPlan, found: RecordHead): boolean {
  return plan.replacesExpired && plan.expectedRevision === null &&
    isExpired(found.expires, plan.now ?? purgeNow(transaction.time()));
}

function assertReplaceable(
  { identity, version, expectedRevision }: PutPlan,
  old: RecordHead,
  now: number,
): void {
  if (isExpired(old.expires, now)) {
    throw new ConflictError(
      "EXPIRED",
      "Cannot put record: it has expired; purge it before you create it again",
      {
        currentRevision: old.revision,
      },
    );
  }
  if (old.revision !== expectedRevision) throw revisionConflict(expectedRevision, old.revision);
  if (old.version > version) throw newerVersion("put", { kind: identity.kind, version }, old);
}

function assertCreatable(plan: PutPlan, reserved: boolean): void {
  if (reserved) {
    throw new ConflictError("DELETED", "Cannot put record: its identity is permanently reserved", {
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

/** A record has one subject for good, unless `label` changes it: that is an event of the ledger. */
function requireSameSubject(old: RecordHead | null, subject: Uint8Array | null): void {
  if (subject === null || old === null || isSameSubject(old.subject, subject)) return;
  throw new ConflictError("SUBJECT", "Cannot put record: it has another subject, or none; label changes it", {
    currentRevision: old.revision,
  });
}

/** The row to write. The creation time never changes, `maxAge` only falls, and the deadline never exceeds it. */
export function planHead(
  plan: Pick<PutPlan, "identity" | "version" | "body" | "maxAge"> & {
    readonly ttl: number | null;
    readonly subject: Uint8Array | null;
    readonly names: readonly string[];
  },
  old: RecordHead | null,
  now: number,
  { revision, deletions }: { readonly revision: number; readonly deletions: number },
): RecordHead {
  const created = old?.created ?? now;
  const maxAge = lower(old?.maxAge ?? null, plan.maxAge);
  const expires = lower(plan.ttl === null ? null : now + plan.ttl, maxAge === null ? null : created + maxAge);
  if (isExpired(expires, now)) {
    throw new ConflictError(
      "EXPIRED",
      "Cannot put record: maxAge has passed since its creation",
      {
        currentRevision: old?.revision ?? null,
      },
    );
  }
  const { identity, version, body, subject, names } = plan;
  return {
    ...{ revision, created, maxAge, expires, version },
    born: old?.born ?? deletions,
    subject: old === null ? subject : old.subject,
    names: old === null ? encodeNames(names) : old.names,
    valueChecksum: valueChecksum(identity, { revision, expires, version, body }),
  };
}

function lower(left: number | null, right: number | null): number | null {
  if (left === null) return right;
  return right === null ? left : Math.min(left, right);
}

/** Writes a record's row; everything is validated before. */
export function* writeRecord(
  transaction: WriteTransaction,
  plan: Pick<PutPlan, "identity" | "body">,
  head: RecordHead,
): Operation<void> {
  yield* upsertRecord(transaction, plan.identity, { ...head, body: plan.body });
}
