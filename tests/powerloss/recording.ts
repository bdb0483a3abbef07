/**
 * Records what a run does to the files of a directory: their bytes after each call into SQLite and after each call of our
 * own that links, removes or syncs. Reading a database in the process that has it open drops SQLite's locks, which does
 * no harm where nobody else is.
 */

import { Buffer } from "node:buffer";
import { observedDriver } from "../files/observed_driver.ts";
import type { SqliteDriver } from "../../mod.ts";

/** The bytes of every file by its name; shared memory is left out, since no power loss lets it survive. */
export type Files = ReadonlyMap<string, Uint8Array>;

/** Something that changed files, or that made changes durable. */
export interface Step {
  /** Who did it: SQLite in one call, or we ourselves. */
  readonly by: "sqlite" | "write" | "sync" | "sync directory" | "link" | "remove";
  /** The statement, or the name that it was done to. */
  readonly what: string;
  readonly before: Files;
  readonly after: Files;
  /** How many calls of the run had been acknowledged before it. */
  readonly acknowledged: number;
}

/** Takes down steps until its block ends. */
export class Recording implements Disposable {
  readonly steps: Step[] = [];
  readonly driver: SqliteDriver;
  /** How many calls of the run have been acknowledged. */
  acknowledged = 0;
  readonly #directory: string;
  readonly #restore: (() => void)[] = [];
  readonly #names = new WeakMap<Deno.FsFile, string>();
  #files: Files = new Map();

  constructor(directory: string, version: string | undefined) {
    this.#directory = directory;
    this.driver = observedDriver({
      version,
      after: ({ path, sql }) => this.#look("sqlite", `${nameOf(path)}: ${sql ?? "opened or closed"}`),
    });
    const { openSync, linkSync, removeSync } = Deno;
    const { syncSync, writeSync } = Deno.FsFile.prototype;
    Deno.openSync = (path, options): Deno.FsFile => {
      const file = openSync(path, options);
      this.#names.set(file, String(path));
      return file;
    };
    Deno.linkSync = (from, to): void => {
      linkSync(from, to);
      this.#look("link", `${nameOf(from)} ${nameOf(to)}`);
    };
    Deno.removeSync = (path, options): void => {
      removeSync(path, options);
      this.#look("remove", nameOf(String(path)));
    };
    const nameOfFile = (file: Deno.FsFile): string => this.#names.get(file) ?? "";
    const look = this.#look.bind(this);
    const isDirectory = (path: string): boolean => path === directory;
    Deno.FsFile.prototype.syncSync = function (this: Deno.FsFile): void {
      syncSync.call(this);
      const path = nameOfFile(this);
      look(isDirectory(path) ? "sync directory" : "sync", nameOf(path));
    };
    Deno.FsFile.prototype.writeSync = function (this: Deno.FsFile, bytes): number {
      const written = writeSync.call(this, bytes);
      look("write", nameOf(nameOfFile(this)));
      return written;
    };
    this.#restore.push(() => {
      Object.assign(Deno, { openSync, linkSync, removeSync });
      Object.assign(Deno.FsFile.prototype, { syncSync, writeSync });
    });
  }

  #look(by: Step["by"], what: string): void {
    const before = this.#files;
    const after = readFiles(this.#directory, before);
    const isSame = before.size === after.size &&
      [...after].every(([name, bytes]) => before.get(name) === bytes);
    if (isSame && (by === "sqlite" || by === "write")) return;
    this.#files = after;
    this.steps.push({ by, what, before, after, acknowledged: this.acknowledged });
  }

  [Symbol.dispose](): void {
    for (const restore of this.#restore) restore();
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Bytes that did not change are the same object as before. */
function readFiles(directory: string, before: Files): Files {
  const files = new Map<string, Uint8Array>();
  for (const { name } of Deno.readDirSync(directory)) {
    if (name.endsWith("-shm")) continue;
    const bytes = Deno.readFileSync(`${directory}/${name}`);
    const old = before.get(name);
    files.set(name, old !== undefined && equalBytes(old, bytes) ? old : bytes);
  }
  return files;
}

/** Whether two files hold the same. */
export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && Buffer.compare(left, right) === 0;
}
