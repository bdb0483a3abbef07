/**
 * The driver `./ffi`: SQLite through `@db/sqlite`, a native library loaded by foreign function interface. Needs
 * `--allow-ffi` and `--allow-env` beside the store's own permissions, and is slower than the built-in driver; take it
 * only if you need that library's build of SQLite.
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
import { resultCodeOf } from "./result_messages.ts";
import { RESULT } from "./result_codes.ts";
export { SqliteFailure };
export type { Row, SqliteConnection, SqliteDriver, SqliteOpenOptions, SqliteStatement, SqlValue };

/**
 * A statement that is compiled anew after it failed: the binding does not reset one that did, and as long as it counts
 * as in progress SQLite refuses every COMMIT.
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
    // It is finalized all the same: what is thrown is the error of its last step once more.
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

/** The binding's errors carry a code where there is no connection yet; everywhere else only the message tells. */
function toFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof SqliteFailure) return error;
  if (error instanceof Deno.errors.NotCapable || error instanceof TypeError) return error;
  const code = (error as { code?: unknown }).code;
  // A trigger may raise any text: it is a constraint that somebody put into the file.
  const resultCode = typeof code === "number" ? code : resultCodeOf(error.message, RESULT.CONSTRAINT);
  return new SqliteFailure(resultCode, error.message, error);
}

/**
 * SQLite through `@db/sqlite`. Where its library lies in the range of the WAL-reset fault (3.7.0 to 3.51.2, but for
 * 3.50.7 and 3.44.6 on), the store uses a rollback journal, and readers can wait for writers.
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
    // Without int64 the binding cuts integers to 32 bits; it would also turn text into objects.
    return attempt(() =>
      new FfiConnection(new Database(path, { readonly: readOnly, int64: true, parseJson: false }))
    );
  },
};
