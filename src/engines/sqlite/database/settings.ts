/** The settings of every connection. Each is read back, because SQLite ignores some of them silently. */

import { StorageError } from "../../../errors.ts";
import type { Connection } from "./connection.ts";

/** How commits are made durable. */
export type JournalMode = "wal" | "delete" | "memory";

interface Setting {
  readonly name: string;
  readonly set: string;
  /** How it is read back; null if the statement that sets it returns the value. */
  readonly get: string | null;
  readonly value: number;
  /** Whether it is SQLite's default, so that reading it is enough. */
  readonly isDefault?: boolean;
}

/** Makes macOS flush to the disk itself; without effect elsewhere. */
const FULL_FSYNC: readonly Setting[] = [
  { name: "fullfsync", set: "PRAGMA fullfsync = ON", get: "PRAGMA fullfsync", value: 1 },
  {
    name: "checkpoint_fullfsync",
    set: "PRAGMA checkpoint_fullfsync = ON",
    get: "PRAGMA checkpoint_fullfsync",
    value: 1,
  },
];

/** All but the journal's. `busy_timeout` is 0 because a wait inside SQLite would freeze the event loop. */
const SETTINGS: readonly Setting[] = [
  { name: "busy_timeout", set: "PRAGMA busy_timeout = 0", get: null, value: 0 },
  { name: "secure_delete", set: "PRAGMA secure_delete = ON", get: null, value: 1 },
  { name: "temp_store", set: "PRAGMA temp_store = MEMORY", get: "PRAGMA temp_store", value: 2 },
  { name: "trusted_schema", set: "PRAGMA trusted_schema = OFF", get: "PRAGMA trusted_schema", value: 0 },
  {
    name: "foreign_keys",
    set: "PRAGMA foreign_keys = OFF",
    get: "PRAGMA foreign_keys",
    value: 0,
    isDefault: true,
  },
  { name: "cell_size_check", set: "PRAGMA cell_size_check = ON", get: "PRAGMA cell_size_check", value: 1 },
  ...(Deno.build.os === "darwin" ? FULL_FSYNC : []),
];

const SYNCHRONOUS_FULL: Setting = {
  name: "synchronous",
  set: "PRAGMA synchronous = FULL",
  get: "PRAGMA synchronous",
  value: 2,
  isDefault: true,
};
const SYNCHRONOUS_EXTRA: Setting = { ...SYNCHRONOUS_FULL, set: "PRAGMA synchronous = EXTRA", value: 3 };

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

/**
 * Whether WAL is safe in a SQLite version.
 *
 * From 3.7.0 to 3.51.2 a commit that races a WAL reset can be lost. This was fixed in 3.51.3 and, in their release
 * lines, in 3.50.7 and 3.44.6.
 */
function walIsSafe(version: string): boolean {
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

/** The journal mode of a store on disk, by the version of the SQLite library. */
export function journalModeFor(version: string): JournalMode {
  return walIsSafe(version) ? "wal" : "delete";
}

/** Prepares an empty file: sets auto-vacuum, which must precede the first page, and the application id. */
export function stampEmptyFile(connection: Connection, setApplicationId: string): void {
  const pages = connection.get(GET_PAGE_COUNT)![0] as number;
  if (pages > 1) return;
  if (pages === 0) connection.run(SET_AUTO_VACUUM);
  if (connection.get(GET_APPLICATION_ID)![0] === 0 && connection.get(COUNT_SCHEMA)![0] === 0) {
    connection.run(setApplicationId);
  }
}

/** Configures a connection, and verifies each setting. */
export function configure(connection: Connection, mode: JournalMode, readOnly: boolean): void {
  if (mode !== "memory") setJournalMode(connection, mode, readOnly);
  apply(connection, mode === "delete" ? SYNCHRONOUS_EXTRA : SYNCHRONOUS_FULL);
  for (const each of SETTINGS) apply(connection, each);
  if (connection.get(GET_AUTO_VACUUM)![0] !== AUTO_VACUUM_INCREMENTAL && mode !== "memory") {
    refuse("auto_vacuum");
  }
}

const SET_MEMORY = "PRAGMA journal_mode = MEMORY";
const SYNCHRONOUS_OFF: Setting = { ...SYNCHRONOUS_FULL, set: "PRAGMA synchronous = OFF", value: 0 };

/** Configures a connection to a work file. It is discarded unless it is finished, and then needs no sidecars. */
export function configureWorkFile(connection: Connection): void {
  // The first page of a copy may say that the store kept a write-ahead log; only this resets it.
  setJournalMode(connection, "delete", false);
  if (connection.get(SET_MEMORY)![0] !== "memory") refuse("journal_mode");
  for (const each of [SYNCHRONOUS_OFF, ...SETTINGS]) apply(connection, each);
  if (connection.get(GET_AUTO_VACUUM)![0] !== AUTO_VACUUM_INCREMENTAL) refuse("auto_vacuum");
}

function setJournalMode(connection: Connection, mode: JournalMode, readOnly: boolean): void {
  const sql = readOnly ? GET_JOURNAL_MODE : mode === "wal" ? SET_WAL : SET_DELETE;
  const granted = connection.get(sql)![0];
  if (granted !== mode && !readOnly) refuse("journal_mode");
}

/** Compiling statements is most of the cost of opening a store, so a default is only read, not set. */
function apply(connection: Connection, { name, set, get, value, isDefault = false }: Setting): void {
  if (isDefault && get !== null && connection.get(get)?.[0] === value) return;
  const reply = connection.get(set);
  const granted = get === null ? reply : connection.get(get);
  if (granted?.[0] !== value) refuse(name);
}

function refuse(name: string): never {
  throw new StorageError("IO", `Cannot open store: SQLite did not apply the setting ${name}`, {
    details: { setting: name },
  });
}
