/** A process that makes one call on a store and kills itself before or after one statement of it. */

import {
  type Memory,
  nodeSqlite,
  openMemory,
  type Row,
  type SqliteConnection,
  type SqliteStatement,
  type SqlValue,
} from "@holdfast/memory";
import { NOON, ORCHARD } from "../conversations/samples.ts";
import { REVISION } from "./struck.ts";

/** What it is told to do. */
export interface Errand {
  readonly path: string;
  readonly call: keyof typeof CALLS;
  /** The statement: which database, how it begins, which of those that fit (from 1), and which side of it. */
  readonly on: "main" | "ledger";
  readonly sql: string;
  readonly nth: number;
  readonly when: "before" | "after";
}

const CALLS = {
  "delete turn": (memory: Memory): Promise<unknown> =>
    memory.conversation(ORCHARD).delete({ kind: "turn", key: "t1", expectedRevision: REVISION }),
  "delete scope": (memory: Memory): Promise<unknown> =>
    memory.conversation(ORCHARD).delete({ kind: "scope", expectedRevision: REVISION }),
  "expire": (memory: Memory): Promise<unknown> => memory.conversation(ORCHARD).snapshot(),
  "scrub": (memory: Memory): Promise<unknown> => memory.prune(),
} as const;

/** The second after noon at which a call is made. */
export function secondOf(call: Errand["call"]): number {
  return call === "expire" ? 60 : 0;
}

class Doom {
  readonly #errand: Errand;
  armed = false;
  #seen = 0;

  constructor(errand: Errand) {
    this.#errand = errand;
  }

  around<T>(on: "main" | "ledger", sql: string, run: () => T): T {
    const { on: target, sql: start, nth, when } = this.#errand;
    const strikes = this.armed && on === target && sql.replace(/\s+/g, " ").startsWith(start) &&
      ++this.#seen === nth;
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

function watch(inner: SqliteConnection, on: "main" | "ledger", doom: Doom): SqliteConnection {
  return {
    prepare(sql: string): SqliteStatement {
      const statement = inner.prepare(sql);
      type Parameters = readonly SqlValue[];
      return {
        get: (parameters: Parameters): Row | undefined =>
          doom.around(on, sql, () => statement.get(parameters)),
        all: (parameters: Parameters): readonly Row[] =>
          doom.around(on, sql, () => statement.all(parameters)),
        run: (parameters: Parameters): number => doom.around(on, sql, () => statement.run(parameters)),
      };
    },
    get isTransaction(): boolean {
      return inner.isTransaction;
    },
    close: (): void => inner.close(),
  };
}

if (import.meta.main) {
  const errand = JSON.parse(Deno.args[0]!) as Errand;
  const doom = new Doom(errand);
  const memory = await openMemory(errand.path, {
    clock: () => (NOON + secondOf(errand.call)) * 1_000,
    driver: {
      name: nodeSqlite.name,
      open(path, options): SqliteConnection {
        return watch(nodeSqlite.open(path, options), path.endsWith(".deletions") ? "ledger" : "main", doom);
      },
    },
  });
  doom.armed = true;
  await CALLS[errand.call](memory);
  await memory.close();
}
