/** A journal for an export: as it is at one moment, or page by page while none of its entries goes. */

import type { Damage } from "../engine/damage.ts";
import type { Operation, ReadTransaction } from "../engine/operation.ts";
import type { Row } from "../engine/values.ts";
import { EXPORT_ROWS_PER_PAGE } from "../limits.ts";
import { isAsViewed } from "../journals/read_entries.ts";
import { SELECT_ENTRIES, toEntry } from "../tables/journal_entries.ts";
import { type JournalRow, readJournal, SELECT_JOURNALS, toJournalUnchecked } from "../tables/journals.ts";
import { readScope, type ScopeRow } from "../tables/scopes.ts";
import { entryLine, entryOutline, journalLine, journalOutline } from "./line.ts";

/** What is read, and how. */
export interface JournalPlan {
  readonly scopeHash: Uint8Array;
  readonly part: string;
  readonly content: boolean;
  /** What becomes of damaged entries. */
  readonly damage: Damage;
}

/** A journal without its entries. */
export interface ViewedJournal {
  readonly journal: JournalRow;
  /** The journal's line. */
  readonly opening: string;
  /** How many deletions had been applied. */
  readonly applied: number;
}

/** The parts of a scope's journals. */
export function* readParts(
  transaction: ReadTransaction,
  scopeHash: Uint8Array,
): Operation<readonly string[]> {
  const scope = yield* readScope(transaction, scopeHash);
  if (scope === null || scope.journals === 0) return [];
  const rows = yield* transaction.all(SELECT_JOURNALS, scope.id);
  return rows.map((row) => toJournalUnchecked(row).row.part);
}

function* find(
  transaction: ReadTransaction,
  { scopeHash, part }: JournalPlan,
): Operation<{ readonly scope: ScopeRow; readonly journal: JournalRow } | null> {
  const scope = yield* readScope(transaction, scopeHash);
  const journal = scope === null ? null : yield* readJournal(transaction, scope, part);
  return scope === null || journal === null ? null : { scope, journal };
}

/** A page of entries' lines, and the place at which the next begins; null once there is none. */
interface EntryLines {
  readonly lines: readonly string[];
  readonly next: number | null;
}

/** The page of entries from a place on; null if one of those that were viewed has gone. */
export function* readEntryLines(
  transaction: ReadTransaction,
  view: ViewedJournal,
  plan: JournalPlan,
  from: number,
): Operation<EntryLines | null> {
  const found = yield* find(transaction, plan);
  if (found === null || !isAsViewed(found.journal, view)) return null;
  const { id, last } = view.journal;
  const rows = yield* transaction.all(SELECT_ENTRIES, id, from, last, EXPORT_ROWS_PER_PAGE);
  const lines = rows.map((row) => plan.damage.read(() => lineOfEntry(found, row, plan)));
  return {
    lines: lines.filter((line) => line !== undefined),
    next: rows.length < EXPORT_ROWS_PER_PAGE ? null : rows.at(-1)![1] as number + 1,
  };
}

function lineOfEntry(
  { scope, journal }: { readonly scope: ScopeRow; readonly journal: JournalRow },
  row: Row,
  { content }: JournalPlan,
): string {
  const entry = toEntry(row, { ...scope, ...journal });
  return content ? entryLine(entry, entry.payload) : entryOutline(entry);
}

/** A journal as it is, with all its entries if they are no larger than that; null if there is none. */
export function* readJournalAtOnce(
  transaction: ReadTransaction,
  plan: JournalPlan,
  bytesMax: number,
): Operation<{ readonly view: ViewedJournal; readonly entries: readonly string[] | null } | null> {
  const found = yield* find(transaction, plan);
  if (found === null) return null;
  const { journal } = found;
  const { applied } = yield* transaction.facts();
  const view = { journal, opening: plan.content ? journalLine(journal) : journalOutline(journal), applied };
  if (journal.bytes > bytesMax) return { view, entries: null };
  const entries: string[] = [];
  for (let next: number | null = 1; next !== null;) {
    const page: EntryLines | null = yield* readEntryLines(transaction, view, plan, next);
    // Nothing can change within one transaction.
    if (page === null) throw new TypeError("A journal changed within a transaction");
    entries.push(...page.lines);
    next = page.next;
  }
  return { view, entries };
}
