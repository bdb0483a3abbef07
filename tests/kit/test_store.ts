/** One store on SQLite under test, with a way to look behind the scenes. */

import assert from "node:assert/strict";
import { nodeSqlite } from "../../src/engines/sqlite/drivers/node_sqlite.ts";
import type { SqliteConnection } from "../../src/engines/sqlite/drivers/driver.ts";
import type { MemoryOptions } from "../../src/open.ts";
import type { SqlValue } from "../../src/engine/values.ts";
import { StorageError } from "../../src/errors.ts";
import type { Memory } from "../../src/memory.ts";
import { openMemory } from "../../src/open.ts";
import type { TestPlace } from "../../src/testing/kit/test_engine.ts";
import type { DatabaseName } from "./database_names.ts";
import { assertIntact } from "./soundness.ts";
import { dumpStore, type StoreDump } from "./store_dump.ts";
import type { ObservableDriver } from "./tapped_driver.ts";
import type { TemporaryDirectory } from "./temporary_directory.ts";

/** What a test may set; the driver is the target's. */
export type TestStoreOptions = Omit<MemoryOptions, "driver">;

/** Opens the same store as often as a test wants, and at the end checks it, closes it and removes it. */
export class TestStore<Driver extends ObservableDriver = ObservableDriver>
  implements AsyncDisposable, TestPlace {
  /** The path of main, or `:memory:`. */
  readonly path: string;
  readonly driver: Driver;
  /** Set by tests that damage the store on purpose: no check at the end. */
  damaged = false;
  readonly #directory: TemporaryDirectory | null;
  readonly #opened: Memory[] = [];

  constructor(path: string, driver: Driver, directory: TemporaryDirectory | null) {
    this.path = path;
    this.driver = driver;
    this.#directory = directory;
  }

  async open(options: TestStoreOptions = {}): Promise<Memory> {
    const memory = await openMemory(this.path, { ...options, driver: this.driver });
    this.#opened.push(memory);
    return memory;
  }

  /** The connection that was opened last, unwrapped. */
  raw(database: DatabaseName = "main"): SqliteConnection {
    return this.driver.connection(database);
  }

  /** Runs one statement behind the store's back. */
  sql(sql: string, ...parameters: SqlValue[]): readonly (readonly SqlValue[])[] {
    return this.raw().prepare(sql).all(parameters);
  }

  /** Everything both databases hold, as the store's own connections see it. */
  dump(): StoreDump {
    return dumpStore((database) => this.raw(database));
  }

  /** Requires that a call rejects as told, and that not a cell of either database is another than before. */
  async assertChangesNothing(call: () => Promise<unknown>, error: assert.AssertPredicate): Promise<void> {
    await this.assertUnchangedBy(() => assert.rejects(call, error));
  }

  /** Requires that not a cell of either database is another after this than before, and that no transaction is open. */
  async assertUnchangedBy(body: () => Promise<void>): Promise<void> {
    const before = this.dump();
    await body();
    this.#assertIdle();
    assert.deepEqual(this.dump(), before);
  }

  /** The same for a suite of `src/testing/`; requires that no transaction is open. */
  state(): StoreDump {
    this.#assertIdle();
    return this.dump();
  }

  async remove(): Promise<void> {
    for (const memory of this.#opened) await memory.close();
    await this.#directory?.[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      for (const memory of this.#opened) {
        if (!this.damaged) await checkIfOpen(memory);
      }
    } finally {
      await this.remove();
    }
  }

  #assertIdle(): void {
    assert.equal(this.raw().isTransaction, false, "a transaction is open in main");
    assert.equal(this.raw("ledger").isTransaction, false, "a transaction is open in the ledger");
  }
}

async function checkIfOpen(memory: Memory): Promise<void> {
  try {
    await assertIntact(memory);
  } catch (error) {
    if (!(error instanceof StorageError && error.code === "CLOSED")) throw error;
  }
}

/** Opens a second, independent connection to one of a store's files: another process's view, and its locks. */
export function openBeside(path: string): SqliteConnection & Disposable {
  const connection = nodeSqlite.open(path, { readOnly: false });
  return Object.assign(connection, { [Symbol.dispose]: () => connection.close() });
}
