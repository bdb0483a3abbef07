/** What holds across openings, connections and processes: for stores in files. */

import assert from "node:assert/strict";
import { MutableClock } from "../kit/mutable_clock.ts";
import type { Suite } from "../kit/suite.ts";
import { factAt, factOf, LISTS, PREFERENCE, RUN, START } from "./record_samples.ts";

const CREATE = { expectedRevision: null, ttl: 60 };

export function testReopening(suite: Suite): void {
  testSurvival(suite);
  testTwoConnections(suite);
  testReadOnly(suite);
}

function testSurvival({ durable }: Suite): void {
  durable("Records, counter, revocations and operation ids survive a reopen", async (store) => {
    const first = await store.open();
    await first.records.put(PREFERENCE, LISTS, { ...CREATE, operationId: "call-1" });
    await first.records.forget(RUN, null, { revoke: true });
    const watermark = await first.deletionWatermark();
    await first.close();
    const second = await store.open();
    assert.deepEqual((await second.records.get(PREFERENCE))?.value, LISTS);
    assert.deepEqual(await second.deletionWatermark(), watermark);
    await assert.rejects(second.records.put(RUN, START, CREATE), { reason: "DELETED" });
    assert.equal(await second.records.put(PREFERENCE, LISTS, { ...CREATE, operationId: "call-1" }), 1);
    assert.equal(await second.records.put(PREFERENCE, LISTS, { ...CREATE, expectedRevision: 1 }), 2);
  });

  durable("Opening and closing changes no cell", async (store) => {
    const first = await store.open();
    await first.records.put(PREFERENCE, LISTS, CREATE);
    const before = await store.state();
    await first.close();
    const second = await store.open();
    assert.deepEqual(await store.state(), before);
    await second.close();
    await store.open();
    assert.deepEqual(await store.state(), before);
  });
}

function testTwoConnections({ engine, durable }: Suite): void {
  durable("Two openings of one file see each other's commits, and one counter", async (store) => {
    const [left, right] = [await store.open(), await store.open()];
    assert.equal(await left.records.put(PREFERENCE, factOf("left"), CREATE), 1);
    assert.equal((await right.records.get(PREFERENCE))?.value.text, "left");
    assert.equal(await right.records.put(PREFERENCE, factOf("right"), { ...CREATE, expectedRevision: 1 }), 2);
    assert.equal((await left.records.get(PREFERENCE))?.value.text, "right");
    await assert.rejects(left.records.put(PREFERENCE, factOf("left"), { ...CREATE, expectedRevision: 1 }), {
      currentRevision: 2,
    });
  });

  durable("A revocation through one opening holds at once through the other", async (store) => {
    const [left, right] = [await store.open(), await store.open()];
    await right.records.put(factAt("warm"), factOf("x"), CREATE);
    await left.records.forget(RUN, null, { revoke: true });
    await assert.rejects(right.records.put(RUN, START, CREATE), { reason: "DELETED" });
    assert.deepEqual(await right.deletionWatermark(), await left.deletionWatermark());
  });

  durable("Interleaved puts and forgets through two openings all count", async (store) => {
    const openings = [await store.open(), await store.open()];
    const flows = openings.flatMap(({ records }, opening) =>
      Array.from({ length: 25 }, async (_, index) => {
        const revision = await records.put(factAt(`k${opening}-${index}`), factOf("x"), CREATE);
        return await records.forget(factAt(`k${opening}-${index}`), revision);
      })
    );
    assert.deepEqual(await Promise.all(flows), Array(50).fill(true));
    assert.equal((await openings[0]!.deletionWatermark()).sequence, 50);
  });

  durable("A file that is closed through one opening stays open through the other", async (store) => {
    const left = await store.open();
    const open = engine.countOpen?.();
    const right = await store.open();
    await left.close();
    assert.equal(await right.records.put(RUN, START, CREATE), 1);
    assert.equal(engine.countOpen?.(), open);
  });
}

function testReadOnly({ engine, durable }: Suite): void {
  durable("A store opened read-only reads, and refuses every change with READONLY", async (store) => {
    const clock = new MutableClock(1_000);
    const writer = await store.open({ clock: clock.now });
    await writer.records.put(RUN, START, CREATE);
    await writer.close();
    const reader = await store.open({ readOnly: true, clock: clock.now });
    const { records } = reader;
    assert.equal((await records.get(RUN))?.revision, 1);
    assert.equal((await records.list("orchard")).items.length, 1);
    assert.equal((await reader.deletionWatermark()).sequence, 0);
    const refusal = { name: "StorageError", code: "READONLY" };
    await store.assertChangesNothing(
      () => records.put(RUN, START, { ...CREATE, expectedRevision: 1 }),
      refusal,
    );
    await store.assertChangesNothing(() => records.forget(RUN, 1), refusal);
    await store.assertChangesNothing(() => records.purge("orchard"), refusal);
    await store.assertChangesNothing(() => records.update(RUN, (value) => value, { ttl: 60 }), refusal);
  });

  durable("A store opened read-only sees what a writer commits meanwhile", async (store) => {
    const writer = await store.open();
    await writer.records.put(PREFERENCE, factOf("first"), CREATE);
    const reader = await store.open({ readOnly: true });
    assert.equal((await reader.records.get(PREFERENCE))?.value.text, "first");
    await writer.records.put(PREFERENCE, factOf("second"), { ...CREATE, expectedRevision: 1 });
    assert.equal((await reader.records.get(PREFERENCE))?.value.text, "second");
  });

  durable("acceptClock on a store opened read-only is READONLY, and leaves nothing open", async (store) => {
    const before = engine.countOpen?.();
    const clock = new MutableClock(1_000);
    const writer = await store.open({ clock: clock.now });
    await writer.records.put(RUN, START, CREATE);
    await writer.close();
    clock.set(1);
    await assert.rejects(store.open({ readOnly: true, acceptClock: true, clock: clock.now }), {
      code: "READONLY",
    });
    assert.equal(engine.countOpen?.(), before);
  });
}
