/** Taking the newest entries off a journal: an edit, of which the ledger knows nothing. */

import { eraseEntriesFrom } from "../deletion/erase_journals.ts";
import { type Operation, together, type WriteTransaction } from "../engine/operation.ts";
import { changeOf } from "../scopes/present_scope.ts";
import { type EntryFields, SELECT_ENTRIES, SELECT_PLACE_BEFORE, toEntry } from "../tables/journal_entries.ts";
import { writeJournal } from "../tables/journals.ts";
import { noteWriting, writeScope } from "../tables/scopes.ts";
import { findJournal, type JournalPlace, requireJournalRevision } from "./journal_place.ts";

/** A pop, validated. */
interface PopPlan extends JournalPlace {
  readonly count: number;
  readonly expectedRevision: number | null;
}

/** Takes the newest entries off; returns them, oldest first. */
export function* popEntries(transaction: WriteTransaction, plan: PopPlan): Operation<readonly EntryFields[]> {
  const { scope, journal } = yield* findJournal(transaction, plan);
  requireJournalRevision(journal, plan.expectedRevision);
  if (scope === null || journal === null || journal.entries === 0) return [];
  const from = yield* transaction.get(SELECT_PLACE_BEFORE, journal.id, journal.last + 1, plan.count - 1);
  const first = from === undefined ? 1 : from[0] as number;
  const rows = yield* transaction.all(SELECT_ENTRIES, journal.id, first, journal.last, plan.count);
  const entries = rows.map((row) => toEntry(row, { ...scope, ...journal }));
  yield* together([
    noteWriting(transaction, scope),
    eraseEntriesFrom(changeOf(transaction, plan.place, scope), journal, first),
  ]);
  yield* writeJournal(transaction, journal);
  yield* writeScope(transaction, scope);
  return entries;
}
