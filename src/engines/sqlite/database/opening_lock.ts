/**
 * One process or Worker at a time may create a database file, or look at one without the logs beside it.
 *
 * POSIX drops every lock that a process holds on a file as soon as any descriptor of that file is closed in the
 * process, whichever Worker closes it. SQLite defers closing its own descriptors while another of its connections holds
 * a lock; a descriptor opened by any other means would drop the locks of a store that is open elsewhere in the process.
 * So a file that may be a live store is opened through SQLite alone. The one exception is the descriptor that creates
 * an empty file: it is closed before the turn ends, and nobody opens an empty file without taking the turn first.
 */

import { systemNowMs } from "../../../clock.ts";
import { because, StorageError } from "../../../errors.ts";
import { ABANDONED_AFTER_MS } from "../../../limits.ts";
import { createPrivateFile, linkPrivateFile, lstatOrNull, removeIfThere } from "../files/private_file.ts";
import { ALIAS_SUFFIX, OPENING_SUFFIX, siblingPath, SIDECAR_SUFFIXES } from "../files/store_path.ts";
import { Connection } from "./connection.ts";
import type { SqliteDriver } from "../drivers/driver.ts";

/**
 * The turn is SQLite's lock on an empty file, which ends with its holder however that ends. While it is held, the
 * alias is a second name of the database file that nobody else uses: SQLite finds no logs beside it.
 */
export class OpeningLock implements Disposable {
  /** The second name; nothing is there when the turn begins. */
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
   * Takes the turn, and removes what a killed holder left.
   *
   * @throws {StorageError} `BUSY` while another holds it; `UNSAFE` if its name is taken by something else
   */
  static take(path: string, driver: SqliteDriver): OpeningLock {
    const name = siblingPath({ path }, OPENING_SUFFIX);
    makeEmptyFile(name);
    const named = markOf(name);
    const lock = lockFile(name, driver);
    try {
      // The holder before may have taken the name away: a lock on a file without a name excludes nobody.
      if (named === null || markOf(name) !== named) throw beingOpened();
      const opening = new OpeningLock(path, name, lock);
      opening.#removeAlias();
      return opening;
    } catch (error) {
      throw lock.abandonOpening(error);
    }
  }

  /** Creates an empty private file, unless something is there. */
  create(): void {
    createPrivateFile(this.#path);
  }

  /** Gives the file its second name; false where the file system has no hard links. */
  link(): boolean {
    return linkPrivateFile(this.#path, this.alias);
  }

  #removeAlias(): void {
    for (const suffix of ["", ...SIDECAR_SUFFIXES]) removeIfThere(this.alias + suffix);
  }

  /** Ends the turn; the lock's name goes while it is still held. */
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

/** Removes what a killed holder of a turn left beside a database file. */
export function removeStaleLock(path: string, driver: SqliteDriver): void {
  if (lstatOrNull(siblingPath({ path }, OPENING_SUFFIX)) === null) return;
  OpeningLock.take(path, driver)[Symbol.dispose]();
}

const SET_JOURNAL_IN_MEMORY = "PRAGMA journal_mode = MEMORY";

function lockFile(name: string, driver: SqliteDriver): Connection {
  const lock = Connection.open("main", driver, name, { readOnly: false, what: "the store" });
  try {
    // An exclusive transaction prepares the first page of an empty file: no journal is made for it, and none written.
    lock.get(SET_JOURNAL_IN_MEMORY);
    lock.begin("exclusive");
    return lock;
  } catch (error) {
    throw lock.abandonOpening(error);
  }
}

/** What tells a file from another that has its name later, also one that is given the same inode; null if none is there. */
function markOf(name: string): string | null {
  const info = lstatOrNull(name);
  return info === null ? null : `${info.dev}:${info.ino}:${info.birthtime?.getTime()}`;
}

function beingOpened(): StorageError {
  return new StorageError("BUSY", "Cannot open store: another process is opening it");
}

/**
 * Made here, since SQLite would give it whatever mode the process's mask leaves. It gets its name after its descriptor
 * was closed: closing it later would drop the lock of another Worker that found the name and took the turn.
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

/** A file without its name is there for less than a millisecond, unless its maker was killed. */
function removeIfAbandoned(unnamed: string): void {
  const madeMs = lstatOrNull(unnamed)?.mtime?.getTime();
  if (madeMs === undefined || Math.abs(systemNowMs() - madeMs) > ABANDONED_AFTER_MS) removeIfThere(unnamed);
}

function assertEmptyFile({ isFile, size }: Deno.FileInfo): void {
  if (isFile && size === 0) return;
  throw new StorageError("UNSAFE", `Cannot open store: its name with ${OPENING_SUFFIX} is taken`, {
    details: because("no-file"),
  });
}
