/** Importing records: written only where nothing is, with the revision, creation and deadline that they had. */

import type { Operation, WriteTransaction } from "../engine/operation.ts";
import { mayBeKept } from "../engine/revision_range.ts";
import { recordHash } from "../records/hashes.ts";
import { writeRecord } from "../records/put.ts";
import { type RawRecord, readRecord } from "../records/read.ts";
import { isExpired, valueChecksum } from "../records/row.ts";
import type { ImportedRecord } from "./parse_record.ts";
import { isRecordRefused, type Origin } from "./tombstone_pass.ts";

/** What became of a line. */
export type Outcome = "imported" | "unchanged" | "conflicting" | "refused" | "expired";

/** What records are imported into. */
interface RecordPlace {
  readonly hashKey: Uint8Array;
  readonly generation: number;
  readonly origin: Origin;
}

/** Imports records; gives what became of each. */
export function* importRecords(
  transaction: WriteTransaction,
  records: readonly ImportedRecord[],
  place: RecordPlace,
): Operation<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const record of records) outcomes.push(yield* importRecord(transaction, record, place));
  return outcomes;
}

function* importRecord(
  transaction: WriteTransaction,
  record: ImportedRecord,
  { hashKey, generation, origin }: RecordPlace,
): Operation<Outcome> {
  const { identity, body, created, maxAge, expires } = record;
  const nowSeconds = Math.floor(transaction.time().effectiveMs / 1_000);
  if (isExpired(expires, nowSeconds)) return "expired";
  const old = yield* readRecord(transaction, identity);
  if (old !== null) return isSame(old, record) ? "unchanged" : "conflicting";
  if (yield* isRecordRefused(transaction, recordHash(hashKey, identity), record.revision, origin)) {
    return "refused";
  }
  const revision = takeRevision(transaction, record.revision, generation);
  yield* writeRecord(transaction, { identity, body }, {
    revision,
    created,
    maxAge,
    expires,
    valueChecksum: valueChecksum(identity, { revision, expires, body }),
  });
  return "imported";
}

/** A revision is where the value stands in a store's count, and no part of it. */
function isSame({ head, body }: RawRecord, record: ImportedRecord): boolean {
  return body === record.body && head.created === record.created && head.maxAge === record.maxAge &&
    head.expires === record.expires;
}

/**
 * The revision that the record had, so that whoever holds it can go on with it; no put is given it again. Each restore
 * begins a range of its own, which nothing from outside may enter or use up: beyond, the record takes the next
 * revision of this store.
 */
function takeRevision(transaction: WriteTransaction, revision: number, generation: number): number {
  if (!mayBeKept(revision, generation)) return transaction.nextRevision();
  transaction.skipRevisions(revision);
  return revision;
}
