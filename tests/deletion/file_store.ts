/** Stores in files for the tests of deletion. */

import { nodeSqlite } from "../../src/engines/sqlite/drivers/node_sqlite.ts";
import { FaultyDriver } from "../kit/faulty_driver.ts";
import { makeFileStore } from "../kit/store_target.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";
import type { TestStore } from "../kit/test_store.ts";

/** A fresh store in a file, whose driver can be told to fail. */
export function faultyStore(): Promise<TestStore<FaultyDriver>> {
  return makeFileStore(new FaultyDriver(nodeSqlite));
}

/** One promise: runs on a fresh store, which is checked and removed at the end. */
export function promise(title: string, body: (store: TestStore<FaultyDriver>) => Promise<void>): void {
  Deno.test(title, async () => {
    await using store = await faultyStore();
    await body(store);
  });
}

/** The same without a disk, for promises about many things. */
export function promiseOfMany(title: string, body: (store: TestStore<FaultyDriver>) => Promise<void>): void {
  Deno.test(title, async () => {
    const directory = await TemporaryDirectory.makeInMemory();
    await using store = await makeFileStore(new FaultyDriver(nodeSqlite), directory);
    await body(store);
  });
}

/** How many events are recorded in the ledger, and how many main has applied. */
export function progress(
  store: TestStore<FaultyDriver>,
): { readonly recorded: number; readonly applied: number } {
  const [[recorded]] = store.raw("ledger").prepare("SELECT count FROM meta").all([]) as unknown as [[number]];
  const [[applied]] = store.sql("SELECT applied FROM meta") as unknown as [[number]];
  return { recorded, applied };
}

/** Rows in each of main's tables of conversations. */
export function rowsByTable(store: TestStore<FaultyDriver>): Record<string, number> {
  const tables = [
    "scopes",
    "turns",
    "message_ids",
    "pins",
    "summaries",
    "covered_turns",
    "replays",
    "operations",
    "floors",
  ];
  return Object.fromEntries(
    tables.map((table) => [table, store.sql(`SELECT count(*) FROM ${table}`)[0]![0] as number]),
  );
}
