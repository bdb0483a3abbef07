import { because, StorageError } from "../../../errors.ts";
import { WORK_FILE_CLAIMS_MAX } from "../../../limits.ts";
import { isOurLeftover, isStamped } from "./leftover_file.ts";
import { isPermitted, lastSeparator } from "../../../platform/permissions.ts";
import { hasWorkName, lstatOrNull, removeIfThere, syncDirectory, toStorageError } from "./private_file.ts";
import { fileIn, type FilePath, SIDECAR_SUFFIXES } from "./store_path.ts";

/** What a file is being made for, by the suffix that its name bears meanwhile. */
const WORK_SUFFIXES = [".partial", ".restoring"] as const;
type WorkSuffix = (typeof WORK_SUFFIXES)[number];

const IS_WINDOWS = Deno.build.os === "windows";

/**
 * A private file in the making, beside the name it will get once it is whole. Its maker holds it locked, so that one
 * whose maker was killed can be told from one that is being made, and is removed by whoever comes next. On Windows a lock
 * would keep SQLite out, so there a file that was left has to be removed by hand.
 *
 * The lock belongs to the open file, which stays open until the file gets its name: closing it would drop the locks of
 * every connection that this process has to it.
 */
export class WorkFile implements Disposable {
  /** Where it lies meanwhile. */
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
   * Makes an empty one, exclusively.
   *
   * @throws {StorageError} `EXISTS` if the target or a sidecar of it is there, `BUSY` if another process makes one for it,
   * `UNSAFE` if what bears its name meanwhile, or that of a sidecar, is no file
   */
  static claim(target: FilePath, suffix: WorkSuffix): WorkFile {
    assertNameFits(target, suffix);
    // Also where the target is there: a maker that was killed right after linking has left it two names.
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

  /** Writes bytes at its end. */
  write(bytes: Uint8Array): void {
    try {
      for (let written = 0; written < bytes.length;) written += this.#file.writeSync(bytes.subarray(written));
    } catch (error) {
      throw toStorageError(error);
    }
  }

  /** How many bytes it has. */
  get bytes(): number {
    return this.#file.statSync().size;
  }

  /**
   * Makes its bytes durable, gives it its name, exclusively, and makes that durable too. SQLite must have closed it.
   *
   * @throws {StorageError} `EXISTS` if the target or a sidecar of it came into being meanwhile
   */
  publish(): void {
    const { path, directory } = this.#target;
    try {
      this.#file.syncSync();
      assertFree(this.#target);
      Deno.linkSync(this.path, path);
      // From here on it may be a live store, whose locks closing this descriptor later would drop. While it has both
      // names, nobody opens it.
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

  /** Removes it, unless it has got its name. */
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

/** Whether neither a name nor one of its sidecars is taken; not where that cannot be told. */
export function isFree(path: string): boolean {
  try {
    return ["", ...SIDECAR_SUFFIXES].every((suffix) => lstatOrNull(path + suffix) === null);
  } catch {
    return false;
  }
}

/** Refuses a place where anything lies already: nothing is ever overwritten. */
export function assertFree(target: FilePath): void {
  for (const suffix of ["", ...SIDECAR_SUFFIXES]) {
    if (lstatOrNull(target.path + suffix) !== null) throw exists(target.name + suffix);
  }
}

/**
 * Removes what a killed maker left under a target's work name; a file that has got its name already keeps that.
 *
 * @throws {StorageError} `BUSY` if its maker is alive, `EXISTS` where that cannot be told, `UNSAFE` if it is no file
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
      `Cannot use the destination: a file is left under its name with ${suffix}`,
    );
  }
  try {
    using file = Deno.openSync(path, { read: true, write: true });
    if (!file.tryLockSync(true)) throw beingMade();
    if (!leadsTo(path, file)) return;
    // What somebody else has put there is not ours to remove.
    if (!isOurLeftover(path)) throw exists(target.name + suffix);
    removeWithSidecars(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw toStorageErrorUnless(error);
  }
}

/** A file that has another name may be a live store: no descriptor of it is opened. It is whole, if it is ours. */
function hasOtherNames({ nlink }: Deno.FileInfo): boolean {
  return nlink !== null && nlink > 1;
}

/** Whether a file in the making has got its name, and the work name is what is left. */
function isPublished(path: string): boolean {
  const suffix = WORK_SUFFIXES.find((each) => path.endsWith(each));
  return suffix !== undefined && hasWorkName(path.slice(0, -suffix.length), suffix);
}

/** What a work name leads to: nothing of ours, a file that nobody holds, one that is being made, or nobody can tell. */
type WorkState = "gone" | "left" | "in-use" | "out-of-reach";

/** Looks at a work name without changing anything. */
export function workStateOf(path: string): WorkState {
  try {
    if (!isReachable(path, true)) return "out-of-reach";
    const info = lstatOrNull(path);
    // What is no file is nothing that a maker left.
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

/** Removes what a killed maker left under a work name, if it can be; says what the name leads to then. */
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

/** The work names of restores in a directory: files with something in them, ours by their headers. None if it cannot be read. */
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

/** Whether its directory is there and permitted. One that is missing may be on a disk that is not mounted just now. */
function isReachable(path: string, readOnly: boolean): boolean {
  const directory = path.slice(0, lastSeparator(path) + 1);
  return isPermitted(directory, readOnly) && (lstatOrNull(directory)?.isDirectory ?? false);
}

const NAME_BYTES_MAX = 255;

/** A name that leaves no room for that of its log fails late, and in the middle of things. */
function assertNameFits({ name }: FilePath, suffix: WorkSuffix): void {
  const bytes = new TextEncoder().encode(`${name}${suffix}-journal`).length;
  if (bytes <= NAME_BYTES_MAX) return;
  throw new StorageError("IO", "Cannot use the destination: its name is too long", {
    details: { bytes, maximum: NAME_BYTES_MAX },
  });
}

/**
 * Refuses anything but files under a work name and its sidecars: SQLite would wait for whoever writes to a pipe, and
 * removing a directory or a link is not ours to do.
 */
function assertFiles(path: string, suffix: WorkSuffix): void {
  for (const each of ["", ...SIDECAR_SUFFIXES]) {
    if (lstatOrNull(path + each)?.isFile ?? true) continue;
    throw new StorageError(
      "UNSAFE",
      `Cannot use the destination: what bears its name with ${suffix}${each} is no file`,
      { details: because("no-file") },
    );
  }
}

/** A fresh work file without the sidecars of an older one, which SQLite would take for its own and replay. */
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

/** Whether a name still leads to an open file. */
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
  return new StorageError("EXISTS", `Cannot use the destination: ${name} is there already`, {
    details: { name },
  });
}

function beingMade(): StorageError {
  return new StorageError("BUSY", "Cannot use the destination: another process is making a file there");
}
