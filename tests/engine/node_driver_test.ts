import assert from "node:assert/strict";
import type { SqlValue } from "../../src/engine/values.ts";
import type { SqliteConnection } from "../../src/engines/sqlite/drivers/driver.ts";
import { SqliteFailure } from "../../src/engines/sqlite/drivers/driver.ts";
import { nodeSqlite } from "../../src/engines/sqlite/drivers/node_sqlite.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";

/** A database in memory that closes itself, with a table of one strict integer column. */
function openNumbers(): SqliteConnection & Disposable {
  const connection = nodeSqlite.open(":memory:", { readOnly: false });
  connection.prepare("CREATE TABLE numbers (n INTEGER) STRICT").run([]);
  return Object.assign(connection, { [Symbol.dispose]: () => connection.close() });
}

/** Requires a failure with this primary result code. */
function assertFails(resultCode: number, call: () => unknown): void {
  assert.throws(call, (error) => {
    assert(error instanceof SqliteFailure, String(error));
    assert.equal(error.resultCode & 0xff, resultCode, error.message);
    return true;
  });
}

function store(connection: SqliteConnection, value: SqlValue): unknown {
  connection.prepare("DELETE FROM numbers").run([]);
  connection.prepare("INSERT INTO numbers VALUES ($1)").run([value]);
  return connection.prepare("SELECT n FROM numbers").get([])![0];
}

Deno.test("DRV-08 whole numbers up to 2^53 - 1 come back exactly, as numbers", () => {
  using connection = openNumbers();
  for (
    const value of [0, 1, -1, 4_000_000_000, 2 ** 31, -(2 ** 31), 1_750_000_000_000, 2 ** 53 - 1, 1 - 2 ** 53]
  ) {
    assert.equal(store(connection, value), value);
    assert.equal(store(connection, BigInt(value)), value);
  }
});

Deno.test("DRV-08 whole numbers beyond 2^53 - 1 are refused, not rounded", () => {
  using connection = openNumbers();
  for (const value of [2 ** 53, 2n ** 53n + 1n, -(2n ** 53n), 2n ** 63n - 1n, 2n ** 63n]) {
    assert.throws(() => store(connection, value), SqliteFailure);
  }
});

Deno.test("DRV-10 a value for which SQLite has no type is refused when it is bound", () => {
  using connection = openNumbers();
  for (const value of [undefined, true, 0.5, Infinity, "1x", Symbol("x")]) {
    assert.throws(() => store(connection, value as SqlValue));
  }
});

Deno.test("DRV-11 a held lock is BUSY, whichever statement meets it", async () => {
  await using directory = await TemporaryDirectory.make();
  const holder = nodeSqlite.open(directory.file("a.db"), { readOnly: false });
  const other = nodeSqlite.open(directory.file("a.db"), { readOnly: false });
  holder.prepare("CREATE TABLE t (a)").run([]);
  holder.prepare("BEGIN EXCLUSIVE").run([]);
  for (
    const sql of ["BEGIN IMMEDIATE", "SELECT * FROM t", "INSERT INTO t VALUES (1)", "PRAGMA user_version = 2"]
  ) {
    assertFails(5, () => other.prepare(sql).all([]));
  }
  holder.close();
  other.close();
});

Deno.test("DRV-11 a full file, a read-only one and a broken constraint each have their code", async () => {
  await using directory = await TemporaryDirectory.make();
  const writer = nodeSqlite.open(directory.file("a.db"), { readOnly: false });
  writer.prepare("CREATE TABLE t (a UNIQUE)").run([]);
  writer.prepare("INSERT INTO t VALUES (1)").run([]);
  assertFails(19, () => writer.prepare("INSERT INTO t VALUES (1)").run([]));
  writer.prepare("PRAGMA max_page_count = 3").get([]);
  assertFails(13, () => writer.prepare("INSERT INTO t VALUES ($1)").run(["x".repeat(50_000)]));
  writer.close();
  const reader = nodeSqlite.open(directory.file("a.db"), { readOnly: true });
  assertFails(8, () => reader.prepare("INSERT INTO t VALUES (2)").run([]));
  reader.close();
});

Deno.test("DRV-11 a damaged page is CORRUPT, and a file of another program is NOTADB", async () => {
  await using directory = await TemporaryDirectory.make();
  const path = directory.file("a.db");
  const writer = nodeSqlite.open(path, { readOnly: false });
  writer.prepare("CREATE TABLE t (a)").run([]);
  writer.prepare("INSERT INTO t VALUES (1)").run([]);
  writer.close();
  const bytes = await Deno.readFile(path);
  bytes.fill(0xff, 4_096, 4_196);
  await Deno.writeFile(path, bytes);
  const damaged = nodeSqlite.open(path, { readOnly: false });
  assertFails(11, () => damaged.prepare("SELECT * FROM t").all([]));
  damaged.close();
  await Deno.writeFile(path, new Uint8Array(4_096).fill(7));
  const foreign = nodeSqlite.open(path, { readOnly: false });
  assertFails(26, () => foreign.prepare("SELECT * FROM t").all([]));
  foreign.close();
});

Deno.test("DRV-11 a file that cannot be opened is CANTOPEN", async () => {
  await using directory = await TemporaryDirectory.make();
  assertFails(14, () => nodeSqlite.open(directory.path, { readOnly: false }));
  assertFails(14, () => nodeSqlite.open(directory.file("none.db"), { readOnly: true }));
});

Deno.test("DRV-12 prepare() refuses a second statement, and an empty one", () => {
  using connection = openNumbers();
  const two = "INSERT INTO numbers VALUES (1); INSERT INTO numbers VALUES (2)";
  assert.throws(() => connection.prepare(two).run([]), SqliteFailure);
  assert.throws(() => connection.prepare("").run([]), SqliteFailure);
  assert.deepEqual(connection.prepare("SELECT n FROM numbers").all([]), []);
});

Deno.test("DRV-01 text with a NUL is truncated when read, and bytes are not: therefore bodies are JSON", () => {
  using connection = openNumbers();
  const [text, bytes] = connection.prepare("SELECT $1, CAST($1 AS BLOB)").get(["a\0b"])!;
  assert.equal(text, "a");
  assert.deepEqual([...bytes as Uint8Array], [0x61, 0x00, 0x62]);
});

Deno.test("Parameters are bound in order, however often and in whatever order a statement names them", () => {
  using connection = openNumbers();
  assert.deepEqual(connection.prepare("SELECT $2, $1, $2, $10 IS NULL").get([1, 2]), [2, 1, 2, 1]);
});

Deno.test("run() returns the number of rows changed, get() undefined if there is no row", () => {
  using connection = openNumbers();
  assert.equal(connection.prepare("INSERT INTO numbers VALUES (1), (2), (3)").run([]), 3);
  assert.equal(connection.prepare("UPDATE numbers SET n = n WHERE n > 1").run([]), 2);
  assert.equal(connection.prepare("SELECT n FROM numbers WHERE n = 9").get([]), undefined);
  assert.deepEqual(connection.prepare("SELECT n FROM numbers").all([]), [[1], [2], [3]]);
});
