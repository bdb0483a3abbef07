/** Effective time: what a clock that stands, jumps or steps back does to records. */

import assert from "node:assert/strict";
import { MutableClock } from "../kit/mutable_clock.ts";
import { forEachRow } from "../kit/each_row.ts";
import { RECORDS } from "../../tables/schema/main_tables.ts";
import type { Suite } from "../kit/suite.ts";
import { COUNTER, factAt, factOf, RUN, START } from "./record_samples.ts";

const MINUTE = 60;

const BROKEN_CLOCKS: readonly (readonly [string, () => unknown])[] = [
  ["NaN", () => NaN],
  ["a negative number", () => -1],
  ["Infinity", () => Infinity],
  ["a text", () => "1000"],
  ["a bigint", () => 1_000n],
  ["a Date", () => new Date(1_000)],
  ["nothing", () => undefined],
  ["an error thrown", () => {
    throw new Error("the clock broke");
  }],
];

export function testClock({ engine, promise, durable }: Suite): void {
  promise("A record that expired stays hidden when the clock steps back", async (store) => {
    const clock = new MutableClock(1_000);
    const { records } = await store.open({ clock: clock.now });
    await records.put(RUN, START, { expectedRevision: null, ttl: 10 });
    clock.set(1_010);
    assert.equal(await records.get(RUN), null);
    clock.set(1_005);
    assert.equal(await records.get(RUN), null);
    assert.deepEqual((await records.list("orchard")).items, []);
  });

  promise("A clock a minute behind still sets deadlines, from the highest time seen", async (store) => {
    const clock = new MutableClock(1_000);
    const { records } = await store.open({ clock: clock.now });
    await records.put(RUN, START, { expectedRevision: null, ttl: 10 });
    clock.set(1_000 - MINUTE);
    await records.put(factAt("a"), factOf("x"), { expectedRevision: null, ttl: 10 });
    assert.deepEqual(await store.cells(RECORDS, "expires"), [[1_010], [1_010]]);
  });

  promise("A clock more than a minute behind is CLOCK for what sets a deadline from it", async (store) => {
    const clock = new MutableClock(1_000);
    const { records } = await store.open({ clock: clock.now, kinds: [COUNTER] });
    const counter = { tenantId: "orchard", kind: "counter", key: "a" };
    await records.put(RUN, START, { expectedRevision: null, ttl: 600 });
    clock.ms -= MINUTE * 1_000 + 1;
    const refusal = { code: "CONFLICT", reason: "CLOCK", details: { reason: "CLOCK", behindMs: 60_001 } };
    await store.assertChangesNothing(
      () => records.put(RUN, START, { expectedRevision: 1, ttl: 600 }),
      refusal,
    );
    await store.assertChangesNothing(() => records.update(RUN, (value) => value, { ttl: 600 }), refusal);
    await store.assertChangesNothing(
      () => records.put(counter, { n: 1 }, { expectedRevision: null, ttl: null, maxAge: 5 }),
      refusal,
    );
  });

  promise(
    "A clock far behind stops nothing else: reads, forget, purge, check, and puts without a deadline",
    async (store) => {
      const clock = new MutableClock(100_000);
      const memory = await store.open({ clock: clock.now, kinds: [COUNTER] });
      const { records } = memory;
      await records.put(RUN, START, { expectedRevision: null, ttl: 600 });
      clock.set(1);
      assert.equal((await records.get(RUN))?.revision, 1);
      assert.equal((await records.list("orchard")).items.length, 1);
      assert.equal(await records.purge("orchard"), 0);
      assert.equal(await records.put(RUN, START, { expectedRevision: 1, ttl: 600, now: 99_999 }), 2);
      const counter = { tenantId: "orchard", kind: "counter", key: "a" };
      assert.equal(await records.put(counter, { n: 1 }, { expectedRevision: null, ttl: null }), 3);
      assert.equal(await records.forget(RUN, 2), true);
      assert.equal((await memory.check()).ok, true);
    },
  );

  promise("A call that is handed now neither reads the clock nor moves the store's mark", async (store) => {
    const clock = new MutableClock(1_000);
    let broken = false;
    const { records } = await store.open({
      clock: () => {
        assert.equal(broken, false, "the clock was read");
        return clock.ms;
      },
    });
    await records.put(factAt("first"), factOf("x"), { expectedRevision: null, ttl: 60 });
    const mark = store.highestTimeMs();
    broken = true;
    await records.put(RUN, START, { expectedRevision: null, ttl: 10, now: 5_000 });
    assert.equal((await records.get(RUN, { now: 5_009 }))?.revision, 2);
    assert.equal((await records.list("orchard", { now: 5_009 })).items.length, 1);
    assert.equal(await records.purge("orchard", { now: 5_010 }), 2);
    assert.equal(store.highestTimeMs(), mark);
    broken = false;
  });

  promise("A clock that jumps far forward is believed", async (store) => {
    const clock = new MutableClock(1_000);
    const { records } = await store.open({ clock: clock.now });
    await records.put(RUN, START, { expectedRevision: null, ttl: 60 });
    clock.set(9_000_000_000);
    assert.equal(await records.get(RUN), null);
    await records.put(factAt("a"), factOf("x"), { expectedRevision: null, ttl: 60 });
    assert.equal(store.highestTimeMs(), 9_000_000_000_000);
  });

  promise("A clock that tells no time is CONTRACT, and changes nothing", async (store) => {
    const clock = new MutableClock(1_000);
    let tell: () => unknown = clock.now;
    const { records } = await store.open({ clock: () => tell() as number });
    await records.put(RUN, START, { expectedRevision: null, ttl: 60 });
    const refusal = { code: "CONTRACT", field: "clock" };
    await forEachRow(BROKEN_CLOCKS, async ([, broken]) => {
      tell = broken;
      await store.assertChangesNothing(
        () => records.put(RUN, START, { expectedRevision: 1, ttl: 60 }),
        refusal,
      );
      await store.assertChangesNothing(() => records.get(RUN), refusal);
      await store.assertChangesNothing(() => records.list("orchard"), refusal);
      await store.assertChangesNothing(() => records.purge("orchard"), refusal);
      await store.assertChangesNothing(() => records.forget(RUN, 1), refusal);
    });
    tell = clock.now;
    assert.equal(await records.put(RUN, START, { expectedRevision: 1, ttl: 60 }), 2);
  });

  promise(
    "A store opened with a clock that tells no time is refused or can be closed: nothing stays open",
    async (store) => {
      const before = engine.countOpen?.();
      await forEachRow(BROKEN_CLOCKS, async ([, broken]) => {
        const opening = store.open({ clock: broken as () => number, onEvent: () => {} });
        await opening.then((memory) => memory.close(), (error) => assert.equal(error.code, "CONTRACT"));
      });
      assert.equal(engine.countOpen?.(), before);
    },
  );

  promise("A clock that broke does not keep a store from being closed", async (store) => {
    const clock = new MutableClock(1_000);
    let tell: () => unknown = clock.now;
    const memory = await store.open({ clock: () => tell() as number, onEvent: () => {} });
    tell = () => NaN;
    await memory.close();
  });

  durable(
    "The highest time seen survives the process: expired records stay hidden after a reopen",
    async (store) => {
      const clock = new MutableClock(1_000);
      const first = await store.open({ clock: clock.now });
      await first.records.put(RUN, START, { expectedRevision: null, ttl: 10 });
      clock.set(1_020);
      await first.records.put(factAt("a"), factOf("x"), { expectedRevision: null, ttl: 60 });
      await first.close();
      clock.set(1_005);
      const second = await store.open({ clock: clock.now });
      assert.equal(await second.records.get(RUN), null);
    },
  );

  durable("acceptClock lowers the mark to the clock, for this opening and for later ones", async (store) => {
    const clock = new MutableClock(100_000);
    const first = await store.open({ clock: clock.now });
    await first.records.put(RUN, START, { expectedRevision: null, ttl: 60 });
    await first.close();
    clock.set(1_000);
    const stuck = await store.open({ clock: clock.now });
    await assert.rejects(stuck.records.put(factAt("a"), factOf("x"), { expectedRevision: null, ttl: 60 }), {
      reason: "CLOCK",
    });
    await stuck.close();
    const lowered = await store.open({ clock: clock.now, acceptClock: true });
    assert.equal(await lowered.records.put(factAt("a"), factOf("x"), { expectedRevision: null, ttl: 60 }), 2);
    await lowered.close();
    const later = await store.open({ clock: clock.now });
    assert.equal((await later.records.get(factAt("a")))?.expires, 1_060);
  });

  durable("acceptClock is seen by a store that is open already", async (store) => {
    const clock = new MutableClock(100_000);
    const open = await store.open({ clock: clock.now });
    await open.records.put(RUN, START, { expectedRevision: null, ttl: 60 });
    clock.set(1_000);
    await store.open({ clock: clock.now, acceptClock: true });
    await open.records.list("orchard");
    assert.equal(await open.records.put(factAt("a"), factOf("x"), { expectedRevision: null, ttl: 60 }), 2);
  });

  durable("acceptClock with a clock that is not behind changes nothing", async (store) => {
    const clock = new MutableClock(1_000);
    const first = await store.open({ clock: clock.now });
    await first.records.put(RUN, START, { expectedRevision: null, ttl: 60 });
    const before = await store.state();
    await first.close();
    await store.open({ clock: clock.now, acceptClock: true });
    assert.deepEqual(await store.state(), before);
  });
}
