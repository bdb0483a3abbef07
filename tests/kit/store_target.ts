/** The kinds of store that one suite is run on. */

import { nodeSqlite } from "../../src/engines/sqlite/drivers/node_sqlite.ts";
import type { SqliteDriver } from "../../src/engines/sqlite/drivers/driver.ts";
import type { Memory } from "../../src/memory.ts";
import { openMemory, restoreMemory } from "../../src/open.ts";
import { countOpenFiles } from "../../src/engines/sqlite/files/open_files.ts";
import type { RefusedChange, RestoredOptions, TestEngine } from "../../src/testing/kit/test_engine.ts";
import { AlteredDriver, OLD_VERSION } from "./altered_driver.ts";
import { FaultyDriver } from "./faulty_driver.ts";
import { type ObservableDriver, TappedDriver } from "./tapped_driver.ts";
import { TemporaryDirectory } from "./temporary_directory.ts";
import { TestStore } from "./test_store.ts";

/** One kind of store: SQLite as the published suites see it, and open to those about SQLite itself. */
export interface StoreTarget extends TestEngine {
  /** A fresh store, not open yet. */
  readonly make: () => Promise<TestStore>;
}

/** What all of them can do. */
const SQLITE = { refuse: refuseByTrigger, countOpen: countOpenFiles };

function pathBeside({ path }: TestStore, name: string): string {
  return `${path}.${name}`;
}

let restores = 0;

function restoreBeside(
  { path, driver }: TestStore,
  backup: string,
  options: RestoredOptions,
): Promise<Memory> {
  const deletionPath = `${path}.deletions`;
  return restoreMemory(backup, `${path}.restored-${restores++}`, { ...options, deletionPath, driver });
}

/** Has a trigger abort the statement. */
function refuseByTrigger(
  store: TestStore,
  { table, verb, where }: RefusedChange,
): Promise<() => Promise<void>> {
  const row = verb === "INSERT" ? "NEW" : "OLD";
  const condition = where === undefined ? "" : ` WHEN ${row}.${where.column} = '${where.text}'`;
  store.sql(
    `CREATE TRIGGER refusal BEFORE ${verb} ON ${table}${condition} BEGIN SELECT RAISE(ABORT, 'no'); END`,
  );
  return Promise.resolve(() => Promise.resolve(void store.sql("DROP TRIGGER refusal")));
}

/** A store in a file, through this driver; without a disk, the file lies in memory where the machine can do that. */
export function fileTarget(
  name: string,
  driver: () => ObservableDriver,
  options: { readonly disk: boolean } = { disk: false },
): StoreTarget {
  const directory = (): Promise<TemporaryDirectory> =>
    options.disk ? TemporaryDirectory.make() : TemporaryDirectory.makeInMemory();
  return {
    ...SQLITE,
    backups: { path: pathBeside, restore: restoreBeside },
    name,
    durable: true,
    make: async () => await makeFileStore(driver(), await directory()),
  };
}

/** A store in memory, through this driver. */
export function memoryTarget(name: string, driver: () => ObservableDriver): StoreTarget {
  return {
    ...SQLITE,
    name,
    durable: false,
    make: () => Promise.resolve(new TestStore(":memory:", driver(), null)),
  };
}

/** The targets that every machine has. */
export const BUILT_IN_TARGETS: readonly StoreTarget[] = [
  fileTarget("file", () => new TappedDriver(nodeSqlite), { disk: true }),
  memoryTarget(":memory:", () => new TappedDriver(nodeSqlite)),
  fileTarget("file, rollback journal", () => new AlteredDriver(nodeSqlite, OLD_VERSION)),
  fileTarget("file, faults off", () => new FaultyDriver(nodeSqlite)),
];

/** Those that stand for all others where nothing depends on the journal or on a driver. */
export const SOME_TARGETS: readonly StoreTarget[] = BUILT_IN_TARGETS.slice(0, 2);

/** A store in a directory of its own: a copy of an empty one, since creation syncs often. */
export async function makeFileStore<Driver extends ObservableDriver>(
  driver: Driver,
  directory?: TemporaryDirectory,
): Promise<TestStore<Driver>> {
  const own = directory ?? await TemporaryDirectory.make();
  const path = own.file("agent.db");
  await writeEmptyStore(path);
  return new TestStore(path, driver, own);
}

const SUFFIXES = ["", ".deletions"] as const;

/** How many stores made one after the other are strangers, as a test about several of them wants. */
const LINEAGES = 3;

const emptyStores: Promise<readonly Uint8Array[]>[] = [];

let made = 0;

/** Writes the two files of an empty store. */
export async function writeEmptyStore(path: string): Promise<void> {
  const contents = await (emptyStores[made++ % LINEAGES] ??= readNewStore(nodeSqlite));
  for (const [index, suffix] of SUFFIXES.entries()) {
    await Deno.writeFile(path + suffix, contents[index]!, { mode: 0o600, createNew: true });
  }
}

async function readNewStore(driver: SqliteDriver): Promise<readonly Uint8Array[]> {
  await using directory = await TemporaryDirectory.make();
  const path = directory.file("agent.db");
  const memory = await openMemory(path, { driver });
  await memory.close();
  return await Promise.all(SUFFIXES.map((suffix) => Deno.readFile(path + suffix)));
}
