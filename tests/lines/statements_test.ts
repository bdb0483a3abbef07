/** Every statement of an export, an import and an inspection: which index it uses. None scans, and none sorts. */

import assert from "node:assert/strict";
import { nodeSqlite } from "../../src/engine/sqlite/node_sqlite.ts";
import { atNoon, clockAtNoon, erase, ORCHARD } from "../conversations/samples.ts";
import { FaultyDriver } from "../kit/faulty_driver.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { makeFileStore } from "../kit/store_target.ts";
import type { TestStore } from "../kit/test_store.ts";
import { exported, fill, freshStore, NOTE, ONE_OF_EACH } from "./filling.ts";

const TABLES =
  /\b(FROM|INTO|UPDATE) (records|scopes|turns|message_ids|pins|summaries|covered_turns|deletions|floors)\b/;

/** Gives each statement met by the calls that read or write lines. */
async function collectStatements(store: TestStore<FaultyDriver>): Promise<ReadonlySet<string>> {
  const clock = clockAtNoon();
  await using source = await freshStore();
  await fill(source, ONE_OF_EACH);
  const lines = await exported(source);
  const memory = await store.open({ ...atNoon(), clock: clock.now, kinds: [NOTE] });
  store.driver.startTrace();
  await memory.importLines(lines);
  await memory.importLines(lines);
  // What is due is left out of an export, and a tombstone is met by the import after it.
  clock.advance(3_600);
  await exported(memory);
  const trace = store.driver.stopTrace();
  await erase(memory.conversation(ORCHARD), "turn", "pears0");
  store.driver.startTrace();
  const own = await exported(memory);
  await memory.importLines(own);
  await memory.importLines(lines);
  await memory.inspect();
  const met = [...trace, ...store.driver.stopTrace()].flatMap(({ database, sql }) =>
    database === "main" && sql !== null ? [sql] : []
  );
  return new Set(met.filter((sql) => TABLES.test(sql)));
}

Deno.test("Every statement of an export, an import and an inspection searches an index, and none scans or sorts", async () => {
  await using store = await makeFileStore(new FaultyDriver(nodeSqlite));
  const statements = await collectStatements(store);
  assert(statements.size > 25, `only ${statements.size} statements were met`);
  const loose: string[] = [];
  for (const sql of statements) {
    const plan = store.sql(`EXPLAIN QUERY PLAN ${sql.replace(/\$\d+/g, "1")}`).map((row) => String(row[3]));
    if (plan.some((step) => !step.startsWith("SEARCH"))) loose.push(`${sql}: ${plan.join("; ")}`);
  }
  assert.deepEqual(loose, []);
});

testThatNothingIsLeftOpen();
