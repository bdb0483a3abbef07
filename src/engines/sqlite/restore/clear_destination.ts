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
 * 4.1: nothing there is fine, what an unfinished restore left is removed, anything else is refused. A pending destination
 * is removed under its write lock, and never if the ledger names it: it is live then, and only has to be opened.
 */
export function clearDestination(destination: FilePath, ledger: Ledger | null, driver: SqliteDriver): void {
  removeLeftover(destination, ".restoring");
  const found = inspectDestination(destination, driver);
  if (found === null) {
    assertFree(destination);
    return;
  }
  const { identity, isAtRest } = found;
  // What is not to be removed must not change in a byte: opened for writing, it may be given another journal.
  if (isAtRest) assertUnfinishedFile(destination, ledger, driver);
  const database = openUnfinished(destination, driver, false);
  try {
    const { connection } = database;
    connection.begin(database.journalMode === "delete" ? "exclusive" : "immediate");
    const found = assertUnfinished(readMainMeta(connection), ledger);
    if (found !== null) withdrawAnnouncement(ledger!, found);
    assertNamed({ path: destination.path, identity });
    // The name goes last, so that a part of this can be done again; SQLite leaves a file alone that has lost its name.
    for (const suffix of [...SIDECAR_SUFFIXES, ""]) removeIfThere(destination.path + suffix);
  } finally {
    database.connection.close();
  }
}

/** What lies under the destination's name. */
interface FoundDestination {
  readonly identity: FileIdentity;
  /** Whether it keeps a rollback journal that has nothing to roll back; a log would be made even for a reader. */
  readonly isAtRest: boolean;
}

function inspectDestination({ path }: FilePath, driver: SqliteDriver): FoundDestination | null {
  try {
    const identity = inspectPrivateFile(path, "the destination");
    if (identity === null) return null;
    // Looked at before anything opens them: a pipe would keep its reader waiting.
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
    // Whatever it is, it is there.
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

/** Gives what the ledger says of itself, which does not name the destination. */
function assertUnfinished(meta: MainMeta, ledger: Ledger | null): LedgerMeta | null {
  if (meta.pendingFrom === null) throw exists();
  const found = ledger?.readMeta() ?? null;
  if (found !== null && (found.lineage !== meta.lineage || found.epoch === meta.epoch)) throw exists();
  return found;
}

/** With nothing announced, no commit that names the destination can come to light any more. */
function withdrawAnnouncement(ledger: Ledger, found: LedgerMeta): void {
  if (found.announced === null || ledger.announce(found, null)) return;
  throw new StorageError("BUSY", "Cannot restore: the ledger is being written");
}

function exists(cause?: unknown): StorageError {
  return new StorageError("EXISTS", "Cannot restore: the destination, or a sidecar of it, is there already", {
    cause,
  });
}
