/** Appending entries, and replacing the last ones. */

import { canonicalJson, type CanonicalValue } from "../canonical/canonical_json.ts";
import type { ScopeLimits } from "../conversations/put_turn.ts";
import { rememberScopeOperation } from "../conversations/remember_scope_operation.ts";
import type { Change } from "../deletion/cascade.ts";
import { eraseEntriesFrom } from "../deletion/erase_journals.ts";
import { known, type Operation, together, type WriteTransaction } from "../engine/operation.ts";
import { startOfRange } from "../engine/revision_range.ts";
import { ConflictError, ContractError } from "../errors.ts";
import { SCOPE_JOURNALS_MAX } from "../limits.ts";
import { ensureScope } from "../scopes/ensure_scope.ts";
import { changeOf, requireUpkept } from "../scopes/present_scope.ts";
import { insertEntry, SELECT_ENTRY_BY_UUID, toEntry } from "../tables/journal_entries.ts";
import { insertJournal, type JournalRow, readJournal, writeJournal } from "../tables/journals.ts";
import { type OperationKey, recallOperation } from "../tables/operation_ids.ts";
import { bytesOf, noteWriting, type ScopeRow, writeScope } from "../tables/scopes.ts";
import { type JournalPlace, requireJournalRevision, requireNotDeleted } from "./journal_place.ts";

/** An entry, validated and encoded. */
export interface EncodedEntry {
  readonly uuid: string | null;
  readonly payload: string;
  /** UTF-8 bytes of payload and uuid. */
  readonly bytes: number;
}

/** An append or a replacement, validated. */
interface AppendEntriesPlan extends JournalPlace {
  readonly entries: readonly EncodedEntry[];
  /** The place from which entries go first; null for an append. */
  readonly from: number | null;
  /** Null takes whatever it is. */
  readonly expectedRevision: number | null;
  readonly operation: OperationKey | null;
  readonly generation: number;
  readonly limits: ScopeLimits;
}

/** Appends; resolves to the journal's new revision, the old one where nothing was new. */
export function* appendEntries(transaction: WriteTransaction, plan: AppendEntriesPlan): Operation<number> {
  const { place, part, from, operation } = plan;
  const scope = yield* ensureScope(transaction, place, plan.generation);
  const recalled = operation === null ? null : yield* recallOperation(transaction, operation);
  if (recalled !== null) return recalled;
  requireUpkept(transaction, scope);
  const found = yield* readJournal(transaction, scope, part);
  requireJournalRevision(found, plan.expectedRevision);
  const journal = found ?? (yield* makeJournal(transaction, scope, plan));
  const { journalBytes } = scope;
  const change = changeOf(transaction, place, scope);
  yield* together([
    noteWriting(transaction, scope),
    from === null ? known(undefined) : eraseSuffix(change, journal, from),
  ]);
  yield* addEntries(change, journal, { ...plan, journalBytes });
  if (operation !== null) yield* rememberScopeOperation(transaction, scope, operation, journal.revision);
  yield* writeJournal(transaction, journal);
  yield* writeScope(transaction, scope);
  return journal.revision;
}

/** Makes a journal where there is none. The caller writes the scope's row. */
export function* makeJournal(
  transaction: WriteTransaction,
  scope: ScopeRow,
  { place, part, generation }: JournalPlace & { readonly generation: number },
): Operation<JournalRow> {
  yield* requireNotDeleted(transaction, { place, part });
  if (scope.journals >= SCOPE_JOURNALS_MAX) {
    throw new ConflictError("CAPACITY", "Cannot make journal: the scope has as many as it may", {
      details: { maximum: SCOPE_JOURNALS_MAX },
    });
  }
  scope.journals++;
  return yield* insertJournal(transaction, { scope: scope.id, part, revision: startOfRange(generation) });
}

function* eraseSuffix(change: Change, journal: JournalRow, from: number): Operation<void> {
  if (from > journal.last + 1) {
    throw new ContractError("from", "from must be at most one more than the place of the last entry", {
      details: { maximum: journal.last + 1 },
    });
  }
  if (from <= journal.last) yield* eraseEntriesFrom(change, journal, from);
}

/** Ends with the first entry that does not fit: the lock is not held for the others. */
function* addEntries(
  { transaction, row: scope }: Change,
  journal: JournalRow,
  { entries, limits, journalBytes }: Pick<AppendEntriesPlan, "entries" | "limits"> & {
    /** Before the call. */
    readonly journalBytes: number;
  },
): Operation<void> {
  const { tenant, session } = scope;
  const revision = journal.revision + 1;
  for (const [index, entry] of entries.entries()) {
    const old = entry.uuid === null
      ? undefined
      : yield* transaction.get(SELECT_ENTRY_BY_UUID, journal.id, entry.uuid);
    if (old === undefined) {
      yield* addEntry(transaction, { scope, journal }, { ...entry, place: journal.last + 1, revision });
      requireJournalCapacity(scope, { journalBytes }, limits);
    } else if (!isSameJson(toEntry(old, { ...journal, tenant, session }).payload, entry.payload)) {
      throw new ConflictError("IDEMPOTENCY", `The uuid of entries[${index}] was used before with other JSON`);
    }
  }
}

/** Writes an entry and counts it; the journal gets its revision. The caller writes both rows. */
export function* addEntry(
  transaction: WriteTransaction,
  { scope, journal }: { readonly scope: ScopeRow; readonly journal: JournalRow },
  entry: EncodedEntry & { readonly place: number; readonly revision: number },
): Operation<void> {
  yield* insertEntry(transaction, { ...entry, journal: journal.id });
  journal.revision = entry.revision;
  journal.entries++;
  journal.bytes += entry.bytes;
  journal.last = Math.max(journal.last, entry.place);
  scope.journalBytes += entry.bytes;
}

/** The order of keys is no part of what an entry says. */
function isSameJson(left: string, right: string): boolean {
  if (left === right) return true;
  const [one, other] = [left, right].map((text) => canonicalJson(JSON.parse(text) as CanonicalValue));
  return one === other;
}

/** Requires that what grew stays within the limits of its scope. */
export function requireJournalCapacity(
  row: ScopeRow,
  before: Pick<ScopeRow, "journalBytes">,
  limits: ScopeLimits,
): void {
  const bytes = bytesOf(row);
  if (bytes <= limits.bytes || row.journalBytes <= before.journalBytes) return;
  throw new ConflictError("CAPACITY", "Cannot append to journal: the scope would exceed its limits", {
    details: { bytes, bytesMax: limits.bytes },
  });
}
