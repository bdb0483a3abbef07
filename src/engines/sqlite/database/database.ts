/** Opens one database file: its settings, its stamp, and its schema. */

import { APPLICATION_IDS, assertOwnHeader, type FileFacts, type FileKind } from "../files/header.ts";
import { because, StorageError } from "../../../errors.ts";
import { Connection } from "./connection.ts";
import type { SqliteDriver } from "../drivers/driver.ts";
import { type DatabaseName, RESULT } from "../drivers/result_codes.ts";
import { configure, type JournalMode, journalModeFor, libraryVersion, stampEmptyFile } from "./settings.ts";

/** What tells main from ledger. */
export interface DatabaseKind extends FileKind {
  readonly name: DatabaseName;
  readonly setApplicationId: string;
}

/** Live state; `application_id` says "HFM1". */
export const MAIN: DatabaseKind = {
  name: "main",
  what: "the store",
  applicationId: APPLICATION_IDS.main,
  schemaVersion: 1,
  setApplicationId: "PRAGMA application_id = 0x48464d31",
};

/** What was live at one moment; `application_id` says "HFB1", so that nobody takes it for a store. */
export const BACKUP: DatabaseKind = {
  ...MAIN,
  what: "the backup",
  applicationId: APPLICATION_IDS.backup,
  setApplicationId: "PRAGMA application_id = 0x48464231",
};

/** The deletion ledger; `application_id` says "HFL1". */
export const LEDGER: DatabaseKind = {
  name: "ledger",
  what: "the ledger",
  applicationId: APPLICATION_IDS.ledger,
  schemaVersion: 1,
  setApplicationId: "PRAGMA application_id = 0x48464c31",
};

/** A copy of the ledger at one moment; `application_id` says "HFX1": used in its place it would forget what came later. */
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

/** One open database and the journal mode it was given. */
export interface Database {
  readonly connection: Connection;
  readonly journalMode: JournalMode;
  /** The version of its schema; 0 where there is none yet. */
  readonly version: number;
}

/** Opens and sets up a file, or a database in memory; closes it again if anything is refused. */
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
    // Before anything is written, and the journal mode with it.
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

/**
 * Refuses what would run with whatever is done to the file: a view in the place of a table may never come to an end.
 * That its tables are ours to the letter is for `check` to say, and for a restore.
 */
function assertOnlyTables(connection: Connection, kind: DatabaseKind): void {
  if (hasOnlyTables(connection)) return;
  throw new StorageError(
    "UNSAFE",
    `Cannot open store: ${kind.what} has views or triggers, which are not ours`,
    { details: because("foreign-tables") },
  );
}

const versions = new WeakMap<SqliteDriver, string>();

/** The version of the library behind a driver, asked once. */
function versionOf(driver: SqliteDriver, connection: Connection): string {
  const version = versions.get(driver) ?? libraryVersion(connection);
  versions.set(driver, version);
  return version;
}

/** The version of the schema in a file; 0 where there is none yet. */
export function schemaVersion(connection: Connection): number {
  return connection.get(GET_USER_VERSION)![0] as number;
}
