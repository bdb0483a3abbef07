/** Reads what a database file says about itself before it is known to be ours; does not change it. */

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

/** Facts of a file that may not be a store, including those from its `meta` row. */
export interface StoreFacts extends FileFacts {
  /** The store that it belongs to; null if it names none. */
  readonly lineage: string | null;
  /** Whether it keeps a write-ahead log. */
  readonly keepsLog: boolean;
}

/**
 * Reads the facts of a file that has no log next to it; does not change it.
 *
 * If the file keeps a write-ahead log and may not be written, SQLite leaves an empty log next to it.
 *
 * @throws {StorageError} `CORRUPT` if it is not a database
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

/** Opens for writing if possible: a connection that may write removes the log that it creates. */
function openToInspect(path: string, what: string, driver: SqliteDriver): Connection {
  try {
    return Connection.open("main", driver, path, { readOnly: false, what });
  } catch (error) {
    if (!(error instanceof StorageError) || error.code === "BUSY") throw error;
    return Connection.open("main", driver, path, { readOnly: true, what });
  }
}

/**
 * Reads the facts of a file without replaying the logs next to it.
 *
 * Returns "live" if another connection uses the file, and null if it cannot be read or the file system has no hard
 * links.
 *
 * The file is opened under a second name, for which SQLite finds no logs. Both names share the file's locks and,
 * within a process, what SQLite knows of its log. The file is therefore read under an exclusive lock, which excludes
 * every other connection.
 *
 * @throws {StorageError} `BUSY` if another process does the same, `CORRUPT` if it is not a database
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
 * Begins a transaction that excludes all other connections, readers included, in any journal mode.
 *
 * @throws {StorageError} `BUSY` while the file is in use
 */
export function lockAlone(connection: Connection): void {
  connection.get(LOCK_EXCLUSIVELY);
  connection.begin("exclusive");
  // With a write-ahead log, SQLite takes the lock when it reads the first page.
  connection.get(GET_APPLICATION_ID);
}

/** Facts of an empty file; SQLite would report what the open transaction is about to write. */
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

const DATABASE_LIST = "PRAGMA database_list";
const PAGE_COUNT = "PRAGMA page_count";
const PAGE_SIZE = "PRAGMA page_size";

/**
 * Whether a file lacks bytes of its last page. SQLite reads them as zeros, as which they may pass. Nothing can be said while
 * a log holds pages that the file will have; and a file that is just being shortened is looked at once more.
 */
export function isTruncated(connection: Connection): boolean {
  const path = connection.get(DATABASE_LIST)![2] as string | null;
  if (path === null || path === "") return false;
  const size = connection.get(PAGE_SIZE)![0] as number;
  for (let look = 0; look < 2; look++) {
    const pages = connection.get(PAGE_COUNT)![0] as number;
    if ((lstatOrNull(`${path}-wal`)?.size ?? 0) > 0) return false;
    const bytes = lstatOrNull(path)?.size;
    if (bytes === undefined || bytes >= pages * size) return false;
  }
  return true;
}
