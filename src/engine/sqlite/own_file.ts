/** Whether a file, and the logs beside it, are ours: asked before SQLite replays a log or anything is written. */

import { StorageError } from "../../errors.ts";
import { assertOwnHeader, assertWholeHeader, type FileKind } from "../../files/header.ts";
import { assertOwnLogs, undoesFirstPage } from "../../files/leftover_log.ts";
import { isOpenHere } from "../../files/open_files.ts";
import { mayWrite } from "../../files/permissions.ts";
import { inspectPrivateFile, lstatOrNull, type StoreFiles } from "../../files/private_file.ts";
import { SIDECAR_SUFFIXES } from "../../files/store_path.ts";
import { MAIN } from "./database.ts";
import type { SqliteDriver } from "./driver.ts";
import { lookAtFile, lookWithoutLogs, type StoreFacts } from "./file_facts.ts";

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
  if (!hasLogs(file)) {
    // A connection that only reads would leave an empty log beside a file that is then refused.
    if (readOnly && !hasSidecars(path) && mayWrite(path)) {
      assertOwnHeader(lookAtFile(path, kind.what, driver), kind);
    }
    return;
  }
  let facts: StoreFacts | "live" | null = null;
  if (!readOnly) {
    try {
      facts = lookWithoutLogs(path, kind.what, driver);
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
export function lookAtOwner(file: FileInQuestion): StoreFacts | "live" | null {
  const { path, kind, driver, readOnly } = file;
  assertWholeHeader(file.bytes, kind);
  if (!hasLogs(file)) return lookAtFile(path, kind.what, driver);
  return readOnly ? null : lookWithoutLogs(path, kind.what, driver);
}

/** Whether a main file of this lineage lies under a name; one that cannot be read is none. */
export function isMainOf(path: string, lineage: string, driver: SqliteDriver): boolean {
  try {
    const identity = inspectPrivateFile(path, MAIN.what);
    if (identity === null) return false;
    // A store of another ledger could not be open with this one.
    if (isOpenHere(path, identity)) return true;
    const facts = lookAtOwner({
      path,
      bytes: identity.bytes,
      kind: MAIN,
      driver,
      readOnly: false,
      seen: null,
    });
    if (facts === null || facts === "live") return facts === "live";
    return facts.applicationId === MAIN.applicationId && (facts.lineage ?? lineage) === lineage;
  } catch {
    return false;
  }
}

function hasSidecars(path: string): boolean {
  return SIDECAR_SUFFIXES.some((suffix) => lstatOrNull(path + suffix) !== null);
}

function hasLogs({ path, seen }: FileInQuestion): boolean {
  return [`${path}-wal`, `${path}-journal`].some((log) =>
    (seen === null ? lstatOrNull(log)?.size ?? 0 : seen.get(log)?.bytes ?? 0) > 0
  );
}

function isNoDatabase(error: unknown): boolean {
  return error instanceof StorageError && error.details.because === "no-database";
}
