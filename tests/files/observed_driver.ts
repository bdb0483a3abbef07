import {
  nodeSqlite,
  type Row,
  type SqliteConnection,
  type SqliteDriver,
  type SqliteStatement,
} from "../../mod.ts";

/** One call into SQLite: the file's path and the statement, or null for opening and closing it. */
export interface ObservedCall {
  readonly path: string;
  readonly sql: string | null;
}

/** Options of {@linkcode observedDriver}. */
export interface Observing {
  /** Called before each call into SQLite, opening and closing included. */
  readonly before?: (call: ObservedCall) => void;
  /** Called after each call, whether it failed or not. */
  readonly after?: (call: ObservedCall) => void;
  /** The version that the library reports: with one before 3.51.3 a store uses rollback journals. */
  readonly version?: string | undefined;
  /** Another name, as a second SQLite library in this process would have. */
  readonly name?: string;
  /** How many pages each connection may keep in memory before it writes to its files within a transaction. */
  readonly cachePages?: number;
}

/** The built-in driver, observed. */
export function observedDriver(observing: Observing): SqliteDriver {
  const { before = nothing, after = nothing, version, name = nodeSqlite.name, cachePages } = observing;
  function told<T>(call: ObservedCall, body: () => T): T {
    before(call);
    try {
      return body();
    } finally {
      after(call);
    }
  }
  function observe(statement: SqliteStatement, call: ObservedCall): SqliteStatement {
    const asksVersion = version !== undefined && call.sql!.includes("sqlite_version()");
    return {
      get: (parameters): Row | undefined =>
        asksVersion ? [version] : told(call, () => statement.get(parameters)),
      all: (parameters) => told(call, () => statement.all(parameters)),
      run: (parameters) => told(call, () => statement.run(parameters)),
    };
  }
  return {
    name,
    open(path, options): SqliteConnection {
      const connection = told({ path, sql: null }, () => nodeSqlite.open(path, options));
      if (cachePages !== undefined) connection.prepare(`PRAGMA cache_size = ${cachePages}`).get([]);
      return {
        prepare: (sql) => observe(connection.prepare(sql), { path, sql }),
        get isTransaction(): boolean {
          return connection.isTransaction;
        },
        close: () => told({ path, sql: null }, () => connection.close()),
      };
    },
  };
}

function nothing(): void {}
