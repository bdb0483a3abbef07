/** The schema of main: live state, and a copy of every deletion that was applied to it. */

import { CREATE_CONVERSATION_TABLES } from "./conversation_tables.ts";
import { CREATE_INDEX_TABLES } from "./index_tables.ts";
import type { Migration } from "./migrations.ts";

const CREATE_META = `CREATE TABLE meta (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  lineage TEXT NOT NULL,
  generation INTEGER NOT NULL,
  epoch TEXT NOT NULL,
  pending_from INTEGER,
  applied INTEGER NOT NULL,
  applied_head TEXT NOT NULL,
  verified INTEGER NOT NULL,
  counter INTEGER NOT NULL,
  clock_mark INTEGER NOT NULL,
  clock_epoch INTEGER NOT NULL,
  hash_key BLOB NOT NULL,
  probe INTEGER NOT NULL,
  scrubs INTEGER NOT NULL,
  shrunk_bytes INTEGER,
  checksum INTEGER NOT NULL
) STRICT`;

// Small rows are read and written with one descent of one tree; the body comes last, so that what spills over to
// other pages is only ever the body.
export const CREATE_RECORDS = `CREATE TABLE records (
  tenant TEXT NOT NULL,
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  revision INTEGER NOT NULL,
  created INTEGER NOT NULL,
  max_age INTEGER,
  expires INTEGER,
  value_checksum INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (tenant, kind, key)
) STRICT, WITHOUT ROWID`;

export const CREATE_RECORDS_BY_EXPIRY =
  `CREATE INDEX records_by_expiry ON records (tenant, expires) WHERE expires IS NOT NULL`;

const CREATE_OPERATIONS = `CREATE TABLE operations (
  scope_hash BLOB NOT NULL,
  operation_hash BLOB NOT NULL,
  input_hash BLOB NOT NULL,
  result INTEGER NOT NULL,
  at INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (scope_hash, operation_hash)
) STRICT, WITHOUT ROWID`;

const CREATE_OPERATIONS_BY_TIME = `CREATE INDEX operations_by_time ON operations (scope_hash, at)`;

const CREATE_DELETIONS = `CREATE TABLE deletions (
  sequence INTEGER PRIMARY KEY,
  batch INTEGER NOT NULL,
  kind TEXT NOT NULL,
  scope_hash BLOB NOT NULL,
  key_hash BLOB NOT NULL,
  burned INTEGER NOT NULL,
  floor INTEGER NOT NULL,
  at INTEGER NOT NULL,
  counts TEXT NOT NULL,
  head TEXT NOT NULL,
  checksum INTEGER NOT NULL
) STRICT`;

const CREATE_DELETIONS_BY_KEY = `CREATE INDEX deletions_by_key ON deletions (key_hash)`;

const CREATE_FLOORS = `CREATE TABLE floors (
  scope_hash BLOB NOT NULL,
  key_hash BLOB NOT NULL,
  floor INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (scope_hash, key_hash)
) STRICT, WITHOUT ROWID`;

const CREATE_DIRTY = `CREATE TABLE dirty (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID`;

/** Main's migrations, oldest first. Append only: a released one never changes. */
export const MAIN_MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    setVersion: "PRAGMA user_version = 1",
    statements: [
      CREATE_META,
      CREATE_RECORDS,
      CREATE_RECORDS_BY_EXPIRY,
      CREATE_OPERATIONS,
      CREATE_OPERATIONS_BY_TIME,
      CREATE_DELETIONS,
      CREATE_DELETIONS_BY_KEY,
      CREATE_FLOORS,
      CREATE_DIRTY,
      ...CREATE_CONVERSATION_TABLES,
      ...CREATE_INDEX_TABLES,
    ],
  },
];
