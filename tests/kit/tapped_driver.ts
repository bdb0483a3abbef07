/** A driver that hands out its inner connections unchanged, and remembers them, so that a test can look at raw rows. */

import type {
  SqliteConnection,
  SqliteDriver,
  SqliteOpenOptions,
} from "../../src/engines/sqlite/drivers/driver.ts";
import { type DatabaseName, DatabaseNames } from "./database_names.ts";

/** What a test store needs of a driver besides being one. */
export interface ObservableDriver extends SqliteDriver {
  /** The connection that was opened last to a database, without any wrapper. */
  connection(database: DatabaseName): SqliteConnection;
}

/** See the module's documentation. */
export class TappedDriver implements ObservableDriver {
  readonly name: string;
  readonly #inner: SqliteDriver;
  readonly #names = new DatabaseNames();
  readonly #opened = new Map<DatabaseName, SqliteConnection>();

  constructor(inner: SqliteDriver) {
    this.#inner = inner;
    this.name = inner.name;
  }

  connection(database: DatabaseName): SqliteConnection {
    const connection = this.#opened.get(database);
    if (connection === undefined) throw new Error(`No connection to ${database} was opened`);
    return connection;
  }

  open(path: string, options: SqliteOpenOptions): SqliteConnection {
    const connection = this.#inner.open(path, options);
    this.#opened.set(this.#names.nameOf(path), connection);
    return connection;
  }
}
