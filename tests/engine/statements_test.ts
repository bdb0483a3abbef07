/** Every statement of the source: which index it uses, by which columns, and that none scans or sorts without a reason. */

import assert from "node:assert/strict";
import { nodeSqlite } from "../../src/engines/sqlite/drivers/node_sqlite.ts";
import { FaultyDriver } from "../kit/faulty_driver.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { readSourceStatements } from "../kit/source_statements.ts";
import { makeFileStore } from "../kit/store_target.ts";
import { PLANS } from "./plans/plans.ts";
import { useEverything } from "./scripted_use.ts";

/** Statements that the scripted use does not run; planned on an open store. */
const OUT_OF_REACH: Readonly<Record<string, string>> = {
  "search/search_cache.ts SELECT_TURNS_BEFORE": "a search of a conversation longer than one read",
  "search/index_query.ts SELECT_HEAD": "an index that has expired turns of the window",
  "conversations/mend_scopes.ts INSERT_MESSAGE_ID": "a damaged row of a message's id",
  "conversations/mend_scopes.ts SELECT_NEXT_EXPIRY": "a damaged row of a scope",
  "conversations/mend_scopes.ts UPDATE_NAMES": "a damaged name of a scope",
  "journals/mend_journals.ts DELETE_ENTRY": "a damaged row of an entry",
  "tables/journals.ts SELECT_JOURNAL_BY_ROW": "a check of a journal that is damaged",
  "records/mend_records.ts DELETE_OPERATION": "a damaged row of an operation",
  "tables/schema/dialects.ts INSERT INTO draining_scopes …": "a backup while sessions are being erased",
  "tables/operation_ids.ts DELETE_OLDEST_OPERATIONS": "a scope with a hundred thousand operations",
};

type Planned = Record<string, Record<string, string>>;

/** The plan of each statement; of those that were run, as SQLite compiled them in their own file. */
async function planEverything(): Promise<{ planned: Planned; strangers: string[]; unmet: string[] }> {
  const { plans } = await useEverything();
  await using store = await makeFileStore(new FaultyDriver(nodeSqlite));
  await store.open();
  const statements = readSourceStatements();
  const planned: Planned = {};
  const unmet: string[] = [];
  for (const { file, name, sql } of statements) {
    const met = plans.get(sql);
    if (met === undefined) unmet.push(`${file} ${name}`);
    const steps = met ??
      [store.sql(`EXPLAIN QUERY PLAN ${sql.replace(/\$\d+/g, "1")}`).map((row) => row[3]).join("; ")];
    (planned[file] ??= {})[name] = [...steps].join(" or ");
  }
  const known = new Set(statements.map(({ sql }) => sql));
  return { planned, strangers: [...plans.keys()].filter((sql) => !known.has(sql)), unmet };
}

Deno.test("Every statement searches by exactly the index and the columns that are written down", async () => {
  const { planned, strangers, unmet } = await planEverything();
  assert.deepEqual(strangers, [], "statements that are not in the source as they were run");
  assert.deepEqual(unmet.toSorted(), Object.keys(OUT_OF_REACH).toSorted());
  const written = Object.entries(PLANS).map(([file, statements]) => [
    file,
    Object.fromEntries(
      Object.entries(statements).map(([name, each]) => [name, typeof each === "string" ? each : each.plan]),
    ),
  ]);
  assert.deepEqual(planned, Object.fromEntries(written));
});

Deno.test("No statement scans or sorts without a reason, and none that searches has one", () => {
  const loose: string[] = [];
  for (const [file, statements] of Object.entries(PLANS)) {
    for (const [name, each] of Object.entries(statements)) {
      const plan = typeof each === "string" ? each : each.plan;
      if (/\bSCAN\b|\bTEMP B-TREE\b/.test(plan) === (typeof each === "string")) loose.push(`${file} ${name}`);
    }
  }
  assert.deepEqual(loose, []);
});

testThatNothingIsLeftOpen();
