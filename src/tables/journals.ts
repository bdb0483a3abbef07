/** Journals: their rows, with revision and running totals, checked where they enter. */

import type { Peeking } from "../engine/engine.ts";
import type { Operation, WriteTransaction } from "../engine/operation.ts";
import type { Row } from "../engine/values.ts";
import { IntegrityError } from "../errors.ts";
import type { Fields } from "./schema/descriptor.ts";
import { JOURNALS } from "./schema/journal_tables.ts";
import { damagedRow, type ScopeRow } from "./scopes.ts";

/** A journal's row. Operations change a copy and write it once at their end. */
export type JournalRow = Omit<Fields<typeof JOURNALS.columns>, "checksum">;

/** Whose journals are read. */
type JournalScope = Pick<ScopeRow, "id" | "tenant" | "session">;

/** One journal. Parameters: the scope's row, the part. */
export const SELECT_JOURNAL = `${JOURNALS.select} WHERE scope = $1 AND part = $2`;

const SELECT_JOURNAL_OF_HASH = `${JOURNALS.select}
  WHERE scope = (SELECT id FROM scopes WHERE scope_hash = $1) AND part = $2`;

/** A journal as it is, in one statement; null if there is none. Nothing is verified: for a look at whether it changed. */
export function* peekJournal(
  transaction: Peeking,
  scopeHash: Uint8Array,
  part: string,
): Operation<JournalRow | null> {
  const row = yield* transaction.get(SELECT_JOURNAL_OF_HASH, scopeHash, part);
  return row === undefined ? null : JOURNALS.toFields(row);
}

/** The journals of a scope, by part. Parameter: the scope's row. */
export const SELECT_JOURNALS = `${JOURNALS.select} WHERE scope = $1 ORDER BY part`;

/** One journal. Parameter: its row. */
export const SELECT_JOURNAL_BY_ROW = `${JOURNALS.select} WHERE id = $1`;

/** Journals in the order of their rows. Parameters: the row to begin after, how many. */
export const SELECT_JOURNALS_AFTER = `${JOURNALS.select} WHERE id > $1 ORDER BY id LIMIT $2`;

/** A journal; null if there is none. */
export function* readJournal(
  transaction: Peeking,
  scope: JournalScope,
  part: string,
): Operation<JournalRow | null> {
  const row = yield* transaction.get(SELECT_JOURNAL, scope.id, part);
  return row === undefined ? null : toJournalRow(row, scope);
}

/** A journal's row as it is, and whether it is intact. */
export function toJournalUnchecked(row: Row): { readonly row: JournalRow; readonly isIntact: boolean } {
  const journal = JOURNALS.toFields(row);
  return { row: journal, isIntact: JOURNALS.isIntact(journal) };
}

/** Requires that a journal's row is intact. */
export function toJournalRow(row: Row, scope: Pick<ScopeRow, "tenant" | "session">): JournalRow {
  const { row: journal, isIntact } = toJournalUnchecked(row);
  if (isIntact) return journal;
  const { part } = journal;
  throw damagedRow("The checksum of a journal's row does not match", "journals", scope, { part });
}

/** Writes a changed row. */
export function* writeJournal(transaction: WriteTransaction, row: JournalRow): Operation<void> {
  const changed = yield* transaction.run(JOURNALS.update, ...JOURNALS.toUpdate(row));
  if (changed !== 1) throw new IntegrityError("Cannot write journal: the file did not take the write");
}

/** Makes a journal's row. */
export function* insertJournal(
  transaction: WriteTransaction,
  journal: Pick<JournalRow, "scope" | "part" | "revision">,
): Operation<JournalRow> {
  const id = transaction.nextId("journals");
  const row = { ...journal, id, rewritten: journal.revision, entries: 0, bytes: 0, last: 0 };
  yield* transaction.run(JOURNALS.insert, ...JOURNALS.toValues(row));
  return row;
}

/** How many journals a scope has, and the UTF-8 bytes of their entries. Parameter: the scope's row. */
export const SUM_JOURNALS = `SELECT count(*), coalesce(sum(bytes), 0) FROM journals WHERE scope = $1`;
