/** Tells a file of ours from any other by its first hundred bytes, before SQLite opens (and perhaps changes) it. */

import { StorageError } from "../errors.ts";
import { readStart } from "./file_start.ts";
import { assertOwnLogs, undoesFirstPage } from "./leftover_log.ts";
import { isUnstamped } from "./unstamped.ts";

const HEADER_BYTES = 100;
const MAGIC = "SQLite format 3\0";
const USER_VERSION_OFFSET = 60;
const APPLICATION_ID_OFFSET = 68;

/** What a database file must say of itself. */
export interface FileKind {
  /** SQLite's `application_id`. */
  readonly applicationId: number;
  /** The newest schema version that this release can read. */
  readonly schemaVersion: number;
  /** What to call the file in an error. */
  readonly what: string;
}

/** What `application_id` says of a backup: "HFB1". It is a main in all else, but no store: it was not made to be one. */
export const BACKUP_APPLICATION_ID = 0x48464231;

/** What a file's first page says of its kind; null where there is no such page. */
export function applicationIdOf(path: string): number | null {
  const header = readStart(path, HEADER_BYTES);
  if (header === null || header.length < HEADER_BYTES) return null;
  return new DataView(header.buffer).getInt32(APPLICATION_ID_OFFSET);
}

/**
 * Refuses a foreign, a newer, or a damaged file, or one with a foreign log, without changing a byte of it. An empty
 * file passes, and one that a journal makes empty again: it is an unfinished creation. Opening and closing a file that SQLite has open in this process would
 * drop its locks, so this is for files that are not open yet.
 *
 * @param seen names with something under them, where somebody has looked: a log that was not there is not asked for
 */
export function assertOwnHeader(
  path: string,
  kind: FileKind,
  seen: { has(path: string): boolean } | null = null,
): void {
  const header = readStart(path, HEADER_BYTES);
  if (header === null) throw new StorageError("BUSY", `Cannot open store: ${kind.what} vanished meanwhile`);
  if (header.length === 0) return;
  if (header.every((byte) => byte === 0) && undoesFirstPage(path)) return;
  if (header.length < HEADER_BYTES || MAGIC !== String.fromCharCode(...header.subarray(0, MAGIC.length))) {
    throw new StorageError("CORRUPT", `Cannot open store: ${kind.what} is not a SQLite database`);
  }
  const view = new DataView(header.buffer);
  if (isUnstamped(view)) return;
  const applicationId = view.getInt32(APPLICATION_ID_OFFSET);
  if (applicationId !== kind.applicationId) throw foreign(kind, applicationId);
  assertSchemaVersion(view.getInt32(USER_VERSION_OFFSET), kind);
  assertOwnLogs(path, kind, seen);
}

function foreign({ what }: FileKind, applicationId: number): StorageError {
  return applicationId === BACKUP_APPLICATION_ID
    ? new StorageError("RESTORE", `Cannot open store: ${what} is a backup; restore it`)
    : new StorageError("UNSAFE", `Cannot open store: ${what} is a file of another kind`);
}

/** Refuses a schema version that this release does not know. */
export function assertSchemaVersion(version: number, kind: FileKind): void {
  if (version < 0 || version > kind.schemaVersion) {
    throw new StorageError(
      "SCHEMA",
      `Cannot open store: ${kind.what} has a schema that this release does not know`,
      {
        details: { version, known: kind.schemaVersion },
      },
    );
  }
}
