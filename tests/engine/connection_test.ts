import assert from "node:assert/strict";
import {
  allRows,
  getEach,
  getRow,
  type Operation,
  runEach,
  runStatement,
  together,
} from "../../src/engine/operation.ts";
import { Connection, countTrips } from "../../src/engines/sqlite/database/connection.ts";
import { nodeSqlite } from "../../src/engines/sqlite/drivers/node_sqlite.ts";
import { RESULT } from "../../src/engines/sqlite/drivers/result_codes.ts";
import { IntegrityError, StorageError } from "../../src/errors.ts";
import { FaultyDriver } from "../kit/faulty_driver.ts";

/** A connection in memory with a table `t`, through a driver that fails on request. */
function openTable(): { connection: Connection; driver: FaultyDriver } & Disposable {
  const driver = new FaultyDriver(nodeSqlite);
  const connection = Connection.open("main", driver, ":memory:", { readOnly: false });
  connection.run("CREATE TABLE t (a INTEGER)");
  return { connection, driver, [Symbol.dispose]: () => connection.close() };
}

function* insertAndCount(values: readonly number[]): Operation<number> {
  for (const value of values) yield* runStatement("INSERT INTO t VALUES ($1)", value);
  const rows = yield* allRows("SELECT a FROM t");
  const last = yield* getRow("SELECT max(a) FROM t");
  assert.equal(last?.[0], Math.max(...values));
  return rows.length;
}

Deno.test("Connection.drive() runs an operation to its end and returns its result", () => {
  using opened = openTable();
  assert.equal(opened.connection.drive(insertAndCount([1, 2, 3])), 3);
});

function* insertAndFind(value: number): Operation<string> {
  const changed = yield* runEach("INSERT INTO t VALUES ($1)", [[value], [value + 1]]);
  const rows = yield* getEach("SELECT a FROM t WHERE a = $1", [[value], [-1]]);
  return `${changed} ${rows.map((row) => row?.[0])}`;
}

// deno-lint-ignore require-yield
function* nothing(): Operation<string> {
  return "nothing";
}

Deno.test("together() takes as many round trips as its longest operation, also nested, and returns each one's result", () => {
  using opened = openTable();
  const { connection } = opened;
  const before = countTrips();
  const nested = together([insertAndFind(3), runStatement("INSERT INTO t VALUES (9)")]);
  const results = connection.drive(together([insertAndFind(1), nested, nothing()]));
  assert.deepEqual(results, ["1,1 1,", ["1,1 3,", 1], "nothing"]);
  assert.equal(countTrips() - before, 2);
  assert.deepEqual(connection.all("SELECT a FROM t ORDER BY rowid"), [[1], [2], [3], [4], [9]]); // in their order
});

Deno.test("runEach(), getEach() and together() send nothing where there is nothing to do", () => {
  using opened = openTable();
  const before = countTrips();
  assert.deepEqual(
    opened.connection.drive(
      together([runEach("INSERT INTO t VALUES ($1)", []), getEach("SELECT 1", [])]),
    ),
    [[], []],
  );
  assert.deepEqual(opened.connection.drive(together([])), []);
  assert.equal(countTrips(), before);
});

Deno.test("Connection.drive() rolls nothing back by itself where a statement of a batch fails: the group does", () => {
  using opened = openTable();
  const { connection } = opened;
  connection.begin("immediate");
  const failing = together([insertAndFind(1), runStatement("INSERT INTO missing VALUES (1)")]);
  assert.throws(() => connection.drive(failing), StorageError);
  connection.rollback();
  assert.deepEqual(connection.all("SELECT a FROM t"), []);
});

Deno.test("Connection.drive() does not deliver SQL errors into the operation", () => {
  using opened = openTable();
  let delivered = false;
  function* operation(): Operation<void> {
    try {
      yield* runStatement("INSERT INTO missing VALUES (1)");
    } catch {
      delivered = true;
    }
  }
  assert.throws(() => opened.connection.drive(operation()), StorageError);
  assert.equal(delivered, false);
});

Deno.test("Connection.drive() rethrows what the operation itself throws", () => {
  using opened = openTable();
  const thrown = new IntegrityError("found damage");
  // deno-lint-ignore require-yield
  function* operation(): Operation<void> {
    throw thrown;
  }
  assert.throws(() => opened.connection.drive(operation()), (error) => error === thrown);
});

Deno.test("Connection prepares each statement once", () => {
  using opened = openTable();
  opened.driver.startTrace();
  for (let round = 0; round < 3; round++) opened.connection.get("SELECT a FROM t");
  assert.deepEqual(opened.driver.stopTrace().map(({ verb }) => verb), ["prepare", "get", "get", "get"]);
});

Deno.test("Connection.begin() ends a transaction that an earlier failure left open", () => {
  using opened = openTable();
  const { connection } = opened;
  connection.begin("immediate");
  connection.run("INSERT INTO t VALUES (1)");
  connection.begin("immediate");
  connection.commit();
  assert.deepEqual(connection.all("SELECT a FROM t"), []);
});

Deno.test("DRV-06 after an automatic rollback Connection.rollback() does nothing, and the first error is reported", () => {
  using opened = openTable();
  const { connection, driver } = opened;
  connection.begin("immediate");
  connection.run("INSERT INTO t VALUES (1)");
  driver.fail({ sql: "INSERT", effect: "after", code: RESULT.FULL });
  let first: unknown = null;
  try {
    connection.run("INSERT INTO t VALUES (2)");
  } catch (error) {
    first = error;
  }
  assert.equal(connection.isTransaction, false);
  assert.equal(connection.abandon(first), first);
  assert.equal((first as StorageError).code, "FULL");
  connection.begin("immediate");
  connection.run("INSERT INTO t VALUES (3)");
  connection.commit();
  assert.deepEqual(connection.all("SELECT a FROM t"), [[3]]);
});

Deno.test("Connection.abandon() that cannot roll back keeps the first error's code, with both as its cause", () => {
  using opened = openTable();
  const { connection, driver } = opened;
  connection.begin("immediate");
  driver.fail({ sql: "ROLLBACK", effect: "before", code: RESULT.BUSY });
  const first = new StorageError("FULL", "full", { details: { database: "main" } });
  const abandoned = connection.abandon(first) as StorageError;
  assert.equal(abandoned.code, "FULL");
  assert.deepEqual(abandoned.details, { database: "main" });
  assert.deepEqual((abandoned.cause as AggregateError).errors.map((error) => error.code), ["FULL", "BUSY"]);
});

Deno.test("A savepoint that is rolled back takes its own changes and no others", () => {
  using opened = openTable();
  const { connection } = opened;
  connection.begin("immediate");
  for (const value of [1, 2, 3]) {
    connection.savepoint();
    connection.run("INSERT INTO t VALUES ($1)", value);
    if (value === 2) connection.rollbackToSavepoint();
    else connection.releaseSavepoint();
  }
  connection.commit();
  assert.deepEqual(connection.all("SELECT a FROM t"), [[1], [3]]);
});
