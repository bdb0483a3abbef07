import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { fact, factId, TestBed } from "./store.ts";

/** Brings the tables of a database to what a copy of it holds, in one commit, as another process's commit would. */
function replay(from: string, to: string, tables: readonly string[]): void {
  const database = new DatabaseSync(to);
  try {
    database.exec(`ATTACH '${from}' AS copy; BEGIN IMMEDIATE;`);
    for (const table of tables) {
      database.exec(`DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM copy.${table};`);
    }
    database.exec("COMMIT");
  } finally {
    database.close();
  }
}

Deno.test("A deletion between the two looks of a read raises no false alarm", async () => {
  await using bed = await TestBed.inFile();
  await using other = await TestBed.inFile();
  const revision = await bed.records.put(factId("a"), fact(), { expectedRevision: null, ttl: 60 });
  await bed.close();
  await other.close();
  for (const name of ["", ".deletions"]) Deno.copyFileSync(bed.path + name, other.path + name);
  await other.open();
  await other.records.forget(factId("a"), revision);
  await other.close();
  await bed.open();
  let looks = 0;
  bed.driver.hook = (database, sql, run) => {
    const result = run();
    if (database === "main" && sql === "BEGIN DEFERRED" && looks++ === 0) {
      replay(`${other.path}.deletions`, `${bed.path}.deletions`, ["events", "meta"]);
      replay(other.path, bed.path, ["deletions", "records", "meta"]);
    }
    return result;
  };
  const listed = bed.records.list("orchard").then(({ items }) => items, ({ code }) => code);
  assert.deepEqual(await listed, []);
  assert.equal(looks, 1);
});
