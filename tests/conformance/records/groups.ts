/** Concurrent writes share a transaction; each one's fate is its own. */

import assert from "node:assert/strict";
import { IntegrityError } from "../../../src/errors.ts";
import type { TestStore } from "../../kit/test_store.ts";
import type { RecordsSuite } from "./promise.ts";
import { ANYTHING, factAt, factOf, PREFERENCE, RUN, START } from "./samples.ts";

const CREATE = { expectedRevision: null, ttl: 60, now: 100 };
const MEMBERS = 64;

/** k00 to k63. */
const KEYS = Array.from({ length: MEMBERS }, (_, index) => `k${String(index).padStart(2, "0")}`);

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

export function testGroups(suite: RecordsSuite): void {
  testOrder(suite);
  testIsolation(suite);
}

function testOrder({ promise }: RecordsSuite): void {
  promise("A read after an acknowledged write sees it, on every read path", async (store) => {
    const { records } = await store.open();
    for (let step = 0; step < 3; step++) {
      const revision = await records.put(RUN, { ...START, step }, {
        ...CREATE,
        expectedRevision: step === 0 ? null : step,
      });
      assert.equal((await records.get(RUN, { now: 100 }))?.value.step, step);
      assert.equal((await records.list("orchard", { now: 100 })).items[0]?.revision, revision);
    }
    await records.forget(RUN, 3);
    assert.equal(await records.get(RUN, { now: 100 }), null);
    assert.deepEqual((await records.list("orchard", { now: 100 })).items, []);
  });

  promise("A read does not see a write that is still queued", async (store) => {
    const { records } = await store.open();
    const queued = records.put(RUN, START, CREATE);
    assert.equal(await records.get(RUN, { now: 100 }), null);
    assert.equal(await queued, 1);
  });

  promise("Writes of one process run in call order, whatever their kind", async (store) => {
    const { records } = await store.open();
    const calls = [
      records.put(RUN, START, CREATE),
      records.put(RUN, START, { ...CREATE, expectedRevision: 1 }),
      records.forget(RUN, 2),
      records.put(RUN, START, CREATE),
      records.purge("orchard", { now: 160 }),
      records.put(RUN, START, CREATE),
      records.forget(RUN, 4, { revoke: true }),
      records.put(RUN, START, CREATE),
    ];
    assert.deepEqual(await outcomes(calls), [1, 2, true, 3, 1, 4, true, "DELETED"]);
  });

  promise(
    "DRV-05 a hundred interleaved flows, every second of which fails half-way, do not meet",
    async (store) => {
      const { records } = await store.open();
      const flows = Array.from({ length: 100 }, async (_, index) => {
        await records.put(factAt(`k${index}a`), factOf("first"), CREATE);
        const expectedRevision = index % 2 === 0 ? null : 999_999;
        await records.put(factAt(`k${index}b`), factOf("second"), { ...CREATE, expectedRevision });
        return "both";
      });
      const ended = await outcomes(flows);
      assert.equal(ended.filter((outcome) => outcome === "both").length, 50);
      assert.equal(ended.filter((outcome) => outcome === "REVISION").length, 50);
      assert.deepEqual(store.sql("SELECT count(*), counter FROM records, meta"), [[150, 150]]);
    },
  );
}

function testIsolation({ promise }: RecordsSuite): void {
  promise("Of 64 concurrent puts those that conflict fail alone, and use up no revision", async (store) => {
    const { records } = await store.open();
    const calls = KEYS.map((key, index) =>
      records.put(factAt(key), factOf("x"), { ...CREATE, expectedRevision: index % 4 === 3 ? 1_000 : null })
    );
    const ended = await outcomes(calls);
    let revision = 0;
    assert.deepEqual(ended, KEYS.map((_, index) => index % 4 === 3 ? "REVISION" : ++revision));
    assert.deepEqual(store.sql("SELECT count(*), counter FROM records, meta"), [[48, 48]]);
  });

  promise("Of 64 concurrent puts one that SQLite refuses fails alone", async (store) => {
    const { records } = await store.open();
    store.sql(
      "CREATE TRIGGER refusal BEFORE INSERT ON records WHEN NEW.key = 'k40' BEGIN SELECT RAISE(ABORT, 'no'); END",
    );
    const ended = await outcomes(KEYS.map((key) => records.put(factAt(key), factOf("x"), CREATE)));
    assert.deepEqual(
      ended,
      KEYS.map((_, index) => index === 40 ? "INTEGRITY" : index < 40 ? index + 1 : index),
    );
    assert.deepEqual(store.sql("SELECT count(*), counter FROM records, meta"), [[63, 63]]);
    store.sql("DROP TRIGGER refusal");
  });

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
    "Of concurrent forgets one that SQLite refuses records nothing; the others are recorded",
    (store) => assertOneForgetRefused(store, "RAISE(ABORT, 'no')"),
  );

  promise(
    "A RAISE(ROLLBACK) among concurrent forgets fails its own; the others are recorded once",
    (store) => assertOneForgetRefused(store, "RAISE(ROLLBACK, 'no')"),
  );

  promise("Five hundred concurrent puts all survive, in call order", async (store) => {
    const { records } = await store.open();
    const calls = Array.from(
      { length: 500 },
      (_, index) => records.put(factAt(`k${index}`), factOf("x"), CREATE),
    );
    assert.deepEqual(await Promise.all(calls), Array.from({ length: 500 }, (_, index) => index + 1));
    assert.deepEqual(store.sql("SELECT count(*), counter FROM records, meta"), [[500, 500]]);
  });

  promise("Concurrent puts larger together than one group all survive", async (store) => {
    const { records } = await store.open({ kinds: [ANYTHING] });
    const calls = Array.from(
      { length: 6 },
      (_, index) =>
        records.put({ tenantId: "orchard", kind: "anything", key: `k${index}` }, "x".repeat(400_000), {
          expectedRevision: null,
          ttl: null,
        }),
    );
    assert.deepEqual(await Promise.all(calls), [1, 2, 3, 4, 5, 6]);
  });

  promise("What one member wrote the next one in its group sees", async (store) => {
    const { records } = await store.open();
    const ended = await outcomes([
      records.put(PREFERENCE, factOf("first"), CREATE),
      records.put(PREFERENCE, factOf("second"), CREATE),
      records.put(PREFERENCE, factOf("third"), { ...CREATE, expectedRevision: 1 }),
    ]);
    assert.deepEqual(ended, [1, "REVISION", 2]);
    assert.equal((await records.get(PREFERENCE, { now: 100 }))?.value.text, "third");
  });
}
