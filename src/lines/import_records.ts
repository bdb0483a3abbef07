/** Imports records that do not exist here, with their own revision, creation time and deadline. */

import { tenantHash } from "../deletion/scope_hashes.ts";
import { isSameSubject } from "../tables/subjects.ts";
import { hasPassed } from "../engine/effective_time.ts";
import { type Operation, together, type WriteTransaction } from "../engine/operation.ts";
import { mayBeKept } from "../engine/revision_range.ts";
import { ConflictError, ContractError } from "../errors.ts";
import { CLOCK_BEHIND_MS_MAX } from "../limits.ts";
import { writeRecord } from "../records/put.ts";
import { type RawRecord, readRecord } from "../records/read.ts";
import { encodeNames, namesOf, recordHash, valueChecksum } from "../tables/records.ts";
import type { ImportedRecord } from "./parse_record.ts";
import { isRecordRefused, type Origin, ownershipOf, subjectOf } from "./tombstone_pass.ts";

/** The outcome of a line. */
export type Outcome = "imported" | "unchanged" | "conflicting" | "refused" | "expired";

/** The store that records are imported into. */
interface RecordPlace {
  readonly hashKey: Uint8Array;
  readonly generation: number;
  readonly origin: Origin;
}

/** The outcome of each line; if one failed, of those before it, and its error. */
export interface Outcomes {
  readonly outcomes: readonly Outcome[];
  readonly failure: ConflictError | ContractError | null;
}

/** Imports items in order, up to the first that conflicts. */
export function* importEach<Item>(
  items: readonly Item[],
  importOne: (item: Item) => Operation<Outcome>,
): Operation<Outcomes> {
  const outcomes: Outcome[] = [];
  try {
    for (const item of items) outcomes.push(yield* importOne(item));
    return { outcomes, failure: null };
  } catch (error) {
    // An item is validated before any of it is written, so the earlier ones remain.
    if (error instanceof ConflictError || error instanceof ContractError) return { outcomes, failure: error };
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

/** Whether a line's deadline has passed. Throws `CLOCK` if only the highest time seen, not the clock, is past it. */
export function isPast(transaction: WriteTransaction, expiresMs: number | null): boolean {
  return expiresMs !== null && hasPassed(transaction.time(), expiresMs, IMPORT);
}

function* importRecord(
  transaction: WriteTransaction,
  record: ImportedRecord,
  { hashKey, generation, origin }: RecordPlace,
): Operation<Outcome> {
  const { identity, version, body, created, maxAge, expires, subject } = record;
  if (isPast(transaction, expires === null ? null : expires * 1_000)) return "expired";
  const old = yield* readRecord(transaction, identity);
  if (old !== null) return isSame(old, record) ? "unchanged" : "conflicting";
  const keyHash = recordHash(hashKey, identity);
  const given = subjectOf(hashKey, identity.tenantId, record, origin);
  const place = { tenantHash: tenantHash(hashKey, identity.tenantId), keyHash, subject: given };
  const [isRefused, owner] = yield* together([
    isRecordRefused(transaction, keyHash, record.revision, origin),
    ownershipOf(transaction, place, origin),
  ]);
  if (isRefused || owner.isErased) return "refused";
  const revision = takeRevision(transaction, record.revision, generation);
  yield* writeRecord(transaction, { identity, body }, {
    revision,
    created,
    maxAge,
    expires,
    version,
    born: transaction.deletions(),
    subject: owner.subject,
    names: subject === null || !isSameSubject(owner.subject, given) ? null : encodeNames([subject]),
    valueChecksum: valueChecksum(identity, { revision, expires, version, body }),
  });
  return "imported";
}

/** Compares all but the revision, which counts the writes of a store and is no part of the value. */
function isSame({ head, body }: RawRecord, record: ImportedRecord): boolean {
  return body === record.body && head.version === record.version && head.created === record.created &&
    head.maxAge === record.maxAge && head.expires === record.expires &&
    (record.subject === null || head.names === null || namesOf(head).includes(record.subject));
}

/**
 * The revision of an imported record: its own, so that programs that know it can continue. No put gets it again.
 * Imports must not exhaust the range of revisions that a restore begins, so a record whose revision is too high for this
 * generation gets the store's next one.
 */
function takeRevision(transaction: WriteTransaction, revision: number, generation: number): number {
  if (!mayBeKept(revision, generation)) return transaction.nextRevision();
  transaction.skipRevisions(revision);
  return revision;
}
