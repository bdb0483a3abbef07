/** The two stores that rows compare: ours, and one that a user could write with the built-in driver. */

import { DatabaseSync, type StatementSync } from "node:sqlite";
import { type Fact, type Memory, openMemory } from "../mod.ts";
import { fillLogByHand } from "./logs.ts";
import type { Size } from "./measure.ts";

/** The tenant of all records in these stores. */
export const TENANT = "acme";

/** Returns a fact that is different for each number. */
export function factOf(number: number): Fact {
  return {
    schema: 1,
    text: `Fictional team likes checklists, item ${number}.`,
    source: "workshop-note-1",
    reviewed: false,
  };
}

/** Opens our store with `count` facts; returns it with their revisions. */
export async function openOurs(
  path: string,
  count: number,
): Promise<{ memory: Memory; revisions: number[] }> {
  const memory = await openMemory(path);
  const puts = Array.from(
    { length: count },
    (_, index) =>
      memory.records.put(identityOf(index), factOf(index), { expectedRevision: null, ttl: 86_400 }),
  );
  return { memory, revisions: await Promise.all(puts) };
}

/** Returns the identity of a fact. */
export function identityOf(index: number): { tenantId: string; kind: "fact"; key: string } {
  return { tenantId: TENANT, kind: "fact", key: `k-${index}` };
}

/** A hand-written store: one table, WAL, synchronous FULL, one upsert per transaction. */
export class Floor implements Disposable {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #upsert: StatementSync;
  readonly #select: StatementSync;

  constructor(path: string, count: number) {
    this.#path = path;
    this.#database = new DatabaseSync(path);
    this.#database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    this.#database.exec(
      `CREATE TABLE IF NOT EXISTS records (tenant TEXT, kind TEXT, key TEXT, revision INTEGER,
      expires INTEGER, body TEXT, PRIMARY KEY (tenant, kind, key)) STRICT, WITHOUT ROWID`,
    );
    this.#begin = this.#database.prepare("BEGIN IMMEDIATE");
    this.#commit = this.#database.prepare("COMMIT");
    this.#upsert = this.#database.prepare(`INSERT INTO records VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (tenant, kind, key) DO UPDATE SET revision = excluded.revision, expires = excluded.expires,
      body = excluded.body`);
    this.#select = this.#database.prepare(
      "SELECT revision, expires, body FROM records WHERE tenant = ? AND kind = ? AND key = ?",
    );
    (this.#select as StatementSync & { setReturnArrays(enabled: boolean): void }).setReturnArrays(true);
    this.#begin.run();
    for (let index = 0; index < count; index++) this.#put(index, index);
    this.#commit.run();
  }

  /** Brings its log to full size, because commits cost more while the log grows. */
  fillLog(size: Size): Promise<void> {
    return fillLogByHand(this.#path, size, this.#database);
  }

  /** Makes one durable upsert that changes a row. */
  put(index: number, revision: number): void {
    this.#begin.run();
    this.#put(index, revision);
    this.#commit.run();
  }

  /** Runs the bare prepared SELECT. */
  get(index: number): unknown[] {
    return this.#select.get(TENANT, "fact", `k-${index}`) as unknown as unknown[];
  }

  /** Returns the sum of all revisions, as a checksum of the writes. */
  sumOfRevisions(): number {
    return this.#database.prepare("SELECT sum(revision) AS sum FROM records").get()!["sum"] as number;
  }

  #put(index: number, revision: number): void {
    this.#upsert.run(
      TENANT,
      "fact",
      `k-${index}`,
      revision,
      4_000_000_000 + revision,
      JSON.stringify(factOf(revision)),
    );
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
