/** Decides whether an imported item was deleted here, so that an import brings nothing back. */

import { hashOfSubject } from "../tables/subjects.ts";
import { tombstoneOf } from "../deletion/tombstones.ts";
import {
  type DeletionKind,
  type Operation,
  type ReadTransaction,
  type RecordedEvent,
  together,
} from "../engine/operation.ts";

/** The origin of lines. */
export interface Origin {
  /** The number of deletions applied when they were exported; null if they come from another store. */
  readonly sequence: number | null;
}

/**
 * Whether an import refuses a turn or pin. It does if the identifier is permanently reserved, if the revision is not above
 * the minimum revision, or, in lines of this same store, if the identifier was deleted after they were exported.
 */
export function* isItemRefused(
  transaction: ReadTransaction,
  { scopeHash, keyHash }: { readonly scopeHash: Uint8Array; readonly keyHash: Uint8Array },
  revision: number,
  origin: Origin,
): Operation<boolean> {
  const { reserved, floor } = yield* tombstoneOf(transaction, scopeHash, keyHash);
  if (reserved || revision <= floor) return true;
  return yield* wasDeletedSince(transaction, keyHash, origin);
}

/**
 * Whether an import refuses a record, likewise. Revisions of records count within one store, so a record from another store cannot
 * be compared and is refused if its identity was ever forgotten here.
 */
export function* isRecordRefused(
  transaction: ReadTransaction,
  keyHash: Uint8Array,
  revision: number,
  { sequence }: Origin,
): Operation<boolean> {
  const events = (yield* transaction.eventsOf(keyHash)).filter(({ kind }) => kind !== "subject");
  if (sequence === null) return events.length > 0;
  return events.some((event) => event.reserved || revision <= event.floor || event.sequence > sequence);
}

/**
 * A journal is refused where its part was deleted for ever, or cleared after the lines were written. Its entries have no
 * revision that another store would know: of a journal that was ever cleared here, another store's is refused.
 */
export function* isJournalRefused(
  transaction: ReadTransaction,
  keyHash: Uint8Array,
  { sequence }: Origin,
): Operation<boolean> {
  const events = yield* transaction.eventsOf(keyHash);
  return events.some((event) => event.reserved || sequence === null || event.sequence > sequence);
}

function* wasDeletedSince(
  transaction: ReadTransaction,
  keyHash: Uint8Array,
  { sequence }: Origin,
): Operation<boolean> {
  if (sequence === null) return false;
  return (yield* transaction.eventsOf(keyHash)).some((event) => event.sequence > sequence);
}

/** The hash of whose something is, by its line. A hash in the lines of another store says nothing here. */
export function subjectOf(
  hashKey: Uint8Array,
  tenant: string,
  { subject, subjectHash }: { readonly subject: string | null; readonly subjectHash: Uint8Array | null },
  { sequence }: Origin,
): Uint8Array | null {
  if (subject !== null) return hashOfSubject(hashKey, tenant, subject);
  return sequence === null ? null : subjectHash;
}

/** What an erasure may cover: a scope or record, and whose it is according to its line. */
interface OwnedPlace {
  readonly tenantHash: Uint8Array;
  /** The hash under which labels of it stand. */
  readonly keyHash: Uint8Array;
  /** The hash of its subject in the line; null if it has none. */
  readonly subject: Uint8Array | null;
}

/** Whose something is now, and whether it was erased since its line was exported. */
interface Ownership {
  readonly subject: Uint8Array | null;
  readonly isErased: boolean;
}

/**
 * Whose a scope or record of this store's own lines is, by the labels since its export, and whether it was erased since with
 * its tenant or with whose it was at that moment. Lines of another store are as they say.
 */
export function* ownershipOf(
  transaction: ReadTransaction,
  { tenantHash, keyHash, subject }: OwnedPlace,
  { sequence: from }: Origin,
): Operation<Ownership> {
  if (from === null) return { subject, isErased: false };
  const isNewer = (kind: DeletionKind) => (event: RecordedEvent): boolean =>
    event.kind === kind && event.sequence > from;
  const [own, tenant] = yield* together([transaction.eventsOf(keyHash), transaction.eventsOf(tenantHash)]);
  const labels = own.filter(isNewer("subject"));
  let isErased = tenant.some(isNewer("erase"));
  let [begin, whose] = [from, subject];
  for (const label of [...labels, null]) {
    const end = label?.sequence ?? Infinity;
    const erasures = whose === null ? [] : yield* transaction.eventsOf(whose);
    isErased ||= erasures.some((event) =>
      event.kind === "erase" && event.sequence > begin && event.sequence < end
    );
    if (label !== null) [begin, whose] = [end, label.hashes?.[0] ?? null];
  }
  return { subject: whose, isErased };
}
