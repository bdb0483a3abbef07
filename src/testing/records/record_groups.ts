/** Concurrent writes share a transaction; each one's fate is its own. */

import assert from "node:assert/strict";
import { RECORDS } from "../../tables/schema/main_tables.ts";
import type { Suite } from "../kit/suite.ts";
import { ANYTHING, factAt, factOf, PREFERENCE, RUN, START } from "./record_samples.ts";

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

export function testGroups(suite: Suite): void {
  testOrder(suite);
  testIsolation(suite);
}

function testOrder({ promise }: Suite): void {
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
      assert.deepEqual([await store.count(RECORDS), await store.counter()], [150, 150]);
    },
  );
}

function testIsolation({ promise, refusing }: Suite): void {
  promise("Of 64 concurrent puts those that conflict fail alone, and use up no revision", async (store) => {
    const { records } = await store.open();
    const calls = KEYS.map((key, index) =>
      records.put(factAt(key), factOf("x"), { ...CREATE, expectedRevision: index % 4 === 3 ? 1_000 : null })
    );
    const ended = await outcomes(calls);
    let revision = 0;
    assert.deepEqual(ended, KEYS.map((_, index) => index % 4 === 3 ? "REVISION" : ++revision));
    assert.deepEqual([await store.count(RECORDS), await store.counter()], [48, 48]);
  });

  refusing("Of 64 concurrent puts one that the database refuses fails alone", async (store) => {
    const { records } = await store.open();
    const allow = await store.refuse({
      table: "records",
      verb: "INSERT",
      where: { column: "key", text: "k40" },
    });
    const ended = await outcomes(KEYS.map((key) => records.put(factAt(key), factOf("x"), CREATE)));
    assert.deepEqual(
      ended,
      KEYS.map((_, index) => index === 40 ? "INTEGRITY" : index < 40 ? index + 1 : index),
    );
    assert.deepEqual([await store.count(RECORDS), await store.counter()], [63, 63]);
    await allow();
  });

  refusing(
    "Of concurrent forgets one that the database refuses records nothing; the others are recorded",
    async (store) => {
      const memory = await store.open();
      const { records } = memory;
      for (const key of KEYS.slice(0, 8)) await records.put(factAt(key), factOf("x"), CREATE);
      const allow = await store.refuse({
        table: "records",
        verb: "DELETE",
        where: { column: "key", text: "k03" },
      });
      const ended = await outcomes(
        KEYS.slice(0, 8).map((key, index) => records.forget(factAt(key), index + 1)),
      );
      assert.deepEqual(ended, [true, true, true, "INTEGRITY", true, true, true, true]);
      assert.equal((await memory.deletionWatermark()).sequence, 7);
      assert.deepEqual(await store.cells(RECORDS, "key"), [["k03"]]);
      await allow();
    },
  );

  promise("Five hundred concurrent puts all survive, in call order", async (store) => {
    const { records } = await store.open();
    const calls = Array.from(
      { length: 500 },
      (_, index) => records.put(factAt(`k${index}`), factOf("x"), CREATE),
    );
    assert.deepEqual(await Promise.all(calls), Array.from({ length: 500 }, (_, index) => index + 1));
    assert.deepEqual([await store.count(RECORDS), await store.counter()], [500, 500]);
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
