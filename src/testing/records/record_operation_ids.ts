/** Operation ids: a call that may be repeated without harm. */

import assert from "node:assert/strict";
import { MutableClock } from "../kit/mutable_clock.ts";
import { forEachRow } from "../kit/each_row.ts";
import { OPERATIONS } from "../../tables/schema/main_tables.ts";
import type { Suite } from "../kit/suite.ts";
import { COUNTER, factAt, factOf, PREFERENCE, RUN, START } from "./record_samples.ts";

const CREATE = { expectedRevision: null, ttl: 60 };
const DAY = 86_400;

export function testOperationIds({ promise }: Suite): void {
  promise(
    "A put repeated with its operation id gives the first revision and changes nothing",
    async (store) => {
      const { records } = await store.open({ clock: new MutableClock().now });
      const call = (): Promise<number> => records.put(RUN, START, { ...CREATE, operationId: "call-1" });
      assert.equal(await call(), 1);
      const before = await store.state();
      assert.equal(await call(), 1);
      assert.deepEqual(await store.state(), before);
    },
  );

  promise("A put is recalled also after the record moved on or went away", async (store) => {
    const { records } = await store.open();
    const call = (): Promise<number> => records.put(RUN, START, { ...CREATE, operationId: "call-1" });
    assert.equal(await call(), 1);
    assert.equal(await records.put(RUN, START, { expectedRevision: 1, ttl: 60 }), 2);
    assert.equal(await call(), 1);
    assert.equal(await records.forget(RUN, 2), true);
    assert.equal(await call(), 1);
    assert.equal(await records.get(RUN), null);
  });

  promise("A put is recalled whatever revision the repeated call expects", async (store) => {
    const { records } = await store.open();
    assert.equal(await records.put(RUN, START, { ...CREATE, operationId: "call-1" }), 1);
    assert.equal(await records.put(RUN, START, { expectedRevision: 1, ttl: 60, operationId: "call-1" }), 1);
  });

  promise("Two calls with one operation id in one group run once", async (store) => {
    const { records } = await store.open();
    const call = (): Promise<number> => records.put(RUN, START, { ...CREATE, operationId: "call-1" });
    assert.deepEqual(await Promise.all([call(), call(), call()]), [1, 1, 1]);
    assert.equal(await store.counter(), 1);
  });

  promise("An operation id used with other input is IDEMPOTENCY, and changes nothing", async (store) => {
    const { records } = await store.open({ kinds: [COUNTER] });
    const operationId = "call-1";
    await records.put(PREFERENCE, factOf("a"), { ...CREATE, operationId });
    const refusal = { code: "CONFLICT", reason: "IDEMPOTENCY", retryable: false };
    const others: (() => Promise<unknown>)[] = [
      () => records.put(PREFERENCE, factOf("b"), { ...CREATE, operationId }),
      () => records.put(PREFERENCE, factOf("a"), { ...CREATE, ttl: 61, operationId }),
      () => records.put(PREFERENCE, factOf("a"), { ...CREATE, maxAge: 60, operationId }),
      () => records.put(factAt("other"), factOf("a"), { ...CREATE, operationId }),
      () =>
        records.put({ tenantId: "orchard", kind: "counter", key: "a" }, { n: 1 }, { ...CREATE, operationId }),
      () => records.forget(PREFERENCE, 1, { operationId }),
    ];
    for (const call of others) await store.assertChangesNothing(call, refusal);
  });

  promise("An operation id belongs to its tenant: another one's is its own", async (store) => {
    const { records } = await store.open();
    assert.equal(await records.put(factAt("a"), factOf("a"), { ...CREATE, operationId: "call-1" }), 1);
    assert.equal(
      await records.put(factAt("a", "harbour"), factOf("b"), { ...CREATE, operationId: "call-1" }),
      2,
    );
  });

  promise(
    "An operation id is kept for a day: recalled a moment before, run again at its end",
    async (store) => {
      const clock = new MutableClock(1_000);
      const { records } = await store.open({ clock: clock.now });
      const call = (): Promise<number> => records.put(RUN, START, { ...CREATE, operationId: "call-1" });
      assert.equal(await call(), 1);
      clock.ms = (1_000 + DAY) * 1_000 - 1;
      assert.equal(await call(), 1);
      clock.set(1_000 + DAY);
      await assert.rejects(call(), { reason: "EXPIRED" });
      await records.purge("orchard");
      assert.equal(await call(), 2);
    },
  );

  promise("Operation ids older than a day are cleared away as new ones come", async (store) => {
    const clock = new MutableClock(1_000);
    const { records } = await store.open({ clock: clock.now });
    for (const id of ["a", "b", "c"]) {
      await records.put(factAt(id), factOf("x"), { ...CREATE, operationId: id });
    }
    clock.set(1_000 + DAY);
    await records.put(factAt("d"), factOf("x"), { ...CREATE, operationId: "d" });
    await records.put(factAt("e"), factOf("x"), { ...CREATE, operationId: "e" });
    assert.deepEqual(await store.cells(OPERATIONS, "at"), Array(2).fill([(1_000 + DAY) * 1_000]));
  });

  promise("A call that failed is not remembered: repeated, it runs", async (store) => {
    const { records } = await store.open();
    const call = (): Promise<number> =>
      records.put(RUN, START, { expectedRevision: 1, ttl: 60, operationId: "call-1" });
    await store.assertChangesNothing(call, { reason: "REVISION" });
    await records.put(RUN, START, CREATE);
    assert.equal(await call(), 2);
  });

  promise("A forget repeated with its operation id gives its first answer", async (store) => {
    const { records } = await store.open();
    assert.equal(await records.forget(RUN, 1, { operationId: "early" }), false);
    await records.put(RUN, START, CREATE);
    assert.equal(await records.forget(RUN, 1, { operationId: "early" }), false);
    assert.equal(await records.forget(RUN, 1, { operationId: "late" }), true);
    assert.equal(await records.forget(RUN, 1, { operationId: "late" }), true);
    assert.equal((await store.events()).length, 1);
  });

  promise("A forget's operation id used with revoke is other input", async (store) => {
    const { records } = await store.open();
    await records.forget(RUN, 1, { operationId: "call-1" });
    await store.assertChangesNothing(() => records.forget(RUN, 1, { operationId: "call-1", revoke: true }), {
      reason: "IDEMPOTENCY",
    });
  });

  promise(
    "An operation id is stored as a keyed hash: neither id nor input can be read back",
    async (store) => {
      const { records } = await store.open();
      await records.put(PREFERENCE, factOf("text-of-the-call"), { ...CREATE, operationId: "id-of-the-call" });
      await records.forget(PREFERENCE, 1);
      const text = JSON.stringify(await store.state());
      for (const word of ["id-of-the-call", "text-of-the-call", "orchard", "preference"]) {
        assert.equal(text.includes(word), false, word);
      }
    },
  );

  promise("Records refuse an operation id that is blank, too long, ill-formed or no text", async (store) => {
    const { records } = await store.open();
    await forEachRow(["", " \u0085", "x".repeat(257), "\ud800", 5, null, {}, ["a"]], async (id) => {
      const refusal = { code: "CONTRACT", field: "operationId" };
      const operationId = id as string;
      await store.assertChangesNothing(() => records.put(RUN, START, { ...CREATE, operationId }), refusal);
      await store.assertChangesNothing(() => records.forget(RUN, 1, { operationId }), refusal);
    });
  });

  promise("Records take an operation id of 256 code points", async (store) => {
    const { records } = await store.open();
    const operationId = "🌍".repeat(256);
    assert.equal(await records.put(RUN, START, { ...CREATE, operationId }), 1);
    assert.equal(await records.put(RUN, START, { ...CREATE, operationId }), 1);
  });
}
