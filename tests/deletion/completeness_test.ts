/** Nothing is forgotten: tables are taken from the catalogue, not from a list, and numbers of ids do not matter. */

import assert from "node:assert/strict";
import { toHex } from "../../src/canonical/keyed_hash.ts";
import { MAIN_TABLES } from "../../src/tables/schema/main_tables.ts";
import type { SqliteConnection } from "../../src/engines/sqlite/drivers/driver.ts";
import {
  atNoon,
  clockAtNoon,
  derive,
  erase,
  HARBOUR,
  ORCHARD,
  pinOf,
  pinUp,
  revise,
  talk,
  turnOf,
} from "../conversations/samples.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { promise } from "./file_store.ts";

/** Every cell of every table of a database: the table, the column, and the value as text. */
function cells(connection: SqliteConnection): (readonly [table: string, column: string, value: string])[] {
  const all: (readonly [string, string, string])[] = [];
  const tables = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all([]);
  for (const [table] of tables) {
    const columns = connection.prepare(`SELECT name FROM pragma_table_info('${table}')`).all([]);
    for (const row of connection.prepare(`SELECT * FROM "${table}"`).all([])) {
      for (const [index, value] of row.entries()) {
        const text = value instanceof Uint8Array ? toHex(value) : String(value);
        all.push([table as string, columns[index]![0] as string, text]);
      }
    }
  }
  return all;
}

/** A scope in which every id, key and text contains OPAL, with something in every table. */
const MARKED = { tenantId: "tenant-OPAL", sessionId: "session-OPAL" };

promise(
  "DEL-05 after a scope's deletion no table of the catalogue refers to it, by text, number or hash",
  async (store) => {
    const clock = clockAtNoon();
    const memory = await store.open({ clock: clock.now });
    await derive(await talk(memory, ["t1", "t2"]));
    const conversation = memory.conversation(MARKED);
    await conversation.create();
    for (const [index, turnId] of ["turn-OPAL-1", "turn-OPAL-2", "turn-OPAL-3"].entries()) {
      const turn = turnOf(turnId, "content-OPAL", { scope: MARKED });
      await conversation.putTurn(turn, { operationId: `operation-OPAL-${index}`, expectedRevision: index });
    }
    await pinUp(conversation, pinOf("key-OPAL", "value-OPAL", { scope: MARKED, origin: "origin-OPAL" }));
    await derive(conversation);
    await revise(conversation, turnOf("turn-OPAL-1", "content-OPAL", { scope: MARKED, revision: 2 }));
    await derive(memory.conversation(HARBOUR)).catch(() => {});
    const [[id, hash]] = store.sql(
      "SELECT id, scope_hash FROM scopes WHERE tenant = 'tenant-OPAL'",
    ) as unknown as [
      [number, Uint8Array],
    ];
    const refersTo = ([table, column, value]: readonly [string, string, string]): boolean =>
      value.includes("OPAL") || (column === "scope_hash" && value === toHex(hash)) ||
      (column === "scope" && value === String(id)) ||
      (table === "scopes" && column === "id" && value === String(id));
    const before = new Set(cells(store.raw()).filter(refersTo).map(([table]) => table));
    for (const table of ["scopes", "turns", "message_ids", "pins", "operations", "floors"]) {
      assert(
        before.has(table),
        table,
      );
    }
    await erase(conversation, "scope");
    const left = [...cells(store.raw()), ...cells(store.raw("ledger"))].filter(refersTo);
    const tables = new Set(left.map(([table, column]) => `${table}.${column}`));
    assert.deepEqual([...tables], ["deletions.scope_hash", "events.scope_hash"]);
  },
);

/** Tables whose texts are the store's own: names of tables, heads and digests. */
const OWN = ["chunk_indexes", "deletions", "dirty", "meta"];

promise("DEL-05 every table that holds content is one that a scrub can rewrite", async (store) => {
  await store.open(atNoon());
  const withText = store.sql(
    `SELECT DISTINCT tables.name FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
     WHERE tables.type = 'table' AND columns.type = 'TEXT' ORDER BY tables.name`,
  ).map(([name]) => name as string);
  const rewritten = new Set(MAIN_TABLES.filter(({ rewrittenBy }) => rewrittenBy).map(({ name }) => name));
  assert.deepEqual(withText.filter((name) => !rewritten.has(name)), OWN);
});

promise(
  "DEL-12 a scope of two thousand turns goes with one event, and its receipt counts them",
  async (store) => {
    const memory = await store.open(atNoon());
    const conversation = memory.conversation(ORCHARD);
    await Promise.all(
      Array.from({ length: 2_000 }, () => conversation.append([{ role: "user", content: "x" }])),
    );
    const receipt = await erase(conversation, "scope");
    assert.equal(receipt.erased.turns, 2_000);
    assert.deepEqual(store.raw("ledger").prepare("SELECT count(*) FROM events").all([]), [[1]]);
    assert.equal((await memory.verifyReceipt(receipt)).valid, true);
  },
);

promise(
  "DEL-12 a thousand turns deleted by a list of their ids all go, each with a receipt",
  async (store) => {
    const memory = await store.open(atNoon());
    const conversation = memory.conversation(ORCHARD);
    const appended = await Promise.all(
      Array.from({ length: 1_000 }, () => conversation.append([{ role: "user", content: "x" }])),
    );
    const receipts = await Promise.all(appended.map(({ turnId: key }, index) => {
      return conversation.delete({ kind: "turn", key, expectedRevision: 1_000 + index });
    }));
    assert.deepEqual([receipts[0]!.sequence, receipts.at(-1)!.sequence], [1, 1_000]);
    assert.equal((await conversation.snapshot()).turnCount, 0);
    assert.equal((await memory.verifyReceipt(receipts[500]!)).valid, true);
  },
);

testThatNothingIsLeftOpen();
