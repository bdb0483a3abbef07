/** Erasing journals and their entries. Nothing here parses what it erases, so that damage never stands in the way. */

import type { Operation } from "../engine/operation.ts";
import type { JournalRow } from "../tables/journals.ts";
import type { Change, ContentsChange } from "./cascade.ts";

const SUM_BYTES_FROM =
  `SELECT coalesce(sum(bytes), 0) FROM journal_entries WHERE journal = $1 AND place >= $2`;
const DELETE_ENTRIES_FROM = `DELETE FROM journal_entries WHERE journal = $1 AND place >= $2`;

/**
 * Erases the entries of a journal from a place on: all of them from 0. Its revision moves by one. The caller writes both
 * rows, of the journal and of the scope.
 */
export function* eraseEntriesFrom(
  { transaction, row, erased }: Change,
  journal: JournalRow,
  from: number,
): Operation<void> {
  const bytes = (yield* transaction.get(SUM_BYTES_FROM, journal.id, from))![0] as number;
  const removed = yield* transaction.run(DELETE_ENTRIES_FROM, journal.id, from);
  if (removed > 0) transaction.markDirty("journal_entries");
  erased.entries += removed;
  journal.entries -= removed;
  journal.bytes -= bytes;
  row.journalBytes -= bytes;
  journal.last = Math.min(journal.last, Math.max(0, from - 1));
  journal.rewritten = ++journal.revision;
}

const DELETE_JOURNAL = `DELETE FROM journals WHERE id = $1`;

/** Erases a journal with its entries. The caller writes the scope's row. */
export function* eraseJournal(change: Change, journal: JournalRow): Operation<void> {
  const { transaction, row, erased } = change;
  yield* eraseEntriesFrom(change, journal, 0);
  const removed = yield* transaction.run(DELETE_JOURNAL, journal.id);
  transaction.markDirty("journals");
  erased.journals += removed;
  row.journals -= removed;
}

const DELETE_ENTRIES_OF_SCOPE = `DELETE FROM journal_entries
  WHERE journal IN (SELECT id FROM journals WHERE scope = $1)`;
const DELETE_JOURNALS_OF_SCOPE = `DELETE FROM journals WHERE scope = $1`;

/** Erases all journals of a scope. */
export function* eraseJournalsOfScope({ transaction, row, erased }: ContentsChange): Operation<void> {
  const entries = yield* transaction.run(DELETE_ENTRIES_OF_SCOPE, row.id);
  const journals = yield* transaction.run(DELETE_JOURNALS_OF_SCOPE, row.id);
  if (entries > 0) transaction.markDirty("journal_entries");
  if (journals > 0) transaction.markDirty("journals");
  erased.entries += entries;
  erased.journals += journals;
}
