/** A journal's place in its scope, and what a call requires of it before it goes on. */

import { itemHashOf } from "../deletion/scope_hashes.ts";
import { isReserved } from "../deletion/tombstones.ts";
import type { Operation, ReadTransaction } from "../engine/operation.ts";
import { ConflictError } from "../errors.ts";
import type { Place } from "../scopes/place.ts";
import { readScope, type ScopeRow } from "../tables/scopes.ts";
import { type JournalRow, readJournal } from "../tables/journals.ts";

/** Which journal of which scope. */
export interface JournalPlace {
  readonly place: Place;
  readonly part: string;
}

/** A journal with its scope; null for what is not there. */
interface FoundJournal {
  readonly scope: ScopeRow | null;
  readonly journal: JournalRow | null;
}

/** The hash that stands for a journal in the ledger. */
export function journalHashOf({ place: { hashKey, scope }, part }: JournalPlace): Uint8Array {
  return itemHashOf(hashKey, "journal", scope, part);
}

/** A journal; throws `DELETED` where it or its scope was deleted. What was never there counts as empty. */
export function* findJournal(
  transaction: ReadTransaction,
  { place, part }: JournalPlace,
): Operation<FoundJournal> {
  const scope = yield* readScope(transaction, place.scopeHash);
  const journal = scope === null ? null : yield* readJournal(transaction, scope, part);
  if (journal === null) yield* requireNotDeleted(transaction, { place, part });
  return { scope, journal };
}

/** Requires that neither a journal nor its scope was deleted. */
export function* requireNotDeleted(transaction: ReadTransaction, journal: JournalPlace): Operation<void> {
  if (yield* isReserved(transaction, journal.place.scopeHash)) {
    throw new ConflictError("DELETED", "The scope was deleted for ever");
  }
  if (yield* isReserved(transaction, journalHashOf(journal))) {
    throw new ConflictError("DELETED", "The journal was deleted for ever");
  }
}

/** Requires a journal's revision; 0 stands for a journal that is not there. */
export function requireJournalRevision(journal: JournalRow | null, expected: number | null): void {
  const currentRevision = journal?.revision ?? 0;
  if (expected === null || currentRevision === expected) return;
  throw new ConflictError("REVISION", `Expected journal revision ${expected}, found ${currentRevision}`, {
    currentRevision,
  });
}

/** A journal's revision; 0 if there is none. */
export function* readJournalRevision(
  transaction: ReadTransaction,
  place: JournalPlace,
): Operation<number> {
  return (yield* findJournal(transaction, place)).journal?.revision ?? 0;
}
