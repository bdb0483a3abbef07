/** What a database file says of itself, read through SQLite. */

import { because, StorageError } from "../../errors.ts";
import type { FileFacts } from "../../files/header.ts";
import { lstatOrNull } from "../../files/private_file.ts";
import { Connection } from "./connection.ts";
import type { SqliteDriver } from "./driver.ts";
import { FileTurn } from "./file_turn.ts";
import { isIdentity } from "./main_meta.ts";
import { isBusy, RESULT } from "./result_codes.ts";

const GET_APPLICATION_ID = "PRAGMA application_id";
const GET_USER_VERSION = "PRAGMA user_version";
const GET_SCHEMA_COOKIE = "PRAGMA schema_version";
const GET_PAGE_COUNT = "PRAGMA page_count";
const GET_AUTO_VACUUM = "PRAGMA auto_vacuum";
const GET_JOURNAL_MODE = "PRAGMA journal_mode";
const AUTO_VACUUM_INCREMENTAL = 2;

/** Views, triggers and virtual tables have no page of their own. */
const COUNT_WITHOUT_PAGES = `SELECT count(*) FROM sqlite_schema WHERE rootpage = 0`;
const SELECT_LINEAGE = `SELECT lineage FROM meta WHERE id = 1`;
const LOCK_EXCLUSIVELY = "PRAGMA locking_mode = EXCLUSIVE";

/** Facts of a file that is not known to be a store, with what its `meta` row says. */
export interface StoreFacts extends FileFacts {
  /** Which store it belongs to; null if it names none. */
  readonly lineage: string | null;
  /** Whether it keeps a write-ahead log. */
  readonly keepsLog: boolean;
}

/** Reads the facts; only what is needed of a file that is stamped. */
export function readFileFacts(connection: Connection, applicationIdWanted: number): FileFacts {
  let applicationId = getNumber(connection, GET_APPLICATION_ID);
  const schemaVersion = getNumber(connection, GET_USER_VERSION);
  if (applicationId === applicationIdWanted) return { applicationId, schemaVersion, isUnstamped: false };
  const isUnstamped = applicationId === 0 && schemaVersion === 0 && isFirstPageAtMost(connection);
  // Another process may have stamped it between these statements.
  applicationId = getNumber(connection, GET_APPLICATION_ID);
  return applicationId === applicationIdWanted
    ? { applicationId, schemaVersion: getNumber(connection, GET_USER_VERSION), isUnstamped: false }
    : { applicationId, schemaVersion, isUnstamped };
}

/** SQLite writes the first page when incremental vacuum is set, and only then can the page say whose it is. */
function isFirstPageAtMost(connection: Connection): boolean {
  const pages = getNumber(connection, GET_PAGE_COUNT);
  if (pages === 0) return true;
  return pages === 1 && getNumber(connection, GET_SCHEMA_COOKIE) === 0 &&
    getNumber(connection, GET_AUTO_VACUUM) === AUTO_VACUUM_INCREMENTAL;
}

function getNumber(connection: Connection, sql: string): number {
  return connection.get(sql)![0] as number;
}

/** Whether every table, index, view and trigger has pages of its own: a view in a table's place may never end. */
export function hasOnlyTables(connection: Connection): boolean {
  return connection.get(COUNT_WITHOUT_PAGES)![0] === 0;
}

/**
 * Reads the facts of a file that has no log beside it, and leaves it as it is. Where it may not be written, and keeps a
 * write-ahead log, SQLite leaves an empty log beside it.
 *
 * @throws {StorageError} `CORRUPT` if it is no database
 */
export function lookAtFile(path: string, what: string, driver: SqliteDriver): StoreFacts {
  const connection = openToLook(path, what, driver);
  try {
    return readStoreFacts(connection);
  } catch (error) {
    throw asNoDatabase(error, what);
  } finally {
    connection.close();
  }
}

/** For writing where that is possible: a connection that may write removes the log that it makes. */
function openToLook(path: string, what: string, driver: SqliteDriver): Connection {
  try {
    return Connection.open("main", driver, path, { readOnly: false, what });
  } catch (error) {
    if (!(error instanceof StorageError) || error.code === "BUSY") throw error;
    return Connection.open("main", driver, path, { readOnly: true, what });
  }
}

/**
 * Reads the facts of a file without the logs beside it, which SQLite would replay: "live" if another connection uses
 * it, and null if it cannot be read or the file system has no hard links.
 *
 * A second name hides the logs. Two names of one file share their locks, and in one process what SQLite knows of its
 * log: so it is read under an exclusive lock, which excludes every other connection.
 *
 * @throws {StorageError} `BUSY` if another process looks at it, `CORRUPT` if it is no database
 */
export function lookWithoutLogs(
  path: string,
  what: string,
  driver: SqliteDriver,
): StoreFacts | "live" | null {
  using turn = FileTurn.take(path, driver);
  if (!turn.link()) return null;
  const connection = Connection.open("main", driver, turn.alias, { readOnly: false, what });
  try {
    lockAlone(connection);
    const facts = lstatOrNull(turn.alias)?.size === 0 ? EMPTY : readStoreFacts(connection);
    connection.rollback();
    return facts;
  } catch (error) {
    const first = asNoDatabase(connection.abandon(error), what);
    if (isBusy(first)) return "live";
    if (isDamage(first)) return null;
    throw first;
  } finally {
    connection.close();
  }
}

/**
 * Begins a transaction that excludes every other connection to the file, readers too, and in whatever journal mode.
 *
 * @throws {StorageError} `BUSY` while the file is in use
 */
export function lockAlone(connection: Connection): void {
  connection.get(LOCK_EXCLUSIVELY);
  connection.begin("exclusive");
  // With a write-ahead log, the lock is taken with the first page that is read.
  connection.get(GET_APPLICATION_ID);
}

/** Of a file that is empty SQLite tells what the transaction would make of it. */
const EMPTY: StoreFacts = {
  applicationId: 0,
  schemaVersion: 0,
  isUnstamped: true,
  keepsLog: false,
  lineage: null,
};

function readStoreFacts(connection: Connection): StoreFacts {
  const facts = readFileFacts(connection, -1);
  const keepsLog = connection.get(GET_JOURNAL_MODE)![0] === "wal";
  return { ...facts, keepsLog, lineage: readLineage(connection) };
}

function readLineage(connection: Connection): string | null {
  try {
    const lineage = hasOnlyTables(connection) ? connection.get(SELECT_LINEAGE)?.[0] : null;
    return typeof lineage === "string" && isIdentity(lineage) ? lineage : null;
  } catch (error) {
    if (error instanceof StorageError && error.code === "CORRUPT") return null;
    throw error;
  }
}

/** The error that says so of a file that SQLite does not take for a database. */
export function asNoDatabase(error: unknown, what: string): unknown {
  if (!(error instanceof StorageError) || !isNoDatabase(error)) return error;
  return new StorageError("CORRUPT", `Cannot open store: ${what} is not a SQLite database`, {
    details: because("no-database"),
    cause: error,
  });
}

function isNoDatabase({ details }: StorageError): boolean {
  return details.resultCode === RESULT.NOTADB;
}

function isDamage(error: unknown): boolean {
  return error instanceof StorageError && error.code === "CORRUPT" && error.details.because !== "no-database";
}
