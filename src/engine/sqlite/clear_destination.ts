import { StorageError } from "../../errors.ts";
import { assertOwnHeader } from "../../files/header.ts";
import { isOpenHere } from "../../files/open_files.ts";
import { assertNamed, inspectPrivateFile, toStorageError } from "../../files/private_file.ts";
import { type FilePath, SIDECAR_SUFFIXES } from "../../files/store_path.ts";
import { assertFree, removeLeftover } from "../../files/work_file.ts";
import { MAIN, openDatabase } from "./database.ts";
import type { SqliteDriver } from "./driver.ts";
import type { Ledger } from "./ledger.ts";
import { readMainMeta } from "./main_meta.ts";
import { isBusy } from "./result_codes.ts";

/**
 * 4.1: nothing there is fine, what an unfinished restore left is removed, anything else is refused. A pending destination
 * is removed under its write lock, and never if the ledger names it: it is live then, and only has to be opened.
 */
export function clearDestination(destination: FilePath, ledger: Ledger | null, driver: SqliteDriver): void {
  removeLeftover(destination, ".restoring");
  const identity = inspectDestination(destination);
  if (identity === null) {
    assertFree(destination);
    return;
  }
  const database = openUnfinished(destination, driver);
  try {
    const { connection } = database;
    connection.begin(database.journalMode === "delete" ? "exclusive" : "immediate");
    const meta = readMainMeta(connection);
    if (meta.pendingFrom === null) throw exists();
    if (ledger !== null) assertNotNamed(ledger, meta);
    assertNamed({ path: destination.path, identity });
    // The name goes last, so that a part of this can be done again; SQLite leaves a file alone that has lost its name.
    for (const suffix of [...SIDECAR_SUFFIXES, ""]) remove(destination.path + suffix);
  } finally {
    database.connection.close();
  }
}

function inspectDestination({ path }: FilePath): ReturnType<typeof inspectPrivateFile> {
  try {
    const identity = inspectPrivateFile(path, "the destination");
    if (identity === null) return null;
    if (identity.bytes === 0 || isOpenHere(path, identity)) throw exists();
    assertOwnHeader(path, MAIN);
    return identity;
  } catch (error) {
    // Whatever it is, it is there.
    throw isBusy(error) ? error : exists(error);
  }
}

function openUnfinished(destination: FilePath, driver: SqliteDriver): ReturnType<typeof openDatabase> {
  const database = openDatabase(MAIN, destination.path, driver, false);
  if (database.version > 0) return database;
  throw database.connection.abandonOpening(exists());
}

/** With nothing announced, no commit that names it can come to light any more. */
function assertNotNamed(ledger: Ledger, meta: ReturnType<typeof readMainMeta>): void {
  const found = ledger.readMeta();
  if (found.lineage !== meta.lineage || found.epoch === meta.epoch) throw exists();
  if (found.announced === null || ledger.announce(found, null)) return;
  throw new StorageError("BUSY", "Cannot restore: the ledger is being written");
}

function remove(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw toStorageError(error);
  }
}

function exists(cause?: unknown): StorageError {
  return new StorageError("EXISTS", "Cannot restore: the destination, or a sidecar of it, is there already", {
    cause,
  });
}
