/** Restores from forged files: every checksum in them is correct, and their content is not. */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { checksumOf } from "../../src/canonical/checksum.ts";
import { Scratch } from "../files/scratch.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { layOut, makeRestorable, restoreThere } from "./restorable.ts";

/** The columns that the checksum of a table's rows covers. */
const SUMMED = {
  meta: `lineage, generation, epoch, pending_from, applied, applied_head, verified, counter, last_scope,
    last_turn, last_index, last_journal, clock_mark,
    clock_epoch, hash_key, probe, scrubs, shrunk_bytes`,
  records:
    "tenant, kind, key, revision, created, max_age, expires, version, born, subject, names, value_checksum",
  scopes:
    `id, scope_hash, tenant, session, revision, turns, turn_bytes, pins, journals, journal_bytes, operations,
    next_expiry`,
  turns: "scope, turn_id, revision, bytes, expires, expires_at, payload_checksum",
  pins: "scope, key, revision, effective, expires, source_turn, payload_checksum",
  deletions: "sequence, batch, kind, scope_hash, key_hash, reserved, floor, at, counts, head",
  "ledger's meta": "lineage, generation, epoch, count, head, probe, announced",
} as const;

type Summed = keyof typeof SUMMED;

/** Statements that change a file, and the tables whose checksums are corrected afterwards. */
type Forgery = readonly [sql: string, ...tables: readonly Summed[]];

const BEYOND_DATES = 8_640_000_000_000_001;

const BACKUPS: readonly Forgery[] = [
  ["UPDATE meta SET generation = -1", "meta"],
  ["UPDATE meta SET generation = 1", "meta"],
  ["UPDATE meta SET generation = 9007199254740991", "meta"],
  ["UPDATE meta SET generation = 9223372036854775807"],
  ["UPDATE meta SET counter = -1", "meta"],
  ["UPDATE meta SET counter = 9007199254740992"],
  ["UPDATE meta SET applied = -1", "meta"],
  ["UPDATE meta SET applied = 4503599627370496", "meta"],
  ["UPDATE meta SET applied_head = ''", "meta"],
  [`UPDATE meta SET clock_mark = ${BEYOND_DATES}`, "meta"],
  ["UPDATE meta SET clock_mark = -1", "meta"],
  ["UPDATE meta SET scrubs = 9007199254740991", "meta"],
  ["UPDATE meta SET lineage = ''", "meta"],
  ["UPDATE meta SET epoch = ''", "meta"],
  ["UPDATE meta SET pending_from = 0", "meta"],
  ["UPDATE meta SET hash_key = x''", "meta"],
  ["UPDATE meta SET hash_key = zeroblob(32)", "meta"],
  ["DELETE FROM meta"],
  ["UPDATE records SET revision = 0", "records"],
  ["UPDATE records SET revision = 9007199254740991", "records"],
  ["UPDATE records SET value_checksum = 0, body = CAST(zeroblob(30000000) AS TEXT)", "records"],
  ["UPDATE records SET value_checksum = 0, body = char(0)", "records"],
  ["UPDATE scopes SET revision = -5", "scopes"],
  ["UPDATE scopes SET scope_hash = x''", "scopes"],
  ["UPDATE scopes SET operations = -1", "scopes"],
  [
    "UPDATE scopes SET id = -1; UPDATE turns SET scope = -1; UPDATE message_ids SET scope = -1; UPDATE pins SET scope = -1",
    "scopes",
    "turns",
    "pins",
  ],
  ["UPDATE turns SET id = -id; UPDATE message_ids SET turn = -turn", "turns"],
  ["UPDATE turns SET revision = 9007199254740991", "turns"],
  ["UPDATE turns SET payload = '{}'"],
  ["UPDATE pins SET revision = -1", "pins"],
  ["INSERT INTO message_ids VALUES (1, 'nobody''s', 99)"],
  ["INSERT INTO floors VALUES (x'01', x'02', 9007199254740991, 0)"],
  ["DELETE FROM deletions"],
  ["UPDATE deletions SET reserved = 1 - reserved", "deletions"],
  ["INSERT INTO deletions VALUES (0, 1, 'record', x'', x'', 1, 0, 0, '{}', '', x'', 0)", "deletions"],
  ["UPDATE deletions SET hashes = x'01'", "deletions"],
  ["UPDATE deletions SET hashes = zeroblob(16)", "deletions"],
  ["INSERT INTO deletions VALUES (2, 2, 'record', x'', x'', 1, 0, 0, 'null', '', x'', 0)", "deletions"],
  ["UPDATE deletions SET counts = '[]'", "deletions"],
  ["CREATE TRIGGER t AFTER UPDATE ON meta BEGIN DELETE FROM turns; END"],
  ["CREATE VIEW v AS SELECT 1"],
  ["CREATE INDEX i ON turns (payload)"],
  ["CREATE INDEX i ON turns (like(replace(hex(zeroblob(40)), '00', '%a') || 'b', hex(zeroblob(200))))"],
  ["CREATE VIRTUAL TABLE f USING fts5(text)"],
  ["CREATE TABLE further (id INTEGER)"],
  ["ALTER TABLE turns ADD COLUMN made INTEGER GENERATED ALWAYS AS (1) VIRTUAL"],
  ["DROP INDEX turns_by_scope"],
  ["DROP TABLE pins; CREATE VIEW pins AS WITH RECURSIVE r(scope) AS (SELECT 1 UNION ALL SELECT 1 FROM r) SELECT scope FROM r"],
];

const LEDGERS: readonly Forgery[] = [
  ["UPDATE meta SET generation = -1", "ledger's meta"],
  ["UPDATE meta SET generation = 2097151", "ledger's meta"],
  ["UPDATE meta SET generation = 9007199254740991", "ledger's meta"],
  ["UPDATE meta SET count = 1", "ledger's meta"],
  ["UPDATE meta SET count = 4", "ledger's meta"],
  ["UPDATE meta SET count = 4503599627370496", "ledger's meta"],
  ["UPDATE meta SET count = 9007199254740992"],
  ["UPDATE meta SET head = ''", "ledger's meta"],
  ["UPDATE meta SET epoch = ''", "ledger's meta"],
  ["UPDATE meta SET probe = 9007199254740991", "ledger's meta"],
  ["UPDATE meta SET announced = -9007199254740991", "ledger's meta"],
  ["UPDATE meta SET lineage = ''", "ledger's meta"],
  ["DELETE FROM meta"],
  ["DELETE FROM events"],
  ["UPDATE events SET counts = 'null' WHERE sequence = 3"],
  ["UPDATE events SET counts = '{\"turns\":{}}' WHERE sequence = 3"],
  ["UPDATE events SET counts = 'none' WHERE sequence = 3"],
  ["UPDATE events SET kind = 'nothing' WHERE sequence = 3"],
  ["UPDATE events SET key_hash = x'' WHERE sequence = 3"],
  ["UPDATE events SET floor = 9007199254740992 WHERE sequence = 3"],
  ["UPDATE events SET hashes = x'01' WHERE sequence = 3"],
  ["UPDATE events SET hashes = zeroblob(16) WHERE sequence = 3"],
  ["INSERT INTO events VALUES (4, 4, 'record', x'', x'', 1, 0, 0, '{}', '', x'')"],
  ["INSERT INTO events VALUES (0, 0, 'record', x'', x'', 1, 0, 0, '{}', '', x'')"],
  ["CREATE TRIGGER t BEFORE UPDATE ON meta BEGIN SELECT raise(ABORT, 'no'); END"],
  ["CREATE TRIGGER t AFTER UPDATE ON meta BEGIN DELETE FROM events; END"],
  ["ALTER TABLE events RENAME TO e; CREATE VIEW events AS WITH RECURSIVE r(sequence) AS (SELECT 1 UNION ALL SELECT 1 FROM r) SELECT sequence FROM r"],
  ["CREATE INDEX i ON events (at)"],
];

/** Changes a file and corrects its checksums, as a forger would. */
function forge(path: string, [sql, ...tables]: Forgery): void {
  using database = new DatabaseSync(path);
  database.function("sum_of", { varargs: true }, (...values) => checksumOf(...values as never[]));
  database.exec(sql);
  for (const table of tables) {
    database.exec(
      `UPDATE ${table === "ledger's meta" ? "meta" : table} SET checksum = sum_of(${SUMMED[table]})`,
    );
  }
}

for (
  const [name, forgeries] of [["agent.backup", BACKUPS], ["agent.db.deletions", LEDGERS]] as const
) {
  for (const forgery of forgeries) {
    Deno.test(`BAK-06 restoreMemory() refuses ${name} after: ${forgery[0].replaceAll("'", "")}`, async () => {
      using scratch = new Scratch();
      layOut(scratch.path, (await sample()).files);
      forge(scratch.at(name), forgery);
      assert.equal(await restoreThere(scratch.path, await sample()), "refused");
    });
  }
}

let made: ReturnType<typeof makeRestorable> | null = null;

function sample(): ReturnType<typeof makeRestorable> {
  return made ??= makeRestorable();
}

/** The file with values of other types than the table's columns have. */
Deno.test("BAK-06 restoreMemory() refuses a backup with values that its tables cannot hold", async () => {
  using scratch = new Scratch();
  layOut(scratch.path, (await sample()).files);
  const strict = "UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = 'scopes'";
  {
    using database = new DatabaseSync(scratch.at("agent.backup"));
    (database as unknown as { enableDefensive(enabled: boolean): void }).enableDefensive(false);
    database.exec("PRAGMA writable_schema = ON");
    database.prepare(strict).run(") STRICT", ")");
    database.exec("PRAGMA writable_schema = RESET; UPDATE scopes SET revision = 'many'");
    database.exec("PRAGMA writable_schema = ON");
    database.prepare("UPDATE sqlite_schema SET sql = sql || ' STRICT' WHERE name = 'scopes'").run();
    database.exec("PRAGMA writable_schema = RESET");
  }
  assert.equal(await restoreThere(scratch.path, await sample()), "refused");
});

Deno.test("BAK-06 restoreMemory() refuses a backup whose texts are in another encoding", async () => {
  using scratch = new Scratch();
  layOut(scratch.path, (await sample()).files);
  recode(scratch.at("agent.backup"), scratch.at("recoded"));
  Deno.renameSync(scratch.at("recoded"), scratch.at("agent.backup"));
  Deno.chmodSync(scratch.at("agent.backup"), 0o600);
  assert.equal(await restoreThere(scratch.path, await sample()), "refused");
});

/** Copies a database, statement by statement and row by row, into one of UTF-16. */
function recode(from: string, to: string): void {
  using source = new DatabaseSync(from);
  using target = new DatabaseSync(to);
  for (const set of ["encoding = 'UTF-16le'", "auto_vacuum = 2", "application_id = 0x48464d31"]) {
    target.exec(`PRAGMA ${set}`);
  }
  const tables: string[] = [];
  for (const { sql, type, name } of source.prepare("SELECT sql, type, name FROM sqlite_schema").all()) {
    if (sql === null) continue;
    target.exec(String(sql));
    if (type === "table") tables.push(String(name));
  }
  for (const table of tables) {
    for (const row of source.prepare(`SELECT * FROM ${table}`).all()) {
      const values = Object.values(row);
      target.prepare(`INSERT INTO ${table} VALUES (${values.map(() => "?")})`).run(...values);
    }
  }
  target.exec("PRAGMA user_version = 1");
}

testThatNothingIsLeftOpen();
