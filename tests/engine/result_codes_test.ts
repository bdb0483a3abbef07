import assert from "node:assert/strict";
import { SqliteFailure } from "../../src/engines/sqlite/drivers/driver.ts";
import { isBusy, isFull, toMemoryError } from "../../src/engines/sqlite/drivers/result_codes.ts";
import { ContractError, IntegrityError, StorageError } from "../../src/errors.ts";

/** SQLite's result codes, some of them extended, and the error of each. */
const CODES: readonly (readonly [string, number, string])[] = [
  ["ERROR", 1, "CORRUPT"],
  ["PERM", 3, "PERMISSION"],
  ["BUSY", 5, "BUSY"],
  ["BUSY_RECOVERY", 261, "BUSY"],
  ["BUSY_SNAPSHOT", 517, "BUSY"],
  ["BUSY_TIMEOUT", 773, "BUSY"],
  ["LOCKED", 6, "BUSY"],
  ["LOCKED_SHAREDCACHE", 262, "BUSY"],
  ["NOMEM", 7, "IO"],
  ["READONLY", 8, "READONLY"],
  ["READONLY_DBMOVED", 1032, "REPLACED"],
  ["INTERRUPT", 9, "IO"],
  ["IOERR", 10, "IO"],
  ["IOERR_WRITE", 778, "IO"],
  ["IOERR_FSYNC", 1034, "IO"],
  ["CORRUPT", 11, "CORRUPT"],
  ["CORRUPT_INDEX", 779, "CORRUPT"],
  ["FULL", 13, "FULL"],
  ["CANTOPEN", 14, "IO"],
  ["CANTOPEN_SYMLINK", 1550, "IO"],
  ["PROTOCOL", 15, "IO"],
  ["SCHEMA", 17, "CORRUPT"],
  ["TOOBIG", 18, "IO"],
  ["MISMATCH", 20, "IO"],
  ["MISUSE", 21, "IO"],
  ["AUTH", 23, "PERMISSION"],
  ["RANGE", 25, "IO"],
  ["NOTADB", 26, "CORRUPT"],
  ["a code of the future", 99, "IO"],
];

Deno.test("DRV-11 each SQLite code becomes one typed error that keeps code, file and cause", () => {
  for (const [name, resultCode, code] of CODES) {
    const failure = new SqliteFailure(resultCode, "as SQLite puts it");
    for (const database of ["main", "ledger"] as const) {
      const error = toMemoryError(failure, database);
      assert(error instanceof StorageError, name);
      assert.equal(error.code, code, name);
      assert.equal(error.cause, failure, name);
      const by = code === "REPLACED" ? { by: "file" } : {};
      assert.deepEqual(error.details, { database, resultCode, ...by }, name);
      assert.equal(error.message.includes("as SQLite puts it"), false, name);
    }
  }
});

Deno.test("DRV-11 a constraint that refuses a write is INTEGRITY: no statement breaks one by itself", () => {
  for (const resultCode of [19, 275, 787, 1043, 1299, 1555, 1811, 2067, 3091]) {
    const error = toMemoryError(new SqliteFailure(resultCode, "refused"), "main");
    assert(error instanceof IntegrityError, String(resultCode));
    assert.deepEqual(error.details, { database: "main", resultCode });
  }
});

Deno.test("toMemoryError() leaves this module's errors and foreign ones as they are", () => {
  for (const error of [new ContractError("field", "wrong"), new TypeError("bug"), "thrown", null]) {
    assert.equal(toMemoryError(error, "main"), error);
  }
});

Deno.test("isBusy() and isFull() recognize exactly these two", () => {
  assert.equal(isBusy(new StorageError("BUSY", "held")), true);
  assert.equal(isBusy(new StorageError("FULL", "full")), false);
  assert.equal(isFull(new StorageError("FULL", "full")), true);
  assert.equal(isFull(new SqliteFailure(13, "full")), false);
  assert.equal(isBusy(undefined), false);
});
