/** Cancelled, closed, or opened only for reading. */

import assert from "node:assert/strict";
import { MESSAGE_IDS } from "../../tables/schema/main_tables.ts";
import { CALLS, prepare } from "./conversation_calls.ts";
import type { Suite } from "../kit/suite.ts";
import {
  after,
  atNoon,
  clockAtNoon,
  derive,
  ORCHARD,
  readIds,
  readTurns,
  summaryOf,
  talk,
  turnOf,
} from "../kit/conversation_samples.ts";

const REASON = new Error("the caller went away");

export function testEnding(suite: Suite): void {
  testCancellation(suite);
  testClosing(suite);
  testReadOnly(suite);
}

function testCancellation({ promise }: Suite): void {
  for (const { name, make } of CALLS) {
    promise(`${name} with an aborted signal rejects with its reason and changes nothing`, async (store) => {
      const prepared = await prepare(await store.open(atNoon()));
      const signal = AbortSignal.abort(REASON);
      await store.assertChangesNothing(() => make(prepared, { signal }), (error) => error === REASON);
    });
  }

  promise("Every call refuses a signal that is none", async (store) => {
    const prepared = await prepare(await store.open(atNoon()));
    for (const { make } of CALLS) {
      for (const signal of [{ aborted: false }, null, new AbortController()]) {
        await store.assertChangesNothing(() => make(prepared, { signal: signal as AbortSignal }), {
          code: "CONTRACT",
          field: "signal",
        });
      }
    }
  });

  promise("A queued append is withdrawn by its signal; its neighbours run", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    const controller = new AbortController();
    const append = (content: string, signal?: AbortSignal): Promise<unknown> =>
      conversation.append([{ messageId: content, role: "user", content }], { signal });
    const calls = [append("a"), append("b", controller.signal), append("c")];
    controller.abort(REASON);
    const [first, second, third] = await Promise.allSettled(calls);
    assert.deepEqual([first!.status, second!.status, third!.status], ["fulfilled", "rejected", "fulfilled"]);
    assert.deepEqual(await store.cells(MESSAGE_IDS, "messageId"), [["a"], ["c"]]);
  });

  promise("A delete that ran stands, whatever its signal says later", async (store) => {
    const conversation = await talk(await store.open(atNoon()), ["t1"]);
    const controller = new AbortController();
    await conversation.delete({ kind: "turn", key: "t1", expectedRevision: 1 }, {
      signal: controller.signal,
    });
    controller.abort(REASON);
    assert.deepEqual(await readIds(conversation), []);
  });
}

function testClosing({ promise }: Suite): void {
  for (const { name, make } of CALLS) {
    promise(`${name} after close, or while the store is closing, rejects with CLOSED`, async (store) => {
      const memory = await store.open(atNoon());
      const prepared = await prepare(memory);
      const closing = memory.close();
      await assert.rejects(make(prepared, {}), { name: "StorageError", code: "CLOSED" });
      await closing;
      await assert.rejects(make(prepared, {}), { name: "StorageError", code: "CLOSED" });
    });
  }

  promise(
    "close() drains what was queued: appends and deletions settle as they would have",
    async (store) => {
      const memory = await store.open(atNoon());
      const conversation = await talk(memory, ["t1"]);
      const calls = [
        conversation.append([{ role: "user", content: "x" }]),
        conversation.delete({ kind: "turn", key: "t1", expectedRevision: 2 }),
        conversation.append([{ role: "user", content: "y" }]),
      ];
      await memory.close();
      assert.deepEqual((await Promise.allSettled(calls)).map(({ status }) => status), [
        "fulfilled",
        "fulfilled",
        "fulfilled",
      ]);
    },
  );

  promise("A reading that is under way when the store closes ends with CLOSED", async (store) => {
    const memory = await store.open(atNoon());
    const conversation = await talk(memory, Array.from({ length: 40 }, (_, index) => `t${index}`));
    const read = async (): Promise<void> => {
      for await (const { turnId } of conversation.turns()) if (turnId === "t0") await memory.close();
    };
    await assert.rejects(read(), { code: "CLOSED" });
  });
}

function testReadOnly({ durable }: Suite): void {
  durable(
    "A store opened for reading gives snapshots, turns and replays, and takes no mutation",
    async (store) => {
      const first = await store.open(atNoon());
      const conversation = await talk(first, ["t1", "t2"]);
      await conversation.cachePut(await conversation.snapshot(), "k", { n: 1 });
      await first.close();
      const memory = await store.open({ ...atNoon(), readOnly: true });
      const again = memory.conversation(ORCHARD);
      const snapshot = await again.snapshot();
      const prepared = { memory, conversation: again, snapshot, summary: summaryOf(await readTurns(again)) };
      assert.deepEqual(await readIds(again), ["t1", "t2"]);
      assert.deepEqual(await again.cacheGet(snapshot, "k"), { n: 1 });
      for (const { name, writes, make } of CALLS) {
        if (!writes) await make(prepared, {});
        else await assert.rejects(make(prepared, {}), { code: "READONLY" }, name);
      }
    },
  );

  durable(
    "prune() of a store opened for reading is READONLY, also where there is nothing to do",
    async (store) => {
      await (await store.open(atNoon())).close();
      const memory = await store.open({ ...atNoon(), readOnly: true });
      for (const options of [{}, { scrub: false }, { acceptClock: true }]) {
        await assert.rejects(memory.prune(options), { name: "StorageError", code: "READONLY" });
      }
    },
  );

  durable("A reader that may not erase leaves out what is due, and what derives from it", async (store) => {
    const clock = clockAtNoon();
    const first = await store.open({ clock: clock.now });
    const conversation = await talk(first, []);
    await conversation.putTurn(turnOf("t1"), { operationId: "1", expectedRevision: 0, expiresAt: after(60) });
    await conversation.putTurn(turnOf("t2"), { operationId: "2", expectedRevision: 1 });
    const before = await derive(conversation);
    await first.close();
    clock.advance(60);
    const reader = (await store.open({ clock: clock.now, readOnly: true })).conversation(ORCHARD);
    const seen = await reader.snapshot();
    assert.deepEqual([seen.turnCount, seen.pins.length, seen.summary, seen.revision], [
      1,
      0,
      null,
      before.revision,
    ]);
    assert.deepEqual(await readIds(reader), ["t2"]);
    assert.deepEqual(await readIds(reader, seen, { last: 5 }), ["t2"]);
    assert.notEqual(seen.id, before.id);
    await assert.rejects(reader.cacheGet(before, "answer"), { reason: "SNAPSHOT" });
  });
}
