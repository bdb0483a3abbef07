/** A driver that gives other answers than SQLite to chosen statements: another version, a refused setting. */

import type { Row } from "../../src/engine/values.ts";
import type {
  SqliteConnection,
  SqliteDriver,
  SqliteOpenOptions,
  SqliteStatement,
} from "../../src/engines/sqlite/drivers/driver.ts";
import { type DatabaseName, DatabaseNames } from "./database_names.ts";
import type { ObservableDriver } from "./tapped_driver.ts";

/** What is answered instead, by the exact statement. */
export type Answers = Readonly<Record<string, Row>>;

/** Has SQLite tell a version that cannot be trusted with WAL: stores then get a rollback journal. */
export const OLD_VERSION: Answers = { "SELECT sqlite_version()": ["3.50.4"] };

/** See the module's documentation. */
export class AlteredDriver implements ObservableDriver {
  readonly name: string;
  readonly #inner: SqliteDriver;
  readonly #answers: Answers;
  readonly #names = new DatabaseNames();
  readonly #opened = new Map<DatabaseName, SqliteConnection>();

  constructor(inner: SqliteDriver, answers: Answers) {
    this.#inner = inner;
    this.#answers = answers;
    this.name = inner.name;
  }

  connection(database: DatabaseName): SqliteConnection {
    const connection = this.#opened.get(database);
    if (connection === undefined) throw new Error(`No connection to ${database} was opened`);
    return connection;
  }

  open(path: string, options: SqliteOpenOptions): SqliteConnection {
    const inner = this.#inner.open(path, options);
    this.#opened.set(this.#names.nameOf(path), inner);
    return alter(inner, this.#answers);
  }
}

function alter(inner: SqliteConnection, answers: Answers): SqliteConnection {
  return {
    prepare(sql: string): SqliteStatement {
      const statement = inner.prepare(sql);
      const answer = answers[sql];
      if (answer === undefined) return statement;
      return {
        get: (): Row => answer,
        all: (): readonly Row[] => [answer],
        run: (parameters): number => statement.run(parameters),
      };
    },
    get isTransaction(): boolean {
      return inner.isTransaction;
    },
    close: (): void => inner.close(),
  };
}
