/** What the engine needs from a SQLite binding, and no more. */

/** A value that is bound or read. Integers beyond 2^53 are never used by this module. */
export type SqlValue = null | number | bigint | string | Uint8Array;

/** One row, in the order of the columns listed. */
export type Row = readonly SqlValue[];

/** One prepared statement; parameters are `$1`, `$2`, … in order. */
export interface SqliteStatement {
  /** The first row, or nothing. */
  get(parameters: readonly SqlValue[]): Row | undefined;
  /** Every row. */
  all(parameters: readonly SqlValue[]): readonly Row[];
  /** Runs the statement and gives the number of rows it changed. */
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

/** A failing SQLite call, with SQLite's (extended) result code. */
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
