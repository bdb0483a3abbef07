/** The result codes behind the messages of `@db/sqlite`, which reports little else. */

import { SqliteFailure } from "./driver.ts";
import { RESULT } from "./result_codes.ts";

/** SQLite's own English messages (its `sqlite3ErrStr` and the usual texts of the parser and the constraints). */
export const MESSAGES: readonly (readonly [pattern: RegExp, resultCode: number])[] = [
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

/** What `@db/sqlite` threw, as a failure with a code. Deno's own errors pass through. */
export function toDbSqliteFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof SqliteFailure) return error;
  if (error instanceof Deno.errors.NotCapable || error instanceof TypeError) return error;
  return new SqliteFailure(resultCodeOf(error), error.message, error);
}

/** Its errors carry a code where there is no connection yet; everywhere else only the message tells. */
function resultCodeOf(error: Error): number {
  const code = (error as { code?: unknown }).code;
  if (typeof code === "number") return code;
  const known = MESSAGES.find(([pattern]) => pattern.test(error.message));
  // A trigger may raise any text: it is a constraint that somebody put into the file.
  return known?.[1] ?? RESULT.CONSTRAINT;
}
