/** Tells a file of ours from any other by its first hundred bytes, before SQLite opens (and perhaps changes) it. */

import { type Because, because, StorageError } from "../errors.ts";
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

/** What `application_id` says of each kind of file: "HFM1", "HFL1", "HFB1" and "HFX1". */
export const APPLICATION_IDS = {
  /** A store's live state. */
  main: 0x48464d31,
  /** Its deletions. */
  ledger: 0x48464c31,
  /** A copy of main: in all else a main, but no store. */
  backup: 0x48464231,
  /** A copy of a ledger: used in its place it would forget what came later. */
  ledgerExport: 0x48465831,
} as const;

const OURS: ReadonlySet<number> = new Set(Object.values(APPLICATION_IDS));

/** How an export as lines begins. */
const LINES_START = new TextEncoder().encode('{"type":"header","format":"holdfast-lines",');

/** Whether a file may be one that was being made when its maker was killed: nothing in it yet, not stamped yet, or ours by its header. */
export function isOurLeftover(path: string): boolean {
  const start = readStart(path, HEADER_BYTES) ?? new Uint8Array();
  if (LINES_START.every((byte, at) => start[at] === byte)) return true;
  if (start.every((byte) => byte === 0) || OURS.has(applicationIdOf(path) ?? 0)) return true;
  return start.length === HEADER_BYTES && MAGIC === String.fromCharCode(...start.subarray(0, MAGIC.length)) &&
    isUnstamped(new DataView(start.buffer));
}

/** Whether a file says in its first page that it is one of ours. */
export function isStamped(path: string): boolean {
  return OURS.has(applicationIdOf(path) ?? 0);
}

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
    throw new StorageError("CORRUPT", `Cannot open store: ${kind.what} is not a SQLite database`, {
      details: because("no-database"),
    });
  }
  const view = new DataView(header.buffer);
  if (isUnstamped(view)) return;
  const applicationId = view.getInt32(APPLICATION_ID_OFFSET);
  if (applicationId !== kind.applicationId) throw foreign(kind, applicationId);
  assertSchemaVersion(view.getInt32(USER_VERSION_OFFSET), kind);
  assertOwnLogs(path, kind, seen);
}

function foreign({ what }: FileKind, applicationId: number): StorageError {
  switch (applicationId) {
    case APPLICATION_IDS.backup:
      return new StorageError("RESTORE", `Cannot open store: ${what} is a backup; restore it`, {
        details: because("backup"),
      });
    case APPLICATION_IDS.ledgerExport:
      return new StorageError(
        "RESTORE",
        `Cannot open store: ${what} is an exported ledger; restore with ledgerExport`,
        { details: because("exported-ledger") },
      );
    case APPLICATION_IDS.ledger:
      return another("a deletion ledger", "ledger");
    case APPLICATION_IDS.main:
      return another("a store", "store");
    default:
      return another("a file of another kind", "foreign");
  }

  function another(kind: string, word: Because): StorageError {
    return new StorageError("UNSAFE", `Cannot open store: ${what} is ${kind}`, { details: because(word) });
  }
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
