/** A real store, with its connections in sight: every row is looked at as it lies in the tables. */

import { createHash } from "node:crypto";
import {
  type Memory,
  MemoryError,
  nodeSqlite,
  openMemory,
  type RecordKind,
  type Row,
  type SqliteConnection,
  type SqliteDriver,
  type SqliteStatement,
} from "@holdfast/memory";
import type { ModelOutcome } from "./record_model.ts";
import { kindsOf } from "./vocabulary.ts";

/** Where a run keeps its store. */
export type Place = ":memory:" | { readonly file: string };

/** How a store is opened. */
export interface ObservedOptions {
  readonly clock: () => number;
  readonly acceptClock?: boolean;
  /** The driver underneath; the default one if omitted. */
  readonly through?: SqliteDriver;
  /** Where its ledger lies; beside main if omitted. */
  readonly deletionPath?: string;
  /** The kinds of the caller's; all in their first version if omitted. */
  readonly kinds?: readonly RecordKind[];
}

/** One open store of the run. */
export class ObservedStore {
  readonly memory: Memory;
  /** The kinds of the caller's. */
  readonly kinds: readonly RecordKind[];
  readonly #connections: readonly SqliteConnection[];

  private constructor(
    memory: Memory,
    connections: readonly SqliteConnection[],
    kinds: readonly RecordKind[],
  ) {
    this.memory = memory;
    this.kinds = kinds;
    this.#connections = connections;
  }

  /** Opens a store through a driver whose connections are kept in sight. */
  static async open(
    place: Place,
    { clock, acceptClock = false, through = nodeSqlite, deletionPath, kinds = kindsOf(1) }: ObservedOptions,
  ): Promise<ObservedStore> {
    const connections: SqliteConnection[] = [];
    const driver: SqliteDriver = {
      name: through.name,
      open(path, options): SqliteConnection {
        const connection = new Observed(through.open(path, options), connections);
        connections.push(connection);
        return connection;
      },
    };
    const path = place === ":memory:" ? place : place.file;
    const memory = await openMemory(path, {
      clock,
      kinds,
      driver,
      acceptClock,
      ...(deletionPath === undefined ? {} : { deletionPath }),
    });
    return new ObservedStore(memory, connections, kinds);
  }

  /** Whether any transaction is still open between two calls. */
  get isTransaction(): boolean {
    return this.#connections.some((connection) => connection.isTransaction);
  }

  /** Rows of main as they lie there. */
  main(sql: string): readonly Row[] {
    return this.#connections[1]!.prepare(sql).all([]);
  }

  /** Rows of the ledger as they lie there; it is opened first. */
  ledger(sql: string): readonly Row[] {
    return this.#connections[0]!.prepare(sql).all([]);
  }
}

/** A connection that is in sight until it is closed: an opening may begin anew. */
class Observed implements SqliteConnection {
  readonly #connection: SqliteConnection;
  readonly #inSight: SqliteConnection[];

  constructor(connection: SqliteConnection, inSight: SqliteConnection[]) {
    this.#connection = connection;
    this.#inSight = inSight;
  }

  get isTransaction(): boolean {
    return this.#connection.isTransaction;
  }

  prepare(sql: string): SqliteStatement {
    return this.#connection.prepare(sql);
  }

  close(): void {
    const index = this.#inSight.indexOf(this);
    if (index >= 0) this.#inSight.splice(index, 1);
    this.#connection.close();
  }
}

/** What a call gave, or why it was refused; anything but an error of the module is thrown. */
export async function outcomeOf(call: Promise<unknown>): Promise<ModelOutcome> {
  try {
    return { value: await call };
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    const { reason, currentRevision } = error as MemoryError & {
      reason?: string;
      currentRevision?: number | null;
    };
    const refused = reason ?? error.code;
    return currentRevision === undefined ? { refused } : { refused, currentRevision };
  }
}

/** The keyed hash of a record or tenant, worked out apart from the module: 16 bytes as hex digits. */
export function keyedHash(hashKey: Uint8Array, parts: readonly string[]): string {
  return createHash("sha256").update(hashKey).update(JSON.stringify(parts), "utf8").digest("hex").slice(
    0,
    32,
  );
}

/** A link of the ledger's chain, worked out apart from the module. */
export function chainHead(before: string, columns: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify([before, ...columns])).digest("hex");
}

/** Where every chain begins. */
export function firstHead(lineage: string): string {
  return createHash("sha256").update(`holdfast ledger ${lineage}`).digest("hex");
}
