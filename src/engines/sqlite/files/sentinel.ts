import { monotonicMs } from "../../../clock.ts";
import { StorageError } from "../../../errors.ts";
import { FILE_COMPARISON_MS } from "../../../limits.ts";
import { lastSeparator } from "../../../platform/permissions.ts";
import { type FileIdentity, inspectPrivateFile, lstatOrNull, type StoreFiles } from "./private_file.ts";
import { SIDECAR_SUFFIXES, type StorePaths } from "./store_path.ts";

interface Remembered {
  readonly device: number;
  readonly inode: number | null;
  bytes: number;
}

/**
 * Detects that one of a store's files was replaced.
 *
 * Each call reads the directory's identity and times (one `lstat`). If they changed, and at least every {@linkcode
 * FILE_COMPARISON_MS}, every file is compared.
 */
export class Sentinel {
  readonly #directories: readonly string[];
  readonly #databases: readonly string[];
  readonly #sidecars: readonly string[];
  #remembered: ReadonlyMap<string, Remembered> = new Map();
  #directoryMarks: readonly number[] = [];
  #comparedAtMs = -Infinity;

  constructor(paths: StorePaths) {
    this.#databases = [paths.main.path, paths.ledger.path];
    this.#directories = [...new Set([paths.main.directory, paths.ledger.directory])];
    // A rollback journal comes and goes with each transaction, so its identity means nothing.
    this.#sidecars = this.#databases.flatMap((path) =>
      SIDECAR_SUFFIXES.filter((suffix) => suffix !== "-journal").map((suffix) => path + suffix)
    );
  }

  /** Remembers the store's files as they are now, and returns them; requires that they are private files. */
  remember(): StoreFiles {
    const files = new Map<string, FileIdentity>();
    this.#directoryMarks = this.#readDirectoryMarks();
    for (const path of [...this.#databases, ...this.#sidecars]) {
      const identity = inspectPrivateFile(path, "one of the store's files");
      if (identity !== null) files.set(path, identity);
    }
    for (const path of this.#databases) {
      if (!files.has(path)) throw this.#replaced();
    }
    this.#remembered = new Map(
      [...files].map(([path, { device, inode, bytes }]) => [path, { device, inode, bytes }]),
    );
    this.#comparedAtMs = monotonicMs();
    return files;
  }

  /**
   * Throws `REPLACED` if a file was removed or replaced, or a database file became smaller.
   *
   * Main may shrink to its size when free pages were last returned, at any time after that: its file is truncated at
   * the next checkpoint of any process. Another process may have returned pages after `shrunkBytes` was read, so it
   * is read again before the error is thrown.
   */
  look(shrunkBytes: number | null, readAgain: () => number | null): void {
    const nowMs = monotonicMs();
    const marks = this.#readDirectoryMarks();
    if (isSame(marks, this.#directoryMarks) && nowMs - this.#comparedAtMs < FILE_COMPARISON_MS) return;
    if (!this.#compare(shrunkBytes ?? Infinity) && !this.#compare(readAgain() ?? Infinity)) {
      throw this.#replaced();
    }
    this.#directoryMarks = marks;
    this.#comparedAtMs = nowMs;
  }

  /** Throws `REPLACED` if a file was removed or replaced; reads the file system each time. */
  assertNames(): void {
    this.#compare(0);
  }

  /** Compares every file; false if a database is smaller than allowed. */
  #compare(shrunkBytes: number): boolean {
    for (const [path, before] of this.#remembered) {
      const info = lstatOrNull(path);
      if (info === null || info.dev !== before.device || info.ino !== before.inode) throw this.#replaced();
      const least = path === this.#databases[0] ? Math.min(before.bytes, shrunkBytes) : before.bytes;
      if (info.size < least && this.#databases.includes(path)) return false;
      before.bytes = info.size;
    }
    return true;
  }

  /**
   * The error for a replaced file. The newest writes may be in a log that belongs to none of the present files, so
   * the error names such logs, and they are kept.
   */
  #replaced(): StorageError {
    const logs = this.#databases.map((path) => `${path}-wal`).filter((path) =>
      (lstatOrNull(path)?.size ?? 0) > 0
    );
    return new StorageError("REPLACED", "Cannot use store: one of its files was replaced", {
      details: { by: "file", logs: logs.map((path) => path.slice(lastSeparator(path) + 1)) },
    });
  }

  #readDirectoryMarks(): readonly number[] {
    const marks: number[] = [];
    for (const directory of this.#directories) {
      const info = lstatOrNull(directory);
      if (info === null) throw this.#replaced();
      // The change time cannot be set by hand but has a resolution of a second; the other is finer.
      marks.push(info.dev, info.ino ?? 0, info.ctime?.getTime() ?? 0, info.mtime?.getTime() ?? 0);
    }
    return marks;
  }
}

function isSame(marks: readonly number[], before: readonly number[]): boolean {
  return marks.length === before.length && marks.every((mark, index) => mark === before[index]);
}
