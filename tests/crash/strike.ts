/** Where a child kills itself: before or after one call to one of the two databases, or to the file system. */

import {
  type Row,
  type SqliteConnection,
  type SqliteDriver,
  SqliteFailure,
  type SqliteStatement,
  type SqlValue,
} from "@holdfast/memory";

/** A call's target; `work` is a work file of a backup or a restore. */
export type Target = "main" | "ledger" | "work" | "files";

/** One moment, as data. */
export interface Strike {
  /** The call's target; null for any. */
  readonly on: Target | null;
  /** How the call begins: SQL with single spaces, or the name of a file step; empty for any. */
  readonly what: string;
  /** Which of the matching calls, from 1. */
  readonly nth: number;
  /** Whether the process dies before the call's effect or after it. */
  readonly when: "before" | "after";
}

/** A COMMIT that is refused once, without effect, so that the store probes. */
export interface Refusal {
  readonly on: "main" | "ledger";
}

const SQLITE_IOERR = 10;

/** Observes every call, and kills the process at the given moment. */
export class Striker {
  readonly #strike: Strike | null;
  readonly #tell: ((call: string) => void) | null;
  #refusal: Refusal | null;
  #armed = false;
  #seen = 0;

  constructor(strike: Strike | null, refusal: Refusal | null, tell: ((call: string) => void) | null) {
    this.#strike = strike;
    this.#refusal = refusal;
    this.#tell = tell;
  }

  /** From now on calls count. */
  arm(): void {
    this.#armed = true;
  }

  /** Runs a call, unless this is the moment. */
  around<T>(on: Target, what: string, call: () => T): T {
    const isTheOne = this.#armed && this.#counts(on, what);
    if (isTheOne && this.#strike!.when === "before") die();
    const result = call();
    if (isTheOne) die();
    return result;
  }

  /** Whether a COMMIT is to be refused now; only the first one is. */
  refuses(on: Target, what: string): boolean {
    if (!this.#armed || what !== "COMMIT" || this.#refusal?.on !== on) return false;
    this.#refusal = null;
    return true;
  }

  #counts(on: Target, what: string): boolean {
    this.#tell?.(`${on}: ${what}`);
    if (this.#strike === null || (this.#strike.on !== null && on !== this.#strike.on)) return false;
    return what.startsWith(this.#strike.what) && ++this.#seen === this.#strike.nth;
  }
}

function die(): never {
  Deno.kill(Deno.pid, "SIGKILL");
  // The signal is delivered before the call returns; if it ever is not, nothing more may happen.
  for (;;);
}

/** A driver that reports every statement to a striker. */
export function strikingDriver(striker: Striker, through: SqliteDriver): SqliteDriver {
  return {
    name: through.name,
    open(path, options): SqliteConnection {
      const on = targetOf(path);
      const connection = striker.around(on, "open", () => through.open(path, options));
      return new StrikingConnection(connection, on, striker);
    },
  };
}

const WORK_NAME = /\.(?:partial|restoring)$/;

function targetOf(path: string): "main" | "ledger" | "work" {
  if (WORK_NAME.test(path)) return "work";
  return path.endsWith(".deletions") ? "ledger" : "main";
}

class StrikingConnection implements SqliteConnection {
  readonly #connection: SqliteConnection;
  readonly #on: Target;
  readonly #striker: Striker;

  constructor(connection: SqliteConnection, on: Target, striker: Striker) {
    this.#connection = connection;
    this.#on = on;
    this.#striker = striker;
  }

  get isTransaction(): boolean {
    return this.#connection.isTransaction;
  }

  prepare(sql: string): SqliteStatement {
    const statement = this.#connection.prepare(sql);
    const what = sql.replace(/\s+/g, " ");
    // For every way of running it: a statement that changes no rows may be run with any of them.
    const around = <T>(call: () => T): T => {
      if (!this.#striker.refuses(this.#on, what)) return this.#striker.around(this.#on, what, call);
      this.#connection.prepare("ROLLBACK").run([]);
      throw new SqliteFailure(SQLITE_IOERR, "this commit is refused once");
    };
    return {
      get: (parameters: readonly SqlValue[]): Row | undefined => around(() => statement.get(parameters)),
      all: (parameters: readonly SqlValue[]): readonly Row[] => around(() => statement.all(parameters)),
      run: (parameters: readonly SqlValue[]): number => around(() => statement.run(parameters)),
    };
  }

  close(): void {
    this.#striker.around(this.#on, "close", () => this.#connection.close());
  }
}

/**
 * Reports the file steps of creation, backups and restores to a striker; must be called before anything is opened.
 */
export function watchFiles(striker: Striker): void {
  const { mkdirSync, openSync, linkSync, removeSync } = Deno;
  const { syncSync, writeSync } = Deno.FsFile.prototype;
  const around = <T>(what: string, call: () => T): T => striker.around("files", what, call);
  Deno.mkdirSync = (path, options) => around("mkdir", () => mkdirSync(path, options));
  Deno.openSync = (path, options) => {
    const what = options?.createNew === true ? `create ${targetOf(String(path))}` : "open";
    return around(what, () => openSync(path, options));
  };
  Deno.linkSync = (from, to) => around("link", () => linkSync(from, to));
  Deno.removeSync = (path, options) => around("remove", () => removeSync(path, options));
  Deno.FsFile.prototype.syncSync = function (this: Deno.FsFile): void {
    around("sync", () => syncSync.call(this));
  };
  Deno.FsFile.prototype.writeSync = function (this: Deno.FsFile, bytes): number {
    return around("write", () => writeSync.call(this, bytes));
  };
}
