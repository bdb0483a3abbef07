/**
 * A SQLite driver that fails on command. It wraps any driver, counts every call, and makes chosen ones fail: before or
 * after they took effect, once or until healed, with any result code.
 *
 * What SQLite itself does with the transaction is played as well: after FULL, IOERR, NOMEM and INTERRUPT the whole
 * transaction is rolled back and `isTransaction` is false; after any other code it stays open.
 *
 * @example The second COMMIT of main is refused because the disk is full
 * ```ts
 * const driver = new FaultyDriver(nodeSqlite);
 * driver.fail({ database: "main", sql: "COMMIT", skip: 1, effect: "before", code: RESULT.FULL });
 * ```
 *
 * @example Every call, from a recorded trace
 * ```ts
 * driver.startTrace();
 * await memory.records.put(identity, value, options);
 * for (const [skip, call] of driver.stopTrace().entries()) {
 *   driver.fail({ skip, effect: "before", code: RESULT.BUSY }); // strikes exactly this call when it comes again
 * }
 * ```
 */

import type { Row, SqlValue } from "../../src/engine/values.ts";
import type {
  SqliteConnection,
  SqliteDriver,
  SqliteOpenOptions,
  SqliteStatement,
} from "../../src/engines/sqlite/drivers/driver.ts";
import { SqliteFailure } from "../../src/engines/sqlite/drivers/driver.ts";
import { RESULT } from "../../src/engines/sqlite/drivers/result_codes.ts";
import { type DatabaseName, DatabaseNames } from "./database_names.ts";

/** What a caller asks of a driver. */
export type CallVerb = "open" | "prepare" | "get" | "all" | "run" | "close";

/** What a call goes to: one of the store's two databases, or a copy in the making, which nobody else has open. */
export type StruckDatabase = DatabaseName | "copy";

/** One call that reached the driver. */
export interface DriverCall {
  readonly database: StruckDatabase;
  readonly verb: CallVerb;
  /** The statement; null for `open` and `close`. */
  readonly sql: string | null;
}

/** Which calls fail, when and how. */
export interface Fault {
  /** Only calls of this database; both if omitted. */
  readonly database?: StruckDatabase | undefined;
  /** Only these verbs; if omitted all of them, and where `sql` is given those that run it. */
  readonly verbs?: readonly CallVerb[] | undefined;
  /** Only statements that begin with this text, or match this pattern; all if omitted. */
  readonly sql?: string | RegExp | undefined;
  /** How many such calls pass before one is struck; 0 if omitted. */
  readonly skip?: number | undefined;
  /** Whether the call is struck before it took effect, or after it did. */
  readonly effect: "before" | "after";
  /** Whether all later calls of the kind fail too, until `heal()`. ROLLBACK passes: it needs neither lock nor space. */
  readonly lasting?: boolean | undefined;
  /** SQLite's result code. */
  readonly code: number;
  /** What becomes of an open transaction; by default what SQLite does after this code. */
  readonly transaction?: "kept" | "rolled back" | undefined;
}

/** Where a process dies. */
export type CrashPoint = Pick<Fault, "database" | "verbs" | "sql" | "skip" | "effect">;

/** After these SQLite rolls the whole transaction back by itself. */
const ROLLS_BACK: ReadonlySet<number> = new Set([RESULT.FULL, RESULT.IOERR, RESULT.NOMEM, 9]);

/** The verbs that run a statement. */
export const STATEMENT_VERBS: readonly CallVerb[] = ["get", "all", "run"];

/** The names of files in the making. */
const IS_COPY = /\.(partial|restoring)$/;

interface Armed {
  readonly fault: Fault;
  readonly kills: boolean;
  passes: number;
  struck: boolean;
}

/** See the module's documentation. Without faults it is the driver it wraps. */
export class FaultyDriver implements SqliteDriver {
  /** The wrapped driver's, so that a store may be open through both: it is one library. */
  readonly name: string;
  readonly #inner: SqliteDriver;
  readonly #names = new DatabaseNames();
  readonly #connections = new Set<FaultyConnection>();
  readonly #struck: DriverCall[] = [];
  #armed: Armed[] = [];
  #trace: DriverCall[] | null = null;
  #observer: ((call: DriverCall) => void) | null = null;
  #calls = 0;
  #crashed = false;

  constructor(inner: SqliteDriver) {
    this.#inner = inner;
    this.name = inner.name;
  }

  /** Arms a fault; several may be armed at once, and the first that fits strikes. */
  fail(fault: Fault): void {
    this.#armed.push({ fault, passes: fault.skip ?? 0, struck: false, kills: false });
  }

  /**
   * Lets the process die at a call: from then on each call to either database fails, ROLLBACK and `close` included.
   * `closeAll()` then does what the operating system does: what was not committed is gone.
   */
  crashAt(point: CrashPoint): void {
    this.#armed.push({
      fault: { ...point, code: RESULT.IOERR, transaction: "kept" },
      passes: point.skip ?? 0,
      struck: false,
      kills: true,
    });
  }

  /** Disarms all faults. */
  heal(): void {
    this.#armed = [];
    this.#crashed = false;
  }

  /** The calls that were struck, in order. */
  get struck(): readonly DriverCall[] {
    return this.#struck;
  }

  /** How many calls reached the driver. */
  get calls(): number {
    return this.#calls;
  }

  /** Records calls from now on. */
  startTrace(): void {
    this.#trace = [];
  }

  /** Ends the recording and gives it. */
  stopTrace(): readonly DriverCall[] {
    const trace = this.#trace ?? [];
    this.#trace = null;
    return trace;
  }

  /** Tells someone of each call from now on, once it has taken effect; null ends that. */
  observe(observer: ((call: DriverCall) => void) | null): void {
    this.#observer = observer;
  }

  /** How many connections are open. */
  get openConnections(): number {
    return this.#connections.size;
  }

  /** The wrapped connection that was opened last to a database: for looking behind the scenes. */
  connection(database: DatabaseName): SqliteConnection {
    const found = [...this.#connections].findLast((connection) => connection.database === database);
    if (found === undefined) throw new Error(`No connection to ${database} is open`);
    return found.inner;
  }

  /** Closes whatever a struck `close` left open. */
  closeAll(): void {
    this.heal();
    for (const connection of [...this.#connections]) connection.close();
  }

  open(path: string, options: SqliteOpenOptions): SqliteConnection {
    const database = IS_COPY.test(path) ? "copy" : this.#names.nameOf(path);
    return this.call({ database, verb: "open", sql: null }, null, () => {
      const inner = this.#inner.open(path, options);
      const connection = new FaultyConnection(this, database, inner);
      this.#connections.add(connection);
      return connection;
    }, (connection) => connection.close());
  }

  /** Forgets a connection that is closed; for connections only. */
  forget(connection: FaultyConnection): void {
    this.#connections.delete(connection);
  }

  /** Makes one call, struck or not; for connections and statements only. */
  call<T>(
    call: DriverCall,
    connection: SqliteConnection | null,
    perform: () => T,
    undo: (result: T) => void = () => {},
  ): T {
    this.#calls++;
    this.#trace?.push(call);
    const fault = this.#armed.length === 0 ? null : this.#findFault(call);
    if (fault === null) {
      const result = perform();
      this.#observer?.(call);
      return result;
    }
    this.#struck.push(call);
    if (fault.effect === "after") undo(perform());
    if (connection?.isTransaction === true && rollsBack(fault)) connection.prepare("ROLLBACK").run([]);
    throw new SqliteFailure(fault.code, `injected ${fault.code} ${fault.effect} ${call.verb} ${call.sql}`);
  }

  #findFault(call: DriverCall): Fault | null {
    if (this.#crashed) return { effect: "before", code: RESULT.IOERR, transaction: "kept" };
    for (const armed of this.#armed) {
      if (!matches(armed.fault, call)) continue;
      if (armed.struck && (armed.fault.lasting !== true || call.sql === "ROLLBACK")) continue;
      if (armed.passes-- > 0) continue;
      armed.struck = true;
      this.#crashed = armed.kills;
      return armed.fault;
    }
    return null;
  }
}

function rollsBack({ code, transaction }: Fault): boolean {
  return transaction === undefined ? ROLLS_BACK.has(code & 0xff) : transaction === "rolled back";
}

function matches({ database, verbs, sql }: Fault, call: DriverCall): boolean {
  if (database !== undefined && database !== call.database) return false;
  if (verbs !== undefined && !verbs.includes(call.verb)) return false;
  if (sql === undefined) return true;
  if (call.sql === null || (verbs === undefined && call.verb === "prepare")) return false;
  return typeof sql === "string" ? call.sql.startsWith(sql) : sql.test(call.sql);
}

class FaultyConnection implements SqliteConnection {
  readonly database: StruckDatabase;
  readonly inner: SqliteConnection;
  readonly #driver: FaultyDriver;

  constructor(driver: FaultyDriver, database: StruckDatabase, inner: SqliteConnection) {
    this.#driver = driver;
    this.database = database;
    this.inner = inner;
  }

  get isTransaction(): boolean {
    return this.inner.isTransaction;
  }

  prepare(sql: string): SqliteStatement {
    return this.#driver.call(
      { database: this.database, verb: "prepare", sql },
      this.inner,
      () => new FaultyStatement(this.#driver, this, sql, this.inner.prepare(sql)),
    );
  }

  close(): void {
    this.#driver.call({ database: this.database, verb: "close", sql: null }, null, () => {
      this.inner.close();
      this.#driver.forget(this);
    });
  }
}

class FaultyStatement implements SqliteStatement {
  readonly #driver: FaultyDriver;
  readonly #connection: FaultyConnection;
  readonly #sql: string;
  readonly #parameters: number;
  readonly #inner: SqliteStatement;

  constructor(driver: FaultyDriver, connection: FaultyConnection, sql: string, inner: SqliteStatement) {
    this.#driver = driver;
    this.#connection = connection;
    this.#sql = sql;
    this.#parameters = Math.max(0, ...[...sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
    this.#inner = inner;
  }

  get(parameters: readonly SqlValue[]): Row | undefined {
    return this.#call("get", parameters, () => this.#inner.get(parameters));
  }

  all(parameters: readonly SqlValue[]): readonly Row[] {
    return this.#call("all", parameters, () => this.#inner.all(parameters));
  }

  run(parameters: readonly SqlValue[]): number {
    return this.#call("run", parameters, () => this.#inner.run(parameters));
  }

  #call<T>(verb: CallVerb, parameters: readonly SqlValue[], perform: () => T): T {
    const { database, inner } = this.#connection;
    // SQLite takes a parameter that was not handed over for NULL, without a word.
    if (parameters.length !== this.#parameters) {
      throw new RangeError(`${parameters.length} parameters were handed to ${this.#sql}`);
    }
    return this.#driver.call({ database, verb, sql: this.#sql }, inner, perform);
  }
}
