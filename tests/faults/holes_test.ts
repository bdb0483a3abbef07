/** The matrices are made from what the operations run. This finds statements that none of them runs. */

import assert from "node:assert/strict";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { OPENINGS } from "./openings.ts";
import { RECORD_OPERATIONS } from "./record_operations.ts";
import { endingOf, imageOf, StruckStore } from "./struck_store.ts";

/** The files whose statements the matrices of records and of opening must strike. */
const SOURCES = [
  "records/put.ts",
  "records/forget.ts",
  "records/read.ts",
  "engine/operation_ids.ts",
  "engine/sqlite/main_meta.ts",
  "engine/sqlite/ledger.ts",
  "engine/sqlite/deletions.ts",
  "engine/sqlite/catch_up.ts",
];

/** Statements in these files that no operation on records runs, and why. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  "DELETE_OLDEST_OPERATIONS", // a scope that remembers too many operations
  "DELETE_SOME_EXPIRED_RECORDS", // prune
  "SELECT_NEXT_TENANT", // prune, and the completion of a deletion
]);

function onOneLine(sql: string): string {
  return sql.replace(/\s+/g, " ").trim();
}

/** Every statement that is a constant in these files, by its name. */
async function readConstants(): Promise<ReadonlyMap<string, string>> {
  const constants = new Map<string, string>();
  for (const path of SOURCES) {
    const text = await Deno.readTextFile(new URL(`../../src/${path}`, import.meta.url));
    for (const [, name, sql] of text.matchAll(/const ([A-Z_]+) =\s*`([^`]+)`/g)) {
      constants.set(`${path} ${name}`, onOneLine(sql!));
    }
  }
  return constants;
}

async function collectStatements(): Promise<ReadonlySet<string>> {
  const met = new Set<string>();
  const collect = (store: StruckStore): void => {
    for (const { sql } of store.driver.stopTrace()) if (sql !== null) met.add(onOneLine(sql));
  };
  for (const { prepare, run } of RECORD_OPERATIONS) {
    await using store = await StruckStore.make(await imageOf(prepare));
    await using memory = await store.open(5_000);
    store.driver.startTrace();
    await endingOf(run(memory));
    collect(store);
  }
  for (const { image } of OPENINGS) {
    await using store = await StruckStore.make(await image());
    store.driver.startTrace();
    await using _memory = await store.open(5_000);
    collect(store);
  }
  return met;
}

Deno.test("Every statement of records, their operation ids, meta rows and events is struck by some matrix", async () => {
  const met = await collectStatements();
  const constants = await readConstants();
  assert(constants.size > 20, "the sources have other places now");
  const holes = [...constants].filter(([, sql]) => !met.has(sql)).map(([name]) => name);
  assert.deepEqual(holes.filter((name) => !ELSEWHERE.has(name.split(" ")[1]!)), []);
});

testThatNothingIsLeftOpen();
