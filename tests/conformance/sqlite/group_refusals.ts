/** Members of a group that SQLite refuses in ways of its own: triggers that end the transaction, a full file. */

import assert from "node:assert/strict";
import { IntegrityError } from "../../../src/errors.ts";
import { ANYTHING, factAt, factOf } from "../../../src/testing/records/record_samples.ts";
import type { TestStore } from "../../kit/test_store.ts";
import type { SqliteSuite } from "./promise.ts";

const CREATE = { expectedRevision: null, ttl: 60, now: 100 };

/** k00 to k63. */
const KEYS = Array.from({ length: 64 }, (_, index) => `k${String(index).padStart(2, "0")}`);

/** How each of several calls ended: its value, or its error's code or reason. */
async function outcomes(calls: readonly Promise<unknown>[]): Promise<unknown[]> {
  const settled = await Promise.allSettled(calls);
  return settled.map((each) =>
    each.status === "fulfilled" ? each.value : each.reason.reason ?? each.reason.code
  );
}

/** Forgets eight records at once, while SQLite refuses the fourth. */
async function assertOneForgetRefused(store: TestStore, refusal: string): Promise<void> {
  const memory = await store.open();
  const { records } = memory;
  for (const key of KEYS.slice(0, 8)) await records.put(factAt(key), factOf("x"), CREATE);
  store.sql(
    `CREATE TRIGGER refusal BEFORE DELETE ON records WHEN OLD.key = 'k03' BEGIN SELECT ${refusal}; END`,
  );
  const ended = await outcomes(
    KEYS.slice(0, 8).map((key, index) => records.forget(factAt(key), index + 1)),
  );
  assert.deepEqual(ended, [true, true, true, "INTEGRITY", true, true, true, true]);
  assert.equal((await memory.deletionWatermark()).sequence, 7);
  assert.deepEqual(store.sql("SELECT key FROM records"), [["k03"]]);
  store.sql("DROP TRIGGER refusal");
}

export function testGroupRefusals({ promise }: SqliteSuite): void {
  promise("A member after whose row a trigger aborts takes its row and its revision back", async (store) => {
    const { records } = await store.open();
    store.sql(
      "CREATE TRIGGER refusal AFTER INSERT ON records WHEN NEW.key = 'k40' BEGIN SELECT RAISE(FAIL, 'no'); END",
    );
    const ended = await outcomes(KEYS.map((key) => records.put(factAt(key), factOf("x"), CREATE)));
    assert.equal(ended.filter((outcome) => typeof outcome === "number").length, 63);
    assert.deepEqual(store.sql("SELECT count(*), counter FROM records, meta"), [[63, 63]]);
    assert.equal(await records.get(factAt("k40"), { now: 100 }), null);
    store.sql("DROP TRIGGER refusal");
  });

  promise(
    "A RAISE(ROLLBACK) in the middle of 64 concurrent puts fails its own put and no other",
    async (store) => {
      const { records } = await store.open();
      store.sql(
        "CREATE TRIGGER refusal AFTER INSERT ON records WHEN NEW.key = 'k40' BEGIN SELECT RAISE(ROLLBACK, 'no'); END",
      );
      const calls = KEYS.map((key) => records.put(factAt(key), factOf("x"), CREATE));
      await assert.rejects(calls[40]!, IntegrityError);
      const ended = await outcomes(calls);
      assert.deepEqual(
        ended,
        KEYS.map((_, index) => index === 40 ? "INTEGRITY" : index < 40 ? index + 1 : index),
      );
      assert.deepEqual(store.sql("SELECT count(*), counter FROM records, meta"), [[63, 63]]);
      store.sql("DROP TRIGGER refusal");
    },
  );

  promise(
    "DRV-06 a full file in the middle of a group fails the member that met it, with FULL",
    async (store) => {
      const { records } = await store.open({ kinds: [ANYTHING] });
      const large = { tenantId: "orchard", kind: "anything", key: "large" };
      const [[pages]] = store.sql("PRAGMA page_count") as [[number]];
      store.sql(`PRAGMA max_page_count = ${pages + 20}`);
      const ended = await outcomes([
        ...KEYS.slice(0, 8).map((key) => records.put(factAt(key), factOf("x"), CREATE)),
        records.put(large, "x".repeat(200_000), { expectedRevision: null, ttl: null }),
        ...KEYS.slice(8, 16).map((key) => records.put(factAt(key), factOf("x"), CREATE)),
      ]);
      assert.deepEqual(ended, [1, 2, 3, 4, 5, 6, 7, 8, "FULL", 9, 10, 11, 12, 13, 14, 15, 16]);
      store.sql("PRAGMA max_page_count = 1000000");
      assert.equal(await records.put(large, "x".repeat(200_000), { expectedRevision: null, ttl: null }), 17);
    },
  );

  promise(
    "Of concurrent forgets one that a trigger aborts records nothing; the others are recorded",
    (store) => assertOneForgetRefused(store, "RAISE(ABORT, 'no')"),
  );

  promise(
    "A RAISE(ROLLBACK) among concurrent forgets fails its own; the others are recorded once",
    (store) => assertOneForgetRefused(store, "RAISE(ROLLBACK, 'no')"),
  );
}
