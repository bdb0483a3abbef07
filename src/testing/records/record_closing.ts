/** Closing: drains, may be repeated, and ends everything. */

import assert from "node:assert/strict";
import type { Memory } from "../../memory.ts";
import type { Suite } from "../kit/suite.ts";
import { factAt, factOf, RUN, START } from "./record_samples.ts";

const CREATE = { expectedRevision: null, ttl: 60 };
const CLOSED = { name: "StorageError", code: "CLOSED" };

const CALLS: readonly (readonly [string, (memory: Memory) => Promise<unknown>])[] = [
  ["Records.put()", ({ records }) => records.put(RUN, START, { expectedRevision: 1, ttl: 60 })],
  ["Records.get()", ({ records }) => records.get(RUN)],
  ["Records.forget()", ({ records }) => records.forget(RUN, 1)],
  ["Records.purge()", ({ records }) => records.purge("orchard")],
  ["Records.update()", ({ records }) => records.update(RUN, (value) => value, { ttl: 60 })],
  ["Records.list()", ({ records }) => records.list("orchard")],
  ["Records.list() of nothing", ({ records }) => records.list("orchard", { limit: 0 })],
  ["Memory.check()", (memory) => memory.check()],
  ["Memory.deletionWatermark()", (memory) => memory.deletionWatermark()],
];

export function testClosing({ engine, promise }: Suite): void {
  for (const [name, call] of CALLS) {
    promise(`${name} after close rejects with CLOSED`, async (store) => {
      const memory = await store.open();
      await memory.records.put(RUN, START, CREATE);
      await memory.records.get(RUN);
      await memory.close();
      await assert.rejects(call(memory), CLOSED);
    });

    promise(`${name} while the store is closing rejects with CLOSED`, async (store) => {
      const memory = await store.open();
      const queued = memory.records.put(RUN, START, CREATE);
      const closing = memory.close();
      await assert.rejects(call(memory), CLOSED);
      assert.equal(await queued, 1);
      await closing;
    });
  }

  promise("Memory.close() may be repeated, also while it runs", async (store) => {
    const memory = await store.open();
    await Promise.all([memory.close(), memory.close()]);
    await memory.close();
    await memory[Symbol.asyncDispose]();
  });

  promise(
    "Memory.close() drains queued writes of every kind: each one settles as it would have",
    async (store) => {
      const memory = await store.open();
      const { records } = memory;
      const puts = Array.from(
        { length: 100 },
        (_, index) => records.put(factAt(`k${index}`), factOf("x"), CREATE),
      );
      const forgets = Array.from(
        { length: 50 },
        (_, index) => records.forget(factAt(`k${index}`), index + 1),
      );
      const conflict = records.put(factAt("k99"), factOf("x"), CREATE);
      await Promise.all([
        memory.close(),
        assert.rejects(conflict, { reason: "REVISION" }),
      ]);
      assert.deepEqual(
        await Promise.all(puts),
        Array.from({ length: 100 }, (_, index) => index + 1),
      );
      assert.deepEqual(await Promise.all(forgets), Array(50).fill(true));
      if (!engine.durable) return;
      const again = await store.open();
      assert.equal((await again.records.list("orchard")).items.length, 50);
    },
  );

  promise("await using closes the store", async (store) => {
    const left = await store.open();
    {
      await using memory = left;
      await memory.records.put(RUN, START, CREATE);
    }
    await assert.rejects(left.records.get(RUN), CLOSED);
  });

  promise(
    "A check() that is overtaken by close() rejects with CLOSED, and reports no damage",
    async (store) => {
      const memory = await store.open();
      for (const key of ["a", "b"]) {
        const revision = await memory.records.put(factAt(key), factOf("x"), CREATE);
        await memory.records.forget(factAt(key), revision);
      }
      const check = memory.check();
      await Promise.all([memory.close(), assert.rejects(check, CLOSED)]);
    },
  );
}
