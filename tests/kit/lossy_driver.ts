/** A driver that loses writes: now and then it reports that a row was inserted, and has done nothing. */

import type {
  SqliteConnection,
  SqliteDriver,
  SqliteOpenOptions,
  SqliteStatement,
} from "../../src/engines/sqlite/drivers/driver.ts";

/** Wraps a driver; of the inserts into this table every n-th is lost. */
export function loseInserts(inner: SqliteDriver, table: string, every: number): SqliteDriver {
  let inserts = 0;
  const lose = (statement: SqliteStatement): SqliteStatement => ({
    get: (parameters) => statement.get(parameters),
    all: (parameters) => statement.all(parameters),
    run: (parameters) => ++inserts % every === 0 ? 1 : statement.run(parameters),
  });
  return {
    name: inner.name,
    open(path: string, options: SqliteOpenOptions): SqliteConnection {
      const connection = inner.open(path, options);
      return {
        prepare: (sql) => {
          const statement = connection.prepare(sql);
          return sql.startsWith(`INSERT INTO ${table} `) ? lose(statement) : statement;
        },
        get isTransaction(): boolean {
          return connection.isTransaction;
        },
        close: () => connection.close(),
      };
    },
  };
}
