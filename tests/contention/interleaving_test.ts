import assert from "node:assert/strict";
import type { Operation, WriteTransaction } from "../../src/engine/operation.ts";
import { nodeSqlite } from "../../src/engines/sqlite/drivers/node_sqlite.ts";
import { LateModule } from "../../src/contracts/late_module.ts";
import { openStoreInMemory } from "../../src/engines/sqlite/open/open_store.ts";
import { SqliteEngine } from "../../src/engines/sqlite/sqlite_engine.ts";
import { putRecord } from "../../src/records/put.ts";

const BODY = '{"reviewed": false, "schema": 1, "source": "pair", "text": "one of two"}';

function* putPair(transaction: WriteTransaction, index: number): Operation<void> {
  for (const half of ["left", "right"]) {
    const identity = { tenantId: "orchard", kind: "fact", key: `pair-${index}-${half}` };
    yield* putRecord(transaction, {
      identity,
      keyHash: () => new Uint8Array(16),
      body: BODY,
      version: 1,
      expectedRevision: null,
      lifetime: { ttl: 60 },
      ttlMax: 60,
      replacesExpired: false,
      maxAge: null,
      now: 100,
      operation: null,
      subject: undefined,
      hashKey: new Uint8Array(16),
    });
    if (half === "left" && index % 2 === 1) throw new Error("between the two");
  }
}

Deno.test("DRV-05: of 100 writes of a pair at once, half of which throw between the two, exactly 50 pairs are there", async () => {
  const store = await openStoreInMemory(nodeSqlite);
  const engine = await SqliteEngine.start(store, {
    readOnly: false,
    busyTimeoutMs: 1_000,
    clock: undefined,
    applying: new LateModule(() => Promise.resolve({ applyEvent: () => assert.fail("nothing is pending") })),
  });
  const writes = Array.from(
    { length: 100 },
    (_, index) => engine.write((transaction) => putPair(transaction, index)),
  );
  const settled = await Promise.allSettled(writes);
  assert.equal(settled.filter(({ status }) => status === "fulfilled").length, 50);
  for (const result of settled) {
    if (result.status === "rejected") assert.equal((result.reason as Error).message, "between the two");
  }
  assert.equal(store.main.get("SELECT count(*) FROM records")![0], 100);
  assert.equal(store.main.get("SELECT counter FROM meta")![0], 100);
  assert.deepEqual(store.main.get("SELECT count(DISTINCT revision), max(revision) FROM records"), [100, 100]);
  await engine.close();
});
