import { because, StorageError } from "../../../errors.ts";
import type { Engine } from "../../../engine/engine.ts";
import { allRows, getEach, getRow, type Operation, type ReadTransaction } from "../../../engine/operation.ts";
import { APPLIED_EVENTS } from "./applied_events.ts";
import { Connection } from "./connection.ts";
import { type DatabaseKind, schemaVersion } from "./database.ts";
import type { SqliteDriver } from "../drivers/driver.ts";
import { selectMainMeta } from "./main_meta.ts";
import { configureWorkFile, stampEmptyFile } from "./settings.ts";

const GET_APPLICATION_ID = "PRAGMA application_id";
const GET_PAGE_COUNT = "PRAGMA page_count";
const GET_PAGE_SIZE = "PRAGMA page_size";
const TRANSACTION: ReadTransaction = {
  get: getRow,
  all: allRows,
  getEach,
  ...APPLIED_EVENTS,
  facts: selectMainMeta,
  time: () => {
    throw new Error("A work file has no effective time");
  },
};

/**
 * A database in a work file, which no other process opens.
 *
 * It has no journal on disk: an unfinished file is discarded after a crash, and a finished one is made durable as a
 * whole once it is closed.
 */
export class WorkDatabase implements Disposable, Pick<Engine, "read"> {
  readonly connection: Connection;

  private constructor(connection: Connection) {
    this.connection = connection;
  }

  /** Opens a work file, and stamps it if it is empty. */
  static open(kind: DatabaseKind, path: string, driver: SqliteDriver): WorkDatabase {
    const connection = Connection.open(kind.name, driver, path, {
      readOnly: false,
      what: "the unfinished copy",
    });
    try {
      stampEmptyFile(connection, kind.setApplicationId);
      configureWorkFile(connection);
      if (connection.get(GET_APPLICATION_ID)![0] !== kind.applicationId) {
        throw new StorageError("UNSAFE", `Cannot use ${kind.what}: it is a file of another kind`, {
          details: because("foreign"),
        });
      }
      return new WorkDatabase(connection);
    } catch (error) {
      throw connection.abandonOpening(error);
    }
  }

  /** The version of its schema; 0 if it has none. */
  get version(): number {
    return schemaVersion(this.connection);
  }

  /** Size of its pages in bytes. */
  get bytes(): number {
    return (this.connection.get(GET_PAGE_COUNT)![0] as number) *
      (this.connection.get(GET_PAGE_SIZE)![0] as number);
  }

  read<T>(factory: (transaction: ReadTransaction) => Operation<T>): Promise<T> {
    return Promise.try(() => this.connection.drive(factory(TRANSACTION)));
  }

  [Symbol.dispose](): void {
    this.connection.close();
  }
}
