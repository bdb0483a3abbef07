/** The interface that the engine needs from a SQLite binding. */

import type { Row, SqlValue } from "../../../engine/values.ts";

/** One prepared statement; parameters are `$1`, `$2`, … in order. */
export interface SqliteStatement {
  /** Returns the first row, or undefined if there is none. */
  get(parameters: readonly SqlValue[]): Row | undefined;
  /** Returns every row. */
  all(parameters: readonly SqlValue[]): readonly Row[];
  /** Runs the statement, and returns the number of rows it changed. */
  run(parameters: readonly SqlValue[]): number;
}

/** One open database file. */
export interface SqliteConnection {
  /** Compiles exactly one statement. */
  prepare(sql: string): SqliteStatement;
  /** Whether a transaction is open; SQLite may have ended it by itself. */
  readonly isTransaction: boolean;
  /** Closes the file and everything prepared on it. */
  close(): void;
}

/** How a file is opened. */
export interface SqliteOpenOptions {
  /** Whether the file may only be read. */
  readonly readOnly: boolean;
}

/** A SQLite binding. Its calls throw {@linkcode SqliteFailure}, and never wait for a lock (busy timeout 0). */
export interface SqliteDriver {
  /** The binding's name, as users know it. */
  readonly name: string;
  /** Opens a file by its absolute path, taken literally, or `:memory:`. */
  open(path: string, options: SqliteOpenOptions): SqliteConnection;
}

/**
 * The error of a failed SQLite call, with SQLite's extended result code.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { nodeSqlite, SqliteFailure } from "@holdfast/memory";
 *
 * const connection = nodeSqlite.open(":memory:", { readOnly: false });
 * assert.throws(
 *   () => connection.prepare("SELECT no_such_function()"),
 *   (error: unknown) => error instanceof SqliteFailure && error.resultCode === 1, // SQLITE_ERROR
 * );
 * connection.close();
 * ```
 */
export class SqliteFailure extends Error {
  /** SQLite's result code; its lowest byte is the primary code. */
  readonly resultCode: number;

  /** Wraps the error that a binding threw. */
  constructor(resultCode: number, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "SqliteFailure";
    this.resultCode = resultCode;
  }
}

const BOUND_LIMIT = /\bLIMIT (\$\d+)/g;

/**
 * Rewrites a statement so that SQLite compiles it only once.
 *
 * SQLite's planner uses the value of a parameter that stands alone after LIMIT, and therefore recompiles the
 * statement each time it is run with another value. That takes three to five times as long as reading a few rows by
 * an index. It does not use the value of an expression.
 */
export function compiledOnce(sql: string): string {
  return sql.replace(BOUND_LIMIT, "LIMIT $1 + 0");
}
