/** Opening a store of an older release. The newer release is made up: a version 2 that only these tests know. */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { LEDGER, MAIN } from "../../src/engines/sqlite/database/database.ts";
import { FORMATS, type Formats } from "../../src/engines/sqlite/database/formats.ts";
import { nodeSqlite } from "../../src/engines/sqlite/drivers/node_sqlite.ts";
import { openStoreOnDisk, type OpenStoreOptions } from "../../src/engines/sqlite/open/open_store.ts";
import { resolveFile } from "../../src/engines/sqlite/files/store_path.ts";
import { openMemory } from "../../mod.ts";
import type { OpenedStore } from "../../src/engines/sqlite/database/opened_store.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { fill, SCOPE, Shelf, textsOf } from "../restore/shelf.ts";

const setVersion = "PRAGMA user_version = 2";

/** Version 2 of main notes what floors are for; that of the ledger has one more index. */
const NEWER: Formats = {
  main: {
    migrations: [...FORMATS.main.migrations, {
      version: 2,
      setVersion,
      statements: ["ALTER TABLE floors ADD COLUMN reason TEXT", "CREATE TABLE notes (text TEXT) STRICT"],
    }],
    copies: FORMATS.main.copies,
  },
  ledger: {
    migrations: [...FORMATS.ledger.migrations, {
      version: 2,
      setVersion,
      statements: ["CREATE INDEX events_by_time ON events (at)"],
    }],
    copies: FORMATS.ledger.copies,
  },
};

const NEWER_DATABASES = { main: { ...MAIN, schemaVersion: 2 }, ledger: { ...LEDGER, schemaVersion: 2 } };

/** A migration whose second statement fails. */
const FAILING: Formats = {
  ...NEWER,
  main: {
    ...NEWER.main,
    migrations: [...FORMATS.main.migrations, {
      version: 2,
      setVersion,
      statements: ["CREATE TABLE notes (text TEXT) STRICT", "ALTER TABLE nowhere ADD COLUMN reason TEXT"],
    }],
  },
};

function openNewer(shelf: Shelf, options: Partial<OpenStoreOptions> = {}): Promise<OpenedStore> {
  const parent = shelf.at(".");
  const given = { main: { parent, name: "agent.db" }, ledger: { parent, name: "agent.db.deletions" } };
  return openStoreOnDisk(given, {
    driver: nodeSqlite,
    readOnly: false,
    busyTimeoutMs: 1_000,
    databases: NEWER_DATABASES,
    formats: NEWER,
    ...options,
  });
}

/** What a file says of its schema: its version, and its tables and indexes. */
function schemaOf(
  shelf: Shelf,
  name: string,
): { readonly version: unknown; readonly names: readonly unknown[] } {
  using file = new DatabaseSync(shelf.at(name), { readOnly: true });
  const { user_version: version } = file.prepare("PRAGMA user_version").get()!;
  const rows = file.prepare("SELECT name FROM sqlite_schema WHERE name IN ('notes', 'events_by_time')").all();
  return { version, names: rows.map(({ name }) => name) };
}

/** A closed store of this release with some of everything. */
async function makeOlder(shelf: Shelf): Promise<void> {
  const memory = await shelf.open();
  const { turnIds } = await fill(memory);
  const talk = memory.conversation(SCOPE);
  await talk.delete({ kind: "turn", key: turnIds[0]!, expectedRevision: await talk.revision() });
  await memory.close();
}

Deno.test("opening an older store upgrades both files, each in one transaction, and keeps what they hold", async () => {
  await using shelf = await Shelf.make();
  await makeOlder(shelf);
  const store = await openNewer(shelf);
  const count = (sql: string): unknown => store.main.get(sql)![0];
  assert.deepEqual([count("SELECT count(*) FROM turns"), count("SELECT count(*) FROM notes")], [2, 0]);
  assert.equal(store.ledger.readMeta().count, 1);
  store.close();
  assert.deepEqual(schemaOf(shelf, "agent.db"), { version: 2, names: ["notes"] });
  assert.deepEqual(schemaOf(shelf, "agent.db.deletions"), { version: 2, names: ["events_by_time"] });
});

Deno.test("an upgrade that fails leaves the file as it was, for the release that made it", async () => {
  await using shelf = await Shelf.make();
  await makeOlder(shelf);
  await assert.rejects(openNewer(shelf, { formats: FAILING }), { code: "CORRUPT" });
  assert.deepEqual(schemaOf(shelf, "agent.db"), { version: 1, names: [] });
  const store = await openNewer(shelf);
  store.close();
  assert.deepEqual(schemaOf(shelf, "agent.db"), { version: 2, names: ["notes"] });
});

Deno.test("an upgrade that one file had before a crash is finished by the next opening", async () => {
  await using shelf = await Shelf.make();
  await makeOlder(shelf);
  await assert.rejects(openNewer(shelf, { formats: FAILING }));
  assert.equal(schemaOf(shelf, "agent.db.deletions").version, 2);
  (await openNewer(shelf)).close();
  assert.equal(schemaOf(shelf, "agent.db").version, 2);
});

Deno.test("an upgrade takes a backup first where one is named, which the older release can use", async () => {
  await using shelf = await Shelf.make();
  await makeOlder(shelf);
  const backupBeforeUpgrade = resolveFile({ parent: shelf.at("."), name: "before.db" });
  (await openNewer(shelf, { backupBeforeUpgrade })).close();
  assert.deepEqual(schemaOf(shelf, "before.db"), { version: 1, names: [] });
  assert.deepEqual(schemaOf(shelf, "before.db.deletions"), { version: 1, names: [] });
  await using memory = await openMemory(shelf.at("before.db"));
  assert.deepEqual(await textsOf(memory), ["The well is forty metres deep.", "Prune before frost."]);
  assert.equal((await memory.check()).ok, true);
});

Deno.test("an upgrade whose backup cannot be made is not done", async () => {
  await using shelf = await Shelf.make();
  await makeOlder(shelf);
  await Deno.writeTextFile(shelf.at("before.db"), "Mine.");
  const backupBeforeUpgrade = resolveFile({ parent: shelf.at("."), name: "before.db" });
  const before = shelf.digests();
  await assert.rejects(openNewer(shelf, { backupBeforeUpgrade }), { code: "EXISTS" });
  assert.deepEqual(shelf.digests(), before);
});

Deno.test("opening an older store read-only is refused and changes nothing", async () => {
  await using shelf = await Shelf.make();
  await makeOlder(shelf);
  const before = shelf.digests();
  await assert.rejects(openNewer(shelf, { readOnly: true }), { code: "READONLY" });
  const after = shelf.digests();
  assert.deepEqual([after["agent.db"], after["agent.db.deletions"]], [
    before["agent.db"],
    before["agent.db.deletions"],
  ]);
});

Deno.test("BAK-09 a store of a newer release is refused and stays as it is", async () => {
  await using shelf = await Shelf.make();
  await makeOlder(shelf);
  (await openNewer(shelf)).close();
  const before = shelf.digests();
  await assert.rejects(shelf.open(), { code: "SCHEMA", details: { version: 2, known: 1 } });
  await assert.rejects(shelf.open({ readOnly: true }), { code: "SCHEMA" });
  assert.deepEqual(shelf.digests(), before);
});

Deno.test("backupBeforeUpgrade of a store that is up to date makes nothing", async () => {
  await using shelf = await Shelf.make();
  await makeOlder(shelf);
  await shelf.open({ backupBeforeUpgrade: shelf.at("before.db") });
  assert.equal(shelf.names().includes("before.db"), false);
  await assert.rejects(shelf.open({ backupBeforeUpgrade: 7 as never }), {
    code: "CONTRACT",
    field: "backupBeforeUpgrade",
  });
  await assert.rejects(openMemory(":memory:", { backupBeforeUpgrade: shelf.at("before.db") }), {
    code: "CONTRACT",
    field: "backupBeforeUpgrade",
  });
});

testThatNothingIsLeftOpen();
