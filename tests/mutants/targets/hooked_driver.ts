/** A driver whose every statement passes by a hook, with the last two connections in sight. */

import {
  nodeSqlite,
  type Row,
  type SqliteConnection,
  type SqliteDriver,
  type SqliteStatement,
  type SqlValue,
} from "@holdfast/memory";

/** Which of a store's two databases. */
export type Database = "main" | "ledger";

/** Runs a statement, or does something else instead; before and after are its own business. */
export type Hook = <T>(database: Database, sql: string, run: () => T) => T;

/** The default driver with a hook, which can be set at any time. */
export class HookedDriver implements SqliteDriver {
  readonly name: string = nodeSqlite.name;
  hook: Hook = (_database, _sql, run) => run();
  readonly #connections = new Map<Database, SqliteConnection>();

  open(path: string, options: { readonly readOnly: boolean }): SqliteConnection {
    // In memory the ledger is opened first.
    const isLedger = path === ":memory:" ? !this.#connections.has("ledger") : path.endsWith(".deletions");
    const database = isLedger ? "ledger" : "main";
    const connection = nodeSqlite.open(path, options);
    this.#connections.set(database, connection);
    return new HookedConnection(connection, <T>(sql: string, run: () => T) => this.hook(database, sql, run));
  }

  /** Rows as they lie in a table; also runs what changes them. */
  rows(database: Database, sql: string): readonly Row[] {
    return this.#connections.get(database)!.prepare(sql).all([]);
  }
}

class HookedConnection implements SqliteConnection {
  readonly #connection: SqliteConnection;
  readonly #around: <T>(sql: string, run: () => T) => T;

  constructor(connection: SqliteConnection, around: <T>(sql: string, run: () => T) => T) {
    this.#connection = connection;
    this.#around = around;
  }

  get isTransaction(): boolean {
    return this.#connection.isTransaction;
  }

  prepare(sql: string): SqliteStatement {
    const statement = this.#connection.prepare(sql);
    return {
      get: (parameters: readonly SqlValue[]): Row | undefined =>
        this.#around(sql, () => statement.get(parameters)),
      all: (parameters: readonly SqlValue[]): readonly Row[] =>
        this.#around(sql, () => statement.all(parameters)),
      run: (parameters: readonly SqlValue[]): number => this.#around(sql, () => statement.run(parameters)),
    };
  }

  close(): void {
    this.#connection.close();
  }
}
