/** Every statement on records, operations and deletions: which index it uses, how many rows it can touch, what it binds. */

import assert from "node:assert/strict";
import { nodeSqlite } from "../../src/engine/sqlite/node_sqlite.ts";
import { FaultyDriver } from "../kit/faulty_driver.ts";
import { MutableClock } from "../kit/mutable_clock.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { makeFileStore } from "../kit/store_target.ts";
import type { TestStore } from "../kit/test_store.ts";
import { COUNTER, factAt, factOf, RUN, START } from "../conformance/records/samples.ts";

const RECORDS_KEY = "SEARCH records USING PRIMARY KEY (tenant=? AND kind=? AND key=?)";
const OPERATIONS_KEY = "SEARCH operations USING PRIMARY KEY (scope_hash=? AND operation_hash=?)";

/** The beginning of each statement, and the plan it must have. */
const PLANS: Readonly<Record<string, readonly string[]>> = {
  "SELECT revision, created, max_age, expires, body_checksum, checksum FROM records WHERE tenant = $1 AND kind = $2 AND key = $3":
    [RECORDS_KEY],
  "SELECT revision, created, max_age, expires, body_checksum, checksum, body FROM records WHERE tenant = $1 AND kind = $2 AND key = $3":
    [RECORDS_KEY],
  "SELECT revision, created, max_age, expires, body_checksum, checksum, kind, key FROM records WHERE tenant = $1 AND (kind, key) > ($2, $3)":
    ["SEARCH records USING PRIMARY KEY (tenant=? AND (kind,key)>(?,?))"],
  "SELECT revision, created, max_age, expires, body_checksum, checksum, kind, key FROM records WHERE tenant = $1 AND kind = $2 AND key > $3":
    ["SEARCH records USING PRIMARY KEY (tenant=? AND kind=? AND key>?)"],
  "SELECT revision, created, max_age, expires, body_checksum, checksum, body, tenant, kind, key FROM records":
    [
      "SEARCH records USING PRIMARY KEY ((tenant,kind,key)>(?,?,?))",
    ],
  "SELECT tenant FROM records WHERE tenant > $1": ["SEARCH records USING PRIMARY KEY (tenant>?)"],
  "SELECT kind, key FROM records WHERE tenant = $1": ["SEARCH records USING PRIMARY KEY (tenant=?)"],
  "INSERT INTO records": [],
  "DELETE FROM records WHERE tenant = $1 AND kind = $2 AND key = $3": [RECORDS_KEY],
  "DELETE FROM records WHERE tenant = $1 AND expires <= $2": [
    "SEARCH records USING INDEX records_by_expiry (tenant=? AND expires<?)",
  ],
  "DELETE FROM records WHERE (tenant, kind, key) IN": [
    RECORDS_KEY,
    "LIST SUBQUERY 2",
    "SEARCH records USING COVERING INDEX records_by_expiry (tenant=? AND expires<?)",
  ],
  "SELECT input_hash, result, at, checksum FROM operations": [OPERATIONS_KEY],
  "SELECT scope_hash, operation_hash, input_hash, result, at, checksum FROM operations": [
    "SEARCH operations USING PRIMARY KEY ((scope_hash,operation_hash)>(?,?))",
  ],
  "DELETE FROM operations WHERE (scope_hash, operation_hash) IN": [
    OPERATIONS_KEY,
    "LIST SUBQUERY 2",
    "SEARCH operations USING COVERING INDEX operations_by_time (scope_hash=? AND at<?)",
  ],
  "INSERT INTO operations": [],
  "SELECT sequence, batch, kind, scope_hash, key_hash, burned, floor, at, counts, head, checksum FROM deletions WHERE key_hash = $1":
    ["SEARCH deletions USING INDEX deletions_by_key (key_hash=?)"],
  "SELECT sequence, batch, kind, scope_hash, key_hash, burned, floor, at, counts, head, checksum FROM deletions WHERE sequence > $1":
    ["SEARCH deletions USING INTEGER PRIMARY KEY (rowid>?)"],
  "SELECT coalesce(max(sequence), 0) FROM deletions": ["SEARCH deletions"],
  "SELECT count(*) FROM deletions WHERE sequence < 1": [
    "SEARCH deletions USING INTEGER PRIMARY KEY (rowid<?)",
  ],
  "INSERT INTO deletions": [],
  // A check goes through whole tables, and through their indexes to compare.
  "SELECT (SELECT count(*) FROM records INDEXED BY": [
    "SCAN CONSTANT ROW",
    "SCALAR SUBQUERY 1",
    "SCAN records USING COVERING INDEX records_by_expiry",
    "SCALAR SUBQUERY 2",
    "SEARCH records USING PRIMARY KEY (tenant>?)",
  ],
  "SELECT (SELECT count(*) FROM operations INDEXED BY": [
    "SCAN CONSTANT ROW",
    "SCALAR SUBQUERY 1",
    "SEARCH operations USING COVERING INDEX operations_by_time (scope_hash>?)",
    "SCALAR SUBQUERY 2",
    "SEARCH operations USING PRIMARY KEY (scope_hash>?)",
  ],
};

const TABLES = /\b(FROM|INTO|UPDATE) (records|operations|deletions)\b/;

/** Runs every operation of records, and the completion of a pending deletion; gives each statement met. */
async function collectStatements(store: TestStore<FaultyDriver>): Promise<ReadonlySet<string>> {
  const clock = new MutableClock(1_000);
  const open = (): ReturnType<typeof store.open> => store.open({ kinds: [COUNTER], clock: clock.now });
  store.driver.startTrace();
  const memory = await open();
  const { records } = memory;
  await records.put(RUN, START, { expected: null, ttl: 60, operationId: "a" });
  await records.put(RUN, START, { expected: 1, ttl: 60 });
  await records.update(RUN, (value) => value, { ttl: 60 });
  await records.list("orchard");
  await records.list("orchard", { kind: "checkpoint" });
  await records.forget(RUN, 3, { operationId: "b" });
  await records.forget(RUN, null, { revoke: true });
  await records.put(factAt("a"), factOf("x"), { expected: null, ttl: 60 });
  await records.purge("orchard", { now: 2_000 });
  await records.put(factAt("b"), factOf("x"), { expected: null, ttl: 60 });
  store.driver.fail({ database: "main", sql: "INSERT INTO deletions", effect: "before", code: 10 });
  await assert.rejects(records.forget(factAt("b"), 5), { code: "IO" });
  assert.equal(await records.get(factAt("b")), null);
  await records.put(factAt("c"), factOf("x"), { expected: null, ttl: 60, now: 1_000 });
  clock.set(3_000);
  await memory.prune({ scrub: false });
  await memory.check();
  const met = store.driver.stopTrace().flatMap(({ database, sql }) =>
    database === "main" && sql !== null ? [sql] : []
  );
  return new Set(met.filter((sql) => TABLES.test(sql)));
}

/** One line, single blanks. */
function onOneLine(sql: string): string {
  return sql.replace(/\s+/g, " ").replace(/\( /g, "(");
}

Deno.test("Every statement on records, operations and deletions searches its exact index, and none but a check's counts scans", async () => {
  await using store = await makeFileStore(new FaultyDriver(nodeSqlite));
  const statements = await collectStatements(store);
  const met = new Map<string, readonly string[]>();
  const unknown: string[] = [];
  for (const sql of statements) {
    if (/^CREATE|^PRAGMA/.test(sql)) continue;
    const line = onOneLine(sql);
    const begin = Object.keys(PLANS).filter((each) =>
      line.startsWith(each)
    ).toSorted((a, b) => b.length - a.length)[0];
    const plan = store.sql(`EXPLAIN QUERY PLAN ${sql.replace(/\$\d+/g, "1")}`).map((row) => String(row[3]));
    if (begin === undefined) unknown.push(`${line}: ${plan.join("; ")}`);
    else met.set(begin, plan);
  }
  assert.deepEqual(unknown, [], "no plan is written down for these");
  assert.deepEqual(Object.fromEntries([...met].sort()), Object.fromEntries(Object.entries(PLANS).sort()));
});

testThatNothingIsLeftOpen();
