/**
 * The driver `./ffi`: SQLite through `@db/sqlite`, a native library loaded by foreign function interface. Needs
 * `--allow-ffi` and `--allow-env` in addition to the store's own permissions. It is slower than the built-in driver:
 * use it only if you need that library's build of SQLite.
 *
 * @module
 */

import { Database, type Statement } from "@db/sqlite";
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
export { SqliteFailure };
export type { Row, SqliteConnection, SqliteDriver, SqliteOpenOptions, SqliteStatement, SqlValue };

/**
 * A statement that is recompiled after a failure.
 *
 * The binding does not reset a failed one, and SQLite refuses every COMMIT while a statement is in progress.
 */
class FfiStatement implements SqliteStatement {
  readonly #database: Database;
  readonly #sql: string;
  #statement: Statement | null;

  constructor(database: Database, sql: string) {
    this.#database = database;
    this.#sql = compiledOnce(sql);
    this.#statement = database.prepare(this.#sql);
  }

  get(parameters: readonly SqlValue[]): Row | undefined {
    return this.#call((statement) => statement.value(...parameters) as Row | undefined);
  }

  all(parameters: readonly SqlValue[]): readonly Row[] {
    return this.#call((statement) => statement.values(...parameters) as Row[]);
  }

  run(parameters: readonly SqlValue[]): number {
    return this.#call((statement) => statement.run(...parameters));
  }

  #call<T>(use: (statement: Statement) => T): T {
    return attempt(() => {
      const statement = this.#statement ?? this.#database.prepare(this.#sql);
      this.#statement = statement;
      try {
        return use(statement);
      } catch (error) {
        this.#statement = null;
        discard(statement);
        throw error;
      }
    });
  }
}

function discard(statement: Statement): void {
  try {
    statement.finalize();
  } catch {
    // It is finalized anyway: the binding throws the error of its last step again.
  }
}

class FfiConnection implements SqliteConnection {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  get isTransaction(): boolean {
    return this.#database.inTransaction;
  }

  prepare(sql: string): SqliteStatement {
    return attempt(() => new FfiStatement(this.#database, sql));
  }

  close(): void {
    attempt(() => this.#database.close());
  }
}

function attempt<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw toFailure(error);
  }
}

/** Converts an error of the binding, which has a result code only if there is no connection yet. */
function toFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof SqliteFailure) return error;
  if (error instanceof Deno.errors.NotCapable || error instanceof TypeError) return error;
  const code = (error as { code?: unknown }).code;
  // A trigger may raise any text: it counts as a constraint of the file.
  const resultCode = typeof code === "number" ? code : resultCodeOf(error.message, RESULT.CONSTRAINT);
  return new SqliteFailure(resultCode, error.message, error);
}

/**
 * SQLite through `@db/sqlite`. If its library has the WAL-reset bug (3.7.0 to 3.51.2, except from 3.50.7 and 3.44.6
 * on in their lines), the store uses a rollback journal, and readers may wait for writers.
 *
 * @example
 * ```ts ignore
 * import { openMemory } from "@holdfast/memory";
 * import { dbSqlite } from "@holdfast/memory/ffi";
 *
 * await using memory = await openMemory("agent.db", { driver: dbSqlite });
 * ```
 */
export const dbSqlite: SqliteDriver = {
  name: "@db/sqlite",
  open(path: string, { readOnly }: SqliteOpenOptions): SqliteConnection {
    // Without `int64` the binding truncates integers to 32 bits; with `parseJson` it would turn text into objects.
    return attempt(() =>
      new FfiConnection(new Database(path, { readonly: readOnly, int64: true, parseJson: false }))
    );
  },
};
