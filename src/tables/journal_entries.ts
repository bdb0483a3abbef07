/** Entries of journals: their rows, checked where they enter, and the statements that more than one operation needs. */

import { checksumOf } from "../canonical/checksum.ts";
import type { Operation, WriteTransaction } from "../engine/operation.ts";
import type { Row } from "../engine/values.ts";
import type { JournalRow } from "./journals.ts";
import type { Fields } from "./schema/descriptor.ts";
import { JOURNAL_ENTRIES } from "./schema/journal_tables.ts";
import { damagedRow, type ScopeRow } from "./scopes.ts";

/** An entry's row. */
export type EntryFields = Fields<typeof JOURNAL_ENTRIES.columns>;

/** Entries in their order. Parameters: the journal's row, the first place, the last place, how many. */
export const SELECT_ENTRIES = `${JOURNAL_ENTRIES.select} WHERE journal = $1 AND place >= $2 AND place <= $3
  ORDER BY place LIMIT $4`;

/** One entry. Parameters: the journal's row, the place. */
export const SELECT_ENTRY = `${JOURNAL_ENTRIES.select} WHERE journal = $1 AND place = $2`;

/** One entry by its uuid. Parameters: the journal's row, the uuid. */
export const SELECT_ENTRY_BY_UUID = `${JOURNAL_ENTRIES.select} WHERE journal = $1 AND uuid = $2`;

/** The place of the entry that comes so many before another. Parameters: the journal's row, a place, how many. */
export const SELECT_PLACE_BEFORE = `SELECT place FROM journal_entries WHERE journal = $1 AND place < $2
  ORDER BY place DESC LIMIT 1 OFFSET $3`;

/** An entry's row as it is, whether or not it is intact. */
export function toEntryFields(row: Row): EntryFields {
  return JOURNAL_ENTRIES.toFields(row);
}

/** Requires that an entry's row is intact, its payload included. */
export function toEntry(
  row: Row,
  { tenant, session, id, part }: Pick<ScopeRow, "tenant" | "session"> & Pick<JournalRow, "id" | "part">,
): EntryFields {
  const entry = JOURNAL_ENTRIES.toFields(row);
  const { journal, place, payload, payloadChecksum } = entry;
  const isPayload = typeof payload === "string" && checksumOf(payload) === payloadChecksum;
  if (journal === id && isPayload && JOURNAL_ENTRIES.isIntact(entry)) return entry;
  const scope = { tenant, session };
  throw damagedRow("The checksum of an entry does not match", "journal_entries", scope, { part, place });
}

/** Writes an entry where there is none. */
export function* insertEntry(
  transaction: WriteTransaction,
  entry: Omit<EntryFields, "payloadChecksum" | "checksum">,
): Operation<void> {
  const payloadChecksum = checksumOf(entry.payload);
  yield* transaction.run(JOURNAL_ENTRIES.insert, ...JOURNAL_ENTRIES.toValues({ ...entry, payloadChecksum }));
}
