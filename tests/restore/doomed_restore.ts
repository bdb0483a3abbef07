/** A process that restores a backup and kills itself before or after one call to a database or the file system. */

import assert from "node:assert/strict";
import {
  nodeSqlite,
  restoreMemory,
  type Row,
  type SqliteConnection,
  type SqliteDriver,
  type SqliteStatement,
  type SqlValue,
  type Watermark,
} from "@holdfast/memory";
import { oldLibrary } from "../contention/old_library.ts";

/** A moment of a restore. */
export interface Moment {
  /** What is called: the work file, the destination under its own name, the ledger, or the file system. */
  readonly on: "work" | "destination" | "ledger" | "files";
  /** How the call begins: SQL with single spaces, or `write`, `link`, `remove`. */
  readonly what: string;
  /** Which of the matching calls, from 1. */
  readonly nth?: number;
  readonly when: "before" | "after";
}

/** Its arguments. */
export interface Errand {
  readonly backup: string;
  readonly destination: string;
  readonly deletionPath: string;
  /** Null where the ledger is lost. */
  readonly watermark: Watermark | null;
  readonly moment: Moment;
  /** Whether its SQLite reports a version that needs a rollback journal. */
  readonly old: boolean;
}

const CONFIG = new URL("../../deno.json", import.meta.url).pathname;

/** Restores in a process that dies at its moment. */
export async function doom(errand: Errand): Promise<void> {
  const program = import.meta.filename!;
  const { signal, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-prompt", "--no-check", `--config=${CONFIG}`, program, JSON.stringify(errand)],
    stdout: "null",
    stderr: "piped",
  }).output();
  assert.equal(signal, "SIGKILL", `the moment never came: ${new TextDecoder().decode(stderr)}`);
}

class Doom {
  readonly #moment: Moment;
  #seen = 0;

  constructor(moment: Moment) {
    this.#moment = moment;
  }

  around<T>(on: Moment["on"], call: string, run: () => T): T {
    const { on: target, what, nth = 1, when } = this.#moment;
    const strikes = on === target && call.replace(/\s+/g, " ").startsWith(what) && ++this.#seen === nth;
    if (strikes && when === "before") die();
    const result = run();
    if (strikes) die();
    return result;
  }
}

function die(): never {
  Deno.kill(Deno.pid, "SIGKILL");
  for (;;);
}

function watchFiles(doom: Doom): void {
  const { linkSync, removeSync } = Deno;
  const { writeSync } = Deno.FsFile.prototype;
  Deno.linkSync = (from, to) => doom.around("files", "link", () => linkSync(from, to));
  Deno.removeSync = (path, options) => doom.around("files", "remove", () => removeSync(path, options));
  Deno.FsFile.prototype.writeSync = function (this: Deno.FsFile, bytes): number {
    return doom.around("files", "write", () => writeSync.call(this, bytes));
  };
}

function watched(through: SqliteDriver, doom: Doom): SqliteDriver {
  return {
    name: through.name,
    open(path, options): SqliteConnection {
      return watch(through.open(path, options), targetOf(path), doom);
    },
  };
}

function targetOf(path: string): Moment["on"] {
  if (path.endsWith(".deletions")) return "ledger";
  return path.endsWith(".restoring") ? "work" : "destination";
}

function watch(inner: SqliteConnection, on: Moment["on"], doom: Doom): SqliteConnection {
  return {
    prepare(sql: string): SqliteStatement {
      const statement = inner.prepare(sql);
      const around = <T>(run: () => T): T => doom.around(on, sql, run);
      return {
        get: (parameters: readonly SqlValue[]): Row | undefined => around(() => statement.get(parameters)),
        all: (parameters: readonly SqlValue[]): readonly Row[] => around(() => statement.all(parameters)),
        run: (parameters: readonly SqlValue[]): number => around(() => statement.run(parameters)),
      };
    },
    get isTransaction(): boolean {
      return inner.isTransaction;
    },
    close: (): void => inner.close(),
  };
}

if (import.meta.main) {
  const { backup, destination, deletionPath, watermark, moment, old } = JSON.parse(Deno.args[0]!) as Errand;
  const doom = new Doom(moment);
  watchFiles(doom);
  const driver = watched(old ? oldLibrary : nodeSqlite, doom);
  const held = watermark === null ? { ledgerLost: true } as const : { watermark };
  const memory = await restoreMemory(backup, destination, { deletionPath, driver, ...held });
  await memory.close();
}
