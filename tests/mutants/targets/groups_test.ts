import assert from "node:assert/strict";
import { SqliteFailure } from "@holdfast/memory";
import type { DeletionEvent, EventPlace, Operation } from "../../../src/engine/operation.ts";
import { engineOf } from "../../../src/memory.ts";
import type { Hook } from "./hooked_driver.ts";
import { fact, factId, TestBed } from "./store.ts";

const IOERR = 10;
const BUSY_SNAPSHOT = 517;

/** The first COMMIT of a database that does what it should and says that it failed. */
function lyingCommit(on: "main" | "ledger"): Hook {
  let lies = 1;
  return (database, sql, run) => {
    const result = run();
    if (database === on && sql === "COMMIT" && lies-- > 0) throw new SqliteFailure(IOERR, "a lie");
    return result;
  };
}

Deno.test("A group that SQLite rolled back as a whole acknowledges nothing that is not there", async () => {
  await using bed = await TestBed.inMemory();
  bed.driver.rows(
    "main",
    "CREATE TRIGGER bad BEFORE INSERT ON records WHEN NEW.key = 'bad' BEGIN SELECT RAISE(ROLLBACK, 'no'); END",
  );
  const puts = ["good-1", "bad", "good-2"].map((key) =>
    bed.records.put(factId(key), fact(), { expectedRevision: null, ttl: 60 })
  );
  const settled = await Promise.allSettled(puts);
  assert.deepEqual(settled.map(({ status }) => status), ["fulfilled", "rejected", "fulfilled"]);
  assert.deepEqual(bed.driver.rows("main", "SELECT key FROM records ORDER BY key"), [["good-1"], ["good-2"]]);
});

Deno.test("A member that fails after its first write leaves nothing of it behind", async () => {
  await using bed = await TestBed.inMemory();
  bed.driver.rows(
    "main",
    "CREATE TRIGGER bad BEFORE INSERT ON operations BEGIN SELECT RAISE(ABORT, 'no'); END",
  );
  const good = bed.records.put(factId("good"), fact(), { expectedRevision: null, ttl: 60 });
  const bad = bed.records.put(factId("bad"), fact(), {
    expectedRevision: null,
    ttl: 60,
    operationId: "op-1",
  });
  await assert.rejects(bad);
  assert.equal(await good, 1);
  assert.deepEqual(bed.driver.rows("main", "SELECT key FROM records"), [["good"]]);
});

Deno.test("A deletion whose member fails is not recorded", async () => {
  await using bed = await TestBed.inMemory();
  const engine = engineOf(bed.memory);
  const deletionOf = (id: number): DeletionEvent => {
    const hash = new Uint8Array(16).fill(id);
    return { kind: "record", scopeHash: hash, keyHash: hash, reserved: true, floor: 1, counts: {} };
  };
  const good = engine.write(function* (transaction): Operation<EventPlace> {
    yield* transaction.get("SELECT count(*) FROM records");
    return transaction.record(deletionOf(1));
  });
  const bad = engine.write(function* (transaction): Operation<never> {
    transaction.record(deletionOf(2));
    yield* transaction.get("SELECT count(*) FROM records");
    throw new Error("The member fails");
  });
  await assert.rejects(bad, { message: "The member fails" });
  assert.equal(await good.then(({ sequence }) => sequence, () => "failed"), 1);
  assert.deepEqual(bed.driver.rows("ledger", "SELECT count(*) FROM events"), [[1]]);
});

Deno.test("A COMMIT that took effect and was reported as failed is found out", async () => {
  await using bed = await TestBed.inMemory();
  bed.driver.hook = lyingCommit("main");
  const put = bed.records.put(factId("a"), fact(), { expectedRevision: null, ttl: 60 });
  await assert.doesNotReject(put);
});

Deno.test("A ledger's COMMIT that took effect and was reported as failed is found out", async () => {
  await using bed = await TestBed.inMemory();
  const revision = await bed.records.put(factId("a"), fact(), { expectedRevision: null, ttl: 60 });
  bed.driver.hook = lyingCommit("ledger");
  await assert.doesNotReject(bed.records.forget(factId("a"), revision));
});

Deno.test("After a COMMIT whose outcome stays unknown nothing more is written until the store is opened again", async () => {
  await using bed = await TestBed.inFile();
  let failing = false;
  bed.driver.hook = (database, sql, run) => {
    if (database === "main" && sql === "COMMIT") failing = true;
    if (!failing || database !== "main") return run();
    if (sql === "COMMIT") bed.driver.rows("main", "ROLLBACK");
    throw new SqliteFailure(IOERR, "gone");
  };
  const unknown = bed.records.put(factId("a"), fact(), { expectedRevision: null, ttl: 60 });
  await assert.rejects(
    unknown,
    (error: { details: { outcome: unknown } }) => error.details.outcome === "unknown",
  );
  bed.driver.hook = (_database, _sql, run) => run();
  await assert.rejects(bed.records.put(factId("b"), fact(), { expectedRevision: null, ttl: 60 }), {
    code: "IO",
  });
});

Deno.test("A lock that another connection holds is BUSY", async () => {
  await using bed = await TestBed.inFile();
  bed.driver.hook = (database, sql, run) => {
    if (database === "main" && sql.startsWith("BEGIN")) throw new SqliteFailure(5, "database is locked");
    return run();
  };
  const put = bed.records.put(factId("a"), fact(), { expectedRevision: null, ttl: 60 });
  await assert.rejects(put, { code: "BUSY", retryable: true });
});

Deno.test("DRV-03: an extended code of BUSY is waited for like any other", async () => {
  await using bed = await TestBed.inMemory();
  let busy = 2;
  bed.driver.hook = (database, sql, run) => {
    if (database === "main" && sql.startsWith("BEGIN") && busy-- > 0) {
      throw new SqliteFailure(BUSY_SNAPSHOT, "busy");
    }
    return run();
  };
  await assert.doesNotReject(bed.records.put(factId("a"), fact(), { expectedRevision: null, ttl: 60 }));
});

Deno.test("A put that is withdrawn while it is queued never happens", async () => {
  await using bed = await TestBed.inMemory();
  const controller = new AbortController();
  const put = bed.records.put(factId("a"), fact(), {
    expectedRevision: null,
    ttl: 60,
    signal: controller.signal,
  });
  controller.abort("enough");
  await assert.rejects(put, (reason) => reason === "enough");
  await bed.records.put(factId("b"), fact(), { expectedRevision: null, ttl: 60 });
  assert.deepEqual(bed.driver.rows("main", "SELECT key FROM records"), [["b"]]);
});

Deno.test("Everything after close() is CLOSED", async () => {
  await using bed = await TestBed.inFile();
  const { memory } = bed;
  await memory.close();
  await assert.rejects(memory.records.get(factId("a")), { code: "CLOSED" });
  await assert.rejects(memory.records.put(factId("a"), fact(), { expectedRevision: null, ttl: 60 }), {
    code: "CLOSED",
  });
});
