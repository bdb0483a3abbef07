/** The schema of the deletion ledger: hashes, counts and a chain; no text that anybody stored. Beside it, which copies are in the making. */

import type { Migration } from "./migrations.ts";

const CREATE_META = `CREATE TABLE meta (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  lineage TEXT NOT NULL,
  generation INTEGER NOT NULL,
  epoch TEXT,
  count INTEGER NOT NULL,
  head TEXT NOT NULL,
  probe INTEGER NOT NULL,
  announced INTEGER,
  checksum INTEGER NOT NULL
) STRICT`;

/** Files that somebody began to make, by the names they bear meanwhile. Copied nowhere: it is about this machine. */
const CREATE_WORKS = `CREATE TABLE works (
  path TEXT PRIMARY KEY,
  checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID`;

const CREATE_EVENTS = `CREATE TABLE events (
  sequence INTEGER PRIMARY KEY,
  batch INTEGER NOT NULL,
  kind TEXT NOT NULL,
  scope_hash BLOB NOT NULL,
  key_hash BLOB NOT NULL,
  burned INTEGER NOT NULL,
  floor INTEGER NOT NULL,
  at INTEGER NOT NULL,
  counts TEXT NOT NULL,
  head TEXT NOT NULL
) STRICT`;

/** The ledger's migrations, oldest first. Append only: a released one never changes. */
export const LEDGER_MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    statements: [CREATE_META, CREATE_WORKS, CREATE_EVENTS],
    setVersion: "PRAGMA user_version = 1",
  },
];
