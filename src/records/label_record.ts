/** Sets the person whose record it is: an event of the ledger, so that a restore of an older backup knows it too. */

import { toHex } from "../canonical/keyed_hash.ts";
import type { Operation, RecordedEvent, WriteTransaction } from "../engine/operation.ts";
import { IntegrityError } from "../errors.ts";
import { relabelRecord } from "../tables/record_rows.ts";
import { type Identity, type RecordHead, toHead } from "../tables/records.ts";
import { findRecord } from "./forget.ts";
import { SELECT_RECORD_HEAD, type Subject } from "./put.ts";

/** A label, validated. */
interface LabelPlan {
  readonly identity: Identity;
  readonly scopeHash: Uint8Array;
  readonly keyHash: Uint8Array;
  /** Null removes it. */
  readonly subject: Subject | null;
}

/** Labels a record; returns whether there is one. */
export function* labelRecord(transaction: WriteTransaction, plan: LabelPlan): Operation<boolean> {
  const { identity, scopeHash, keyHash, subject } = plan;
  const head = yield* readHead(transaction, identity);
  if (head === null) return false;
  if (hexOf(head.subjectHash) === hexOf(subject?.hash ?? null)) return true;
  yield* relabelRecord(transaction, identity, {
    ...head,
    born: transaction.deletions() + 1,
    subjectHash: subject?.hash ?? null,
    subject: subject?.text ?? null,
  });
  const hashes = subject === null ? {} : { hashes: [subject.hash] };
  transaction.record({
    kind: "subject",
    scopeHash,
    keyHash,
    reserved: false,
    floor: 0,
    counts: {},
    ...hashes,
  });
  return true;
}

/** Applies a label that an event says. The person's name is known where the record had the same label before. */
export function* applyRecordLabel(
  transaction: WriteTransaction,
  event: RecordedEvent,
  hashKey: Uint8Array,
): Operation<void> {
  const identity = yield* findRecord(transaction, event, hashKey);
  if (identity === undefined) return;
  const head = yield* readIntactHead(transaction, identity);
  const subjectHash = event.hashes?.[0] ?? null;
  if (head === null || hexOf(head.subjectHash) === hexOf(subjectHash)) return;
  yield* relabelRecord(transaction, identity, { ...head, born: event.sequence, subjectHash, subject: null });
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

function hexOf(hash: Uint8Array | null): string | null {
  return hash === null ? null : toHex(hash);
}
