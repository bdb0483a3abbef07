/** What the store tells while it works: operations, times and counts, no content. */

import assert from "node:assert/strict";
import type { MemoryEvent } from "../../contracts/options/memory_options.ts";
import { MutableClock } from "../kit/mutable_clock.ts";
import { RECORDS } from "../../tables/schema/main_tables.ts";
import type { Suite } from "../kit/suite.ts";
import { factAt, factOf, LISTS, PREFERENCE, RUN, START } from "./record_samples.ts";

/** What was told, without how long it took. */
function told(events: readonly MemoryEvent[]): unknown[] {
  return events.map(({ operation, at, counts }) => [operation, at, counts]);
}

export function testEvents({ promise, durable }: Suite): void {
  promise(
    "onEvent is told of open, check and close, each with its time and how long it took",
    async (store) => {
      const clock = new MutableClock(1_000);
      const events: MemoryEvent[] = [];
      const memory = await store.open({ clock: clock.now, onEvent: (event) => events.push(event) });
      clock.set(1_001);
      await memory.check();
      clock.set(1_002);
      await memory.close();
      await Promise.resolve();
      assert.deepEqual(told(events), [
        ["open", 1_000_000, {}],
        ["check", 1_001_000, { problems: 0 }],
        ["close", 1_002_000, {}],
      ]);
      for (const event of events) {
        assert.deepEqual(Object.keys(event).sort(), ["at", "counts", "durationMs", "operation"]);
        assert(event.durationMs >= 0);
      }
    },
  );

  promise("onEvent is told of a forget and of a purge, with the number of records removed", async (store) => {
    const clock = new MutableClock(1_000);
    const events: MemoryEvent[] = [];
    const { records } = await store.open({ clock: clock.now, onEvent: (event) => events.push(event) });
    await records.put(RUN, START, { expectedRevision: null, ttl: 10 });
    await records.put(PREFERENCE, LISTS, { expectedRevision: null, ttl: 5 });
    await records.forget(RUN, 1);
    clock.set(1_005);
    await records.purge("orchard");
    await Promise.resolve();
    assert.deepEqual(told(events), [
      ["open", 1_000_000, {}],
      ["forget", 1_000_000, { records: 1 }],
      ["purge", 1_005_000, { records: 1 }],
    ]);
  });

  promise("onEvent is told no text: no tenant, no key, no value", async (store) => {
    const events: MemoryEvent[] = [];
    const memory = await store.open({ onEvent: (event) => events.push(event) });
    await memory.records.put(factAt("marked-key", "marked-tenant"), factOf("marked-text"), {
      expectedRevision: null,
      ttl: 5,
    });
    await store.damage(RECORDS, { body: "marked-damage" });
    store.damaged = true;
    assert.equal((await memory.check()).ok, false);
    await memory.close();
    await Promise.resolve();
    assert.equal(JSON.stringify(events).includes("marked"), false);
  });

  durable("onEvent is told by how much acceptClock lowered the mark", async (store) => {
    const clock = new MutableClock(1_000);
    const first = await store.open({ clock: clock.now });
    await first.records.put(RUN, START, { expectedRevision: null, ttl: 10 });
    await first.close();
    clock.set(900);
    const events: MemoryEvent[] = [];
    await store.open({ clock: clock.now, acceptClock: true, onEvent: (event) => events.push(event) });
    await Promise.resolve();
    assert.deepEqual(told(events), [["acceptClock", 900_000, { loweredByMs: 100_000 }], [
      "open",
      900_000,
      {},
    ]]);
  });
}
