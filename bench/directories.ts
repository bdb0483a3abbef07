/** Directories that a run writes in: each is removed when its row is done, and all are when the run is cut short. */

import { statfsSync } from "node:fs";

/** Where Linux keeps files in memory. */
const IN_MEMORY = "/dev/shm";

const present = new Set<Directory>();

/** What is asked of a directory. */
export interface DirectoryOptions {
  /** Lies in memory where the machine has a file system there with room for as many bytes. */
  readonly inMemoryBytes?: number;
}

/** See the module's documentation. */
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

/** Removes all that are left. */
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
