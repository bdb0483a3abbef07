/** Reading a journal in pages; no statement stays open between two pages. */

import type { Damage } from "../engine/damage.ts";
import type { Operation, ReadTransaction } from "../engine/operation.ts";
import { ConflictError } from "../errors.ts";
import { JOURNAL_ENTRIES_PER_PAGE } from "../limits.ts";
import { type EntryFields, SELECT_ENTRIES, SELECT_PLACE_BEFORE, toEntry } from "../tables/journal_entries.ts";
import type { JournalRow } from "../tables/journals.ts";
import { findJournal, type JournalPlace } from "./journal_place.ts";

/** Which entries are read. */
interface EntryRange {
  readonly last: number | null;
  readonly after: number;
  readonly before: number;
}

/** A journal as it was when a read began, and which of its places are read. */
export interface JournalView {
  readonly journal: JournalRow;
  readonly first: number;
  readonly last: number;
}

/** Where a read begins and ends; null where there is nothing to read. */
export function* viewJournal(
  transaction: ReadTransaction,
  place: JournalPlace,
  { last, after, before }: EntryRange,
): Operation<JournalView | null> {
  const { journal } = yield* findJournal(transaction, place);
  if (journal === null || last === 0) return null;
  const end = Math.min(journal.last, before - 1);
  const found = last === null
    ? undefined
    : yield* transaction.get(SELECT_PLACE_BEFORE, journal.id, end + 1, last - 1);
  return { journal, first: Math.max(after + 1, found === undefined ? 1 : found[0] as number), last: end };
}

/** A page of entries, and the place at which the next begins; null once there is none. */
interface EntryPage {
  readonly entries: readonly EntryFields[];
  readonly next: number | null;
}

/** The page from a place on. */
export function* readEntryPage(
  transaction: ReadTransaction,
  { journal: place, view, damage }: {
    readonly journal: JournalPlace;
    readonly view: JournalView;
    readonly damage: Damage;
  },
  from: number,
): Operation<EntryPage> {
  const { scope, journal } = yield* findJournal(transaction, place);
  if (scope === null || journal === null || !isAsViewed(journal, view)) throw changedMeanwhile();
  const rows = yield* transaction.all(SELECT_ENTRIES, journal.id, from, view.last, JOURNAL_ENTRIES_PER_PAGE);
  const entries = rows.map((row) => damage.read(() => toEntry(row, { ...scope, ...journal })));
  return {
    entries: entries.filter((entry) => entry !== undefined),
    next: rows.length < JOURNAL_ENTRIES_PER_PAGE ? null : rows.at(-1)![1] as number + 1,
  };
}

/** Whether what was viewed is still there; what was appended since does not matter. */
export function isAsViewed(now: JournalRow | null, { journal }: Pick<JournalView, "journal">): boolean {
  return now !== null && now.id === journal.id && now.rewritten <= journal.revision;
}

/** Entries that were read before went, or were replaced. */
export function changedMeanwhile(): ConflictError {
  return new ConflictError("SNAPSHOT", "The journal has changed while it was read");
}
