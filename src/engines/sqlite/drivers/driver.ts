/** What the engine needs from a SQLite binding, and no more. */

import type { Row, SqlValue } from "../../../engine/values.ts";

/**
 * One prepared statement; parameters are `$1`, `$2`, … in order.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { nodeSqlite, type SqliteStatement } from "@holdfast/memory";
 *
 * const connection = nodeSqlite.open(":memory:", { readOnly: false });
 * const add: SqliteStatement = connection.prepare("SELECT $1 + $2");
 * assert.deepEqual(add.get([1, 2]), [3]);
 * connection.close();
 * ```
 */
export interface SqliteStatement {
  /** The first row, or nothing. */
  get(parameters: readonly SqlValue[]): Row | undefined;
  /** Every row. */
  all(parameters: readonly SqlValue[]): readonly Row[];
  /** Runs the statement and gives the number of rows it changed. */
  run(parameters: readonly SqlValue[]): number;
}

/**
 * One open database file.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { nodeSqlite, type SqliteConnection } from "@holdfast/memory";
 *
 * const connection: SqliteConnection = nodeSqlite.open(":memory:", { readOnly: false });
 * connection.prepare("BEGIN").run([]);
 * assert.equal(connection.isTransaction, true);
 * connection.close();
 * ```
 */
export interface SqliteConnection {
  /** Compiles exactly one statement. */
  prepare(sql: string): SqliteStatement;
  /** Whether a transaction is open; SQLite may have ended it by itself. */
  readonly isTransaction: boolean;
  /** Closes the file and everything prepared on it. */
  close(): void;
}

/**
 * How a file is opened.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { nodeSqlite, type SqliteOpenOptions } from "@holdfast/memory";
 *
 * const path = `${await Deno.makeTempDir()}/agent.db`;
 * nodeSqlite.open(path, { readOnly: false }).close();
 * const options: SqliteOpenOptions = { readOnly: true };
 * const connection = nodeSqlite.open(path, options);
 * assert.throws(() => connection.prepare("CREATE TABLE t (a)").run([]), { name: "SqliteFailure" });
 * connection.close();
 * ```
 */
export interface SqliteOpenOptions {
  /** Whether the file may only be read. */
  readonly readOnly: boolean;
}

/**
 * A SQLite binding. Failures are {@linkcode SqliteFailure}s; no call waits for a lock (a busy timeout of 0).
 *
 * @example Naming the built-in driver, which is the default
 * ```ts
 * import assert from "node:assert/strict";
 * import { nodeSqlite, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:", { driver: nodeSqlite });
 * assert.equal(nodeSqlite.name, "node:sqlite");
 * assert.equal((await memory.deletionWatermark()).sequence, 0);
 * ```
 */
export interface SqliteDriver {
  /** The binding's name, as users know it. */
  readonly name: string;
  /** Opens a file by its absolute path, taken literally, or `:memory:`. */
  open(path: string, options: SqliteOpenOptions): SqliteConnection;
}

/**
 * A failing SQLite call, with SQLite's (extended) result code.
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

  /** Wraps what a binding threw. */
  constructor(resultCode: number, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "SqliteFailure";
    this.resultCode = resultCode;
  }
}

const BOUND_LIMIT = /\bLIMIT (\$\d+)/g;

/**
 * A statement as bindings compile it. SQLite's planner looks at the value of a parameter that stands alone after LIMIT,
 * and therefore compiles the statement anew each time it is run with another binding: that takes three to five times as
 * long as reading a few rows by an index. It does not look into an expression.
 */
export function compiledOnce(sql: string): string {
  return sql.replace(BOUND_LIMIT, "LIMIT $1 + 0");
}
