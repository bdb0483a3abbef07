/** The reference's worked example, row by row. */

import assert from "node:assert/strict";
import type { Memory } from "../../memory.ts";
import { RECORDS } from "../../tables/schema/main_tables.ts";
import type { Suite } from "../kit/suite.ts";
import { LISTS, PREFERENCE, RUN, START } from "./record_samples.ts";

/** One step of the run; a run that is at its end is left alone. */
async function advance({ records }: Memory, item: string, now: number): Promise<number> {
  const found = await records.get(RUN, { now });
  assert(found !== null, "absence is never permission to start again");
  if (found.value.step === 2) return found.revision;
  const next = { ...found.value, step: found.value.step + 1, items: [...found.value.items, item] };
  return await records.put(RUN, next, { expectedRevision: found.revision, ttl: 60, now });
}

export function testWorkedExample({ engine, promise }: Suite): void {
  promise("The worked example gives these values at these times", async (store) => {
    let memory = await store.open();
    assert.equal(await memory.records.put(RUN, START, { expectedRevision: null, ttl: 60, now: 100 }), 1);
    assert.equal((await memory.records.get(RUN, { now: 100 }))?.expires, 160);
    assert.equal(await advance(memory, "collected", 101), 2);
    assert.equal((await memory.records.get(RUN, { now: 101 }))?.expires, 161);
    if (engine.durable) {
      await memory.close();
      memory = await store.open();
    }
    const { records } = memory;
    assert.equal((await records.get(RUN, { now: 102 }))?.value.step, 1);
    assert.equal(await advance(memory, "drafted", 102), 3);
    assert.equal(await advance(memory, "ignored", 103), 3);
    const done = { schema: 1, step: 2, items: ["collected", "drafted"] };
    assert.deepEqual(await records.get(RUN, { now: 103 }), { revision: 3, expires: 162, value: done });
    await assert.rejects(records.put(RUN, START, { expectedRevision: 1, ttl: 60, now: 103 }), {
      currentRevision: 3,
    });
    assert.equal(await records.put(PREFERENCE, LISTS, { expectedRevision: null, ttl: 5, now: 103 }), 4);
    assert.equal(await records.get({ ...PREFERENCE, tenantId: "harbour" }, { now: 104 }), null);
    assert.deepEqual(await records.get(PREFERENCE, { now: 107 }), {
      revision: 4,
      expires: 108,
      value: LISTS,
    });
    assert.equal(await records.get(PREFERENCE, { now: 108 }), null);
    assert.equal(await store.count(RECORDS), 2);
    assert.equal(await records.purge("orchard", { now: 108 }), 1);
    assert.equal(await records.forget(RUN, 3), true);
    assert.deepEqual([await store.count(RECORDS), await store.counter()], [0, 4]);
  });
}
