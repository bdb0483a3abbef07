import { StorageError } from "../../../errors.ts";
import { assertOwnHeader } from "../files/header.ts";
import { isOpenHere } from "../files/open_files.ts";
import {
  assertNamed,
  type FileIdentity,
  inspectPrivateFile,
  lstatOrNull,
  removeIfThere,
} from "../files/private_file.ts";
import { type FilePath, SIDECAR_SUFFIXES } from "../files/store_path.ts";
import { assertFree, removeLeftover } from "../files/work_file.ts";
import { MAIN, openDatabase } from "../database/database.ts";
import type { SqliteDriver } from "../drivers/driver.ts";
import type { Ledger, LedgerMeta } from "../database/ledger.ts";
import { type MainMeta, readMainMeta } from "../database/main_meta.ts";
import { assertOwnFile, readFactsOfFile } from "../database/own_file.ts";
import { isBusy } from "../drivers/result_codes.ts";

/**
 * Step 4.1: removes what an unfinished restore left at the destination; refuses anything else.
 *
 * A pending main is removed under its write lock, and never if the ledger names it: then it is live, and only has to
 * be opened.
 */
export function clearDestination(destination: FilePath, ledger: Ledger | null, driver: SqliteDriver): void {
  removeLeftover(destination, ".restoring");
  const found = inspectDestination(destination, driver);
  if (found === null) {
    assertFree(destination);
    return;
  }
  const { identity, isAtRest } = found;
  // A file that is kept must not change by a byte, and opening it for writing may change its journal mode.
  if (isAtRest) assertUnfinishedFile(destination, ledger, driver);
  const database = openUnfinished(destination, driver, false);
  try {
    const { connection } = database;
    connection.begin(database.journalMode === "delete" ? "exclusive" : "immediate");
    const found = assertUnfinished(readMainMeta(connection), ledger);
    if (found !== null) withdrawAnnouncement(ledger!, found);
    assertNamed({ path: destination.path, identity });
    // The file goes last, so that a partial removal can be repeated. SQLite does not touch a file that has lost its
    // name.
    for (const suffix of [...SIDECAR_SUFFIXES, ""]) removeIfThere(destination.path + suffix);
  } finally {
    database.connection.close();
  }
}

/** The file found at the destination. */
interface FoundDestination {
  readonly identity: FileIdentity;
  /**
   * Whether it uses a rollback journal, with nothing to roll back. A write-ahead log would be created even for a
   * reader.
   */
  readonly isAtRest: boolean;
}

function inspectDestination({ path }: FilePath, driver: SqliteDriver): FoundDestination | null {
  try {
    const identity = inspectPrivateFile(path, "the destination");
    if (identity === null) return null;
    // Inspected before anything opens them: a pipe would block its reader.
    for (const suffix of SIDECAR_SUFFIXES) inspectPrivateFile(path + suffix, "a sidecar of the destination");
    const { bytes } = identity;
    if (bytes === 0 || isOpenHere(path, identity)) throw exists();
    const file = { path, bytes, kind: MAIN, driver, readOnly: false, seen: null };
    const facts = readFactsOfFile(file);
    if (facts !== null && facts !== "live") assertOwnHeader(facts, MAIN);
    assertOwnFile(file);
    const isAlone = SIDECAR_SUFFIXES.every((suffix) => lstatOrNull(path + suffix) === null);
    return { identity, isAtRest: isAlone && facts !== null && facts !== "live" && !facts.keepsLog };
  } catch (error) {
    // Whatever is wrong with it, the destination exists.
    throw isBusy(error) ? error : exists(error);
  }
}

function assertUnfinishedFile(destination: FilePath, ledger: Ledger | null, driver: SqliteDriver): void {
  const { connection } = openUnfinished(destination, driver, true);
  try {
    assertUnfinished(readMainMeta(connection), ledger);
  } finally {
    connection.close();
  }
}

function openUnfinished(
  destination: FilePath,
  driver: SqliteDriver,
  readOnly: boolean,
): ReturnType<typeof openDatabase> {
  const database = openDatabase(MAIN, destination.path, driver, readOnly);
  if (database.version > 0) return database;
  throw database.connection.abandonOpening(exists());
}

/** Requires a pending main that the ledger does not name; returns the ledger's meta row. */
function assertUnfinished(meta: MainMeta, ledger: Ledger | null): LedgerMeta | null {
  if (meta.pendingFrom === null) throw exists();
  const found = ledger?.readMeta() ?? null;
  if (found !== null && (found.lineage !== meta.lineage || found.epoch === meta.epoch)) throw exists();
  return found;
}

/** Withdraws an announcement, so that no commit that names the destination can take effect later. */
function withdrawAnnouncement(ledger: Ledger, found: LedgerMeta): void {
  if (found.announced === null || ledger.announce(found, null)) return;
  throw new StorageError("BUSY", "Cannot restore: the ledger is being written");
}

function exists(cause?: unknown): StorageError {
  return new StorageError(
    "EXISTS",
    "Cannot restore: the destination, or one of its sidecars, already exists",
    {
      cause,
    },
  );
}
