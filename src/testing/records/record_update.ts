/** Reading, computing and writing back, again on conflict. */

import assert from "node:assert/strict";
import { MutableClock } from "../kit/mutable_clock.ts";
import { forEachRow } from "../kit/each_row.ts";
import type { Suite } from "../kit/suite.ts";
import { COUNTER, factOf, PREFERENCE, RUN, START } from "./record_samples.ts";

const CREATE = { expectedRevision: null, ttl: 60 };

export function testUpdate({ promise }: Suite): void {
  promise("Records.update() writes what change makes of the value, with a new deadline", async (store) => {
    const clock = new MutableClock(100);
    const { records } = await store.open({ clock: clock.now });
    await records.put(RUN, START, CREATE);
    clock.set(110);
    assert.equal(await records.update(RUN, (value) => ({ ...value, step: value.step + 1 }), { ttl: 60 }), 2);
    const found = await records.get(RUN);
    assert.deepEqual(found, { revision: 2, expires: 170, value: { schema: 1, step: 1, items: [] } });
  });

  promise("DRV-04 Records.update() awaits an asynchronous change", async (store) => {
    const { records } = await store.open();
    await records.put(PREFERENCE, factOf("a"), CREATE);
    await records.update(PREFERENCE, async (value) => {
      await Promise.resolve();
      return { ...value, text: `${value.text}b` };
    }, { ttl: 60 });
    assert.equal((await records.get(PREFERENCE))?.value.text, "ab");
  });

  promise("Records.update() of an absent record is MISSING", async (store) => {
    const { records } = await store.open();
    await store.assertChangesNothing(() => records.update(RUN, (value) => value, { ttl: 60 }), {
      code: "CONFLICT",
      reason: "MISSING",
      retryable: false,
    });
  });

  promise(
    "Records.update() of an expired record is MISSING, also if it expires while change runs",
    async (store) => {
      const clock = new MutableClock(100);
      const { records } = await store.open({ clock: clock.now });
      await records.put(RUN, START, CREATE);
      await store.assertChangesNothing(() =>
        records.update(RUN, (value) => {
          clock.set(160);
          return value;
        }, { ttl: 60 }), { reason: "MISSING" });
      await store.assertChangesNothing(() => records.update(RUN, (value) => value, { ttl: 60 }), {
        reason: "MISSING",
      });
    },
  );

  promise(
    "Records.update() that change abandons with null gives the revision read and writes nothing",
    async (store) => {
      const { records } = await store.open();
      await records.put(RUN, START, CREATE);
      const before = await store.state();
      assert.equal(await records.update(RUN, () => null, { ttl: 60 }), 1);
      assert.deepEqual(await store.state(), before);
    },
  );

  promise("Records.update() rereads and recomputes when somebody wrote in between", async (store) => {
    const { records } = await store.open();
    await records.put(PREFERENCE, factOf("start"), CREATE);
    const seen: string[] = [];
    const revision = await records.update(PREFERENCE, async (value) => {
      seen.push(value.text);
      if (seen.length === 1) {
        await records.put(PREFERENCE, factOf("theirs"), { expectedRevision: 1, ttl: 60 });
      }
      return { ...value, text: `${value.text} and mine` };
    }, { ttl: 60 });
    assert.deepEqual(seen, ["start", "theirs"]);
    assert.equal(revision, 3);
    assert.equal((await records.get(PREFERENCE))?.value.text, "theirs and mine");
  });

  for (const [attempts, expected] of [[undefined, 8], [1, 1], [3, 3]] as const) {
    promise(
      `Records.update() with attempts ${attempts} gives up after ${expected} with REVISION`,
      async (store) => {
        const { records } = await store.open();
        let revision = await records.put(RUN, START, CREATE);
        let calls = 0;
        const update = records.update(RUN, async (value) => {
          calls++;
          revision = await records.put(RUN, START, { expectedRevision: revision, ttl: 60 });
          return value;
        }, { ttl: 60, attempts });
        await assert.rejects(update, { code: "CONFLICT", reason: "REVISION", currentRevision: expected + 1 });
        assert.equal(calls, expected);
      },
    );
  }

  promise("Records.update() of a record forgotten while change runs is MISSING", async (store) => {
    const { records } = await store.open();
    await records.put(RUN, START, CREATE);
    const update = records.update(RUN, async (value) => {
      await records.forget(RUN, 1);
      return value;
    }, { ttl: 60 });
    await assert.rejects(update, { reason: "MISSING" });
  });

  promise("DRV-04 Records.update() passes on what change throws, and writes nothing", async (store) => {
    const { records } = await store.open();
    await records.put(RUN, START, CREATE);
    const thrown = new Error("change broke");
    await store.assertChangesNothing(() =>
      records.update(RUN, () => {
        throw thrown;
      }, { ttl: 60 }), (error) => error === thrown);
  });

  promise("Records.update() validates what change gives like any other value", async (store) => {
    const { records } = await store.open();
    await records.put(RUN, START, CREATE);
    await store.assertChangesNothing(() => records.update(RUN, () => ({ ...START, step: 3 }), { ttl: 60 }), {
      code: "CONTRACT",
      field: "value.step",
    });
    await store.assertChangesNothing(() => records.update(RUN, () => undefined as never, { ttl: 60 }), {
      code: "CONTRACT",
      field: "value",
    });
  });

  promise("Fifty parallel updates of one counter all count", async (store) => {
    const { records } = await store.open({ kinds: [COUNTER] });
    const identity = { tenantId: "orchard", kind: "counter", key: "visits" };
    await records.put(identity, { n: 0 }, { expectedRevision: null, ttl: null });
    await Promise.all(
      Array.from(
        { length: 50 },
        () =>
          records.update(identity, ({ n }: { n: number }) => ({ n: n + 1 }), { ttl: null, attempts: 1_000 }),
      ),
    );
    assert.deepEqual((await records.get(identity))?.value, { n: 50 });
  });

  promise("Records.update() refuses attempts that are no whole number from 1 to 100 000", async (store) => {
    const { records } = await store.open();
    await records.put(RUN, START, CREATE);
    await forEachRow([0, -1, 1.5, NaN, "8", 8n, null, 100_001], async (attempts) => {
      const options = { ttl: 60, attempts: attempts as number };
      await store.assertChangesNothing(() => records.update(RUN, (value) => value, options), {
        code: "CONTRACT",
        field: "attempts",
      });
    });
  });

  promise("Records.update() refuses a change that is no function", async (store) => {
    const { records } = await store.open();
    for (const change of [undefined, null, START, "value"]) {
      await store.assertChangesNothing(() => records.update(RUN, change as never, { ttl: 60 }), {
        code: "CONTRACT",
        field: "change",
      });
    }
  });
}
