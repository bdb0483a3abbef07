/** The schema that files are created with, against the text that is kept, and what else follows from the descriptors. */

import assert from "node:assert/strict";
import { createTable, POSTGRES } from "../../src/tables/schema/dialects.ts";
import { LEDGER_TABLES } from "../../src/tables/schema/ledger_tables.ts";
import { MAIN_TABLES, PINS, SCOPES, TURNS } from "../../src/tables/schema/main_tables.ts";
import { LEDGER_MIGRATIONS, MAIN_MIGRATIONS, type Migration } from "../../src/tables/schema/migrations.ts";

/** The statements of version 1 as they were before descriptors, with a line above those of each file. */
const VERSION_1 = Deno.readTextFileSync(new URL("version_1.sql", import.meta.url));

function textOf(name: string, [migration]: readonly Migration[]): string {
  return `-- ${name}\n\n${migration!.statements.map((statement) => `${statement};\n`).join("\n")}`;
}

Deno.test("version 1 creates both files with exactly the statements that are kept, byte for byte", () => {
  assert.equal(`${textOf("main", MAIN_MIGRATIONS)}\n${textOf("ledger", LEDGER_MIGRATIONS)}`, VERSION_1);
});

Deno.test("a checksum covers only columns that the table has, and a table that has one has the column", () => {
  for (const { columns, checksumOver } of [...MAIN_TABLES, ...LEDGER_TABLES]) {
    if (checksumOver === undefined) continue;
    assert.ok(Object.hasOwn(columns, "checksum"));
    assert.deepEqual(checksumOver.filter((field) => !Object.hasOwn(columns, field)), []);
  }
});

const PIN = {
  scope: 7,
  key: "tone",
  revision: 3,
  effective: 1_000,
  expires: null,
  sourceTurn: 2,
  payloadChecksum: 9,
  payload: "{}",
};

Deno.test("a row goes there and back, and one that was changed is not intact", () => {
  const values = PINS.toValues(PIN);
  assert.deepEqual(values, [7, "tone", 3, 1_000, null, 2, 9, PINS.checksum(PIN), "{}"]);
  const fields = PINS.toFields(values);
  assert.deepEqual(fields, { ...PIN, checksum: PINS.checksum(PIN) });
  assert.equal(PINS.isIntact(fields), true);
  assert.equal(PINS.isIntact({ ...fields, revision: 4 }), false);
});

Deno.test("SELECT, INSERT and UPDATE list every column, and the key comes last in an UPDATE", () => {
  const columns =
    "scope, key, revision, effective, expires, source_turn, payload_checksum, checksum, payload";
  assert.equal(PINS.select, `SELECT ${columns} FROM pins`);
  assert.equal(PINS.insert, `INSERT INTO pins (${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`);
  assert.equal(
    PINS.update,
    "UPDATE pins SET revision = $1, effective = $2, expires = $3, source_turn = $4, payload_checksum = $5, " +
      "checksum = $6, payload = $7 WHERE scope = $8 AND key = $9",
  );
  assert.deepEqual(PINS.toUpdate(PIN), [3, 1_000, null, 2, 9, PINS.checksum(PIN), "{}", 7, "tone"]);
});

Deno.test("PostgreSQL compares texts by their bytes, as SQLite does", () => {
  const lines = (sql: string): readonly string[] => sql.split("\n").map((line) => line.trim());
  assert.ok(lines(createTable(TURNS, POSTGRES)).includes('turn_id TEXT COLLATE "C" NOT NULL,'));
  assert.ok(lines(createTable(SCOPES, POSTGRES)).includes("scope_hash BYTEA NOT NULL,"));
  assert.deepEqual(lines(createTable(PINS, POSTGRES)).slice(-2), ["PRIMARY KEY (scope, key)", ")"]);
});
