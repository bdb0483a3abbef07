/** Temporary directories of a run: removed after their row, or when the run is interrupted. */

import { statfsSync } from "node:fs";

/** The file system in memory of Linux. */
const IN_MEMORY = "/dev/shm";

const present = new Set<Directory>();

/** The options of a directory. */
export interface DirectoryOptions {
  /** Creates the directory in memory if the machine has a file system there with room for this many bytes. */
  readonly inMemoryBytes?: number;
}

/** A temporary directory, which is removed when it is disposed. */
export class Directory implements Disposable {
  readonly path: string;

  constructor({ inMemoryBytes }: DirectoryOptions = {}) {
    const dir = inMemoryBytes !== undefined && hasRoom(IN_MEMORY, inMemoryBytes) ? { dir: IN_MEMORY } : {};
    this.path = Deno.makeTempDirSync({ ...dir, prefix: "holdfast-bench-" });
    present.add(this);
  }

  [Symbol.dispose](): void {
    present.delete(this);
    Deno.removeSync(this.path, { recursive: true });
  }
}

/** Removes all directories that are left. */
export function removeDirectories(): void {
  for (const directory of present) directory[Symbol.dispose]();
}

function hasRoom(path: string, bytes: number): boolean {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize >= bytes;
  } catch {
    return false;
  }
}
