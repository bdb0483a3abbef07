/** Recognizes a file of ours by its header, before anything is written to it. */

import { type Because, because, StorageError } from "../../../errors.ts";

/** What the header of a database file must say. */
export interface FileKind {
  /** SQLite's `application_id`. */
  readonly applicationId: number;
  /** The newest schema version that this release can read. */
  readonly schemaVersion: number;
  /** The file's name in error messages. */
  readonly what: string;
}

/** The `application_id` of each kind of file: "HFM1", "HFL1", "HFB1" and "HFX1". */
export const APPLICATION_IDS = {
  /** A store's live state. */
  main: 0x48464d31,
  /** Its deletions. */
  ledger: 0x48464c31,
  /** A copy of main; otherwise the same, but not a store. */
  backup: 0x48464231,
  /** A copy of a ledger, which lacks the deletions that were recorded later. */
  ledgerExport: 0x48465831,
} as const;

/** What a database file's header says, as SQLite reads it. */
export interface FileFacts {
  /** SQLite's `application_id`. */
  readonly applicationId: number;
  /** SQLite's `user_version`: the version of its schema. */
  readonly schemaVersion: number;
  /** Whether it never had content: it is empty, or its only page has no application id yet. */
  readonly isUnstamped: boolean;
}

/** Size of the header of a SQLite database, in bytes. */
export const HEADER_BYTES = 100;

/**
 * Refuses a file that is shorter than its header. SQLite treats a file of one byte as empty, and would write to it.
 */
export function assertWholeHeader(bytes: number, { what }: Pick<FileKind, "what">): void {
  if (bytes === 0 || bytes >= HEADER_BYTES) return;
  throw new StorageError("CORRUPT", `Cannot open store: ${what} is not a SQLite database`, {
    details: because("no-database"),
  });
}

/** Refuses a foreign or a newer file by its header. An unstamped one passes: its creation is unfinished. */
export function assertOwnHeader(
  { applicationId, schemaVersion, isUnstamped }: FileFacts,
  kind: FileKind,
): void {
  if (isUnstamped) return;
  if (applicationId !== kind.applicationId) throw foreign(kind, applicationId);
  assertSchemaVersion(schemaVersion, kind);
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
function assertSchemaVersion(version: number, kind: FileKind): void {
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
