/** Opens the two files of a store, creating what is missing, and refuses everything unsafe. */

import { monotonicMs } from "../../../clock.ts";
import { because, StorageError } from "../../../errors.ts";
import { assertOwnHeader, HEADER_BYTES } from "../files/header.ts";
import { claimFile, isOpenHere } from "../files/open_files.ts";
import { requirePermissions } from "../../../platform/permissions.ts";
import {
  assertWritable,
  type FileIdentity,
  hasLogs,
  hasWorkName,
  inspectDirectory,
  inspectPrivateFile,
  inspectSidecars,
  inspectStore,
  ledgerIsMissing,
  lookAtWorkName,
  lstatOrNull,
  makePrivateDirectory,
  type StoreFiles,
  syncDirectory,
} from "../files/private_file.ts";
import { restoreUnfinished } from "../database/agreement.ts";
import { Sentinel } from "../files/sentinel.ts";
import {
  assertDistinct,
  type FilePath,
  type GivenPath,
  OPENING_SUFFIX,
  resolveFile,
  siblingPath,
  type StorePaths,
} from "../files/store_path.ts";
import type { Connection } from "../database/connection.ts";
import { mainIsMissing } from "../database/agreement.ts";
import { type Database, type DatabaseKind, LEDGER, MAIN, openDatabase } from "../database/database.ts";
import type { SqliteDriver } from "../drivers/driver.ts";
import type { Formats } from "../database/formats.ts";
import { Ledger } from "../database/ledger.ts";
import type { OpenedStore } from "../database/opened_store.ts";
import { retryWhileBusy } from "../database/retry_while_busy.ts";
import { withSecond } from "../drivers/result_codes.ts";

/** How a store is opened. */
export interface OpenStoreOptions {
  readonly driver: SqliteDriver;
  readonly readOnly: boolean;
  readonly busyTimeoutMs: number;
  /** The kinds of the two files; those of this release if omitted. */
  readonly databases?: Databases;
  /** How older files are upgraded; as in this release if omitted. */
  readonly formats?: Formats;
  /** Destination of a copy of a store of an older release, made before it is upgraded. */
  readonly backupBeforeUpgrade?: FilePath | undefined;
}

/** The kinds of a store's two files. */
interface Databases {
  readonly main: DatabaseKind;
  readonly ledger: DatabaseKind;
}

/** The kinds of this release. */
export const DATABASES: Databases = { main: MAIN, ledger: LEDGER };

/** The module that creates stores, loaded only if something has to be created. */
type Creation = typeof import("./creation.ts");

/** The module that checks empty files and logs, loaded only if there are any, which is rare. */
type OwnFile = typeof import("../database/own_file.ts");

/**
 * Internal: a file is missing, empty or has a log next to it. The module for that is loaded, and opening starts over.
 */
class OwnFileNeeded extends Error {}

/** Internal: something has to be created. The module for that is loaded, and opening starts over. */
class CreationNeeded extends Error {}

/** Internal: a file is of an older release. The store is upgraded, and opening starts over. */
class UpgradeNeeded extends Error {}

const WITHOUT_CREATION: Creation = {
  ensureLedger: needCreation,
  ensureMain: needCreation,
  ensureEpoch: needCreation,
};

function needCreation(): never {
  throw new CreationNeeded();
}

/** Opens a store in memory: two databases. */
export async function openStoreInMemory(driver: SqliteDriver): Promise<OpenedStore> {
  const creation = await import("./creation.ts");
  const opening = new Opening(driver, { readOnly: false, ownFile: null });
  try {
    const ledger = new Ledger(opening.open(LEDGER, ":memory:").connection);
    creation.ensureLedger(ledger);
    const { connection: main, journalMode } = opening.open(MAIN, ":memory:");
    creation.ensureMain(main, ledger);
    creation.ensureEpoch(main, ledger);
    return {
      main,
      ledger,
      journalMode,
      sentinel: null,
      mainFile: null,
      directories: [],
      driver,
      openReader: null,
      ...opening.endings(),
    };
  } catch (error) {
    throw opening.abandon(error);
  }
}

/** Opens a store on disk, and creates it if necessary; waits for locks for the busy timeout. */
export async function openStoreOnDisk(
  given: { readonly main: GivenPath; readonly ledger: GivenPath },
  options: OpenStoreOptions,
): Promise<OpenedStore> {
  const paths = preparePaths(given, options.readOnly);
  let creation = WITHOUT_CREATION;
  let ownFile: OwnFile | null = null;
  for (;;) {
    const deadlineMs = monotonicMs() + options.busyTimeoutMs;
    try {
      return await retryWhileBusy(deadlineMs, () => attempt(paths, options, { creation, ownFile }));
    } catch (error) {
      if (error instanceof OwnFileNeeded) ownFile = await import("../database/own_file.ts");
      else if (error instanceof CreationNeeded) creation = await import("./creation.ts");
      else if (error instanceof UpgradeNeeded) await upgrade(paths, options);
      else throw error;
    }
  }
}

async function upgrade(paths: StorePaths, options: OpenStoreOptions): Promise<void> {
  const { upgradeStore } = await import("./upgrade_store.ts");
  await upgradeStore(paths, options);
}

/** Resolves a store's paths; creates missing directories, and requires that all are safe and permitted. */
export function preparePaths(
  given: { readonly main: GivenPath; readonly ledger: GivenPath },
  readOnly: boolean,
): StorePaths {
  const parents = [...new Set([given.main.parent, given.ledger.parent])];
  requirePermissions(parents, readOnly);
  if (!readOnly) { for (const parent of parents) makePrivateDirectory(parent); }
  const paths = { main: resolveFile(given.main), ledger: resolveFile(given.ledger) };
  assertDistinct(paths);
  const directories = [...new Set([paths.main.directory, paths.ledger.directory])];
  // A link in a directory's path may lead out of what was permitted.
  requirePermissions(directories.filter((directory) => !parents.includes(directory)), readOnly);
  for (const directory of directories) inspectDirectory(directory);
  return paths;
}

function attempt(
  paths: StorePaths,
  options: OpenStoreOptions,
  { creation, ownFile }: { readonly creation: Creation; readonly ownFile: OwnFile | null },
): OpenedStore {
  const { driver, readOnly, databases = DATABASES } = options;
  // The ledger too: if it was lost, a restore creates both files.
  for (const { path } of [paths.main, paths.ledger]) {
    if (hasWorkName(path, ".restoring")) throw restoreUnfinished();
  }
  const before = inspectStore(paths);
  if (!before.has(paths.main.path)) assertNotRestoring(paths);
  assertComplete(paths, before, options, ownFile);
  if (readOnly) assertReadable(paths, before);
  else assertWritable(before);
  const opening = new Opening(driver, { readOnly, ownFile });
  try {
    const { connection, version } = opening.openFile(databases.ledger, paths.ledger, before);
    const ledger = new Ledger(connection, paths.ledger.path);
    if (readOnly) assertFinished(version);
    else if (version === 0) creation.ensureLedger(ledger);
    const unfinished = ledger.meta().epoch === null;
    // Checked after the ledger's epoch: the process that wrote the epoch had created main before.
    if (!unfinished && !isThere(before, paths.main) && isMissing(paths.main)) throw mainIsMissing();
    if (readOnly && unfinished) assertFinished(0);
    const { connection: main, journalMode, version: mainVersion } = opening.openFile(
      databases.main,
      paths.main,
      before,
    );
    if (readOnly) assertFinished(mainVersion);
    else if (unfinished) finishCreation(creation, { main, ledger }, paths);
    else if (mainVersion === 0) throw mainIsMissing();
    const sentinel = new Sentinel(paths);
    const found = sentinel.remember();
    assertUnchanged(paths, before, found);
    const mainFile = { path: paths.main.path, identity: found.get(paths.main.path)! };
    const openReader = (kind: DatabaseKind): Connection => {
      const file = kind === LEDGER ? paths.ledger : paths.main;
      inspectSidecars(file, kind.what);
      return openDatabase(kind, file.path, driver, true).connection;
    };
    const directories = [...new Set([paths.main.directory, paths.ledger.directory])];
    const files = { sentinel, mainFile, directories };
    return { main, ledger, journalMode, ...files, driver, openReader, ...opening.endings() };
  } catch (error) {
    throw opening.abandon(error);
  }
}

/** Refuses to create a store while a restore is unfinished. It would take the place of the restored one. */
function assertNotRestoring({ main, ledger }: StorePaths): void {
  for (const { path } of [main, ledger]) {
    if (lookAtWorkName(path, ".restoring") !== null) throw restoreUnfinished();
  }
}

/** Runs steps 2 and 3 of creation. Directory entries are made durable before the store becomes live. */
function finishCreation(
  creation: Creation,
  { main, ledger }: Pick<OpenedStore, "main" | "ledger">,
  paths: StorePaths,
): void {
  creation.ensureMain(main, ledger);
  for (const directory of new Set([paths.main.directory, paths.ledger.directory])) syncDirectory(directory);
  creation.ensureEpoch(main, ledger);
}

/** Requires a ledger if there is a main, which without it could not know what was deleted. */
function assertComplete(
  paths: StorePaths,
  files: StoreFiles,
  { driver, readOnly }: Pick<OpenStoreOptions, "driver" | "readOnly">,
  ownFile: OwnFile | null,
): void {
  const { path } = paths.main;
  const main = files.get(path);
  if (main === undefined || main.bytes === 0 || isThere(files, paths.ledger)) return;
  if (!isOpenHere(path, main)) {
    if (ownFile === null) throw new OwnFileNeeded();
    const facts = ownFile.readFactsOfFile({
      path,
      bytes: main.bytes,
      kind: MAIN,
      driver,
      readOnly,
      seen: files,
    });
    if (facts !== null && facts !== "live") assertOwnHeader(facts, MAIN);
  }
  throw ledgerIsMissing();
}

function isThere(files: StoreFiles, file: FilePath): boolean {
  return (files.get(file.path)?.bytes ?? 0) > 0;
}

function assertReadable(paths: StorePaths, files: StoreFiles): void {
  // If only the ledger exists, its epoch says whether the store is missing or was never finished.
  if (isThere(files, paths.ledger)) return;
  throw new StorageError(
    "READONLY",
    "Cannot open store read-only: it does not exist, or its creation is unfinished",
    { details: because("unfinished") },
  );
}

function assertFinished(version: number): void {
  if (version > 0) return;
  throw new StorageError("READONLY", "Cannot open store read-only: its creation is unfinished", {
    details: because("unfinished"),
  });
}

function isMissing(file: FilePath): boolean {
  const identity = inspectPrivateFile(file.path, MAIN.what);
  return identity === null || identity.bytes === 0;
}

/** Requires that the files are those that were inspected before SQLite opened them. */
function assertUnchanged(paths: StorePaths, before: StoreFiles, after: StoreFiles): void {
  for (const { path } of [paths.main, paths.ledger]) {
    const old = before.get(path);
    const now = after.get(path);
    if (now === undefined || (old !== undefined && (old.device !== now.device || old.inode !== now.inode))) {
      throw new StorageError("REPLACED", "Cannot open store: a file was replaced meanwhile", {
        details: { by: "file" },
      });
    }
  }
}

/** Whether a file has a header, and no log with content and no opening lock next to it. */
function isAlone(path: string, identity: FileIdentity | null, seen: StoreFiles | null): boolean {
  return identity !== null && identity.bytes >= HEADER_BYTES && !hasLogs(path, seen) &&
    lstatOrNull(siblingPath({ path }, OPENING_SUFFIX)) === null;
}

/** Collects what an attempt has opened, so that a failure closes all of it. */
export class Opening {
  readonly driver: SqliteDriver;
  readonly #readOnly: boolean;
  readonly #older: boolean;
  readonly #ownFile: OwnFile | null;
  readonly #databases: Database[] = [];
  readonly #releases: (() => void)[] = [];

  /** Refuses files of an older release unless `older` is set. */
  constructor(
    driver: SqliteDriver,
    { readOnly, older = false, ownFile }: {
      readonly readOnly: boolean;
      readonly older?: boolean;
      /** Null if it has not been loaded. */
      readonly ownFile: OwnFile | null;
    },
  ) {
    this.driver = driver;
    this.#readOnly = readOnly;
    this.#older = older;
    this.#ownFile = ownFile;
  }

  /**
   * Opens a private file of ours, and creates it if it does not exist.
   *
   * @param seen the store's files as they were just inspected; null if they were not
   */
  openFile(kind: DatabaseKind, file: FilePath, seen: StoreFiles | null = null): Database {
    const { path } = file;
    let identity = seen?.get(path) ?? inspectPrivateFile(path, kind.what);
    if (this.#readOnly || !isAlone(path, identity, seen)) {
      if (this.#ownFile === null) throw new OwnFileNeeded();
      const { driver } = this;
      identity = this.#ownFile.requireOwnFile({
        path,
        identity,
        kind,
        driver,
        readOnly: this.#readOnly,
        seen,
      });
    }
    if (identity === null) {
      throw new StorageError("BUSY", `Cannot open store: ${kind.what} was removed meanwhile`);
    }
    this.#releases.push(claimFile(path, identity, this.driver.name));
    const database = this.open(kind, file.path);
    if (database.version > 0 && database.version < kind.schemaVersion && !this.#older) this.#refuseOlder();
    return database;
  }

  #refuseOlder(): never {
    if (!this.#readOnly) throw new UpgradeNeeded();
    throw new StorageError(
      "READONLY",
      "Cannot open store read-only: it is of an older release; open it for writing once",
      { details: because("older") },
    );
  }

  open(kind: DatabaseKind, path: string): Database {
    const database = openDatabase(kind, path, this.driver, this.#readOnly);
    this.#databases.push(database);
    return database;
  }

  endings(): Pick<OpenedStore, "close" | "abandon"> {
    return { close: () => this.close(), abandon: (error) => this.abandon(error) };
  }

  /** Closes everything because of an error, and returns it. */
  abandon(error: unknown): unknown {
    try {
      this.close();
      return error;
    } catch (second) {
      return withSecond(error, second, "A failed opening could not close its files");
    }
  }

  close(): void {
    const errors: unknown[] = [];
    for (
      const step of [
        ...this.#databases.map(({ connection }) => () => connection.close()),
        ...this.#releases,
      ]
    ) {
      try {
        step();
      } catch (error) {
        errors.push(error);
      }
    }
    this.#databases.length = 0;
    this.#releases.length = 0;
    if (errors.length > 0) {
      throw errors.length === 1 ? errors[0] : new AggregateError(errors, "Cannot close store");
    }
  }
}
