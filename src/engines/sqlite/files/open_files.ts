/** The files that this process has open, and the SQLite library of each. */

import { StorageError } from "../../../errors.ts";
import type { FileIdentity } from "./private_file.ts";

interface OpenFile {
  readonly driver: string;
  count: number;
}

const openFiles = new Map<string, OpenFile>();

function keyOf(path: string, identity: FileIdentity): string {
  return identity.inode === null ? path : `${identity.device}:${identity.inode}`;
}

/** Whether a file is open in this process, so that only `lstat` may be called on it. */
export function isOpenHere(path: string, identity: FileIdentity): boolean {
  return openFiles.has(keyOf(path, identity));
}

/**
 * Registers an open file, and returns the function that unregisters it.
 *
 * Two SQLite libraries in one process do not see each other's locks, so a second library on an open file is refused.
 */
export function claimFile(path: string, identity: FileIdentity, driver: string): () => void {
  const key = keyOf(path, identity);
  const open = openFiles.get(key) ?? { driver, count: 0 };
  if (open.driver !== driver) {
    throw new StorageError(
      "UNSAFE",
      "Cannot open store: it is open in this process through another SQLite library",
    );
  }
  open.count++;
  openFiles.set(key, open);
  let released = false;
  return () => {
    if (released) return;
    released = true;
    if (--open.count === 0) openFiles.delete(key);
  };
}

/** Number of open files, for tests that detect leaks. */
export function countOpenFiles(): number {
  return openFiles.size;
}
