/** A store for one case of a fault matrix: a copy of a prepared one, opened through a driver that can fail. */

import assert from "node:assert/strict";
import { nodeSqlite } from "../../src/engines/sqlite/drivers/node_sqlite.ts";
import { MemoryError, StorageError } from "../../src/errors.ts";
import { lstatOrNull } from "../../src/engines/sqlite/files/private_file.ts";
import type { Memory } from "../../src/memory.ts";
import { openMemory } from "../../src/open.ts";
import type { SqliteDriver } from "../../src/engines/sqlite/drivers/driver.ts";
import { FaultyDriver } from "../kit/faulty_driver.ts";
import { assertIntact } from "../kit/soundness.ts";
import { dumpStore, type StoreDump, withoutProbe } from "../kit/store_dump.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";
import { openBeside } from "../kit/test_store.ts";
import { optionsFor } from "./struck_operation.ts";

/** The two files of a store that no process has open, and the logs that a killed process left next to them. */
export type StoreImage = readonly [main: Uint8Array, ledger: Uint8Array, logs?: readonly Uint8Array[]];

/** Creates a store, writes to it, closes it, and returns its files. */
export async function imageOf(prepare: (memory: Memory) => Promise<unknown>): Promise<StoreImage> {
  await using directory = await TemporaryDirectory.makeInMemory();
  const path = directory.file("agent.db");
  const memory = await openMemory(path, optionsFor(5_000));
  await prepare(memory);
  await memory.close();
  return [await Deno.readFile(path), await Deno.readFile(`${path}.deletions`)];
}

/** The same, but its process is killed: what was written is in the logs. */
export async function imageWithLogs(prepare: (memory: Memory) => Promise<unknown>): Promise<StoreImage> {
  await using directory = await TemporaryDirectory.makeInMemory();
  const path = directory.file("agent.db");
  await using memory = await openMemory(path, optionsFor(5_000));
  await prepare(memory);
  const [main, ledger, ...logs] = await Promise.all(
    ["", ".deletions", "-wal", ".deletions-wal"].map((suffix) => Deno.readFile(path + suffix)),
  );
  return [main!, ledger!, logs];
}

/** How a call ended. */
export type Ending =
  | { readonly kind: "resolved"; readonly value: unknown }
  | { readonly kind: "rejected"; readonly error: unknown };

/** Waits for a call's end. */
export async function endingOf(call: Promise<unknown>): Promise<Ending> {
  try {
    return { kind: "resolved", value: await call };
  } catch (error) {
    return { kind: "rejected", error };
  }
}

/** See the module's documentation. */
export class StruckStore implements AsyncDisposable {
  readonly path: string;
  readonly driver: FaultyDriver;
  readonly #inner: SqliteDriver;
  readonly #directory: TemporaryDirectory;

  private constructor(directory: TemporaryDirectory, inner: SqliteDriver) {
    this.#directory = directory;
    this.#inner = inner;
    this.path = directory.file("agent.db");
    this.driver = new FaultyDriver(inner);
  }

  /** A copy of an image; without one, there are no files yet. */
  static async make(image: StoreImage | null, inner: SqliteDriver = nodeSqlite): Promise<StruckStore> {
    const store = new StruckStore(await TemporaryDirectory.makeInMemory(), inner);
    if (image === null) return store;
    await Deno.writeFile(store.path, image[0], { mode: 0o600 });
    await Deno.writeFile(`${store.path}.deletions`, image[1], { mode: 0o600 });
    for (const [index, log] of (image[2] ?? []).entries()) {
      await Deno.writeFile(`${[store.path, `${store.path}.deletions`][index]}-wal`, log, { mode: 0o600 });
    }
    return store;
  }

  open(busyTimeoutMs: number, laterMs = 0, acceptClock = false): Promise<Memory> {
    return openMemory(this.path, {
      ...optionsFor(busyTimeoutMs, laterMs),
      driver: this.driver,
      acceptClock,
    });
  }

  /** The same store through a driver that does not fail: another process, so to speak. */
  openHonestly(laterMs = 0): Promise<Memory> {
    return openMemory(this.path, { ...optionsFor(5_000, laterMs), driver: this.#inner });
  }

  /** What is committed, as another process would see it. */
  committed(): StoreDump {
    using main = openBeside(this.path);
    using ledger = openBeside(`${this.path}.deletions`);
    return withoutProbe(dumpStore((database) => database === "main" ? main : ledger));
  }

  /** Requires that another process could write at once to each of the files that are there. */
  assertNoLockIsHeld(): void {
    for (const path of [this.path, `${this.path}.deletions`]) {
      if (lstatOrNull(path) === null) continue;
      using connection = openBeside(path);
      connection.prepare("BEGIN IMMEDIATE").run([]);
      connection.prepare("ROLLBACK").run([]);
    }
  }

  /** Reopens the store through a driver without faults, and requires that it is intact and can be written to. */
  async reopenAndUse(use: (memory: Memory) => Promise<unknown>, laterMs = 0): Promise<StoreDump> {
    const memory = await this.openHonestly(laterMs);
    try {
      const found = this.committed();
      await assertIntact(memory);
      await use(memory);
      await assertIntact(memory);
      return found;
    } finally {
      await memory.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.driver.closeAll();
    await this.#directory[Symbol.asyncDispose]();
  }
}

/** The outcome that an error reports: nothing happened, unknown, or it will be completed. */
export function outcomeOf(error: unknown): "nothing" | "unknown" | "recorded" {
  assert(error instanceof MemoryError, `not one of our errors: ${error}`);
  if (error.details.recorded !== undefined) return "recorded";
  return error.details.outcome === "unknown" ? "unknown" : "nothing";
}

/** Requires a storage error with the code that SQLite's result code maps to: the first error, not a later one. */
export function assertIsFirstError(error: unknown, resultCode: number): void {
  assert(error instanceof StorageError, `not a storage error: ${error}`);
  assert.equal(error.code, { 5: "BUSY", 10: "IO", 13: "FULL" }[resultCode], error.message);
  assert.equal(error.details.resultCode, resultCode);
}
