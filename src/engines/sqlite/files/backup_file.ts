/** The file that a restore starts from. Its bytes are copied, so that the file itself is never changed. */

import fs from "node:fs";
import { yieldIfBusy } from "../../../clock.ts";
import { because, StorageError } from "../../../errors.ts";
import { COPIED_BYTES_PER_BATCH } from "../../../limits.ts";
import { isOpenHere } from "./open_files.ts";
import { type FileIdentity, inspectPrivateFile, lstatOrNull, toStorageError } from "./private_file.ts";
import { type FilePath, SIDECAR_SUFFIXES } from "./store_path.ts";
import type { WorkFile } from "./work_file.ts";

/** Windows has neither this flag nor pipes in its file system. */
const WITHOUT_WAITING = fs.constants.O_NONBLOCK ?? 0;

/** Requires a private file without sidecars, and returns its identity; changes nothing. */
export function inspectAlone(backup: FilePath): FileIdentity {
  const identity = inspectPrivateFile(backup.path, "the backup");
  if (identity === null) throw new StorageError("IO", "Cannot restore: the backup does not exist");
  if (isOpenHere(backup.path, identity)) {
    throw new StorageError("BUSY", "Cannot restore: the backup is a store that this process has open");
  }
  for (const suffix of SIDECAR_SUFFIXES) {
    if (lstatOrNull(backup.path + suffix) === null) continue;
    throw new StorageError(
      "UNSAFE",
      "Cannot restore: the backup has sidecars, so it is a store in use or was not closed; use backup()",
      { details: because("in-use") },
    );
  }
  return identity;
}

/** Copies a backup's bytes into a work file; refuses a backup that was replaced or changes meanwhile. */
export async function copyBackup(
  backup: FilePath,
  work: WorkFile,
  { identity, signal, onBytes }: {
    readonly identity: FileIdentity;
    readonly signal: AbortSignal | undefined;
    readonly onBytes: (bytes: number) => void;
  },
): Promise<void> {
  using file = OpenBackup.open(backup.path, identity);
  const buffer = new Uint8Array(COPIED_BYTES_PER_BATCH);
  let copied = 0;
  for (;;) {
    const read = file.read(buffer);
    if (read === 0) break;
    copied += read;
    // Copying a file that grows as fast as it is copied would never end.
    if (copied > identity.bytes) throw changed();
    work.write(buffer.subarray(0, read));
    onBytes(copied);
    await yieldIfBusy();
    signal?.throwIfAborted();
  }
  if (copied !== identity.bytes || !file.isUnchanged) throw changed();
}

/**
 * A backup, open for reading.
 *
 * It is opened in non-blocking mode, which only `node:fs` offers: a pipe that took the file's name after the
 * inspection would otherwise block this process until another one writes to it.
 */
class OpenBackup implements Disposable {
  readonly #descriptor: number;
  readonly #changedMs: number;

  private constructor(descriptor: number, changedMs: number) {
    this.#descriptor = descriptor;
    this.#changedMs = changedMs;
  }

  static open(path: string, { device, inode, bytes }: FileIdentity): OpenBackup {
    const descriptor = withStorageErrors(() => fs.openSync(path, fs.constants.O_RDONLY | WITHOUT_WAITING));
    try {
      const { dev, ino, size, mtimeMs } = withStorageErrors(() => fs.fstatSync(descriptor));
      if (size !== bytes || (inode !== null && (dev !== device || ino !== inode))) throw changed();
      return new OpenBackup(descriptor, mtimeMs);
    } catch (error) {
      fs.closeSync(descriptor);
      throw error;
    }
  }

  /** Reads the next bytes; returns 0 at the end. */
  read(buffer: Uint8Array<ArrayBuffer>): number {
    return withStorageErrors(() => fs.readSync(this.#descriptor, buffer));
  }

  get isUnchanged(): boolean {
    return withStorageErrors(() => fs.fstatSync(this.#descriptor)).mtimeMs === this.#changedMs;
  }

  [Symbol.dispose](): void {
    fs.closeSync(this.#descriptor);
  }
}

function withStorageErrors<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw toStorageError(error);
  }
}

function changed(): StorageError {
  return new StorageError("BUSY", "Cannot restore: the backup changed while it was copied");
}
