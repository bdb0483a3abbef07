/** Whether a file, and the logs beside it, are ours: asked before SQLite replays a log or anything is written. */

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
  /** What lay under its name; null if nothing did. */
  readonly identity: FileIdentity | null;
}

/**
 * Requires that a file is ours, or creates it. An empty one may have a creator that has not closed it yet, so that its
 * turn is awaited.
 *
 * @throws {StorageError} `READONLY` if it is to be created and may only be read
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

/** A database file that is to be used. */
interface FileInQuestion {
  readonly path: string;
  /** How many bytes it has. */
  readonly bytes: number;
  readonly kind: FileKind;
  readonly driver: SqliteDriver;
  readonly readOnly: boolean;
  /** What lay under the store's names a moment ago, where somebody has looked. */
  readonly seen: StoreFiles | null;
}

/**
 * Refuses a file beside which the log of another program or another store lies, without changing a byte of it. A log
 * that is in use is not looked at: the store that has it open did so. Where a file may only be read, no log is
 * ever copied into it, and only what a log says of itself is looked at.
 */
export function assertOwnFile(file: FileInQuestion): void {
  const { path, bytes, kind, driver, readOnly } = file;
  assertWholeHeader(bytes, kind);
  if (bytes === 0) return;
  if (!hasLogs(path, file.seen)) {
    // A connection that only reads would leave an empty log beside a file that is then refused.
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

/** What a file says of itself, with no log replayed; "live" where it is in use, null where that cannot be told. */
export function readFactsOfFile(file: FileInQuestion): StoreFacts | "live" | null {
  const { path, kind, driver, readOnly } = file;
  assertWholeHeader(file.bytes, kind);
  if (!hasLogs(path, file.seen)) return readFactsDirectly(path, kind.what, driver);
  return readOnly ? null : readFactsWithoutLogs(path, kind.what, driver);
}

/** Whether a main file of this lineage lies under a name; one that cannot be read is none. */
export function isMainOf(path: string, lineage: string, driver: SqliteDriver): boolean {
  try {
    const identity = inspectPrivateFile(path, MAIN.what);
    if (identity === null) return false;
    // A store of another ledger could not be open with this one.
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
    // Another process is just opening it, which it could not with another ledger.
    return isBusy(error);
  }
}

function hasSidecars(path: string): boolean {
  return SIDECAR_SUFFIXES.some((suffix) => lstatOrNull(path + suffix) !== null);
}

function isNoDatabase(error: unknown): boolean {
  return error instanceof StorageError && error.details.because === "no-database";
}
