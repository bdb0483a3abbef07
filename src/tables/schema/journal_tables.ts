/** Main's tables of journals: ordered JSON entries that other protocols keep under a scope. */

import { defineTable, INTEGER, type TableShape, TEXT, TEXT_OR_NULL } from "./descriptor.ts";

// An entry with a place up to `last` is as it was at every revision from `rewritten` on, so that a read in pages goes on
// while others append.
export const JOURNALS = defineTable({
  name: "journals",
  columns: {
    id: INTEGER,
    scope: INTEGER,
    part: TEXT,
    revision: INTEGER,
    rewritten: INTEGER,
    entries: INTEGER,
    bytes: INTEGER,
    last: INTEGER,
    checksum: INTEGER,
  },
  key: ["id"],
  fixed: ["scope", "part"],
  indexes: [{ name: "part", columns: ["scope", "part"], isUnique: true }],
  checksumOver: ["id", "scope", "part", "revision", "rewritten", "entries", "bytes", "last"],
  isBackedUp: true,
  rewrittenBy: ["id"],
});

// Not clustered: a payload may fill pages of its own. `revision` is the journal's when the entry was written: an entry that
// came after the journal was cleared has a higher one than the event.
export const JOURNAL_ENTRIES = defineTable({
  name: "journal_entries",
  columns: {
    journal: INTEGER,
    place: INTEGER,
    uuid: TEXT_OR_NULL,
    revision: INTEGER,
    bytes: INTEGER,
    payloadChecksum: INTEGER,
    checksum: INTEGER,
    payload: TEXT,
  },
  key: ["journal", "place"],
  content: "payload",
  indexes: [{ name: "uuid", columns: ["journal", "uuid"], isUnique: true, where: "uuid" }],
  checksumOver: ["journal", "place", "uuid", "revision", "bytes", "payloadChecksum"],
  isBackedUp: true,
  rewrittenBy: ["journal", "place"],
});

/** All of them, in the order in which they are created and copied. */
export const JOURNAL_TABLES: readonly TableShape[] = [JOURNALS, JOURNAL_ENTRIES];
