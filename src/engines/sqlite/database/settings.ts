/** What every connection is set to, and read back: SQLite ignores some settings without a word. */

import { StorageError } from "../../../errors.ts";
import type { Connection } from "./connection.ts";

/** How commits are made durable. */
export type JournalMode = "wal" | "delete" | "memory";

interface Setting {
  readonly name: string;
  readonly set: string;
  /** How it is read back; null where setting it tells. */
  readonly get: string | null;
  readonly value: number;
  /** Whether SQLite comes with it: then asking is enough. */
  readonly isDefault?: boolean;
}

/** They ask macOS to reach the disk itself; elsewhere they mean nothing. */
const FULL_FSYNC: readonly Setting[] = [
  { name: "fullfsync", set: "PRAGMA fullfsync = ON", get: "PRAGMA fullfsync", value: 1 },
  {
    name: "checkpoint_fullfsync",
    set: "PRAGMA checkpoint_fullfsync = ON",
    get: "PRAGMA checkpoint_fullfsync",
    value: 1,
  },
];

/** Beside the journal. No wait inside SQLite, which would freeze the event loop: a binding may have set one at open. */
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
 * Whether a SQLite version can be trusted with WAL: from 3.7.0 to 3.51.2 a commit that races a WAL reset can be lost;
 * mended in 3.51.3 and, for their lines, in 3.50.7 and 3.44.6.
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

const SET_MEMORY = "PRAGMA journal_mode = MEMORY";
const SYNCHRONOUS_OFF: Setting = { ...SYNCHRONOUS_FULL, set: "PRAGMA synchronous = OFF", value: 0 };

/** Sets up a connection to a file that is thrown away unless it is finished, and has to stand alone then. */
export function configureWorkFile(connection: Connection): void {
  // A copy of a store that kept a log says so in its first page, which only this takes back.
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

/** Compiling a statement is most of what opening a store costs: what is so by itself is only asked. */
function apply(connection: Connection, { name, set, get, value, isDefault = false }: Setting): void {
  if (isDefault && get !== null && connection.get(get)?.[0] === value) return;
  const told = connection.get(set);
  const granted = get === null ? told : connection.get(get);
  if (granted?.[0] !== value) refuse(name);
}

function refuse(name: string): never {
  throw new StorageError("IO", `Cannot open store: SQLite did not grant the setting ${name}`, {
    details: { setting: name },
  });
}
