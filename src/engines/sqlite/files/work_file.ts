import { because, StorageError } from "../../../errors.ts";
import { WORK_FILE_CLAIMS_MAX } from "../../../limits.ts";
import { isOurLeftover, isStamped } from "./leftover_file.ts";
import { isPermitted, lastSeparator } from "../../../platform/permissions.ts";
import { hasWorkName, lstatOrNull, removeIfThere, syncDirectory, toStorageError } from "./private_file.ts";
import { fileIn, type FilePath, SIDECAR_SUFFIXES } from "./store_path.ts";

/** Suffixes of the names of unfinished files: of backups and exports, and of restores. */
const WORK_SUFFIXES = [".partial", ".restoring"] as const;
type WorkSuffix = (typeof WORK_SUFFIXES)[number];

const IS_WINDOWS = Deno.build.os === "windows";

/**
 * A private, unfinished file next to the path that it gets once it is complete.
 *
 * Its creator holds a lock on it. A file without a lock was left by a killed process, and is removed by the next call
 * for the same path. On Windows a lock would keep SQLite from opening the file, so there a leftover must be removed
 * by hand.
 *
 * The lock belongs to the open file, which stays open until the file gets its name: closing it would drop the locks
 * of every connection that this process has to it.
 */
export class WorkFile implements Disposable {
  /** Its path until it is published. */
  readonly path: string;
  readonly #target: FilePath;
  readonly #file: Deno.FsFile;
  #isOver = false;
  #isClosed = false;

  private constructor(target: FilePath, path: string, file: Deno.FsFile) {
    this.#target = target;
    this.path = path;
    this.#file = file;
  }

  /**
   * Creates an empty work file.
   *
   * @throws {StorageError} `EXISTS` if the target or one of its sidecars exists, `BUSY` if another process is
   * creating it, `UNSAFE` if the work name, or that of a sidecar, is taken by something other than a file
   */
  static claim(target: FilePath, suffix: WorkSuffix): WorkFile {
    assertNameFits(target, suffix);
    // Even if the target exists: a process that was killed right after linking has left it two names.
    removeLeftover(target, suffix);
    assertFree(target);
    const path = target.path + suffix;
    assertFiles(path, suffix);
    for (let attempt = 0; attempt < WORK_FILE_CLAIMS_MAX; attempt++) {
      const file = createExclusively(path);
      if (file === null) removeLeftover(target, suffix);
      else if (!IS_WINDOWS && !file.tryLockSync(true)) file.close();
      else if (leadsTo(path, file)) return new WorkFile(target, path, emptied(path, file));
      else file.close();
    }
    throw beingMade();
  }

  /** Appends bytes. */
  write(bytes: Uint8Array): void {
    try {
      for (let written = 0; written < bytes.length;) written += this.#file.writeSync(bytes.subarray(written));
    } catch (error) {
      throw toStorageError(error);
    }
  }

  /** Its size in bytes. */
  get bytes(): number {
    return this.#file.statSync().size;
  }

  /**
   * Makes its content durable, links it to its final name, and makes that durable, too. SQLite must have closed it.
   *
   * @throws {StorageError} `EXISTS` if the target or one of its sidecars was created meanwhile
   */
  publish(): void {
    const { path, directory } = this.#target;
    try {
      this.#file.syncSync();
      assertFree(this.#target);
      Deno.linkSync(this.path, path);
      // From here on it may be a live store, and closing this descriptor later would drop its locks. While it has
      // both names, no process opens it.
      this.#close();
      syncDirectory(directory);
      removeIfThere(this.path);
      syncDirectory(directory);
    } catch (error) {
      throw error instanceof Deno.errors.AlreadyExists
        ? exists(this.#target.name)
        : toStorageErrorUnless(error);
    }
    this.#isOver = true;
  }

  /** Removes the file, unless it was published. */
  [Symbol.dispose](): void {
    if (this.#isOver) return;
    this.#isOver = true;
    try {
      removeWithSidecars(this.path);
    } finally {
      this.#close();
    }
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#file.close();
  }
}

/** Whether a path and those of its sidecars are free; false if that cannot be determined. */
export function isFree(path: string): boolean {
  try {
    return ["", ...SIDECAR_SUFFIXES].every((suffix) => lstatOrNull(path + suffix) === null);
  } catch {
    return false;
  }
}

/** Requires that a path and those of its sidecars are free: nothing is ever overwritten. */
export function assertFree(target: FilePath): void {
  for (const suffix of ["", ...SIDECAR_SUFFIXES]) {
    if (lstatOrNull(target.path + suffix) !== null) throw exists(target.name + suffix);
  }
}

/**
 * Removes what a killed process left under a target's work name. A published file keeps its final name.
 *
 * @throws {StorageError} `BUSY` if its creator is alive, `EXISTS` if that cannot be determined, `UNSAFE` if it is not
 * a file
 */
export function removeLeftover(target: FilePath, suffix: WorkSuffix): void {
  const path = target.path + suffix;
  const info = lstatOrNull(path);
  assertFiles(path, suffix);
  if (info === null) return;
  if (hasOtherNames(info)) {
    if (!hasWorkName(target.path, suffix)) throw exists(target.name + suffix);
    removeWithSidecars(path);
    return;
  }
  if (IS_WINDOWS) {
    throw new StorageError(
      "EXISTS",
      `Cannot use the destination: remove the file left under its name with ${suffix}`,
    );
  }
  try {
    using file = Deno.openSync(path, { read: true, write: true });
    if (!file.tryLockSync(true)) throw beingMade();
    if (!leadsTo(path, file)) return;
    // A file of another program must not be removed.
    if (!isOurLeftover(path)) throw exists(target.name + suffix);
    removeWithSidecars(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw toStorageErrorUnless(error);
  }
}

/**
 * Whether a file has another name: it may be a live store, so no descriptor of it is opened. If it is ours, it is
 * complete.
 */
function hasOtherNames({ nlink }: Deno.FileInfo): boolean {
  return nlink !== null && nlink > 1;
}

/** Whether a work file was published, so that only its work name has to be removed. */
function isPublished(path: string): boolean {
  const suffix = WORK_SUFFIXES.find((each) => path.endsWith(each));
  return suffix !== undefined && hasWorkName(path.slice(0, -suffix.length), suffix);
}

/** The state of a work name: no file of ours, a leftover, a file that is being written, or unknown. */
type WorkState = "gone" | "left" | "in-use" | "out-of-reach";

/** Determines the state of a work name; changes nothing. */
export function workStateOf(path: string): WorkState {
  try {
    if (!isReachable(path, true)) return "out-of-reach";
    const info = lstatOrNull(path);
    // Anything but a file is not a leftover.
    if (info?.isFile !== true) return "gone";
    if (hasOtherNames(info)) return isPublished(path) ? "left" : "gone";
    if (IS_WINDOWS) return "out-of-reach";
    using file = Deno.openSync(path, { read: true });
    if (!file.tryLockSync(false)) return "in-use";
    return leadsTo(path, file) && isOurLeftover(path) ? "left" : "gone";
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? "gone" : "out-of-reach";
  }
}

/** Removes what a killed process left under a work name, if possible; returns the name's new state. */
export function removeWork(path: string): WorkState {
  const suffix = WORK_SUFFIXES.find((each) => path.endsWith(each));
  if (suffix === undefined || !isReachable(path, false)) return "out-of-reach";
  const target = path.slice(0, -suffix.length);
  const cut = lastSeparator(target);
  try {
    removeLeftover(fileIn(target.slice(0, cut + 1), target.slice(cut + 1)), suffix);
    return "gone";
  } catch {
    return workStateOf(path);
  }
}

/** Finds work files of restores in a directory: those with our headers. None if it cannot be read. */
export async function findRestoring(directory: string): Promise<readonly string[]> {
  const found: string[] = [];
  if (!isPermitted(directory, true)) return found;
  try {
    for await (const { name, isFile } of Deno.readDir(directory)) {
      const { path } = fileIn(directory, name);
      if (!isFile || !name.endsWith(".restoring")) continue;
      const info = lstatOrNull(path);
      if (info !== null && (hasOtherNames(info) ? isPublished(path) : isStamped(path))) found.push(path);
    }
  } catch (error) {
    if (!(toStorageError(error) instanceof StorageError)) throw error;
  }
  return found.sort();
}

/** Whether a path's directory exists and is permitted. A missing one may be on a disk that is not mounted. */
function isReachable(path: string, readOnly: boolean): boolean {
  const directory = path.slice(0, lastSeparator(path) + 1);
  return isPermitted(directory, readOnly) && (lstatOrNull(directory)?.isDirectory ?? false);
}

const NAME_BYTES_MAX = 255;

/** Refuses a name that leaves no room for the name of its log, which would fail only halfway. */
function assertNameFits({ name }: FilePath, suffix: WorkSuffix): void {
  const bytes = new TextEncoder().encode(`${name}${suffix}-journal`).length;
  if (bytes <= NAME_BYTES_MAX) return;
  throw new StorageError("IO", "Cannot use the destination: its name is too long", {
    details: { bytes, maximum: NAME_BYTES_MAX },
  });
}

/**
 * Requires that a work name and those of its sidecars are free or name files.
 *
 * If one were a pipe, SQLite would wait for a writer, and a directory or a link must not be removed.
 */
function assertFiles(path: string, suffix: WorkSuffix): void {
  for (const each of ["", ...SIDECAR_SUFFIXES]) {
    if (lstatOrNull(path + each)?.isFile ?? true) continue;
    throw new StorageError(
      "UNSAFE",
      `Cannot use the destination: its name with ${suffix}${each} is not a file`,
      { details: because("no-file") },
    );
  }
}

/** Removes an older work file's sidecars, which SQLite would replay; returns the new work file. */
function emptied(path: string, file: Deno.FsFile): Deno.FsFile {
  try {
    for (const suffix of SIDECAR_SUFFIXES) {
      if (lstatOrNull(path + suffix) !== null) removeIfThere(path + suffix);
    }
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}

function createExclusively(path: string): Deno.FsFile | null {
  try {
    return Deno.openSync(path, { read: true, write: true, createNew: true, mode: 0o600 });
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return null;
    throw toStorageError(error);
  }
}

/** Whether a path still names an open file. */
function leadsTo(path: string, file: Deno.FsFile): boolean {
  const [named, open] = [lstatOrNull(path), file.statSync()];
  return named !== null && named.dev === open.dev && named.ino === open.ino;
}

function removeWithSidecars(path: string): void {
  for (const suffix of [...SIDECAR_SUFFIXES, ""]) removeIfThere(path + suffix);
}

function toStorageErrorUnless(error: unknown): unknown {
  return error instanceof StorageError ? error : toStorageError(error);
}

function exists(name: string): StorageError {
  return new StorageError("EXISTS", `Cannot use the destination: ${name} already exists`, {
    details: { name },
  });
}

function beingMade(): StorageError {
  return new StorageError("BUSY", "Cannot use the destination: another process is creating a file there");
}
