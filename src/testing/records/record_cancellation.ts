/** Cancelling: with the signal's reason, nothing half done. */

import assert from "node:assert/strict";
import type { Memory } from "../../memory.ts";
import { RECORDS } from "../../tables/schema/main_tables.ts";
import type { Suite } from "../kit/suite.ts";
import { factAt, factOf, RUN, START } from "./record_samples.ts";

const CREATE = { expectedRevision: null, ttl: 60 };
const REASON = new Error("the caller went away");

/** Each call that takes a signal. */
const CALLS: readonly (readonly [string, (memory: Memory, signal: AbortSignal) => Promise<unknown>])[] = [
  [
    "Records.put()",
    ({ records }, signal) => records.put(RUN, START, { expectedRevision: 1, ttl: 60, signal }),
  ],
  ["Records.get()", ({ records }, signal) => records.get(RUN, { signal })],
  ["Records.forget()", ({ records }, signal) => records.forget(RUN, 1, { signal })],
  ["Records.purge()", ({ records }, signal) => records.purge("orchard", { now: 9_000_000_000, signal })],
  ["Records.update()", ({ records }, signal) => records.update(RUN, (value) => value, { ttl: 60, signal })],
  ["Records.list()", ({ records }, signal) => records.list("orchard", { signal })],
  ["Records.list() of nothing", ({ records }, signal) => records.list("orchard", { limit: 0, signal })],
  ["Memory.check()", (memory, signal) => memory.check({ signal })],
];

export function testCancellation({ promise }: Suite): void {
  for (const [name, call] of CALLS) {
    promise(`${name} with an aborted signal rejects with its reason and changes nothing`, async (store) => {
      const memory = await store.open();
      await memory.records.put(RUN, START, CREATE);
      const signal = AbortSignal.abort(REASON);
      await store.assertChangesNothing(() => call(memory, signal), (error) => error === REASON);
    });

    promise(`${name} with an aborted signal rejects also right after a read`, async (store) => {
      const memory = await store.open();
      await memory.records.put(RUN, START, CREATE);
      await memory.records.get(RUN);
      await assert.rejects(call(memory, AbortSignal.abort(REASON)), (error) => error === REASON);
    });

    promise(`${name} refuses a signal that is none`, async (store) => {
      const memory = await store.open();
      await memory.records.put(RUN, START, CREATE);
      for (const signal of [{ aborted: false }, "abort", null, new AbortController()]) {
        await store.assertChangesNothing(() => call(memory, signal as AbortSignal), {
          code: "CONTRACT",
          field: "signal",
        });
      }
    });
  }

  promise("A queued write is withdrawn by its signal; its neighbours run", async (store) => {
    const { records } = await store.open();
    const controller = new AbortController();
    const [first, withdrawn, last] = [
      records.put(factAt("a"), factOf("x"), CREATE),
      records.put(factAt("b"), factOf("x"), { ...CREATE, signal: controller.signal }),
      records.put(factAt("c"), factOf("x"), CREATE),
    ];
    controller.abort(REASON);
    await assert.rejects(withdrawn, (error) => error === REASON);
    assert.deepEqual(await Promise.all([first, last]), [1, 2]);
    assert.deepEqual(await store.cells(RECORDS, "key"), [["a"], ["c"]]);
  });

  promise("A queue of withdrawn writes alone runs nothing, and the next write works", async (store) => {
    const { records } = await store.open();
    const controller = new AbortController();
    const { signal } = controller;
    await store.assertUnchangedBy(async () => {
      const withdrawn = ["a", "b"].map((key) => records.put(factAt(key), factOf("x"), { ...CREATE, signal }));
      controller.abort(REASON);
      for (const { status } of await Promise.allSettled(withdrawn)) assert.equal(status, "rejected");
    });
    assert.equal(await records.put(factAt("c"), factOf("x"), CREATE), 1);
  });

  promise("A write that ran stands, whatever its signal says later", async (store) => {
    const { records } = await store.open();
    const controller = new AbortController();
    assert.equal(await records.put(RUN, START, { ...CREATE, signal: controller.signal }), 1);
    controller.abort(REASON);
    assert.equal((await records.get(RUN))?.revision, 1);
  });

  promise("Records.update() aborted while change runs writes nothing", async (store) => {
    const { records } = await store.open();
    await records.put(RUN, START, CREATE);
    const controller = new AbortController();
    const { signal } = controller;
    await store.assertChangesNothing(() =>
      records.update(RUN, (value) => {
        controller.abort(REASON);
        return value;
      }, { ttl: 60, signal }), (error) => error === REASON);
  });
}
