/** Checks that a file and its logs are ours, before SQLite replays a log or anything is written. */

import { because, StorageError } from "../../../errors.ts";
import { assertOwnHeader, assertWholeHeader, type FileKind } from "../files/header.ts";
import { assertOwnLogs, undoesFirstPage } from "../files/leftover_log.ts";
import { isOpenHere } from "../files/open_files.ts";
import { mayWrite } from "../../../platform/permissions.ts";
import {
  type FileIdentity,
  hasLogs,
  inspectPrivateFile,
  lstatOrNull,
  type StoreFiles,
} from "../files/private_file.ts";
import { SIDECAR_SUFFIXES } from "../files/store_path.ts";
import { type DatabaseKind, MAIN } from "./database.ts";
import type { SqliteDriver } from "../drivers/driver.ts";
import { OpeningLock, removeStaleLock } from "./opening_lock.ts";
import { readFactsDirectly, readFactsWithoutLogs, type StoreFacts } from "./file_facts.ts";
import { isBusy } from "../drivers/result_codes.ts";

/** A database file that is to be opened. */
interface FileToOpen extends Omit<FileInQuestion, "bytes"> {
  readonly kind: DatabaseKind;
  /** The file found under its path; null if there was none. */
  readonly identity: FileIdentity | null;
}

/**
 * Requires that a file is ours, or creates it.
 *
 * An empty file may still be open in the process that creates it, so it is used only under the opening lock.
 *
 * @throws {StorageError} `READONLY` if it would have to be created for a read-only store
 */
export function requireOwnFile(file: FileToOpen): FileIdentity | null {
  const { path, kind, driver, readOnly, identity } = file;
  if (!readOnly) removeStaleLock(path, driver);
  if (identity !== null && identity.bytes > 0) {
    if (!isOpenHere(path, identity)) assertOwnFile({ ...file, bytes: identity.bytes });
    return identity;
  }
  if (readOnly) {
    throw new StorageError("READONLY", "Cannot open store read-only: its creation is unfinished", {
      details: because("unfinished"),
    });
  }
  using lock = OpeningLock.take(path, driver);
  lock.create();
  return inspectPrivateFile(path, kind.what);
}

/** A database file to check. */
interface FileInQuestion {
  readonly path: string;
  /** Its size in bytes. */
  readonly bytes: number;
  readonly kind: FileKind;
  readonly driver: SqliteDriver;
  readonly readOnly: boolean;
  /** The store's files as they were just inspected; null if they were not. */
  readonly seen: StoreFiles | null;
}

/**
 * Refuses a file next to the log of another program or another store, without changing a byte.
 *
 * A log that is in use is not checked: the store that has it open did so. If a file may only be read, no log is ever
 * copied into it, and only the content of the log itself is checked.
 */
export function assertOwnFile(file: FileInQuestion): void {
  const { path, bytes, kind, driver, readOnly } = file;
  assertWholeHeader(bytes, kind);
  if (bytes === 0) return;
  if (!hasLogs(path, file.seen)) {
    // A read-only connection would leave an empty log next to a file that is then refused.
    if (readOnly && !hasSidecars(path) && mayWrite(path)) {
      assertOwnHeader(readFactsDirectly(path, kind.what, driver), kind);
    }
    return;
  }
  let facts: StoreFacts | "live" | null = null;
  if (!readOnly) {
    try {
      facts = readFactsWithoutLogs(path, kind.what, driver);
    } catch (error) {
      if (isNoDatabase(error) && undoesFirstPage(path, bytes)) return;
      throw error;
    }
    if (facts === "live") return;
    if (facts !== null) assertOwnHeader(facts, kind);
  }
  assertOwnLogs({
    path,
    applicationId: kind.applicationId,
    what: kind.what,
    lineage: facts?.lineage ?? null,
  });
}

/** Reads a file's facts without replaying a log; "live" if it is in use, null if they are unreadable. */
export function readFactsOfFile(file: FileInQuestion): StoreFacts | "live" | null {
  const { path, kind, driver, readOnly } = file;
  assertWholeHeader(file.bytes, kind);
  if (!hasLogs(path, file.seen)) return readFactsDirectly(path, kind.what, driver);
  return readOnly ? null : readFactsWithoutLogs(path, kind.what, driver);
}

/** Whether a path names a main file of this lineage; false for a file that cannot be read. */
export function isMainOf(path: string, lineage: string, driver: SqliteDriver): boolean {
  try {
    const identity = inspectPrivateFile(path, MAIN.what);
    if (identity === null) return false;
    // This process has it open, which would have failed with another ledger.
    if (isOpenHere(path, identity)) return true;
    const facts = readFactsOfFile({
      path,
      bytes: identity.bytes,
      kind: MAIN,
      driver,
      readOnly: false,
      seen: null,
    });
    if (facts === null || facts === "live") return facts === "live";
    return facts.applicationId === MAIN.applicationId && (facts.lineage ?? lineage) === lineage;
  } catch (error) {
    // Another process is opening it, which would fail with another ledger.
    return isBusy(error);
  }
}

function hasSidecars(path: string): boolean {
  return SIDECAR_SUFFIXES.some((suffix) => lstatOrNull(path + suffix) !== null);
}

function isNoDatabase(error: unknown): boolean {
  return error instanceof StorageError && error.details.because === "no-database";
}
