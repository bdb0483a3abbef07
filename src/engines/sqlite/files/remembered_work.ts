/** Files in the making: the store remembers where each one lies, so that one whose maker was killed is found again. */

import type { Works } from "./works_list.ts";
import type { NewFile } from "../../../engine/engine_files.ts";
import { StorageError } from "../../../errors.ts";
import { lstatOrNull } from "./private_file.ts";
import type { FilePath } from "./store_path.ts";
import { isFree, WorkFile } from "./work_file.ts";

const SUFFIX = ".partial";

/** A file in the making that the store remembers until it has its own name or is gone. */
export class RememberedWork implements NewFile {
  readonly file: WorkFile;
  readonly #works: Works;

  private constructor(works: Works, file: WorkFile) {
    this.#works = works;
    this.file = file;
  }

  /**
   * Remembers the name, then makes the file. Somebody who looks in between finds no file and forgets the name again, so
   * it is remembered once more before anything is written.
   *
   * @throws {StorageError} as {@linkcode WorkFile.claim}
   */
  static async claim(works: Works, target: FilePath): Promise<RememberedWork> {
    const path = target.path + SUFFIX;
    // What cannot be made is not remembered: a call that is refused changes nothing.
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

  /** Removes the file, unless it has got its name, and forgets where it lay. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.file[Symbol.dispose]();
    await forgetIfPossible(this.#works, this.file.path, () => lstatOrNull(this.file.path) === null);
  }
}

/** A store whose disk is full, read-only or damaged is one to back up elsewhere, not one to refuse that. */
const GOES_ON_WITHOUT: ReadonlySet<string> = new Set(["FULL", "READONLY", "CORRUPT"]);

async function rememberIfPossible(works: Works, path: string): Promise<void> {
  try {
    await works.remember(path);
  } catch (error) {
    if (!(error instanceof StorageError) || !GOES_ON_WITHOUT.has(error.code)) throw error;
  }
}

/** A name that stays is forgotten by a later look: what was made or removed is not undone for it. */
export async function forgetIfPossible(works: Works, path: string, condition: () => boolean): Promise<void> {
  try {
    await works.forget(path, condition);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
  }
}
