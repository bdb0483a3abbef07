/** SQLite's result codes, and the typed error each becomes. Errors are classified here and nowhere else. */

import { IntegrityError, MemoryError, type StorageCode, StorageError } from "../../../errors.ts";
import { SqliteFailure } from "./driver.ts";

/** The primary result codes that this module distinguishes. */
export const RESULT = {
  ERROR: 1,
  PERM: 3,
  BUSY: 5,
  LOCKED: 6,
  NOMEM: 7,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  SCHEMA: 17,
  CONSTRAINT: 19,
  AUTH: 23,
  NOTADB: 26,
} as const;

/** Extended code: the file was renamed, replaced or removed. */
const READONLY_DBMOVED = 1032;

const CODES: ReadonlyMap<number, readonly [StorageCode, string]> = new Map([
  [RESULT.BUSY, ["BUSY", "another connection holds the lock"]],
  [RESULT.LOCKED, ["BUSY", "another connection holds the lock"]],
  [RESULT.FULL, ["FULL", "the disk or the file is full"]],
  [RESULT.READONLY, ["READONLY", "the file cannot be written"]],
  [RESULT.PERM, ["PERMISSION", "access is forbidden"]],
  [RESULT.AUTH, ["PERMISSION", "access is forbidden"]],
  [RESULT.CANTOPEN, ["IO", "the file cannot be opened"]],
  [RESULT.IOERR, ["IO", "reading or writing failed"]],
  [RESULT.NOMEM, ["IO", "memory ran out"]],
  [RESULT.CORRUPT, ["CORRUPT", "the file is damaged"]],
  [RESULT.NOTADB, ["CORRUPT", "the file is not a database"]],
  // Every statement is a constant that fits the schema: only a schema changed from outside can make one fail.
  [RESULT.ERROR, ["CORRUPT", "the file's schema was changed"]],
  [RESULT.SCHEMA, ["CORRUPT", "the file's schema was changed"]],
]);

/** Which of a store's two files a failure concerns. */
export type DatabaseName = "main" | "ledger";

/** Converts a driver's error to a typed error; errors of this module pass through unchanged. */
export function toMemoryError(error: unknown, database: DatabaseName, what: string = database): unknown {
  if (error instanceof MemoryError || !(error instanceof SqliteFailure)) return error;
  const primary = error.resultCode & 0xff;
  const details = { database, resultCode: error.resultCode };
  if (primary === RESULT.CONSTRAINT) {
    return new IntegrityError(`Cannot use ${what}: a constraint of the file refused the write`, {
      details,
      cause: error,
    });
  }
  if (error.resultCode === READONLY_DBMOVED) {
    return new StorageError("REPLACED", `Cannot use ${what}: its file was replaced`, {
      details: { ...details, by: "file" },
      cause: error,
    });
  }
  const [code, reason] = CODES.get(primary) ?? ["IO", "SQLite refused the call"] as const;
  return new StorageError(code, `Cannot use ${what}: ${reason}`, { details, cause: error });
}

/** Returns the first error, with a second one that occurred during cleanup as part of its cause. */
export function withSecond(first: unknown, second: unknown, message: string): unknown {
  const cause = new AggregateError([first, second], message);
  if (first instanceof StorageError) {
    return new StorageError(first.code, first.message, { details: first.details, cause });
  }
  if (first instanceof IntegrityError) {
    return new IntegrityError(first.message, { details: first.details, cause });
  }
  return cause;
}

/** Whether an error says that another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof StorageError && error.code === "BUSY";
}

/** Whether an error says that the disk or the file is full. */
export function isFull(error: unknown): boolean {
  return error instanceof StorageError && error.code === "FULL";
}

/** SQLite's own English messages (its `sqlite3ErrStr` and the usual texts of the parser and the constraints). */
const MESSAGES: readonly (readonly [pattern: RegExp, resultCode: number])[] = [
  [/^database is locked/, RESULT.BUSY],
  [/^database (table|schema) is locked/, RESULT.LOCKED],
  [/^database or disk is full/, RESULT.FULL],
  [/^attempt to write a readonly database/, RESULT.READONLY],
  [/^disk I\/O error/, RESULT.IOERR],
  [/^database disk image is malformed/, RESULT.CORRUPT],
  [/^malformed database schema/, RESULT.CORRUPT],
  [/^file is not a database/, RESULT.NOTADB],
  [/^unable to open database/, RESULT.CANTOPEN],
  [/^out of memory/, RESULT.NOMEM],
  [/^access permission denied/, RESULT.PERM],
  [/^(authorization denied|not authorized)/, RESULT.AUTH],
  [/^database schema has changed/, RESULT.SCHEMA],
  [/constraint failed/, RESULT.CONSTRAINT],
  [/^(no such |near |incomplete input|table .* has |SQL logic error|cannot |.*syntax error)/, RESULT.ERROR],
];

/** Returns the result code of a message; `otherwise` if SQLite has no such message. */
export function resultCodeOf(message: string, otherwise: number): number {
  return MESSAGES.find(([pattern]) => pattern.test(message))?.[1] ?? otherwise;
}
