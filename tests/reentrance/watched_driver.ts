/** A driver that knows whether a transaction of a store is open: callers' code may never see one. */

import { nodeSqlite } from "../../src/engines/sqlite/drivers/node_sqlite.ts";
import type {
  SqliteConnection,
  SqliteDriver,
  SqliteOpenOptions,
} from "../../src/engines/sqlite/drivers/driver.ts";

/** Files in the making, which are no store yet. */
const IS_COPY = /\.(partial|restoring)$/;

/** See the module's documentation. */
export class WatchedDriver implements SqliteDriver {
  readonly name = nodeSqlite.name;
  /** Called in every statement, where `on` is set: no caller's code, but the one place where a transaction is open. */
  onStatement: (() => void) | null = null;
  /** The store's own connections. Those that a backup opens to the same files come later, and hold one moment on purpose. */
  readonly #own = new Map<string, SqliteConnection>();

  open(path: string, options: SqliteOpenOptions): SqliteConnection {
    const inner = nodeSqlite.open(path, options);
    const key = path === ":memory:" ? `${path} ${this.#own.size}` : path;
    if (!IS_COPY.test(path) && !this.#own.has(key)) this.#own.set(key, inner);
    const call = <T>(body: () => T): T => {
      this.onStatement?.();
      return body();
    };
    return {
      prepare: (sql) => {
        const statement = inner.prepare(sql);
        return {
          get: (parameters) => call(() => statement.get(parameters)),
          all: (parameters) => call(() => statement.all(parameters)),
          run: (parameters) => call(() => statement.run(parameters)),
        };
      },
      get isTransaction(): boolean {
        return inner.isTransaction;
      },
      close: () => {
        for (const [own, connection] of this.#own) if (connection === inner) this.#own.delete(own);
        inner.close();
      },
    };
  }

  /** How many of the store's databases are in a transaction. */
  get openTransactions(): number {
    return [...this.#own.values()].filter(({ isTransaction }) => isTransaction).length;
  }
}
