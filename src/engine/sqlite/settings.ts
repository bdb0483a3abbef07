/** What every connection is set to, and read back: SQLite ignores some settings without a word. */

import { StorageError } from "../../errors.ts";
import type { Connection } from "./connection.ts";

/** How commits are made durable. */
export type JournalMode = "wal" | "delete" | "memory";

interface Setting {
  readonly name: string;
  readonly set: string;
  readonly get: string;
  readonly value: number;
}

/** Beside the journal. No wait inside SQLite, which would freeze the event loop: a binding may have set one at open. `fullfsync` asks macOS to reach the disk itself; elsewhere it has no effect. */
const SETTINGS: readonly Setting[] = [
  setting("busy_timeout", "PRAGMA busy_timeout = 0", "PRAGMA busy_timeout", 0),
  setting("secure_delete", "PRAGMA secure_delete = ON", "PRAGMA secure_delete", 1),
  setting("temp_store", "PRAGMA temp_store = MEMORY", "PRAGMA temp_store", 2),
  setting("trusted_schema", "PRAGMA trusted_schema = OFF", "PRAGMA trusted_schema", 0),
  setting("foreign_keys", "PRAGMA foreign_keys = OFF", "PRAGMA foreign_keys", 0),
  setting("cell_size_check", "PRAGMA cell_size_check = ON", "PRAGMA cell_size_check", 1),
  setting("fullfsync", "PRAGMA fullfsync = ON", "PRAGMA fullfsync", 1),
  setting("checkpoint_fullfsync", "PRAGMA checkpoint_fullfsync = ON", "PRAGMA checkpoint_fullfsync", 1),
];

const SYNCHRONOUS_FULL = setting("synchronous", "PRAGMA synchronous = FULL", "PRAGMA synchronous", 2);
const SYNCHRONOUS_EXTRA = setting("synchronous", "PRAGMA synchronous = EXTRA", "PRAGMA synchronous", 3);

const SET_AUTO_VACUUM = "PRAGMA auto_vacuum = INCREMENTAL";
const GET_AUTO_VACUUM = "PRAGMA auto_vacuum";
const AUTO_VACUUM_INCREMENTAL = 2;
const GET_PAGE_COUNT = "PRAGMA page_count";
const GET_APPLICATION_ID = "PRAGMA application_id";
const COUNT_SCHEMA = "SELECT count(*) FROM sqlite_schema";
const SET_WAL = "PRAGMA journal_mode = WAL";
const SET_DELETE = "PRAGMA journal_mode = DELETE";
const GET_JOURNAL_MODE = "PRAGMA journal_mode";
const SELECT_VERSION = "SELECT sqlite_version()";

function setting(name: string, set: string, get: string, value: number): Setting {
  return { name, set, get, value };
}

/**
 * Whether a SQLite version can be trusted with WAL: from 3.7.0 to 3.51.2 a commit that races a WAL reset can be lost;
 * mended in 3.51.3 and, for their lines, in 3.50.7 and 3.44.6.
 */
export function walIsSafe(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  if (major !== 3) return major > 3;
  if (minor >= 52) return true;
  if (minor === 51) return patch >= 3;
  if (minor === 50) return patch >= 7;
  return minor === 44 && patch >= 6;
}

/** The version of the SQLite library behind a connection. */
export function libraryVersion(connection: Connection): string {
  return String(connection.get(SELECT_VERSION)![0]);
}

/** The journal mode that a store on disk gets from a library. */
export function journalModeFor(version: string): JournalMode {
  return walIsSafe(version) ? "wal" : "delete";
}

/** Prepares a file that holds nothing yet: what can only be set before the first page, and whose it is. */
export function stampEmptyFile(connection: Connection, setApplicationId: string): void {
  const pages = connection.get(GET_PAGE_COUNT)![0] as number;
  if (pages > 1) return;
  if (pages === 0) connection.run(SET_AUTO_VACUUM);
  if (connection.get(GET_APPLICATION_ID)![0] === 0 && connection.get(COUNT_SCHEMA)![0] === 0) {
    connection.run(setApplicationId);
  }
}

/** Sets a connection up and reads everything back. */
export function configure(connection: Connection, mode: JournalMode, readOnly: boolean): void {
  if (mode !== "memory") setJournalMode(connection, mode, readOnly);
  apply(connection, mode === "delete" ? SYNCHRONOUS_EXTRA : SYNCHRONOUS_FULL);
  for (const each of SETTINGS) apply(connection, each);
  if (connection.get(GET_AUTO_VACUUM)![0] !== AUTO_VACUUM_INCREMENTAL && mode !== "memory") {
    refuse("auto_vacuum");
  }
}

function setJournalMode(connection: Connection, mode: JournalMode, readOnly: boolean): void {
  const sql = readOnly ? GET_JOURNAL_MODE : mode === "wal" ? SET_WAL : SET_DELETE;
  const granted = connection.get(sql)![0];
  if (granted !== mode && !readOnly) refuse("journal_mode");
}

function apply(connection: Connection, { name, set, get, value }: Setting): void {
  connection.get(set);
  if (connection.get(get)![0] !== value) refuse(name);
}

function refuse(name: string): never {
  throw new StorageError("IO", `Cannot open store: SQLite did not grant the setting ${name}`, {
    details: { setting: name },
  });
}
