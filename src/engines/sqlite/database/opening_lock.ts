/**
 * A lock: one process or Worker at a time may create a database file or read one without its logs.
 *
 * POSIX drops every lock that a process holds on a file as soon as any descriptor of that file is closed in the
 * process, whichever Worker closes it. SQLite defers closing its own descriptors while another of its connections
 * holds a lock; a descriptor opened by any other means would drop the locks of a store that is open elsewhere in the
 * process. Therefore a file that may be a live store is opened only through SQLite. The one exception is the
 * descriptor that creates an empty file: it is closed before the opening lock is released, and an empty file is
 * opened only under that lock.
 */

import { systemNowMs } from "../../../clock.ts";
import { because, StorageError } from "../../../errors.ts";
import { ABANDONED_AFTER_MS } from "../../../limits.ts";
import { createPrivateFile, linkPrivateFile, lstatOrNull, removeIfThere } from "../files/private_file.ts";
import { ALIAS_SUFFIX, OPENING_SUFFIX, siblingPath, SIDECAR_SUFFIXES } from "../files/store_path.ts";
import { Connection } from "./connection.ts";
import type { SqliteDriver } from "../drivers/driver.ts";

/**
 * SQLite's lock on an empty file. The operating system releases it when its holder ends or is killed.
 *
 * While it is held, the alias is a second name of the database file that no other process uses, and for which SQLite
 * finds no logs.
 */
export class OpeningLock implements Disposable {
  /** The second name; free when the lock is taken. */
  readonly alias: string;
  readonly #path: string;
  readonly #name: string;
  readonly #lock: Connection;

  private constructor(path: string, name: string, lock: Connection) {
    this.#path = path;
    this.#name = name;
    this.#lock = lock;
    this.alias = siblingPath({ path }, ALIAS_SUFFIX);
  }

  /**
   * Takes the lock, and removes what a killed holder left.
   *
   * @throws {StorageError} `BUSY` while another holds it; `UNSAFE` if its name is taken by something else
   */
  static take(path: string, driver: SqliteDriver): OpeningLock {
    const name = siblingPath({ path }, OPENING_SUFFIX);
    makeEmptyFile(name);
    const named = markOf(name);
    const lock = lockFile(name, driver);
    try {
      // The previous holder may have removed the name: a lock on a file without a name excludes no other process.
      if (named === null || markOf(name) !== named) throw beingOpened();
      const opening = new OpeningLock(path, name, lock);
      opening.#removeAlias();
      return opening;
    } catch (error) {
      throw lock.abandonOpening(error);
    }
  }

  /** Creates an empty private file, unless the name is taken. */
  create(): void {
    createPrivateFile(this.#path);
  }

  /** Links the file to its second name; false if the file system has no hard links. */
  link(): boolean {
    return linkPrivateFile(this.#path, this.alias);
  }

  #removeAlias(): void {
    for (const suffix of ["", ...SIDECAR_SUFFIXES]) removeIfThere(this.alias + suffix);
  }

  /** Releases the lock; its name is removed while the lock is still held. */
  [Symbol.dispose](): void {
    try {
      this.#removeAlias();
      removeIfThere(siblingPath({ path: this.#name }, UNNAMED_SUFFIX));
      removeIfThere(this.#name);
    } finally {
      this.#lock.close();
    }
  }
}

/** Removes what a killed holder of the lock left next to a database file. */
export function removeStaleLock(path: string, driver: SqliteDriver): void {
  if (lstatOrNull(siblingPath({ path }, OPENING_SUFFIX)) === null) return;
  OpeningLock.take(path, driver)[Symbol.dispose]();
}

const SET_JOURNAL_IN_MEMORY = "PRAGMA journal_mode = MEMORY";

function lockFile(name: string, driver: SqliteDriver): Connection {
  const lock = Connection.open("main", driver, name, { readOnly: false, what: "the store" });
  try {
    // An exclusive transaction prepares the first page of an empty file: with its journal in memory, SQLite creates
    // no file for it.
    lock.get(SET_JOURNAL_IN_MEMORY);
    lock.begin("exclusive");
    return lock;
  } catch (error) {
    throw lock.abandonOpening(error);
  }
}

/** Identifies a file, also against a later one of the same name and inode; null if there is none. */
function markOf(name: string): string | null {
  const info = lstatOrNull(name);
  return info === null ? null : `${info.dev}:${info.ino}:${info.birthtime?.getTime()}`;
}

function beingOpened(): StorageError {
  return new StorageError("BUSY", "Cannot open store: another process is opening it");
}

/**
 * Creates the lock's file. SQLite would create it with the mode that the process's umask allows.
 *
 * The file gets its name after its descriptor was closed: closing it later would drop the lock of another Worker that
 * found the name and took the lock.
 */
function makeEmptyFile(name: string): void {
  const info = lstatOrNull(name);
  if (info !== null) return assertEmptyFile(info);
  const unnamed = siblingPath({ path: name }, UNNAMED_SUFFIX);
  if (!createPrivateFile(unnamed)) {
    removeIfAbandoned(unnamed);
    throw beingOpened();
  }
  try {
    if (!linkPrivateFile(unnamed, name)) createPrivateFile(name);
  } finally {
    removeIfThere(unnamed);
  }
}

const UNNAMED_SUFFIX = "-new";

/** A file without its final name exists for less than a millisecond, unless its creator was killed. */
function removeIfAbandoned(unnamed: string): void {
  const madeMs = lstatOrNull(unnamed)?.mtime?.getTime();
  if (madeMs === undefined || Math.abs(systemNowMs() - madeMs) > ABANDONED_AFTER_MS) removeIfThere(unnamed);
}

function assertEmptyFile({ isFile, size }: Deno.FileInfo): void {
  if (isFile && size === 0) return;
  throw new StorageError(
    "UNSAFE",
    `Cannot open store: its name with ${OPENING_SUFFIX} is not an empty file`,
    {
      details: because("no-file"),
    },
  );
}
