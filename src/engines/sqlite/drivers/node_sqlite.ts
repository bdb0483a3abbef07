/** The default driver: Deno's built-in `node:sqlite`. */

import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Row, SqlValue } from "../../../engine/values.ts";
import {
  compiledOnce,
  type SqliteConnection,
  type SqliteDriver,
  SqliteFailure,
  type SqliteOpenOptions,
  type SqliteStatement,
} from "./driver.ts";
import { RESULT, resultCodeOf } from "./result_codes.ts";

/** Here `$1` would be a named parameter, which cannot be bound by position; `?1` can. */
const NUMBERED_PARAMETER = /\$(?=\d)/g;

/** A method that Deno has, but does not declare yet. */
interface ArrayStatement extends StatementSync {
  setReturnArrays(enabled: boolean): void;
}

class NodeStatement implements SqliteStatement {
  readonly #statement: StatementSync;

  constructor(statement: StatementSync) {
    // Rows as arrays make one-column reads three times cheaper than objects.
    (statement as ArrayStatement).setReturnArrays(true);
    this.#statement = statement;
  }

  get(parameters: readonly SqlValue[]): Row | undefined {
    try {
      return this.#get(parameters) as unknown as Row | undefined;
    } catch (error) {
      throw toFailure(error);
    }
  }

  /** Avoids a spread for up to three values, as nearly every read has. It takes as long as some statements. */
  #get(parameters: readonly SqlValue[]): ReturnType<StatementSync["get"]> {
    switch (parameters.length) {
      case 0:
        return this.#statement.get();
      case 1:
        return this.#statement.get(parameters[0]!);
      case 2:
        return this.#statement.get(parameters[0]!, parameters[1]!);
      case 3:
        return this.#statement.get(parameters[0]!, parameters[1]!, parameters[2]!);
      default:
        return this.#statement.get(...parameters as SqlValue[]);
    }
  }

  all(parameters: readonly SqlValue[]): readonly Row[] {
    try {
      return this.#statement.all(...parameters as SqlValue[]) as unknown as Row[];
    } catch (error) {
      throw toFailure(error);
    }
  }

  run(parameters: readonly SqlValue[]): number {
    try {
      return Number(this.#statement.run(...parameters as SqlValue[]).changes);
    } catch (error) {
      throw toFailure(error);
    }
  }
}

const SET_NO_WAIT = "PRAGMA busy_timeout = 0";

class NodeConnection implements SqliteConnection {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  get isTransaction(): boolean {
    return this.#database.isTransaction;
  }

  prepare(sql: string): SqliteStatement {
    try {
      if (sql.trim() === "") throw new SqliteFailure(RESULT.ERROR, "Expected a statement");
      const numbered = compiledOnce(sql).replace(NUMBERED_PARAMETER, "?");
      const statement = this.#database.prepare(numbered);
      // SQLite compiles only the first statement, and would silently ignore the rest.
      if (statement.sourceSQL.length !== numbered.length) {
        throw new SqliteFailure(RESULT.ERROR, "Expected exactly one statement");
      }
      return new NodeStatement(statement);
    } catch (error) {
      throw toFailure(error);
    }
  }

  close(): void {
    this.#database.close();
  }
}

/** Converts an error to a failure with a result code; Deno's own permission errors pass through. */
function toFailure(error: unknown): unknown {
  if (
    error instanceof SqliteFailure || !(error instanceof Error) || error instanceof Deno.errors.NotCapable
  ) return error;
  const { errcode } = error as { errcode?: unknown };
  const resultCode = typeof errcode === "number" ? errcode : resultCodeOf(error.message, RESULT.ERROR);
  return new SqliteFailure(resultCode, error.message, error);
}

/**
 * The default driver: Deno's built-in SQLite. Needs `--allow-read` and `--allow-write` for the store's directory only.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { nodeSqlite } from "@holdfast/memory";
 *
 * assert.equal(nodeSqlite.name, "node:sqlite");
 * ```
 */
export const nodeSqlite: SqliteDriver = {
  name: "node:sqlite",
  open(path: string, options: SqliteOpenOptions): SqliteConnection {
    try {
      const database = new DatabaseSync(path, {
        readOnly: options.readOnly,
        enableForeignKeyConstraints: false,
      });
      // A wait inside SQLite would freeze the event loop; the option `timeout: 0` leaves a timeout of five seconds.
      database.prepare(SET_NO_WAIT).run();
      return new NodeConnection(database);
    } catch (error) {
      throw toFailure(error);
    }
  },
};
