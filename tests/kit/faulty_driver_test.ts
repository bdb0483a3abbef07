import assert from "node:assert/strict";
import { SqliteFailure } from "../../src/engines/sqlite/drivers/driver.ts";
import type { SqliteConnection } from "../../src/engines/sqlite/drivers/driver.ts";
import { nodeSqlite } from "../../src/engines/sqlite/drivers/node_sqlite.ts";
import { RESULT } from "../../src/engines/sqlite/drivers/result_codes.ts";
import { FaultyDriver } from "./faulty_driver.ts";

/** A driver, and a connection in memory with an empty table. */
function openTable(): { driver: FaultyDriver; connection: SqliteConnection } & Disposable {
  const driver = new FaultyDriver(nodeSqlite);
  const connection = driver.open(":memory:", { readOnly: false });
  run(connection, "CREATE TABLE t (a INTEGER)");
  return { driver, connection, [Symbol.dispose]: () => driver.closeAll() };
}

function run(connection: SqliteConnection, sql: string): number {
  return connection.prepare(sql).run([]);
}

function count(connection: SqliteConnection): unknown {
  return connection.prepare("SELECT count(*) FROM t").get([])![0];
}

function assertStruck(code: number, call: () => unknown): void {
  assert.throws(call, (error) => error instanceof SqliteFailure && error.resultCode === code);
}

Deno.test("FaultyDriver without faults is the driver it wraps, and counts what reaches it", () => {
  using opened = openTable();
  const { driver, connection } = opened;
  assert.equal(driver.name, nodeSqlite.name);
  assert.equal(run(connection, "INSERT INTO t VALUES (1), (2)"), 2);
  assert.equal(count(connection), 2);
  assert.equal(driver.calls, 7);
  assert.deepEqual(driver.struck, []);
});

Deno.test("FaultyDriver tells main from ledger: by path, and in memory by the order of opening", () => {
  const driver = new FaultyDriver(nodeSqlite);
  driver.startTrace();
  for (let index = 0; index < 4; index++) driver.open(":memory:", { readOnly: false });
  assert.deepEqual(driver.stopTrace().map(({ database }) => database), ["ledger", "main", "ledger", "main"]);
  assert.equal(driver.openConnections, 4);
  driver.closeAll();
  assert.equal(driver.openConnections, 0);
});

Deno.test("A fault before its effect leaves nothing behind, one after it does; each strikes once", () => {
  using opened = openTable();
  const { driver, connection } = opened;
  driver.fail({ sql: "INSERT", effect: "before", code: RESULT.IOERR });
  assertStruck(RESULT.IOERR, () => run(connection, "INSERT INTO t VALUES (1)"));
  assert.equal(count(connection), 0);
  driver.fail({ sql: "INSERT", effect: "after", code: RESULT.IOERR });
  assertStruck(RESULT.IOERR, () => run(connection, "INSERT INTO t VALUES (1)"));
  assert.equal(count(connection), 1);
  assert.equal(run(connection, "INSERT INTO t VALUES (2)"), 1);
  assert.deepEqual(driver.struck.map(({ verb, sql }) => [verb, sql]), [
    ["run", "INSERT INTO t VALUES (1)"],
    ["run", "INSERT INTO t VALUES (1)"],
  ]);
});

Deno.test("A fault skips as many calls as it is told, and with lasting strikes all that follow until healed", () => {
  using opened = openTable();
  const { driver, connection } = opened;
  driver.fail({ sql: /INSERT/, skip: 2, lasting: true, effect: "before", code: RESULT.FULL });
  run(connection, "INSERT INTO t VALUES (1)");
  run(connection, "INSERT INTO t VALUES (2)");
  for (let index = 0; index < 3; index++) {
    assertStruck(RESULT.FULL, () => run(connection, "INSERT INTO t VALUES (3)"));
  }
  driver.heal();
  run(connection, "INSERT INTO t VALUES (4)");
  assert.equal(count(connection), 3);
});

Deno.test("A fault can be meant for one database only", () => {
  const driver = new FaultyDriver(nodeSqlite);
  const ledger = driver.open(":memory:", { readOnly: false });
  const main = driver.open(":memory:", { readOnly: false });
  driver.fail({ database: "main", verbs: ["run"], effect: "before", code: RESULT.READONLY });
  run(ledger, "CREATE TABLE t (a)");
  assertStruck(RESULT.READONLY, () => run(main, "CREATE TABLE t (a)"));
  driver.closeAll();
});

Deno.test("After FULL, IOERR and NOMEM the whole transaction is rolled back, after BUSY and CORRUPT it stays open", () => {
  for (const code of [RESULT.FULL, RESULT.IOERR, RESULT.NOMEM, 778]) {
    using opened = openTable();
    const { driver, connection } = opened;
    run(connection, "BEGIN IMMEDIATE");
    run(connection, "INSERT INTO t VALUES (1)");
    driver.fail({ sql: "INSERT", effect: "after", code });
    assertStruck(code, () => run(connection, "INSERT INTO t VALUES (2)"));
    assert.equal(connection.isTransaction, false);
    assert.equal(count(connection), 0);
  }
  for (const code of [RESULT.BUSY, RESULT.CORRUPT]) {
    using opened = openTable();
    const { driver, connection } = opened;
    run(connection, "BEGIN IMMEDIATE");
    driver.fail({ sql: "INSERT", effect: "after", code });
    assertStruck(code, () => run(connection, "INSERT INTO t VALUES (2)"));
    assert.equal(connection.isTransaction, true);
  }
});

Deno.test("A transaction can be kept although SQLite might have rolled it back", () => {
  using opened = openTable();
  const { driver, connection } = opened;
  run(connection, "BEGIN IMMEDIATE");
  driver.fail({ sql: "INSERT", effect: "before", code: RESULT.FULL, transaction: "kept" });
  assertStruck(RESULT.FULL, () => run(connection, "INSERT INTO t VALUES (1)"));
  assert.equal(connection.isTransaction, true);
});

Deno.test("A COMMIT can fail and be durable, fail and be rolled back, or fail and stay open", () => {
  const ways = [["after", RESULT.IOERR, 1, false], ["before", RESULT.IOERR, 0, false], [
    "before",
    RESULT.BUSY,
    1,
    true,
  ]] as const;
  for (const [effect, code, rows, isOpen] of ways) {
    using opened = openTable();
    const { driver, connection } = opened;
    run(connection, "BEGIN IMMEDIATE");
    run(connection, "INSERT INTO t VALUES (1)");
    driver.fail({ sql: "COMMIT", effect, code });
    assertStruck(code, () => run(connection, "COMMIT"));
    assert.deepEqual([connection.isTransaction, count(connection)], [isOpen, rows]);
  }
});

Deno.test("While a fault lasts ROLLBACK passes, unless it is struck first", () => {
  using opened = openTable();
  const { driver, connection } = opened;
  run(connection, "BEGIN IMMEDIATE");
  driver.fail({ verbs: ["run"], lasting: true, effect: "before", code: RESULT.BUSY });
  assertStruck(RESULT.BUSY, () => run(connection, "ROLLBACK"));
  run(connection, "ROLLBACK");
  assertStruck(RESULT.BUSY, () => run(connection, "BEGIN IMMEDIATE"));
});

Deno.test("A recorded trace names the calls by which each of them can be struck again", () => {
  using opened = openTable();
  const { driver, connection } = opened;
  const work = (): void => {
    run(connection, "INSERT INTO t VALUES (1)");
    count(connection);
  };
  driver.startTrace();
  work();
  const trace = driver.stopTrace();
  assert.deepEqual(trace.map(({ verb }) => verb), ["prepare", "run", "prepare", "get"]);
  for (const [skip, call] of trace.entries()) {
    driver.fail({ skip, effect: "before", code: RESULT.BUSY });
    assertStruck(RESULT.BUSY, work);
    assert.deepEqual(driver.struck.at(-1), call);
    driver.heal();
  }
});

Deno.test("After a crash every call fails, to roll back and to close as well; then what was not committed is gone", () => {
  const driver = new FaultyDriver(nodeSqlite);
  const connection = driver.open(":memory:", { readOnly: false });
  run(connection, "CREATE TABLE t (a INTEGER)");
  run(connection, "BEGIN IMMEDIATE");
  driver.crashAt({ sql: "INSERT", effect: "after" });
  for (const sql of ["INSERT INTO t VALUES (1)", "SELECT 1", "ROLLBACK"]) {
    assertStruck(RESULT.IOERR, () => run(connection, sql));
  }
  assertStruck(RESULT.IOERR, () => connection.close());
  assert.equal(driver.openConnections, 1);
  driver.closeAll();
  assert.equal(driver.openConnections, 0);
});

Deno.test("A statement that is handed too few or too many parameters is refused: SQLite would take NULL", () => {
  using opened = openTable();
  const statement = opened.connection.prepare("INSERT INTO t VALUES ($1)");
  for (const parameters of [[], [1, 2]]) assert.throws(() => statement.run(parameters), RangeError);
});
