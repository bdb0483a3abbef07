/** A driver whose SQLite says that it is of a version that cannot be trusted with WAL. */

import {
  nodeSqlite,
  type Row,
  type SqliteConnection,
  type SqliteDriver,
  type SqliteStatement,
  type SqlValue,
} from "@holdfast/memory";

const OLD_VERSION = "3.45.1";

class OldConnection implements SqliteConnection {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  get isTransaction(): boolean {
    return this.#connection.isTransaction;
  }

  prepare(sql: string): SqliteStatement {
    const statement = this.#connection.prepare(sql);
    if (!sql.includes("sqlite_version")) return statement;
    return {
      get: (): Row => [OLD_VERSION],
      all: (): readonly Row[] => [[OLD_VERSION]],
      run: (parameters: readonly SqlValue[]): number => statement.run(parameters),
    };
  }

  close(): void {
    this.#connection.close();
  }
}

/** The default driver, claiming to be old: the store then uses a rollback journal, and readers can be busy. */
export const oldLibrary: SqliteDriver = {
  name: nodeSqlite.name,
  open: (path, options): SqliteConnection => new OldConnection(nodeSqlite.open(path, options)),
};
