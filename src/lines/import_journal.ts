/** Importing journals: entries are written only where nothing is, and none after one that differs. */

import type { ScopeLimits } from "../conversations/put_turn.ts";
import type { Operation, WriteTransaction } from "../engine/operation.ts";
import {
  addEntry,
  type EncodedEntry,
  makeJournal,
  requireJournalCapacity,
} from "../journals/append_entries.ts";
import { journalHashOf } from "../journals/journal_place.ts";
import type { Place } from "../scopes/place.ts";
import { SELECT_ENTRY, SELECT_ENTRY_BY_UUID, toEntry } from "../tables/journal_entries.ts";
import { type JournalRow, readJournal, writeJournal } from "../tables/journals.ts";
import { type ScopeRow, writeScope } from "../tables/scopes.ts";
import type { Outcome } from "./import_records.ts";
import { isJournalRefused, type Origin } from "./tombstone_pass.ts";

/** The line that begins a journal. */
export interface ImportedJournal {
  readonly type: "journal";
  readonly part: string;
}

/** An entry as it is to be. */
export interface ImportedEntry extends EncodedEntry {
  readonly type: "entry";
  readonly part: string;
  readonly place: number;
}

/** The scope that is being imported; its row is changed in place. */
interface CurrentScope {
  readonly transaction: WriteTransaction;
  readonly row: ScopeRow;
  readonly target: {
    readonly place: Place;
    readonly limits: ScopeLimits;
    readonly generation: number;
    readonly origin: Origin;
  };
}

/** Makes a journal where there is none. */
export function* importJournal(current: CurrentScope, { part }: ImportedJournal): Operation<Outcome> {
  const { transaction, row, target: { place, generation, origin } } = current;
  if (yield* isJournalRefused(transaction, journalHashOf({ place, part }), origin)) return "refused";
  if ((yield* readJournal(transaction, row, part)) !== null) return "unchanged";
  yield* makeJournal(transaction, row, { place, part, generation });
  yield* writeScope(transaction, row);
  return "imported";
}

/** Writes an entry at its place; its journal's line came before it. */
export function* importEntry(current: CurrentScope, entry: ImportedEntry): Operation<Outcome> {
  const { transaction, row, target: { place, limits, origin } } = current;
  const { part } = entry;
  if (yield* isJournalRefused(transaction, journalHashOf({ place, part }), origin)) return "refused";
  const journal = yield* readJournal(transaction, row, part);
  if (journal === null) return "refused";
  const there = yield* findEntry(current, journal, entry);
  if (there !== null) return there;
  const before = { ...row };
  requireJournalCapacity({ ...row, journalBytes: row.journalBytes + entry.bytes }, before, limits);
  yield* addEntry(transaction, { scope: row, journal }, {
    ...toEncoded(entry),
    revision: journal.revision + 1,
  });
  yield* writeJournal(transaction, journal);
  yield* writeScope(transaction, row);
  return "imported";
}

function toEncoded(
  { uuid, payload, bytes, place }: ImportedEntry,
): EncodedEntry & { readonly place: number } {
  return { uuid, payload, bytes, place };
}

/** What became of an entry whose place or uuid is taken; null where neither is. */
function* findEntry(
  { transaction, row }: CurrentScope,
  journal: JournalRow,
  { place, uuid, payload }: ImportedEntry,
): Operation<Outcome | null> {
  const found = yield* transaction.get(SELECT_ENTRY, journal.id, place);
  if (found !== undefined) {
    const there = toEntry(found, { ...row, ...journal });
    return there.uuid === uuid && there.payload === payload ? "unchanged" : "conflicting";
  }
  if (uuid === null) return null;
  return (yield* transaction.get(SELECT_ENTRY_BY_UUID, journal.id, uuid)) === undefined
    ? null
    : "conflicting";
}
