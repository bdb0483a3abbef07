/** Purging: one tenant, every kind, at the exact boundary. */

import assert from "node:assert/strict";
import { MutableClock } from "../kit/mutable_clock.ts";
import { RECORDS } from "../../tables/schema/main_tables.ts";
import type { Suite } from "../kit/suite.ts";
import { factAt, factOf, RUN, START } from "./record_samples.ts";

export function testPurge({ promise }: Suite): void {
  promise(
    "Records.purge() at 110 removes what expires at 109 and 110, and not what does at 111",
    async (store) => {
      const { records } = await store.open();
      for (const ttl of [9, 10, 11]) {
        await records.put(factAt(`t${ttl}`), factOf("x"), { expectedRevision: null, ttl, now: 100 });
      }
      assert.equal(await records.purge("orchard", { now: 110 }), 2);
      assert.deepEqual(await store.cells(RECORDS, "key"), [["t11"]]);
    },
  );

  promise("Records.purge() removes both kinds and never another tenant's", async (store) => {
    const { records } = await store.open();
    await records.put(RUN, START, { expectedRevision: null, ttl: 5, now: 100 });
    await records.put(factAt("a"), factOf("x"), { expectedRevision: null, ttl: 5, now: 100 });
    await records.put(factAt("a", "harbour"), factOf("x"), { expectedRevision: null, ttl: 5, now: 100 });
    assert.equal(await records.purge("orchard", { now: 105 }), 2);
    assert.deepEqual(await store.cells(RECORDS, "tenant"), [["harbour"]]);
  });

  promise("Records.purge() that finds nothing gives 0 and changes nothing", async (store) => {
    const { records } = await store.open();
    await records.put(RUN, START, { expectedRevision: null, ttl: 5, now: 100 });
    const before = await store.state();
    assert.equal(await records.purge("orchard", { now: 104 }), 0);
    assert.equal(await records.purge("nobody", { now: 500 }), 0);
    assert.deepEqual(await store.state(), before);
  });

  promise("Records.purge() leaves the counter where it is and records no deletion", async (store) => {
    const memory = await store.open();
    await memory.records.put(RUN, START, { expectedRevision: null, ttl: 5, now: 100 });
    const watermark = await memory.deletionWatermark();
    await memory.records.purge("orchard", { now: 105 });
    assert.equal(await store.counter(), 1);
    assert.deepEqual(await memory.deletionWatermark(), watermark);
  });

  promise("Records.purge() without now goes by the store's time", async (store) => {
    const clock = new MutableClock(100);
    const { records } = await store.open({ clock: clock.now });
    await records.put(RUN, START, { expectedRevision: null, ttl: 5 });
    clock.set(104);
    assert.equal(await records.purge("orchard"), 0);
    clock.set(105);
    assert.equal(await records.purge("orchard"), 1);
  });

  promise("Nothing is purged in the background: expired rows stay until somebody asks", async (store) => {
    const clock = new MutableClock(100);
    const { records } = await store.open({ clock: clock.now });
    await records.put(RUN, START, { expectedRevision: null, ttl: 5 });
    clock.set(1_000_000);
    await records.put(factAt("other"), factOf("x"), { expectedRevision: null, ttl: 5 });
    await records.get(RUN);
    assert.equal(await store.count(RECORDS), 2);
  });
}
