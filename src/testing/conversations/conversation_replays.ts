/** The replay cache: an answer for exactly one snapshot, and no longer than it was asked for. */

import assert from "node:assert/strict";
import { REPLAYS } from "../../tables/schema/main_tables.ts";
import type { Json } from "../../../mod.ts";
import type { Suite } from "../kit/suite.ts";
import {
  after,
  atNoon,
  clockAtNoon,
  erase,
  HARBOUR,
  ORCHARD,
  pinOf,
  pinUp,
  revise,
  talk,
  turnOf,
} from "../kit/conversation_samples.ts";

export function testReplays({ promise, durable }: Suite): void {
  promise("A replay comes back as the JSON it was, as a copy of one's own", async (store) => {
    const conversation = await talk(await store.open(atNoon()), ["t1"]);
    const snapshot = await conversation.snapshot();
    const payload = JSON.parse(
      '{"b":[1.5,-2,1e21,null,true],"a":{"__proto__":{"x":1}},"\u{10000}":"\\u0000"}',
    ) as Json;
    await conversation.cachePut(snapshot, "k", payload);
    const found = await conversation.cacheGet(snapshot, "k");
    assert.deepEqual(found, payload);
    (found as { b: unknown }).b = "changed";
    assert.deepEqual(await conversation.cacheGet(snapshot, "k"), payload);
    assert.equal(({} as { x?: number }).x, undefined);
  });

  promise("A replay that was never put is null", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    assert.equal(await conversation.cacheGet(await conversation.snapshot(), "k"), null);
  });

  promise("A replay put again under its key takes the place of the one before", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    const snapshot = await conversation.snapshot();
    await conversation.cachePut(snapshot, "k", { n: 1 });
    await conversation.cachePut(snapshot, "k", { n: 2 });
    assert.deepEqual(await conversation.cacheGet(snapshot, "k"), { n: 2 });
    assert.equal(await store.count(REPLAYS), 1);
  });

  promise(
    "RPC-01 a replay is bound to its snapshot: another one, older or newer, is never served",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), ["t1"]);
      const before = await conversation.snapshot();
      await conversation.cachePut(before, "k", { n: 1 });
      await revise(conversation, turnOf("t1", "other", { revision: 2 }));
      const now = await conversation.snapshot();
      await assert.rejects(conversation.cacheGet(before, "k"), { reason: "SNAPSHOT", retryable: true });
      assert.equal(await conversation.cacheGet(now, "k"), null);
      await assert.rejects(conversation.cachePut(before, "k", { n: 2 }), { reason: "SNAPSHOT" });
    },
  );

  const changes = {
    "a turn": (c: Awaited<ReturnType<typeof talk>>): Promise<unknown> =>
      c.append([{ role: "user", content: "x" }]),
    "a pin": (c: Awaited<ReturnType<typeof talk>>): Promise<unknown> => pinUp(c, pinOf("k")),
    "a deletion": (c: Awaited<ReturnType<typeof talk>>): Promise<unknown> => erase(c, "turn", "t9"),
  };
  for (const [what, change] of Object.entries(changes)) {
    promise(`Replays go with ${what}: their rows too`, async (store) => {
      const conversation = await talk(await store.open(atNoon()), ["t1"]);
      const snapshot = await conversation.snapshot();
      for (const key of ["a", "b", "c"]) await conversation.cachePut(snapshot, key, {});
      await change(conversation);
      assert.equal(await store.count(REPLAYS), 0);
    });
  }

  promise("A pin that starts makes replays of before unseen, without a write", async (store) => {
    const clock = clockAtNoon();
    const conversation = await talk(await store.open({ clock: clock.now }), []);
    await pinUp(conversation, pinOf("k", "v", { effectiveAt: after(60) }));
    const before = await conversation.snapshot();
    await conversation.cachePut(before, "k", { n: 1 });
    clock.advance(60);
    await assert.rejects(conversation.cacheGet(before, "k"), { reason: "SNAPSHOT" });
    assert.equal(await conversation.cacheGet(await conversation.snapshot(), "k"), null);
  });

  promise("The hundred-and-first replay drops an expired one, and else the oldest", async (store) => {
    const clock = clockAtNoon();
    const conversation = await talk(await store.open({ clock: clock.now }), []);
    const snapshot = await conversation.snapshot();
    const put = (key: string, ttl: number): Promise<void> => {
      clock.ms += 1;
      return conversation.cachePut(snapshot, key, { key }, { ttl });
    };
    for (let index = 0; index < 100; index++) await put(`k${index}`, index === 50 ? 10 : 3_600);
    await put("new 1", 3_600);
    const there = async (key: string): Promise<boolean> =>
      await conversation.cacheGet(snapshot, key) !== null;
    assert.deepEqual([await there("k0"), await there("k1"), await there("new 1")], [false, true, true]);
    clock.advance(10);
    await put("new 2", 3_600);
    assert.deepEqual([await there("k50"), await there("k1"), await there("new 2")], [false, true, true]);
    assert.equal(await store.count(REPLAYS), 100);
  });

  promise("At its limit a key that is there is replaced, and nothing is dropped", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    const snapshot = await conversation.snapshot();
    for (let index = 0; index < 100; index++) await conversation.cachePut(snapshot, `k${index}`, { index });
    await conversation.cachePut(snapshot, "k99", { index: -1 });
    assert.deepEqual(await conversation.cacheGet(snapshot, "k0"), { index: 0 });
    assert.equal(await store.count(REPLAYS), 100);
  });

  promise("A replay is kept for an hour unless another time is given, at most for a day", async (store) => {
    const clock = clockAtNoon();
    const conversation = await talk(await store.open({ clock: clock.now }), []);
    const snapshot = await conversation.snapshot();
    await conversation.cachePut(snapshot, "hour", {});
    await conversation.cachePut(snapshot, "day", {}, { ttl: 86_400 });
    clock.ms += 3_600_000 - 1;
    assert.deepEqual(await conversation.cacheGet(snapshot, "hour"), {});
    clock.ms += 1;
    assert.equal(await conversation.cacheGet(snapshot, "hour"), null);
    clock.set(clock.ms / 1_000 + 82_799);
    assert.deepEqual(await conversation.cacheGet(snapshot, "day"), {});
    clock.advance(1);
    assert.equal(await conversation.cacheGet(snapshot, "day"), null);
  });

  promise("RPC-03 equal payloads in other bytes are stored as one text", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    const snapshot = await conversation.snapshot();
    const texts = ['{"b":1,"a":[1.0,1e2]}', '{"a":[1,100],"b":1}'];
    for (const [index, text] of texts.entries()) {
      await conversation.cachePut(snapshot, `k${index}`, JSON.parse(text) as Json);
    }
    assert.deepEqual([...new Set((await store.cells(REPLAYS, "payload")).flat())], ['{"a":[1,100],"b":1}']);
    await assert.rejects(conversation.cachePut(snapshot, "k", { x: -0 }), { code: "CONTRACT" });
  });

  promise("Replays of one key in two scopes are two replays", async (store) => {
    const memory = await store.open(atNoon());
    const orchard = await talk(memory, []);
    const harbour = await talk(memory, [], HARBOUR);
    await orchard.cachePut(await orchard.snapshot(), "k", { of: "orchard" });
    assert.equal(await harbour.cacheGet(await harbour.snapshot(), "k"), null);
  });

  durable("A replay is served after a reopen, for the same snapshot taken anew", async (store) => {
    const memory = await store.open(atNoon());
    const conversation = await talk(memory, ["t1"]);
    await conversation.cachePut(await conversation.snapshot(), "k", { n: 1 });
    await memory.close();
    const again = (await store.open(atNoon())).conversation(ORCHARD);
    assert.deepEqual(await again.cacheGet(await again.snapshot(), "k"), { n: 1 });
  });
}
