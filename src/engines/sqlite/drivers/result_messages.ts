/** Maps SQLite's messages to result codes, for errors in which a binding reports nothing else. */

import { RESULT } from "./result_codes.ts";

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
