/**
 * Takes what is damaged out of the journals of a copy: an entry alone, or a journal whose own row cannot be relied on.
 * Totals are corrected. A restore moves the revisions of every journal to a new range, so that no floor is needed.
 */

import { nothingErased } from "../deletion/cascade.ts";
import { eraseJournal } from "../deletion/erase_journals.ts";
import type { Damage } from "../engine/damage.ts";
import type { Operation, WriteTransaction } from "../engine/operation.ts";
import type { SqlValue } from "../engine/values.ts";
import { CHECK_ROWS_PER_BATCH } from "../limits.ts";
import { SELECT_ENTRIES, toEntry } from "../tables/journal_entries.ts";
import {
  type JournalRow,
  SELECT_JOURNALS,
  SUM_JOURNALS,
  toJournalRow,
  toJournalUnchecked,
  writeJournal,
} from "../tables/journals.ts";
import { type ScopeRow, SELECT_SCOPE_BY_ROW, toScopeRow, writeScope } from "../tables/scopes.ts";

/** What mending goes by. */
interface Mending {
  readonly hashKey: Uint8Array;
  /** What was left out is noted here. */
  readonly damage: Damage;
}

const DELETE_STRAY_JOURNALS = `DELETE FROM journals WHERE scope NOT IN (SELECT id FROM scopes)`;
const DELETE_STRAY_ENTRIES = `DELETE FROM journal_entries WHERE journal NOT IN (SELECT id FROM journals)`;

/** Takes out what hangs from nothing, once the scopes are mended. */
export function* mendStrayJournals(transaction: WriteTransaction, { damage }: Mending): Operation<void> {
  for (
    const [table, sql] of [["journals", DELETE_STRAY_JOURNALS], ["journal_entries", DELETE_STRAY_ENTRIES]]
  ) {
    if ((yield* transaction.run(sql!)) === 0) continue;
    transaction.markDirty(table!);
    damage.noteRow({ table: table! });
  }
}

/** Mends the journals of a scope that was mended itself. */
export function* mendJournals(
  transaction: WriteTransaction,
  scopeId: number,
  { hashKey, damage }: Mending,
): Operation<void> {
  const found = yield* transaction.get(SELECT_SCOPE_BY_ROW, scopeId);
  if (found === undefined) return;
  const scope = toScopeRow(found);
  const before = { ...scope };
  for (const row of yield* transaction.all(SELECT_JOURNALS, scope.id)) {
    const journal = damage.read(() => toJournalRow(row, scope));
    if (journal !== undefined) yield* mendEntries(transaction, scope, journal, damage);
    else {
      const change = { transaction, row: scope, hashKey, erased: nothingErased() };
      yield* eraseJournal(change, toJournalUnchecked(row).row);
    }
  }
  const [journals, journalBytes] = (yield* transaction.get(SUM_JOURNALS, scope.id))! as readonly number[];
  if (journals === before.journals && journalBytes === before.journalBytes) return;
  yield* writeScope(transaction, { ...scope, journals: journals!, journalBytes: journalBytes! });
}

const DELETE_ENTRY = `DELETE FROM journal_entries WHERE journal = $1 AND place = $2`;
const SUM_ENTRIES = `SELECT count(*), coalesce(sum(bytes), 0), coalesce(max(place), 0)
  FROM journal_entries WHERE journal = $1`;

function* mendEntries(
  transaction: WriteTransaction,
  scope: ScopeRow,
  journal: JournalRow,
  damage: Damage,
): Operation<void> {
  for (let from: number | null = Number.MIN_SAFE_INTEGER; from !== null;) {
    const page: readonly (readonly SqlValue[])[] = yield* transaction.all(
      SELECT_ENTRIES,
      journal.id,
      from,
      Number.MAX_SAFE_INTEGER,
      CHECK_ROWS_PER_BATCH,
    );
    for (const row of page) {
      if (damage.read(() => toEntry(row, { ...scope, ...journal })) !== undefined) continue;
      yield* transaction.run(DELETE_ENTRY, journal.id, row[1]!);
      transaction.markDirty("journal_entries");
    }
    from = page.length < CHECK_ROWS_PER_BATCH ? null : page.at(-1)![1] as number + 1;
  }
  const [entries, bytes, last] = (yield* transaction.get(SUM_ENTRIES, journal.id))! as readonly number[];
  if (entries === journal.entries && bytes === journal.bytes && last! <= journal.last) return;
  journal.last = Math.max(journal.last, last!);
  yield* writeJournal(transaction, { ...journal, entries: entries!, bytes: bytes! });
}
