import { StorageError } from "../../../errors.ts";
import { lstatOrNull, removeIfThere, toStorageError } from "../files/private_file.ts";
import { MEMORY_PATH } from "../files/store_path.ts";
import type { Operation, Reply, Request } from "../../../engine/operation.ts";
import type { Row, SqlValue } from "../../../engine/values.ts";
import { lastSeparator } from "../../../platform/permissions.ts";
import {
  type SqliteConnection,
  type SqliteDriver,
  SqliteFailure,
  type SqliteStatement,
} from "../drivers/driver.ts";
import { type DatabaseName, RESULT, toMemoryError, withSecond } from "../drivers/result_codes.ts";

const BEGIN_DEFERRED = "BEGIN DEFERRED";
const BEGIN_IMMEDIATE = "BEGIN IMMEDIATE";
const BEGIN_EXCLUSIVE = "BEGIN EXCLUSIVE";
const COMMIT = "COMMIT";
const ROLLBACK = "ROLLBACK";
const SAVEPOINT_MEMBER = "SAVEPOINT member";
const ROLLBACK_TO_MEMBER = "ROLLBACK TO member";
const RELEASE_MEMBER = "RELEASE member";

const BEGIN = {
  deferred: BEGIN_DEFERRED,
  immediate: BEGIN_IMMEDIATE,
  exclusive: BEGIN_EXCLUSIVE,
} as const;

let trips = 0;

/** How many requests operations have yielded in this process: each would be one round trip to a server. */
export function countTrips(): number {
  return trips;
}

function requireFile(path: string, what: string): Deno.FileInfo {
  const info = lstatOrNull(path);
  if (info === null) throw vanished(what);
  return info;
}

function vanished(what: string): StorageError {
  return new StorageError("BUSY", `Cannot use ${what}: its file lost its name meanwhile`);
}

function replaced(): StorageError {
  return new StorageError("REPLACED", "Cannot open store: a file was replaced meanwhile", {
    details: { by: "file" },
  });
}

function toStorageErrorUnless(error: unknown): unknown {
  return error instanceof StorageError ? error : toStorageError(error);
}

/**
 * Whether access to a file is forbidden. SQLite reports only that it cannot open the file, so this is assumed if the
 * file exists and its directory can be opened.
 */
function isForbidden({ resultCode }: SqliteFailure, path: string): boolean {
  if ((resultCode & 0xff) !== RESULT.CANTOPEN || !(lstatOrNull(path)?.isFile ?? false)) return false;
  try {
    Deno.openSync(path.slice(0, lastSeparator(path)) || path.slice(0, 1)).close();
    return true;
  } catch {
    return false;
  }
}

function forbidden(cause: SqliteFailure, what: string): StorageError {
  return new StorageError("PERMISSION", `Cannot use ${what}: access to its file is forbidden`, { cause });
}

/** One of a store's two databases: prepares each statement once, maps errors, and drives operations. */
export class Connection {
  readonly name: DatabaseName;
  readonly #connection: SqliteConnection;
  readonly #statements = new Map<string, SqliteStatement>();
  #isBegun = false;
  #writes = 0;
  #journalPath: string | null = null;

  readonly #what: string;

  constructor(name: DatabaseName, connection: SqliteConnection, what: string = name) {
    this.name = name;
    this.#connection = connection;
    this.#what = what;
  }

  /**
   * Opens an existing file or a database in memory; error messages call it `what`.
   *
   * @throws {StorageError} `BUSY` if the file is removed meanwhile, `REPLACED` if another file takes its name
   */
  static open(
    name: DatabaseName,
    driver: SqliteDriver,
    path: string,
    { readOnly, what = name }: { readonly readOnly: boolean; readonly what?: string },
  ): Connection {
    const before = readOnly || path === MEMORY_PATH ? null : requireFile(path, what);
    try {
      const connection = new Connection(name, driver.open(path, { readOnly }), what);
      if (before !== null) connection.#assertOpened(path, before);
      return connection;
    } catch (error) {
      if (!(error instanceof SqliteFailure)) throw toStorageErrorUnless(error);
      throw isForbidden(error, path) ? forbidden(error, what) : toMemoryError(error, name, what);
    }
  }

  /**
   * Requires that SQLite opened the inspected file. If that was removed meanwhile, SQLite created an empty one, which
   * is removed again.
   */
  #assertOpened(path: string, before: Deno.FileInfo): void {
    const info = lstatOrNull(path);
    // SQLite does not follow links here; a link is refused later, together with the file's other properties.
    if (info !== null && (info.isSymlink || (info.dev === before.dev && info.ino === before.ino))) return;
    const isGone = info === null || info.size === 0;
    const error = this.abandonOpening(isGone ? vanished(this.#what) : replaced());
    if (info?.size === 0) removeIfThere(path);
    throw error;
  }

  /** Whether a transaction is open; after an error SQLite may have ended it. */
  get isTransaction(): boolean {
    return this.#connection.isTransaction;
  }

  /** Number of write transactions begun here: a connection's own commits do not change its data version. */
  get writes(): number {
    return this.#writes;
  }

  /**
   * Whether a transaction was begun and has not ended.
   *
   * A transaction never outlives the code that drives it. A call that finds one open was therefore made from inside
   * it, or the transaction failed and could not be rolled back; what it wrote must not be read.
   */
  get isBegun(): boolean {
    return this.#isBegun;
  }

  /**
   * Checks the file under the journal's name before each statement that may begin a transaction.
   *
   * SQLite opens that file to see whether it has to be rolled back. If it were a pipe, SQLite would wait forever for
   * a writer.
   */
  guardJournal(path: string): void {
    this.#journalPath = `${path}-journal`;
  }

  get(sql: string, ...parameters: SqlValue[]): Row | undefined {
    try {
      return this.#statement(sql).get(parameters);
    } catch (error) {
      throw toMemoryError(error, this.name, this.#what);
    }
  }

  all(sql: string, ...parameters: SqlValue[]): readonly Row[] {
    try {
      return this.#statement(sql).all(parameters);
    } catch (error) {
      throw toMemoryError(error, this.name, this.#what);
    }
  }

  run(sql: string, ...parameters: SqlValue[]): number {
    try {
      return this.#statement(sql).run(parameters);
    } catch (error) {
      throw toMemoryError(error, this.name, this.#what);
    }
  }

  /** Begins a transaction, after ending one that an earlier failure may have left open. */
  begin(mode: keyof typeof BEGIN): void {
    this.rollback();
    if (mode !== "deferred") this.#writes++;
    // Not `run`: counting changed rows takes longer than the statement itself.
    this.get(BEGIN[mode]);
    this.#isBegun = true;
  }

  commit(): void {
    this.get(COMMIT);
    this.#isBegun = false;
  }

  /** Rolls back the transaction, if one is open. */
  rollback(): void {
    if (this.#connection.isTransaction) this.run(ROLLBACK);
    this.#isBegun = false;
  }

  /** Rolls back because of `error`, and returns it; if the rollback fails too, both become its cause. */
  abandon(error: unknown): unknown {
    try {
      this.rollback();
      return error;
    } catch (second) {
      this.#isBegun = true;
      return withSecond(error, second, "A failed transaction could not be rolled back");
    }
  }

  savepoint(): void {
    this.run(SAVEPOINT_MEMBER);
  }

  rollbackToSavepoint(): void {
    this.run(ROLLBACK_TO_MEMBER);
    this.run(RELEASE_MEMBER);
  }

  releaseSavepoint(): void {
    this.run(RELEASE_MEMBER);
  }

  /** Runs an operation to its end without yielding to the event loop. */
  drive<T>(operation: Operation<T>): T {
    try {
      let step = operation.next();
      while (step.done !== true) {
        trips++;
        step = operation.next(this.#answer(step.value));
      }
      return step.value;
    } catch (error) {
      throw toMemoryError(error, this.name, this.#what);
    }
  }

  /** Runs the statements of a request in turn. */
  #answer(request: Request): Reply {
    switch (request.verb) {
      case "together":
        return request.requests.map((each) => this.#answer(each));
      case "getEach": {
        const statement = this.#statement(request.sql);
        return request.rows.map((row) => statement.get(row));
      }
      case "runEach": {
        const statement = this.#statement(request.sql);
        return request.rows.map((row) => statement.run(row));
      }
      default:
        return this.#statement(request.sql)[request.verb](request.parameters);
    }
  }

  /** Closes the connection because of `error`, and returns it; if that fails too, both become its cause. */
  abandonOpening(error: unknown): unknown {
    try {
      this.close();
      return error;
    } catch (second) {
      return withSecond(error, second, "A file that could not be used could not be closed either");
    }
  }

  close(): void {
    this.#statements.clear();
    try {
      this.#connection.close();
    } catch (error) {
      throw toMemoryError(error, this.name, this.#what);
    }
  }

  #assertJournal(path: string): void {
    if (this.#connection.isTransaction || (lstatOrNull(path)?.isFile ?? true)) return;
    throw new StorageError("REPLACED", `Cannot use ${this.name}: what bears its journal's name is no file`, {
      details: { by: "file" },
    });
  }

  #statement(sql: string): SqliteStatement {
    if (this.#journalPath !== null) this.#assertJournal(this.#journalPath);
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}
