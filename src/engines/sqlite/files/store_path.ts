/** The paths of a store: its two files, their sidecars, and their directories. */

import { utf8Length } from "../../../canonical/utf8.ts";
import { isInstance } from "../../../contracts/arguments.ts";
import { ContractError, StorageError } from "../../../errors.ts";
import { IS_WINDOWS, lastSeparator } from "../../../platform/permissions.ts";

/** The path that means a store in memory. */
export const MEMORY_PATH = ":memory:";

/** A file in a directory whose links are resolved; every character of the name is literal. */
export interface FilePath {
  /** The directory's real path. */
  readonly directory: string;
  /** The file's own name. */
  readonly name: string;
  /** Both together. */
  readonly path: string;
}

/** The two files of a store. */
export interface StorePaths {
  /** Live state. */
  readonly main: FilePath;
  /** The deletion ledger. */
  readonly ledger: FilePath;
}

/** Suffixes of the files that SQLite creates next to a database file. */
export const SIDECAR_SUFFIXES = ["-wal", "-shm", "-journal"] as const;

/** Suffix of the empty file that one process locks while it creates a database file or reads its facts. */
export const OPENING_SUFFIX = ".opening";

/** Suffix of the second name that the database file has meanwhile. */
export const ALIAS_SUFFIX = ".alias";

/** A caller's path, before its directory is resolved. */
export interface GivenPath {
  /** The directory, absolute or relative. */
  readonly parent: string;
  /** The file's own name. */
  readonly name: string;
}

/** Decoded, such a name would mean a file in another directory. */
const ENCODED_SEPARATOR = IS_WINDOWS ? /%2f|%5c/i : /%2f/i;

/** Reserved endings. SQLite would remove such files as old logs, openings and backups as leftovers of killed ones. */
const RESERVED_ENDING = /(?:-wal|-shm|-journal|\.opening|\.alias|\.partial|\.restoring)$/;

/** The longest path that SQLite accepts on Unix, in bytes, a sidecar's suffix included. */
const SQLITE_PATH_BYTES_MAX = 512;

/** Parses a path or `file:` URL; in a path, `?`, `#`, `%41`, spaces and `file:` are literal. */
export function parsePath(field: string, given: unknown): GivenPath {
  const path = isInstance(given, URL) ? fromUrl(field, copyOf(field, given)) : given;
  if (typeof path !== "string") {
    throw new ContractError(field, `Expected ${field} to be a path or a file URL`);
  }
  if (path === "" || path.includes("\0") || !path.isWellFormed()) {
    throw new ContractError(field, `Expected ${field} to be a path of well-formed text without NUL`);
  }
  const cut = lastSeparator(path);
  const name = path.slice(cut + 1);
  if (name === "" || name === "." || name === "..") {
    throw new ContractError(field, `Expected ${field} to end with a file name`);
  }
  if (RESERVED_ENDING.test(name)) {
    throw new ContractError(
      field,
      `Expected ${field} not to have an ending reserved for files of SQLite or unfinished backups`,
    );
  }
  return { parent: cut < 0 ? "." : path.slice(0, cut) || path.slice(0, cut + 1), name };
}

/** Parses a path or `file:` URL as {@linkcode parsePath} does, but refuses `:memory:`. */
export function parseFilePath(field: string, given: unknown): GivenPath {
  if (given === MEMORY_PATH) throw new ContractError(field, `Expected ${field} to be a file`);
  return parsePath(field, given);
}

const hrefOf = Object.getOwnPropertyDescriptor(URL.prototype, "href")!.get!;

/** A URL of our own: what only inherits from `URL` has no address, and the getter throws for it. */
function copyOf(field: string, url: URL): URL {
  try {
    return new URL(hrefOf.call(url));
  } catch (cause) {
    throw new ContractError(field, `Expected ${field} to be a path or a file URL`, { cause });
  }
}

function fromUrl(field: string, url: URL): string {
  if (url.protocol !== "file:" || url.search !== "" || url.hash !== "" || (url.host !== "" && !IS_WINDOWS)) {
    throw new ContractError(field, `Expected ${field} to be a file URL without query or fragment`);
  }
  if (ENCODED_SEPARATOR.test(url.pathname)) {
    throw new ContractError(field, `Expected ${field} to be a file URL without encoded separators`);
  }
  let path: string;
  try {
    path = decodeURIComponent(url.pathname);
  } catch (cause) {
    throw new ContractError(field, `Expected ${field} to be a file URL in UTF-8`, { cause });
  }
  return IS_WINDOWS ? path.replace(/^\/(?=[A-Za-z]:)/, "") : path;
}

/** Resolves the directory once, links included; from then on the real path is used. */
export function resolveFile(given: GivenPath): FilePath {
  let directory: string;
  try {
    directory = Deno.realPathSync(given.parent);
  } catch (cause) {
    throw new StorageError("IO", "Cannot find the directory of the store", { cause });
  }
  const file = fileIn(directory, given.name);
  assertShort(file.path);
  return file;
}

/** Refuses a path that is too long for SQLite. It would fail with a vague error, after the file was created. */
function assertShort(path: string): void {
  const maximum = SQLITE_PATH_BYTES_MAX - Math.max(...SIDECAR_SUFFIXES.map((suffix) => suffix.length));
  const bytes = utf8Length(path);
  if (IS_WINDOWS || bytes <= maximum) return;
  throw new StorageError("IO", "Cannot open store: its path is longer than SQLite accepts", {
    details: { bytes, maximum },
  });
}

const NAME_BYTES_MAX = 255;

/**
 * A path next to a file, with a suffix, under which SQLite can open a database.
 *
 * A file name that leaves no room for the suffix is shortened: two files may then share the result, and wait for each
 * other.
 */
export function siblingPath({ path }: Pick<FilePath, "path">, suffix: string): string {
  const cut = lastSeparator(path) + 1;
  const added = suffix.length + Math.max(...SIDECAR_SUFFIXES.map((sidecar) => sidecar.length));
  let name = path.slice(cut);
  while (
    name !== "" &&
    (utf8Length(name) + added > NAME_BYTES_MAX ||
      utf8Length(path.slice(0, cut) + name) + added > SQLITE_PATH_BYTES_MAX)
  ) name = [...name].slice(0, -1).join("");
  return path.slice(0, cut) + name + suffix;
}

/** A file of that name in a directory that is already resolved. */
export function fileIn(directory: string, name: string): FilePath {
  const separator = directory.endsWith("/") || directory.endsWith("\\") ? "" : IS_WINDOWS ? "\\" : "/";
  return { directory, name, path: `${directory}${separator}${name}` };
}

/** Requires that no two of main, ledger and their sidecars are the same file. */
export function assertDistinct(paths: StorePaths): void {
  const names = [paths.main, paths.ledger].flatMap((file) => [
    file.path,
    ...SIDECAR_SUFFIXES.map((suffix) => file.path + suffix),
  ]);
  if (new Set(names).size !== names.length) {
    throw new ContractError(
      "deletionPath",
      "Expected deletionPath to name another file than the store's own",
    );
  }
}
