/** The changes of a restore to conversations: it drops what can be derived again, and moves revisions to a new range. */

import type { Operation, WriteTransaction } from "../engine/operation.ts";
import { SELECT_JOURNALS, toJournalRow, writeJournal } from "../tables/journals.ts";
import { type ScopeRow, SELECT_SCOPES_AFTER, toScopeRow, writeScope } from "../tables/scopes.ts";
import { movedRevision } from "../engine/revision_range.ts";
import { IntegrityError } from "../errors.ts";
import { SCOPES_MOVED_PER_STEP } from "../limits.ts";

const DELETE_SUMMARIES = `DELETE FROM summaries`;
const DELETE_COVERED_TURNS = `DELETE FROM covered_turns`;
const DELETE_REPLAYS = `DELETE FROM replays`;
const DELETE_INDEXES = `DELETE FROM chunk_indexes`;
const DELETE_UNINDEXED_TURNS = `DELETE FROM unindexed_turns`;
const DELETE_INDEXED_TURNS = `DELETE FROM indexed_turns`;
const DELETE_TERMS = `DELETE FROM index_terms`;
const DELETE_POSTINGS = `DELETE FROM postings`;

/** The statements, each with the table that has to be rewritten, if there is one. */
const DERIVED: readonly (readonly [table: string | null, sql: string])[] = [
  ["summaries", DELETE_SUMMARIES],
  [null, DELETE_COVERED_TURNS],
  ["replays", DELETE_REPLAYS],
  [null, DELETE_INDEXES],
  [null, DELETE_UNINDEXED_TURNS],
  ["indexed_turns", DELETE_INDEXED_TURNS],
  ["index_terms", DELETE_TERMS],
  ["postings", DELETE_POSTINGS],
];

/** Drops summaries, cached responses and indexes. */
export function* dropDerived(transaction: WriteTransaction): Operation<void> {
  for (const [table, sql] of DERIVED) {
    if ((yield* transaction.run(sql)) > 0 && table !== null) transaction.markDirty(table);
  }
}

/**
 * Moves the revisions of some scopes, and of their journals, to the range of a generation; returns the last id, or null
 * once all are moved.
 */
export function* moveRevisions(
  transaction: WriteTransaction,
  after: number,
  generation: number,
): Operation<number | null> {
  const rows = yield* transaction.all(SELECT_SCOPES_AFTER, after, SCOPES_MOVED_PER_STEP);
  for (const each of rows) {
    const row = toScopeRow(each);
    if (row.revision < 0) throw new IntegrityError("Cannot restore: a scope's revision is below zero");
    row.revision = movedRevision(row.revision, generation);
    yield* writeScope(transaction, row);
    if (row.journals > 0) yield* moveJournals(transaction, row, generation);
  }
  return rows.length < SCOPES_MOVED_PER_STEP ? null : rows.at(-1)![0] as number;
}

function* moveJournals(transaction: WriteTransaction, scope: ScopeRow, generation: number): Operation<void> {
  for (const found of yield* transaction.all(SELECT_JOURNALS, scope.id)) {
    const journal = toJournalRow(found, scope);
    journal.revision = movedRevision(journal.revision, generation);
    yield* writeJournal(transaction, journal);
  }
}
