/** Work files whose paths the store remembers, so that a file of a killed process is found again. */

import type { Works } from "./works_list.ts";
import type { NewFile } from "../../../engine/engine_files.ts";
import { StorageError } from "../../../errors.ts";
import { lstatOrNull } from "./private_file.ts";
import type { FilePath } from "./store_path.ts";
import { isFree, WorkFile } from "./work_file.ts";

const SUFFIX = ".partial";

/** A work file that the store remembers until it is published or removed. */
export class RememberedWork implements NewFile {
  readonly file: WorkFile;
  readonly #works: Works;

  private constructor(works: Works, file: WorkFile) {
    this.#works = works;
    this.file = file;
  }

  /**
   * Remembers the path, then creates the file.
   *
   * A process that sweeps in between finds no file and forgets the path, so it is remembered again before anything is
   * written.
   *
   * @throws {StorageError} as {@linkcode WorkFile.claim}
   */
  static async claim(works: Works, target: FilePath): Promise<RememberedWork> {
    const path = target.path + SUFFIX;
    // A file that cannot be created is not remembered: a refused call changes nothing.
    const mayBeMade = isFree(target.path) && isFree(path);
    if (mayBeMade) await rememberIfPossible(works, path);
    let file: WorkFile;
    try {
      file = WorkFile.claim(target, SUFFIX);
    } catch (error) {
      if (mayBeMade) await forgetIfPossible(works, path, () => lstatOrNull(path) === null);
      throw error;
    }
    const work = new RememberedWork(works, file);
    try {
      await rememberIfPossible(works, path);
      return work;
    } catch (error) {
      await work[Symbol.asyncDispose]();
      throw error;
    }
  }

  write(bytes: Uint8Array): void {
    this.file.write(bytes);
  }

  publish(): void {
    this.file.publish();
  }

  /** Removes the file, unless it was published, and forgets its path. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.file[Symbol.dispose]();
    await forgetIfPossible(this.#works, this.file.path, () => lstatOrNull(this.file.path) === null);
  }
}

/**
 * Errors that are ignored. A store that is read-only, damaged or on a full disk must still be backed up elsewhere.
 */
const GOES_ON_WITHOUT: ReadonlySet<string> = new Set(["FULL", "READONLY", "CORRUPT"]);

async function rememberIfPossible(works: Works, path: string): Promise<void> {
  try {
    await works.remember(path);
  } catch (error) {
    if (!(error instanceof StorageError) || !GOES_ON_WITHOUT.has(error.code)) throw error;
  }
}

/** Forgets a path, and ignores storage errors. A later sweep forgets it; nothing else is undone for that. */
export async function forgetIfPossible(works: Works, path: string, condition: () => boolean): Promise<void> {
  try {
    await works.forget(path, condition);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
  }
}
