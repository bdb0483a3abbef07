import assert from "node:assert/strict";
import { nodeSqlite } from "../../src/engines/sqlite/drivers/node_sqlite.ts";
import { countOpenFiles } from "../../src/engines/sqlite/files/open_files.ts";
import { openMemory } from "../../src/open.ts";
import { AlteredDriver, type Answers } from "../kit/altered_driver.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { makeFileStore } from "../kit/store_target.ts";
import { TappedDriver } from "../kit/tapped_driver.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";
import type { TestStore } from "../kit/test_store.ts";

const IS_MAC = Deno.build.os === "darwin";

/** The settings of every connection. */
const SETTINGS: Readonly<Record<string, string | number>> = {
  journal_mode: "wal",
  synchronous: 2,
  auto_vacuum: 2,
  secure_delete: 1,
  temp_store: 2,
  trusted_schema: 0,
  foreign_keys: 0,
  cell_size_check: 1,
  // They have an effect on macOS only.
  fullfsync: IS_MAC ? 1 : 0,
  checkpoint_fullfsync: IS_MAC ? 1 : 0,
  busy_timeout: 0,
};

const DATABASES = ["main", "ledger"] as const;

function assertSettings(store: TestStore, expected: typeof SETTINGS): void {
  for (const database of DATABASES) {
    for (const [name, value] of Object.entries(expected)) {
      assert.equal(
        store.raw(database).prepare(`PRAGMA ${name}`).get([])![0],
        value,
        `${name} of ${database}`,
      );
    }
  }
}

Deno.test("DRV-23 store and ledger sync every commit: at creation, at reopening, through a second connection", async () => {
  await using directory = await TemporaryDirectory.make();
  const driver = new TappedDriver(nodeSqlite);
  const pragma = (database: "main" | "ledger", name: string): unknown =>
    driver.connection(database).prepare(`PRAGMA ${name}`).get([])![0];
  const path = directory.file("agent.db");
  const created = await openMemory(path, { driver });
  for (const database of DATABASES) assert.equal(pragma(database, "synchronous"), 2);
  const second = await openMemory(path, { driver });
  for (const database of DATABASES) assert.equal(pragma(database, "synchronous"), 2);
  await created.close();
  await second.close();
  const reopened = await openMemory(path, { driver });
  for (const database of DATABASES) assert.equal(pragma(database, "synchronous"), 2);
  await reopened.close();
});

Deno.test("DRV-24 every connection has every setting, read back from SQLite itself", async () => {
  await using store = await makeFileStore(new TappedDriver(nodeSqlite));
  const first = await store.open();
  assertSettings(store, SETTINGS);
  await store.open();
  assertSettings(store, SETTINGS);
  await first.close();
  await store.open({ readOnly: true });
  assertSettings(store, SETTINGS);
});

Deno.test("DRV-24 a new store has every setting too, auto_vacuum from before its first table", async () => {
  await using directory = await TemporaryDirectory.make();
  const driver = new TappedDriver(nodeSqlite);
  const memory = await openMemory(directory.file("agent.db"), { driver });
  for (const database of DATABASES) {
    for (const [name, value] of Object.entries(SETTINGS)) {
      assert.equal(
        driver.connection(database).prepare(`PRAGMA ${name}`).get([])![0],
        value,
        `${name} of ${database}`,
      );
    }
  }
  await memory.close();
});

/** What SQLite would return if it had not applied a setting. */
const REFUSALS: readonly (readonly [string, Answers])[] = [
  ["journal_mode", { "PRAGMA journal_mode = WAL": ["delete"] }],
  ["synchronous", { "PRAGMA synchronous": [1] }],
  ["secure_delete", { "PRAGMA secure_delete = ON": [0] }],
  ["temp_store", { "PRAGMA temp_store": [0] }],
  ["trusted_schema", { "PRAGMA trusted_schema": [1] }],
  ["foreign_keys", { "PRAGMA foreign_keys": [1] }],
  ["cell_size_check", { "PRAGMA cell_size_check": [0] }],
  ["auto_vacuum", { "PRAGMA auto_vacuum": [0] }],
];

const REFUSALS_ON_MAC: readonly (readonly [string, Answers])[] = [
  ["fullfsync", { "PRAGMA fullfsync": [0] }],
  ["checkpoint_fullfsync", { "PRAGMA checkpoint_fullfsync": [0] }],
];

for (const [name, answers] of IS_MAC ? [...REFUSALS, ...REFUSALS_ON_MAC] : REFUSALS) {
  Deno.test(`DRV-24 a ${name} that SQLite does not apply is refused at open, by name, with nothing left open`, async () => {
    await using store = await makeFileStore(new AlteredDriver(nodeSqlite, answers));
    await assert.rejects(store.open(), { name: "StorageError", code: "IO", details: { setting: name } });
    assert.equal(countOpenFiles(), 0);
  });
}

Deno.test("DRV-18 a library with the WAL-reset bug gets a rollback journal that syncs its directory", async () => {
  await using store = await makeFileStore(
    new AlteredDriver(nodeSqlite, { "SELECT sqlite_version()": ["3.50.4"] }),
  );
  await store.open();
  assertSettings(store, { ...SETTINGS, journal_mode: "delete", synchronous: 3 });
});

Deno.test("DRV-18 a store is switched to WAL and back, and keeps its content", async () => {
  await using directory = await TemporaryDirectory.make();
  const path = directory.file("agent.db");
  const identity = { tenantId: "orchard", kind: "checkpoint", key: "run-a" } as const;
  const old = new AlteredDriver(nodeSqlite, { "SELECT sqlite_version()": ["3.51.2"] });
  for (const [index, driver] of [old, nodeSqlite, old, nodeSqlite].entries()) {
    const memory = await openMemory(path, { driver });
    const expectedRevision = index === 0 ? null : index;
    assert.equal(
      await memory.records.put(identity, { schema: 1, step: 0, items: [] }, { expectedRevision, ttl: 60 }),
      index + 1,
    );
    await memory.close();
  }
});

testThatNothingIsLeftOpen();
