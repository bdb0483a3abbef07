/** The file that a restore starts from: looked at and copied byte by byte, never opened as a database. */

import { yieldToEventLoop } from "../clock.ts";
import { StorageError } from "../errors.ts";
import { COPIED_BYTES_PER_BATCH } from "../limits.ts";
import { applicationIdOf, assertOwnHeader, type FileKind } from "./header.ts";
import { isOpenHere } from "./open_files.ts";
import { inspectPrivateFile, lstatOrNull, toStorageError } from "./private_file.ts";
import { type FilePath, SIDECAR_SUFFIXES } from "./store_path.ts";
import type { WorkFile } from "./work_file.ts";

/** Refuses what is no private file of one of these kinds that stands alone; changes nothing. Gives its kind. */
export function inspectBackup<Kind extends FileKind>(
  backup: FilePath,
  kinds: readonly [Kind, ...Kind[]],
): Kind {
  const identity = inspectPrivateFile(backup.path, "the backup");
  if (identity === null) throw new StorageError("IO", "Cannot restore: the backup is not there");
  if (isOpenHere(backup.path, identity)) {
    throw new StorageError("BUSY", "Cannot restore: the backup is a store that this process has open");
  }
  for (const suffix of SIDECAR_SUFFIXES) {
    if (lstatOrNull(backup.path + suffix) === null) continue;
    throw new StorageError(
      "UNSAFE",
      "Cannot restore: the backup has sidecars, so it is a store in use or was not closed; use backup()",
    );
  }
  const applicationId = applicationIdOf(backup.path);
  const kind = kinds.find((each) => each.applicationId === applicationId) ?? kinds[0];
  assertOwnHeader(backup.path, { ...kind, what: "the backup" });
  return kind;
}

/** Copies a backup's bytes into a work file; refuses one that changes meanwhile. */
export async function copyBackup(
  backup: FilePath,
  work: WorkFile,
  { signal, onBytes }: {
    readonly signal: AbortSignal | undefined;
    readonly onBytes: (bytes: number) => void;
  },
): Promise<void> {
  using file = openBackup(backup.path);
  const before = file.statSync();
  const buffer = new Uint8Array(COPIED_BYTES_PER_BATCH);
  let copied = 0;
  for (;;) {
    const read = readSome(file, buffer);
    if (read === null) break;
    work.write(buffer.subarray(0, read));
    copied += read;
    onBytes(copied);
    await yieldToEventLoop();
    signal?.throwIfAborted();
  }
  const after = file.statSync();
  if (
    copied !== before.size || after.size !== before.size || after.mtime?.getTime() !== before.mtime?.getTime()
  ) {
    throw new StorageError("BUSY", "Cannot restore: the backup changed while it was copied");
  }
}

function openBackup(path: string): Deno.FsFile {
  try {
    return Deno.openSync(path, { read: true });
  } catch (error) {
    throw toStorageError(error);
  }
}

function readSome(file: Deno.FsFile, buffer: Uint8Array<ArrayBuffer>): number | null {
  try {
    return file.readSync(buffer);
  } catch (error) {
    throw toStorageError(error);
  }
}
