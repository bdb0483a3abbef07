/** Clocks that stand still, step back, or differ between processes. */

import assert from "node:assert/strict";
import { REPLAYS, TURNS } from "../../tables/schema/main_tables.ts";
import { MutableClock } from "../kit/mutable_clock.ts";
import type { Suite } from "../kit/suite.ts";
import {
  after,
  clockAtNoon,
  erase,
  HARBOUR,
  NOON,
  ORCHARD,
  pinOf,
  pinUp,
  readIds,
  readTurns,
  revise,
  summaryOf,
  talk,
  turnOf,
} from "../kit/conversation_samples.ts";

const DAY = 86_400;

export function testClocks({ promise, durable }: Suite): void {
  promise(
    "With a clock that stepped back more than a minute only cachePut() is refused, with CLOCK",
    async (store) => {
      const clock = clockAtNoon();
      const conversation = await talk(await store.open({ clock: clock.now }), ["t1", "t2"]);
      clock.set(NOON - 61);
      const snapshot = await conversation.snapshot();
      await store.assertChangesNothing(() => conversation.cachePut(snapshot, "k", {}), {
        code: "CONFLICT",
        reason: "CLOCK",
        retryable: false,
      });
      assert.equal(await conversation.cacheGet(snapshot, "k"), null);
      await conversation.append([{ role: "user", content: "x" }], { expiresAt: after(60) });
      await pinUp(conversation, pinOf("k", "v", { expiresAt: after(60) }));
      const turns = (await readTurns(conversation)).slice(0, 1);
      await conversation.putSummary(await conversation.snapshot(), summaryOf(turns));
      assert.equal((await erase(conversation, "turn", "t1")).erased.summaries, 1);
      assert.equal((await erase(conversation, "scope")).already, false);
    },
  );

  promise("A clock that stepped back by a minute is behind, and nothing is refused", async (store) => {
    const clock = clockAtNoon();
    const conversation = await talk(await store.open({ clock: clock.now }), []);
    await conversation.append([{ role: "user", content: "x" }]);
    clock.set(NOON - 60);
    const snapshot = await conversation.snapshot();
    await conversation.cachePut(snapshot, "k", { n: 1 }, { ttl: 60 });
    assert.equal(snapshot.at, "2027-01-15T08:00:00+00:00");
    assert.deepEqual(await store.cells(REPLAYS, "expires"), [[(NOON + 60) * 1_000]]);
  });

  promise("A CLOCK conflict tells by how much the clock is behind", async (store) => {
    const clock = clockAtNoon();
    const conversation = await talk(await store.open({ clock: clock.now }), []);
    await conversation.append([{ role: "user", content: "x" }]);
    clock.set(NOON - 600);
    await assert.rejects(conversation.cachePut(await conversation.snapshot(), "k", {}), (error) => {
      assert.equal((error as { details: Record<string, unknown> }).details.behindMs, 600_000);
      return true;
    });
  });

  promise(
    "Nothing expired comes back while a clock is behind; erasing it rests until the clock has caught up",
    async (store) => {
      const clock = clockAtNoon();
      const memory = await store.open({ clock: clock.now });
      const conversation = await talk(memory, []);
      await conversation.append([{ role: "user", content: "x" }], { expiresAt: after(60) });
      const { turnId } = await conversation.append([{ role: "user", content: "y" }]);
      clock.advance(600);
      await talk(memory, ["h1"], HARBOUR);
      clock.set(NOON);
      assert.deepEqual(await readIds(conversation), [turnId]);
      assert.equal(await store.count(TURNS), 3);
      clock.advance(600);
      assert.deepEqual(await readIds(conversation), [turnId]);
      assert.equal(await store.count(TURNS), 2);
    },
  );

  promise(
    "prune({ acceptClock }) believes a clock that stepped back: deadlines count from it again",
    async (store) => {
      const clock = clockAtNoon();
      const memory = await store.open({ clock: clock.now });
      const conversation = await talk(memory, []);
      await conversation.append([{ role: "user", content: "x" }]);
      clock.set(NOON - 600);
      assert.equal((await memory.prune({ scrub: false })).clockLoweredByMs, 0);
      assert.equal((await memory.prune({ scrub: false, acceptClock: true })).clockLoweredByMs, 600_000);
      await conversation.cachePut(await conversation.snapshot(), "k", {}, { ttl: 1 });
      assert.deepEqual(await store.cells(REPLAYS, "expires"), [[(NOON - 599) * 1_000]]);
    },
  );

  promise("CLK-02 A deadline that only a clock which was ahead once has passed is CLOCK", async (store) => {
    const clock = clockAtNoon();
    const memory = await store.open({ clock: clock.now });
    clock.advance(4 * DAY);
    const conversation = await talk(memory, ["t1", "t2"]);
    await pinUp(conversation, pinOf("p"));
    clock.set(NOON);
    const tomorrow = after(DAY);
    const snapshot = await conversation.snapshot();
    const turns = await readTurns(conversation);
    const refused = async (call: () => Promise<unknown>, field: string): Promise<void> => {
      const details = { reason: "CLOCK", behindMs: 4 * DAY * 1_000, field };
      await store.assertChangesNothing(call, { code: "CONFLICT", reason: "CLOCK", details });
    };
    const messages = [{ role: "user", content: "x" }] as const;
    await refused(() => conversation.append(messages, { expiresAt: tomorrow }), "expiresAt");
    await refused(() => revise(conversation, turnOf("t3"), tomorrow), "expiresAt");
    await refused(() => revise(conversation, turnOf("t1", "y", { revision: 2 }), tomorrow), "expiresAt");
    for (const effectiveAt of [undefined, after(0)]) {
      const pin = pinOf("q", "v", { expiresAt: tomorrow, ...(effectiveAt && { effectiveAt }) });
      await refused(() => pinUp(conversation, pin), "pin.expiresAt");
    }
    const summary = summaryOf(turns, "x", { expiresAt: tomorrow });
    await refused(() => conversation.putSummary(snapshot, summary), "summary.expiresAt");
    await store.assertChangesNothing(() => conversation.append(messages, { expiresAt: after(0) }), {
      code: "CONTRACT",
      field: "expiresAt",
    });
    await memory.prune({ scrub: false, acceptClock: true });
    await conversation.append(messages, { expiresAt: tomorrow });
    await pinUp(conversation, pinOf("q", "v", { expiresAt: tomorrow }));
    assert.equal((await conversation.snapshot()).nextExpiryAt, "2027-01-16T08:00:00+00:00");
  });

  promise(
    "CLK-02 Within the minute in which a clock counts as right, such a deadline is CLOCK too",
    async (store) => {
      const clock = clockAtNoon();
      const conversation = await talk(await store.open({ clock: clock.now }), ["t1"]);
      clock.set(NOON - 40);
      const expiresAt = after(-10);
      await assert.rejects(conversation.append([{ role: "user", content: "x" }], { expiresAt }), {
        reason: "CLOCK",
      });
    },
  );

  promise("A clock that jumps far forward is believed", async (store) => {
    const clock = clockAtNoon();
    const conversation = await talk(await store.open({ clock: clock.now }), []);
    await conversation.append([{ role: "user", content: "x" }], { expiresAt: "2999-01-01T00:00:00Z" });
    clock.ms = Date.UTC(2999, 0, 1);
    assert.deepEqual(await readIds(conversation), []);
  });

  durable(
    "Two stores with clocks ten minutes apart both read and both delete; only the slow one's cachePut() is refused",
    async (store) => {
      const fast = await store.open({ clock: clockAtNoon().now });
      const slow = await store.open({ clock: new MutableClock(NOON - 600).now });
      const ahead = await talk(fast, ["t1", "t2", "t3", "t4"]);
      const behind = slow.conversation(ORCHARD);
      assert.deepEqual(await readIds(behind), ["t1", "t2", "t3", "t4"]);
      const snapshot = await behind.snapshot();
      assert.equal(snapshot.id, (await ahead.snapshot()).id);
      await assert.rejects(behind.cachePut(snapshot, "k", {}), { reason: "CLOCK" });
      await ahead.cachePut(snapshot, "k", { n: 1 });
      assert.deepEqual(await behind.cacheGet(snapshot, "k"), { n: 1 });
      assert.equal((await erase(behind, "turn", "t1")).at, "2027-01-15T08:00:00+00:00");
      await erase(ahead, "turn", "t2");
      await behind.append([{ role: "user", content: "x" }], { expiresAt: after(60) });
      await pinUp(behind, pinOf("k", "v", { expiresAt: after(60) }));
      assert.deepEqual((await readIds(ahead)).slice(0, 2), ["t3", "t4"]);
      assert.equal((await ahead.snapshot()).pins.length, 1);
    },
  );

  durable("A slow store does not bring back what a fast one let expire", async (store) => {
    const clock = clockAtNoon();
    const fast = await store.open({ clock: clock.now });
    const slow = await store.open({ clock: new MutableClock(NOON - 600).now });
    const ahead = await talk(fast, []);
    await ahead.append([{ role: "user", content: "x" }], { expiresAt: after(60) });
    clock.advance(60);
    assert.equal((await ahead.snapshot()).turnCount, 0);
    const seen = await slow.conversation(ORCHARD).snapshot();
    assert.deepEqual([seen.turnCount, seen.id], [0, (await ahead.snapshot()).id]);
  });

  durable(
    "A slow store that read before learns at its next read what time a fast one has seen",
    async (store) => {
      const clock = clockAtNoon();
      const fast = await store.open({ clock: clock.now });
      const slow = await store.open({ clock: new MutableClock(NOON - 600).now });
      const ahead = await talk(fast, []);
      await ahead.append([{ role: "user", content: "x" }], { expiresAt: after(60) });
      const behind = slow.conversation(ORCHARD);
      assert.equal((await behind.snapshot()).turnCount, 1);
      clock.advance(60);
      await talk(fast, ["h1"], HARBOUR);
      assert.equal((await behind.snapshot()).turnCount, 0);
    },
  );

  durable("A slow store leaves what is due to a fast one, and leaves it out meanwhile", async (store) => {
    const clock = clockAtNoon();
    const fast = await store.open({ clock: clock.now });
    const slow = await store.open({ clock: new MutableClock(NOON - 600).now });
    const ahead = await talk(fast, []);
    await ahead.append([{ role: "user", content: "x" }], { expiresAt: after(60) });
    clock.advance(60);
    await talk(fast, ["h1"], HARBOUR);
    const behind = slow.conversation(ORCHARD);
    await behind.create();
    assert.equal((await behind.snapshot()).turnCount, 0);
    assert.deepEqual(await readIds(behind), []);
    assert.equal((await behind.append([{ role: "user", content: "y" }])).revision, 2);
    assert.equal(await store.count(TURNS), 3);
    assert.equal((await ahead.snapshot()).turnCount, 1);
    assert.equal(await store.count(TURNS), 2);
  });

  promise("A turn's own timestamp may lie anywhere: only deadlines are held to the clock", async (store) => {
    const conversation = await talk(await store.open({ clock: clockAtNoon().now }), []);
    const put = { operationId: "1", expectedRevision: 0 };
    await conversation.putTurn(turnOf("t1", "x", { timestamp: "2999-01-01T00:00:00Z" }), put);
    assert.deepEqual(await readIds(conversation), ["t1"]);
  });
}
