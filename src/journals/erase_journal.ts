/** Clearing and deleting a journal: both with a place in the ledger; only a deletion reserves the part for ever. */

import type { Deleted } from "../conversations/delete_item.ts";
import { rememberScopeOperation } from "../conversations/remember_scope_operation.ts";
import { eraseEntriesFrom, eraseJournal } from "../deletion/erase_journals.ts";
import type { Operation, WriteTransaction } from "../engine/operation.ts";
import { ConflictError } from "../errors.ts";
import { ensureScope } from "../scopes/ensure_scope.ts";
import { changeOf, requireScope } from "../scopes/present_scope.ts";
import { SELECT_JOURNAL, toJournalRow, toJournalUnchecked, writeJournal } from "../tables/journals.ts";
import { type OperationKey, recallOperation } from "../tables/operation_ids.ts";
import { writeScope } from "../tables/scopes.ts";
import { journalHashOf, type JournalPlace, requireJournalRevision } from "./journal_place.ts";

/** A clearing or a deletion, validated. */
interface EraseJournalPlan extends JournalPlace {
  /** Whether the part can never be used again. */
  readonly reserved: boolean;
  /** Null takes whatever it is. */
  readonly expectedRevision: number | null;
  readonly operation: OperationKey | null;
  readonly generation: number;
}

/** Clears or deletes, unless the same call did so before. */
export function* clearOrDelete(transaction: WriteTransaction, plan: EraseJournalPlan): Operation<Deleted> {
  const { place, part, reserved, operation } = plan;
  const keyHash = journalHashOf(plan);
  const before = yield* findErasure(transaction, plan, keyHash);
  if (before !== null) return before;
  // Who clears a session before its first entry means it; who deletes what never was has mistaken its name.
  const scope = reserved
    ? yield* requireScope(transaction, place)
    : yield* ensureScope(transaction, place, plan.generation);
  const row = yield* transaction.get(SELECT_JOURNAL, scope.id, part);
  // Damage keeps a journal from being cleared, since its row stays, but not from being deleted.
  const journal = row === undefined
    ? null
    : reserved
    ? toJournalUnchecked(row).row
    : toJournalRow(row, scope);
  requireJournalRevision(journal, plan.expectedRevision);
  const change = changeOf(transaction, place, scope);
  const floor = journal?.revision ?? 0;
  if (journal !== null && reserved) yield* eraseJournal(change, journal);
  else if (journal !== null) {
    yield* eraseEntriesFrom(change, journal, 0);
    yield* writeJournal(transaction, journal);
  }
  if (operation !== null) yield* rememberScopeOperation(transaction, scope, operation, floor);
  yield* writeScope(transaction, scope);
  const { erased } = change;
  const event = { kind: "journal", scopeHash: place.scopeHash, keyHash, reserved, floor } as const;
  return {
    when: "now",
    place: transaction.record({ ...event, counts: { ...erased } }),
    erased,
    isDraining: false,
  };
}

/** An earlier deletion, or the clearing that the same operation id made. */
function* findErasure(
  transaction: WriteTransaction,
  { reserved, operation }: EraseJournalPlan,
  keyHash: Uint8Array,
): Operation<Deleted | null> {
  const recalled = operation === null ? null : yield* recallOperation(transaction, operation);
  const events = yield* transaction.eventsOf(keyHash);
  const deletion = events.find((event) => event.reserved);
  if (reserved) {
    return deletion === undefined ? null : { when: "before", event: deletion, already: recalled === null };
  }
  const clearing = recalled === null ? undefined : events.find(({ floor }) => floor === recalled);
  if (clearing !== undefined) return { when: "before", event: clearing, already: false };
  if (deletion === undefined) return null;
  throw new ConflictError("DELETED", "The journal was deleted for ever");
}
