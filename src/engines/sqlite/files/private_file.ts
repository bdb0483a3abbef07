/** Private files: which are refused, and how they are created. Nothing here opens an existing file. */

import { type Because, because, IntegrityError, StorageError } from "../../../errors.ts";
import { currentUser, requirePermissionsToMake } from "../../../platform/permissions.ts";
import { ALIAS_LOOKS_MAX } from "../../../limits.ts";
import { ALIAS_SUFFIX, type FilePath, siblingPath, SIDECAR_SUFFIXES, type StorePaths } from "./store_path.ts";

/** Properties of a file: device, inode, owner, size and mode. On Windows only the size is known. */
export interface FileIdentity {
  readonly device: number;
  readonly inode: number | null;
  readonly owner: number | null;
  readonly bytes: number;
  /** Whether its mode lets its owner write. */
  readonly writable: boolean;
}

const WRITABLE_BY_OWNER = 0o200;
const OTHERS = 0o077;
const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

/** Reads a file's properties without following a link; null if it does not exist. */
export function lstatOrNull(path: string): Deno.FileInfo | null {
  try {
    return Deno.lstatSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw toStorageError(error);
  }
}

/** Converts the error of a file operation to a storage error. */
export function toStorageError(error: unknown): unknown {
  if (error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.NotCapable) {
    return new StorageError("PERMISSION", "Cannot use the store's files: access is forbidden", {
      cause: error,
    });
  }
  if (!(error instanceof Error)) return error;
  const code = (error as { code?: unknown }).code;
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new StorageError("FULL", "Cannot use the store's files: the disk is full", { cause: error });
  }
  if (code === "EROFS") {
    return new StorageError("READONLY", "Cannot use the store's files: the file system is read-only", {
      details: because("file-system"),
      cause: error,
    });
  }
  return new StorageError("IO", "Cannot use the store's files", { cause: error });
}

function unsafe(what: string, word: Because, rule: string): StorageError {
  return new StorageError("UNSAFE", `Cannot open store: ${what} ${rule}`, {
    details: because(word, { what }),
  });
}

/** Requires a private regular file, and returns its identity; null if it does not exist. */
export function inspectPrivateFile(path: string, what: string): FileIdentity | null {
  const info = lstatOrNull(path);
  // A file without any link is being removed: another process is closing it last.
  if (info === null || info.nlink === 0) return null;
  if (info.isSymlink) throw unsafe(what, "link", "must not be a symbolic link");
  if (!info.isFile) throw unsafe(what, "no-file", "must be a regular file");
  if (info.mode !== null && (info.mode & OTHERS) !== 0) {
    throw unsafe(what, "mode", "must not be open to group or others: its mode must be 0600");
  }
  if (info.nlink !== null && info.nlink !== 1 && !hasOnlyAlias(path)) {
    throw unsafe(what, "hard-link", "must have no other hard link");
  }
  const writable = info.mode === null || (info.mode & WRITABLE_BY_OWNER) !== 0;
  return { device: info.dev, inode: info.ino, owner: info.uid, bytes: info.size, writable };
}

/**
 * Whether a file's only second name is its alias. Another process reads it without its logs, or was killed doing so.
 *
 * The alias may come and go between two calls, so one positive answer is enough.
 */
function hasOnlyAlias(path: string): boolean {
  const alias = siblingPath({ path }, ALIAS_SUFFIX);
  for (let look = 0; look < ALIAS_LOOKS_MAX; look++) {
    const file = lstatOrNull(path);
    if (file === null || file.nlink === 1) return true;
    if (file.nlink !== 2) return false;
    const other = lstatOrNull(alias);
    if (other?.dev === file.dev && other.ino === file.ino) return true;
  }
  return false;
}

/** Requires that a path still names a file that was inspected before. */
export function assertNamed(
  { path, identity }: { readonly path: string; readonly identity: FileIdentity },
): void {
  const info = lstatOrNull(path);
  if (info !== null && info.dev === identity.device && info.ino === identity.inode) return;
  throw new StorageError("REPLACED", "Cannot use store: its file was replaced", {
    details: { by: "file" },
  });
}

/** Whether a file still has its work name as well: its creator was killed just before removing that. */
export function hasWorkName(path: string, suffix: ".partial" | ".restoring"): boolean {
  const file = lstatOrNull(path);
  // A file with one name needs no second lookup, and looking up a missing name takes ten times as long.
  if (file === null || file.nlink === 1) return false;
  const work = lookAtWorkName(path, suffix);
  return work !== null && file.dev === work.dev && file.ino === work.ino;
}

/** Reads the properties of the file under a work name; null if there is none or the name is too long. */
export function lookAtWorkName(path: string, suffix: ".partial" | ".restoring"): Deno.FileInfo | null {
  try {
    return Deno.lstatSync(path + suffix);
  } catch {
    return null;
  }
}

/** A store's files and their sidecars, by path. */
export type StoreFiles = ReadonlyMap<string, FileIdentity>;

/** Inspects a store's files; refuses links, open modes, foreign owners, and stray sidecars. */
export function inspectStore(paths: StorePaths): StoreFiles {
  const files = new Map<string, FileIdentity>();
  inspectDatabase(files, paths.main, "the store");
  // A read-only process leaves sidecars of both files: without this a lost ledger would be reported as a stray
  // sidecar.
  const hasStore = (files.get(paths.main.path)?.bytes ?? 0) > 0;
  inspectDatabase(files, paths.ledger, "the ledger", hasStore ? ledgerIsMissing : undefined);
  const owners = new Set([...files.values()].map((file) => file.owner));
  if (owners.size > 1) throw unsafe("the store", "owner", "and its ledger must belong to one owner");
  const user = currentUser();
  const [owner] = owners;
  if (user !== null && user !== 0 && owner !== undefined && owner !== null && owner !== user) {
    throw unsafe("the store", "owner", "must belong to the user of this process");
  }
  return files;
}

/**
 * Requires that their owner may write the files. SQLite would open them read-only, and only the first write would
 * fail.
 */
export function assertWritable(files: StoreFiles): void {
  if ([...files.values()].every((file) => file.writable)) return;
  throw new StorageError(
    "READONLY",
    "Cannot open store: one of its files is read-only; its mode must be 0600",
    { details: because("mode") },
  );
}

/** The error for a store without its ledger, which could not know what was deleted. */
export function ledgerIsMissing(): IntegrityError {
  return new IntegrityError("Cannot open store: its ledger is missing", {
    details: because("ledger-missing"),
  });
}

/** Inspects the sidecars before their file. If all are created meanwhile, no sidecar seems to lack its file. */
function inspectDatabase(
  files: Map<string, FileIdentity>,
  file: FilePath,
  what: string,
  missing: () => Error = () => unsafe(`a sidecar of ${what}`, "sidecar", "must not exist without its file"),
): void {
  const sidecars = SIDECAR_SUFFIXES.map((suffix) => file.path + suffix)
    .map((path) => [path, inspectPrivateFile(path, `a sidecar of ${what}`)] as const);
  const identity = inspectPrivateFile(file.path, what);
  if (identity !== null) files.set(file.path, identity);
  for (const [path, sidecar] of sidecars) {
    if (sidecar === null) continue;
    if (identity === null) throw missing();
    files.set(path, sidecar);
  }
}

/** Whether a file has a log with content next to it, which SQLite would replay. */
export function hasLogs(path: string, seen: StoreFiles | null): boolean {
  return [`${path}-wal`, `${path}-journal`].some((log) =>
    (seen === null ? lstatOrNull(log)?.size ?? 0 : seen.get(log)?.bytes ?? 0) > 0
  );
}

/** Requires that sidecars are private files. If one were a pipe, SQLite would wait forever for a writer. */
export function inspectSidecars({ path }: FilePath, what: string): void {
  for (const suffix of SIDECAR_SUFFIXES) inspectPrivateFile(path + suffix, `a sidecar of ${what}`);
}

/** Refuses a directory in which others could replace the files. */
export function inspectDirectory(directory: string): void {
  const info = lstatOrNull(directory);
  if (info === null) throw new StorageError("IO", "Cannot find the directory of the store");
  if (!info.isDirectory) throw unsafe("the directory", "no-file", "must be a directory");
  if (info.mode === null) return;
  if ((info.mode & WRITABLE_BY_OTHERS) !== 0 && (info.mode & STICKY) === 0) {
    throw unsafe(
      "the directory",
      "directory-mode",
      "must not be writable by group or others without the sticky bit",
    );
  }
}

/** Creates missing directories with mode 0700, after requiring the permissions for them. */
export function makePrivateDirectory(path: string): void {
  if (lstatOrNull(path) !== null) return;
  requirePermissionsToMake(path);
  try {
    Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return;
    throw toStorageError(error);
  }
}

/** Creates an empty file with mode 0600; false if the name is taken. */
export function createPrivateFile(path: string): boolean {
  try {
    Deno.openSync(path, { read: true, write: true, createNew: true, mode: 0o600 }).close();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    throw toStorageError(error);
  }
}

/** Links a file to a second name; false if the file system has no hard links. */
export function linkPrivateFile(path: string, name: string): boolean {
  try {
    Deno.linkSync(path, name);
    return true;
  } catch (error) {
    if (HAS_NO_LINKS.has((error as { code?: unknown }).code) || error instanceof Deno.errors.NotCapable) {
      return false;
    }
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.AlreadyExists) {
      throw new StorageError("BUSY", "Cannot open store: its file is being replaced", { cause: error });
    }
    throw toStorageError(error);
  }
}

/** Error codes of file systems without hard links. */
const HAS_NO_LINKS: ReadonlySet<unknown> = new Set([
  "EACCES",
  "EMLINK",
  "ENOSYS",
  "ENOTSUP",
  "EOPNOTSUPP",
  "EPERM",
]);

/** Removes a file, if it exists. */
export function removeIfThere(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw toStorageError(error);
  }
}

/** Makes a directory's entries durable. Windows does this by itself and has no call for it. */
export function syncDirectory(directory: string): void {
  if (Deno.build.os === "windows") return;
  try {
    using handle = Deno.openSync(directory, { read: true });
    handle.syncSync();
  } catch (error) {
    throw toStorageError(error);
  }
}
