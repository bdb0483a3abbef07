/** Looks at a database file that is not known to be ours, and leaves it as it is. */

import { StorageError } from "../../../errors.ts";
import type { FileFacts } from "../files/header.ts";
import { lstatOrNull } from "../files/private_file.ts";
import { Connection } from "./connection.ts";
import { asNoDatabase, hasOnlyTables, readFileFacts } from "./database.ts";
import type { SqliteDriver } from "../drivers/driver.ts";
import { OpeningLock } from "./opening_lock.ts";
import { isIdentity } from "./main_meta.ts";
import { isBusy } from "../drivers/result_codes.ts";

const GET_APPLICATION_ID = "PRAGMA application_id";
const GET_JOURNAL_MODE = "PRAGMA journal_mode";
const SELECT_LINEAGE = `SELECT lineage FROM meta WHERE id = 1`;
const LOCK_EXCLUSIVELY = "PRAGMA locking_mode = EXCLUSIVE";

/** Facts of a file that is not known to be a store, with what its `meta` row says. */
export interface StoreFacts extends FileFacts {
  /** Which store it belongs to; null if it names none. */
  readonly lineage: string | null;
  /** Whether it keeps a write-ahead log. */
  readonly keepsLog: boolean;
}

/**
 * Reads the facts of a file that has no log beside it, and leaves it as it is. Where it may not be written, and keeps a
 * write-ahead log, SQLite leaves an empty log beside it.
 *
 * @throws {StorageError} `CORRUPT` if it is no database
 */
export function readFactsDirectly(path: string, what: string, driver: SqliteDriver): StoreFacts {
  const connection = openToInspect(path, what, driver);
  try {
    return readStoreFacts(connection);
  } catch (error) {
    throw asNoDatabase(error, what);
  } finally {
    connection.close();
  }
}

/** For writing where that is possible: a connection that may write removes the log that it makes. */
function openToInspect(path: string, what: string, driver: SqliteDriver): Connection {
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
export function readFactsWithoutLogs(
  path: string,
  what: string,
  driver: SqliteDriver,
): StoreFacts | "live" | null {
  using lock = OpeningLock.take(path, driver);
  if (!lock.link()) return null;
  const connection = Connection.open("main", driver, lock.alias, { readOnly: false, what });
  try {
    lockAlone(connection);
    const facts = lstatOrNull(lock.alias)?.size === 0 ? EMPTY : readStoreFacts(connection);
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

function isDamage(error: unknown): boolean {
  return error instanceof StorageError && error.code === "CORRUPT" && error.details.because !== "no-database";
}
