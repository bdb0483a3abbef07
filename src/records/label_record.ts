/** Sets the person whose record it is: an event of the ledger, so that a restore of an older backup knows it too. */

import { recordLabel } from "../deletion/apply_label.ts";
import type { Operation, RecordedEvent, WriteTransaction } from "../engine/operation.ts";
import { IntegrityError } from "../errors.ts";
import { relabelRecord } from "../tables/record_rows.ts";
import { encodeNames, type Identity, namesOf, type RecordHead, toHead } from "../tables/records.ts";
import { hashOfSubjectOrNull, isSameSubject, namesOfSubject } from "../tables/subjects.ts";
import { findRecord } from "./forget.ts";
import { SELECT_RECORD_HEAD } from "./put.ts";

/** A label, validated. */
interface LabelPlan {
  readonly identity: Identity;
  readonly hashKey: Uint8Array;
  readonly scopeHash: Uint8Array;
  readonly keyHash: Uint8Array;
  /** The name of the person; null removes it. */
  readonly subject: string | null;
}

/** Notes the name that a record is about to have, besides its own; returns whose the record is now. */
export function* nameRecord(
  transaction: WriteTransaction,
  { identity, hashKey, subject }: LabelPlan,
): Operation<"none" | "same" | "other"> {
  const head = yield* readHead(transaction, identity);
  if (head === null) return "none";
  if (isSameSubject(head.subject, hashOfSubjectOrNull(hashKey, identity.tenantId, subject))) return "same";
  if (subject !== null) {
    const names = [...namesFor(hashKey, identity, head), subject];
    yield* relabelRecord(transaction, identity, { ...head, names: encodeNames(names) });
  }
  return "other";
}

/** Labels a record; returns whether there is one. */
export function* labelRecord(transaction: WriteTransaction, plan: LabelPlan): Operation<boolean> {
  const { identity, hashKey, scopeHash, keyHash } = plan;
  const head = yield* readHead(transaction, identity);
  if (head === null) return false;
  const subject = hashOfSubjectOrNull(hashKey, identity.tenantId, plan.subject);
  yield* relabel(transaction, identity, {
    ...{ hashKey, head, subject, event: transaction.deletions() + 1 },
  });
  recordLabel(transaction, { scopeHash, keyHash }, subject);
  return true;
}

/** Applies a label that an event says. */
export function* applyRecordLabel(
  transaction: WriteTransaction,
  event: RecordedEvent,
  hashKey: Uint8Array,
): Operation<void> {
  const identity = yield* findRecord(transaction, event, hashKey);
  if (identity === undefined) return;
  const head = yield* readIntactHead(transaction, identity);
  if (head === null) return;
  const subject = event.hashes?.[0] ?? null;
  yield* relabel(transaction, identity, { hashKey, head, subject, event: event.sequence });
}

function* relabel(
  transaction: WriteTransaction,
  identity: Identity,
  { hashKey, head, subject, event }: {
    readonly hashKey: Uint8Array;
    readonly head: RecordHead;
    readonly subject: Uint8Array | null;
    readonly event: number;
  },
): Operation<void> {
  const names = encodeNames(namesFor(hashKey, identity, { ...head, subject }));
  yield* relabelRecord(transaction, identity, { ...head, born: event, subject, names });
}

/** The name of whose record it is, if it is known. */
function namesFor(
  hashKey: Uint8Array,
  { tenantId: tenant }: Identity,
  head: Pick<RecordHead, "subject" | "names">,
): readonly string[] {
  return namesOfSubject(hashKey, { tenant, subject: head.subject, names: namesOf(head) });
}

function* readHead(transaction: WriteTransaction, identity: Identity): Operation<RecordHead | null> {
  const { tenantId, kind, key } = identity;
  const row = yield* transaction.get(SELECT_RECORD_HEAD, tenantId, kind, key);
  return row === undefined ? null : toHead(identity, row);
}

/** A damaged row is left as it is: a fresh checksum would hide the damage, and a refusal would stop every tenant. */
function* readIntactHead(transaction: WriteTransaction, identity: Identity): Operation<RecordHead | null> {
  try {
    return yield* readHead(transaction, identity);
  } catch (error) {
    if (error instanceof IntegrityError) return null;
    throw error;
  }
}
