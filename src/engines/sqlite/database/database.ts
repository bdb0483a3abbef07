/** Opens one database file: its settings, its stamp, and its schema. */

import { APPLICATION_IDS, assertOwnHeader, type FileFacts, type FileKind } from "../files/header.ts";
import { because, StorageError } from "../../../errors.ts";
import { Connection } from "./connection.ts";
import type { SqliteDriver } from "../drivers/driver.ts";
import { type DatabaseName, RESULT } from "../drivers/result_codes.ts";
import { configure, type JournalMode, journalModeFor, libraryVersion, stampEmptyFile } from "./settings.ts";

/** A kind of database file: main, ledger, or a copy of one. */
export interface DatabaseKind extends FileKind {
  readonly name: DatabaseName;
  readonly setApplicationId: string;
}

/** Live state; its `application_id` is "HFM1". */
export const MAIN: DatabaseKind = {
  name: "main",
  what: "the store",
  applicationId: APPLICATION_IDS.main,
  schemaVersion: 1,
  setApplicationId: "PRAGMA application_id = 0x48464d31",
};

/** A copy of main at one moment; its `application_id` is "HFB1". It cannot be opened as a store. */
export const BACKUP: DatabaseKind = {
  ...MAIN,
  what: "the backup",
  applicationId: APPLICATION_IDS.backup,
  setApplicationId: "PRAGMA application_id = 0x48464231",
};

/** The deletion ledger; its `application_id` is "HFL1". */
export const LEDGER: DatabaseKind = {
  name: "ledger",
  what: "the ledger",
  applicationId: APPLICATION_IDS.ledger,
  schemaVersion: 1,
  setApplicationId: "PRAGMA application_id = 0x48464c31",
};

/**
 * A copy of the ledger at one moment; its `application_id` is "HFX1".
 *
 * It cannot be opened as a ledger, because it lacks the deletions that were recorded later.
 */
export const LEDGER_EXPORT: DatabaseKind = {
  ...LEDGER,
  what: "the exported ledger",
  applicationId: APPLICATION_IDS.ledgerExport,
  setApplicationId: "PRAGMA application_id = 0x48465831",
};

const GET_APPLICATION_ID = "PRAGMA application_id";
const GET_USER_VERSION = "PRAGMA user_version";
const GET_SCHEMA_COOKIE = "PRAGMA schema_version";
const GET_PAGE_COUNT = "PRAGMA page_count";
const GET_AUTO_VACUUM = "PRAGMA auto_vacuum";
const AUTO_VACUUM_INCREMENTAL = 2;

/** Views, triggers and virtual tables have no page of their own. */
const COUNT_WITHOUT_PAGES = `SELECT count(*) FROM sqlite_schema WHERE rootpage = 0`;

/** One open database and its journal mode. */
export interface Database {
  readonly connection: Connection;
  readonly journalMode: JournalMode;
  /** Schema version; 0 if it has no schema yet. */
  readonly version: number;
}

/** Opens and configures a file or a database in memory; closes it again if it is refused. */
export function openDatabase(
  kind: DatabaseKind,
  path: string,
  driver: SqliteDriver,
  readOnly: boolean,
): Database {
  const inMemory = path === ":memory:";
  const connection = Connection.open(kind.name, driver, path, { readOnly });
  try {
    const journalMode = inMemory ? "memory" : journalModeFor(versionOf(driver, connection));
    if (journalMode === "delete") connection.guardJournal(path);
    const facts = readFileFacts(connection, kind.applicationId);
    // Checked before anything is written; setting the journal mode writes, too.
    assertOwnHeader(facts, kind);
    if (facts.isUnstamped && !readOnly) stampEmptyFile(connection, kind.setApplicationId);
    configure(connection, journalMode, readOnly);
    if (facts.isUnstamped) {
      assertOwnHeader({ ...readFileFacts(connection, kind.applicationId), isUnstamped: false }, kind);
    }
    const version = facts.isUnstamped ? schemaVersion(connection) : facts.schemaVersion;
    assertOnlyTables(connection, kind);
    return { connection, journalMode, version };
  } catch (error) {
    throw connection.abandonOpening(asNoDatabase(error, kind.what));
  }
}

/** Reads the facts of a file; a stamped one needs fewer queries. */
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

/**
 * Whether a file has no content. SQLite writes the first page when incremental vacuum is set, before it can be
 * stamped.
 */
function isFirstPageAtMost(connection: Connection): boolean {
  const pages = getNumber(connection, GET_PAGE_COUNT);
  if (pages === 0) return true;
  return pages === 1 && getNumber(connection, GET_SCHEMA_COOKIE) === 0 &&
    getNumber(connection, GET_AUTO_VACUUM) === AUTO_VACUUM_INCREMENTAL;
}

function getNumber(connection: Connection, sql: string): number {
  return connection.get(sql)![0] as number;
}

/** Whether the schema has only tables and indexes. Reading a view in the place of a table may never end. */
export function hasOnlyTables(connection: Connection): boolean {
  return connection.get(COUNT_WITHOUT_PAGES)![0] === 0;
}

/** Converts the error of a file that is not a SQLite database; returns any other error unchanged. */
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

/**
 * Refuses views and triggers, which would run with any statement. Reading a view in the place of a table may never
 * end.
 *
 * `check` and a restore compare the definitions of the tables exactly.
 */
function assertOnlyTables(connection: Connection, kind: DatabaseKind): void {
  if (hasOnlyTables(connection)) return;
  throw new StorageError(
    "UNSAFE",
    `Cannot open store: ${kind.what} has views or triggers, which no store has`,
    { details: because("foreign-tables") },
  );
}

const versions = new WeakMap<SqliteDriver, string>();

/** The version of a driver's SQLite library, queried once per driver. */
function versionOf(driver: SqliteDriver, connection: Connection): string {
  const version = versions.get(driver) ?? libraryVersion(connection);
  versions.set(driver, version);
  return version;
}

/** Reads the schema version of a file; 0 if it has no schema yet. */
export function schemaVersion(connection: Connection): number {
  return connection.get(GET_USER_VERSION)![0] as number;
}
