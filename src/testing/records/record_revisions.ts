/** Compare and swap: who may write, and what a revision is. */

import assert from "node:assert/strict";
import { ConflictError, IntegrityError } from "../../errors.ts";
import { MutableClock } from "../kit/mutable_clock.ts";
import { forEachRow } from "../kit/each_row.ts";
import type { Suite } from "../kit/suite.ts";
import { factAt, factOf, PREFERENCE, RUN, START } from "./record_samples.ts";

const AT_100 = { ttl: 60, now: 100 };

export function testRevisions({ promise, refusing }: Suite): void {
  promise(
    "Records.put() that would create over a live row conflicts and tells its revision",
    async (store) => {
      const { records } = await store.open();
      await records.put(RUN, START, { expectedRevision: null, ...AT_100 });
      await store.assertChangesNothing(() => records.put(RUN, START, { expectedRevision: null, ...AT_100 }), {
        code: "CONFLICT",
        reason: "REVISION",
        currentRevision: 1,
        retryable: true,
      });
    },
  );

  promise("Records.put() that expects a row where there is none conflicts with null", async (store) => {
    const { records } = await store.open();
    await store.assertChangesNothing(() => records.put(RUN, START, { expectedRevision: 1, ...AT_100 }), {
      code: "CONFLICT",
      reason: "REVISION",
      currentRevision: null,
    });
  });

  promise(
    "Of two puts that expect one revision the first wins and the second learns the new one",
    async (store) => {
      const { records } = await store.open();
      await records.put(PREFERENCE, factOf("start"), { expectedRevision: null, ...AT_100 });
      const [first, second] = await Promise.allSettled([
        records.put(PREFERENCE, factOf("first"), { expectedRevision: 1, ...AT_100 }),
        records.put(PREFERENCE, factOf("second"), { expectedRevision: 1, ...AT_100 }),
      ]);
      assert.deepEqual(first, { status: "fulfilled", value: 2 });
      assert.equal(second.status, "rejected");
      assert((second as PromiseRejectedResult).reason instanceof ConflictError);
      assert.equal((second as PromiseRejectedResult).reason.currentRevision, 2);
      assert.equal((await records.get(PREFERENCE, { now: 100 }))?.value.text, "first");
    },
  );

  promise("Revisions come from one counter for the whole store", async (store) => {
    const { records } = await store.open();
    assert.equal(await records.put(RUN, START, { expectedRevision: null, ...AT_100 }), 1);
    assert.equal(
      await records.put(factAt("a", "harbour"), factOf("x"), { expectedRevision: null, ...AT_100 }),
      2,
    );
    assert.equal(await records.put(RUN, START, { expectedRevision: 1, ...AT_100 }), 3);
  });

  promise("A refused put uses up no revision", async (store) => {
    const { records } = await store.open();
    await records.put(RUN, START, { expectedRevision: null, ...AT_100 });
    for (let attempt = 0; attempt < 5; attempt++) {
      await assert.rejects(records.put(RUN, START, { expectedRevision: 9, ...AT_100 }), {
        reason: "REVISION",
      });
    }
    assert.equal(await records.put(RUN, START, { expectedRevision: 1, ...AT_100 }), 2);
  });

  promise(
    "A record forgotten and created again never has an earlier revision: stale tokens do not match",
    async (store) => {
      const { records } = await store.open();
      await records.put(RUN, START, { expectedRevision: null, ...AT_100 });
      await records.forget(RUN, 1);
      assert.equal(await records.put(RUN, START, { expectedRevision: null, ...AT_100 }), 2);
      await store.assertChangesNothing(() => records.put(RUN, START, { expectedRevision: 1, ...AT_100 }), {
        reason: "REVISION",
        currentRevision: 2,
      });
      assert.equal(await records.forget(RUN, 1), false);
    },
  );

  promise("REC-06 every way to change a record holds to the revision it was handed", async (store) => {
    const { records } = await store.open();
    await records.put(PREFERENCE, factOf("first"), { expectedRevision: null, ttl: 60 });
    await records.put(PREFERENCE, factOf("by B"), { expectedRevision: 1, ttl: 60 });
    const before = await store.state();
    assert.equal(await records.forget(PREFERENCE, 1), false);
    await assert.rejects(records.put(PREFERENCE, factOf("by A"), { expectedRevision: 1, ttl: 60 }), {
      currentRevision: 2,
    });
    await assert.rejects(records.put(PREFERENCE, factOf("by B"), { expectedRevision: 1, ttl: 600 }), {
      currentRevision: 2,
    });
    assert.deepEqual(await store.state(), before);
    await records.update(PREFERENCE, (value) => ({ ...value, source: value.text }), { ttl: 60 });
    assert.equal((await records.get(PREFERENCE))?.value.source, "by B");
  });

  promise("REC-09 five writes within one tick of the clock get five revisions", async (store) => {
    const clock = new MutableClock();
    clock.ms = 1_750_000_000_000;
    const { records } = await store.open({ clock: clock.now });
    const revisions = [await records.put(RUN, START, { expectedRevision: null, ttl: 60 })];
    for (let write = 1; write < 5; write++) {
      revisions.push(await records.put(RUN, START, { expectedRevision: revisions.at(-1)!, ttl: 60 }));
    }
    assert.deepEqual(revisions, [1, 2, 3, 4, 5]);
  });

  refusing("A statement that fails after the counter moved takes back counter and row", async (store) => {
    const { records } = await store.open();
    await records.put(RUN, START, { expectedRevision: null, ...AT_100 });
    const allow = await store.refuse({ table: "records", verb: "UPDATE" });
    await store.assertChangesNothing(
      () => records.put(RUN, { ...START, step: 1 }, { expectedRevision: 1, ...AT_100 }),
      IntegrityError,
    );
    await allow();
    assert.equal((await records.get(RUN, { now: 100 }))?.value.step, 0);
    assert.equal(await records.put(RUN, START, { expectedRevision: 1, ...AT_100 }), 2);
  });

  promise(
    "Records.put() and forget() refuse an expected revision that is no whole number from 1 to 2^53 - 1",
    async (store) => {
      const { records } = await store.open();
      await records.put(RUN, START, { expectedRevision: null, ...AT_100 });
      await forEachRow(
        [0, -1, 1.5, NaN, Infinity, "1", 1n, true, undefined, 2 ** 53, {}],
        async (expected) => {
          const refusal = { code: "CONTRACT", field: "expectedRevision" };
          const options = { expectedRevision: expected as number, ...AT_100 };
          await store.assertChangesNothing(() => records.put(RUN, START, options), refusal);
          await store.assertChangesNothing(() => records.forget(RUN, expected as number), refusal);
        },
      );
    },
  );

  promise("Records refuse a now that is no whole number from 0 to 10^10, in every call", async (store) => {
    const { records } = await store.open();
    await records.put(RUN, START, { expectedRevision: null, ...AT_100 });
    await forEachRow([-1, -0, 0.5, NaN, Infinity, "100", 100n, true, null, 10_000_000_001], async (now) => {
      const refusal = { code: "CONTRACT", field: "now" };
      const options = { now: now as number };
      await store.assertChangesNothing(
        () => records.put(RUN, START, { expectedRevision: 1, ttl: 60, ...options }),
        refusal,
      );
      await store.assertChangesNothing(() => records.get(RUN, options), refusal);
      await store.assertChangesNothing(() => records.list("orchard", options), refusal);
      await store.assertChangesNothing(() => records.purge("orchard", options), refusal);
    });
  });

  promise("Records take times from 0 to 10^10", async (store) => {
    const { records } = await store.open();
    await records.put(factAt("first"), factOf("x"), { expectedRevision: null, ttl: 1, now: 0 });
    assert.equal((await records.get(factAt("first"), { now: 0 }))?.expires, 1);
    await records.put(factAt("last"), factOf("x"), { expectedRevision: null, ttl: 1, now: 10_000_000_000 });
    assert.equal((await records.get(factAt("last"), { now: 10_000_000_000 }))?.expires, 10_000_000_001);
  });
}
