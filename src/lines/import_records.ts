/** Importing records: written only where nothing is, with the revision, creation and deadline that they had. */

import { hasPassed } from "../engine/effective_time.ts";
import type { Operation, WriteTransaction } from "../engine/operation.ts";
import { mayBeKept } from "../engine/revision_range.ts";
import { ConflictError } from "../errors.ts";
import { CLOCK_BEHIND_MS_MAX } from "../limits.ts";
import { recordHash } from "../records/record_hashes.ts";
import { writeRecord } from "../records/put.ts";
import { type RawRecord, readRecord } from "../records/read.ts";
import { valueChecksum } from "../tables/records.ts";
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

/** What became of each line; where one did not fit, of those before it, and why. */
export interface Outcomes {
  readonly outcomes: readonly Outcome[];
  readonly failure: ConflictError | null;
}

/** Imports lines in order, up to the first that does not fit. */
export function* importEach<Item>(
  items: readonly Item[],
  importOne: (item: Item) => Operation<Outcome>,
): Operation<Outcomes> {
  const outcomes: Outcome[] = [];
  try {
    for (const item of items) outcomes.push(yield* importOne(item));
    return { outcomes, failure: null };
  } catch (error) {
    // A line is validated before anything of it is written: those before it stand.
    if (error instanceof ConflictError) return { outcomes, failure: error };
    throw error;
  }
}

/** Imports records. */
export function importRecords(
  transaction: WriteTransaction,
  records: readonly ImportedRecord[],
  place: RecordPlace,
): Operation<Outcomes> {
  return importEach(records, (record) => importRecord(transaction, record, place));
}

const IMPORT = { action: "import line", toleratedMs: CLOCK_BEHIND_MS_MAX };

/** Whether a line's deadline has passed. Where only a clock that is behind makes it seem so, the line is not left out. */
export function isPast(transaction: WriteTransaction, dueMs: number | null): boolean {
  return dueMs !== null && hasPassed(transaction.time(), dueMs, IMPORT);
}

function* importRecord(
  transaction: WriteTransaction,
  record: ImportedRecord,
  { hashKey, generation, origin }: RecordPlace,
): Operation<Outcome> {
  const { identity, body, created, maxAge, expires } = record;
  if (isPast(transaction, expires === null ? null : expires * 1_000)) return "expired";
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
