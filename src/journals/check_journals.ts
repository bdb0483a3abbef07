/** Checks every journal and entry, and that totals, places and uuids agree. */

import type { CheckCollector } from "../engine/check_collector.ts";
import type { Engine } from "../engine/engine.ts";
import type { Operation, ReadTransaction } from "../engine/operation.ts";
import type { Row, SqlValue } from "../engine/values.ts";
import { CHECK_ATTEMPTS_PER_SCOPE, CHECK_ROWS_PER_BATCH } from "../limits.ts";
import { SELECT_ENTRIES, toEntry, toEntryFields } from "../tables/journal_entries.ts";
import {
  type JournalRow,
  SELECT_JOURNAL_BY_ROW,
  SELECT_JOURNALS_AFTER,
  toJournalRow,
} from "../tables/journals.ts";
import { SELECT_SCOPE_BY_ROW, toScopeRow } from "../tables/scopes.ts";

type Reading = <T>(factory: (transaction: ReadTransaction) => Operation<T>) => Promise<T>;

/** Looks through all journals; what is damaged goes to the collector. */
export async function checkJournals(
  engine: Pick<Engine, "read">,
  collector: CheckCollector,
): Promise<void> {
  const read: Reading = (factory) => engine.read(factory, { concerns: () => false });
  try {
    for (let after = Number.MIN_SAFE_INTEGER;;) {
      const from = after;
      const rows = await read((transaction) =>
        transaction.all(SELECT_JOURNALS_AFTER, from, CHECK_ROWS_PER_BATCH)
      );
      for (const row of rows) {
        after = row[0] as number;
        await checkWhileItRests(read, collector, row);
      }
      await collector.batch("journals", rows.length);
      if (rows.length < CHECK_ROWS_PER_BATCH) return;
    }
  } catch (error) {
    collector.caught("main", "journals", error);
  }
}

/** A journal is read in several goes; what was found counts only if it did not change meanwhile. */
async function checkWhileItRests(read: Reading, collector: CheckCollector, found: Row): Promise<void> {
  for (let attempt = 0, row: Row | undefined = found; attempt < CHECK_ATTEMPTS_PER_SCOPE && row; attempt++) {
    const mark = collector.mark();
    await checkJournal(read, collector, row);
    if (!collector.hasProblemSince(mark)) return;
    const now: Row | undefined = await read((transaction) =>
      transaction.get(SELECT_JOURNAL_BY_ROW, found[0] as SqlValue)
    );
    if (JSON.stringify(now) === JSON.stringify(row)) return;
    collector.takeBack(mark);
    row = now;
  }
}

async function checkJournal(read: Reading, collector: CheckCollector, row: Row): Promise<void> {
  const scopeRow = await read((transaction) => transaction.get(SELECT_SCOPE_BY_ROW, row[1] as SqlValue));
  // A journal without a scope hangs from nothing, and is counted where such rows are; so is a damaged scope.
  if (scopeRow === undefined) return;
  let place = `journal ${row[0]}`;
  try {
    const scope = toScopeRow(scopeRow);
    const journal = toJournalRow(row, scope);
    place = `${scope.tenant}/${scope.session}/${journal.part}`;
    await checkEntries(read, collector, { journal, place, tenant: scope.tenant, session: scope.session });
  } catch (error) {
    collector.caught("main", "journals", error, place);
  }
}

async function checkEntries(read: Reading, collector: CheckCollector, { journal, place, ...scope }: {
  readonly journal: JournalRow;
  readonly place: string;
  readonly tenant: string;
  readonly session: string;
}): Promise<void> {
  let [from, entries, bytes] = [Number.MIN_SAFE_INTEGER, 0, 0];
  let isInPlace = journal.rewritten <= journal.revision;
  for (let isMore = true; isMore;) {
    const bounds = [from, Number.MAX_SAFE_INTEGER] as const;
    const rows = await read((transaction) =>
      transaction.all(SELECT_ENTRIES, journal.id, ...bounds, CHECK_ROWS_PER_BATCH)
    );
    for (const row of rows) {
      const fields = toEntryFields(row);
      from = fields.place + 1;
      entries++;
      bytes += fields.bytes;
      isInPlace &&= fields.place >= 1 && fields.place <= journal.last && fields.revision <= journal.revision;
      try {
        toEntry(row, { ...scope, ...journal });
      } catch (error) {
        collector.caught("main", "journal_entries", error, `${place}/${fields.place}`);
      }
    }
    await collector.batch("journal_entries", rows.length);
    isMore = rows.length === CHECK_ROWS_PER_BATCH;
  }
  const problem = (text: string): void => collector.problem("main", "journals", text, place);
  if (entries !== journal.entries) problem("The number of entries is wrong");
  if (bytes !== journal.bytes) problem("The size of the entries is wrong");
  if (!isInPlace) problem("An entry is where or when none can be");
}
