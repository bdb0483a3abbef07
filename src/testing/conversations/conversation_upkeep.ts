/** Upkeep: what is due is erased before the call that found it, as a write of its own that stays. */

import assert from "node:assert/strict";
import { COVERED_TURNS, PINS, REPLAYS, SUMMARIES, TURNS } from "../../tables/schema/main_tables.ts";
import type { Conversation, Memory } from "../../../mod.ts";
import type { MutableClock } from "../kit/mutable_clock.ts";
import type { StoreUnderTest } from "../kit/store_under_test.ts";
import type { Suite } from "../kit/suite.ts";
import {
  after,
  atNoon,
  clockAtNoon,
  derive,
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

interface Due {
  readonly clock: MutableClock;
  readonly memory: Memory;
  readonly conversation: Conversation;
  /** The scope's revision while nothing is due. */
  readonly revision: number;
}

/** A scope whose turn `t1` is due, with a pin, a summary and a replay that derive from it; `t2` stays. */
async function due(store: StoreUnderTest): Promise<Due> {
  const clock = clockAtNoon();
  const memory = await store.open({ clock: clock.now });
  const conversation = await talk(memory, []);
  await conversation.putTurn(turnOf("t1"), { operationId: "1", expectedRevision: 0, expiresAt: after(60) });
  await conversation.putTurn(turnOf("t2"), { operationId: "2", expectedRevision: 1 });
  await derive(conversation);
  clock.advance(60);
  return { clock, memory, conversation, revision: 4 };
}

function turnsLeft(store: StoreUnderTest): Promise<unknown> {
  return store.cells(TURNS, "turnId");
}

export function testUpkeep({ engine, promise, durable }: Suite): void {
  promise(
    "A read erases what is due first: the turn, its pin, its summary and the replays",
    async (store) => {
      const { conversation, revision } = await due(store);
      const now = await conversation.snapshot();
      assert.equal(now.revision, revision + 2);
      assert.deepEqual([now.turnCount, now.pins.length, now.summary, now.nextExpiryAt], [1, 0, null, null]);
      for (const table of [PINS, SUMMARIES, COVERED_TURNS, REPLAYS]) {
        assert.equal(await store.count(table), 0, table.name);
      }
      assert.deepEqual(await turnsLeft(store), [["t2"]]);
    },
  );

  promise("A write runs upkeep first, and sees the revision that it leaves", async (store) => {
    const { conversation, revision } = await due(store);
    const put = turnOf("t3");
    await assert.rejects(conversation.putTurn(put, { operationId: "3", expectedRevision: revision }), {
      reason: "REVISION",
      currentRevision: revision + 2,
    });
    assert.deepEqual(await turnsLeft(store), [["t2"]]);
    assert.equal(
      await conversation.putTurn(put, { operationId: "3", expectedRevision: revision + 2 }),
      revision + 3,
    );
  });

  const failing: readonly (readonly [string, (due: Due) => Promise<unknown>])[] = [
    [
      "putTurn()",
      ({ conversation }) => conversation.putTurn(turnOf("t3"), { operationId: "3", expectedRevision: 99 }),
    ],
    ["putPin()", ({ conversation }) => conversation.putPin(pinOf("k"), { expectedRevision: 99 })],
    [
      "delete() of the scope",
      ({ conversation }) => conversation.delete({ kind: "scope", expectedRevision: 99 }),
    ],
    [
      "delete() of a pin",
      ({ conversation }) => conversation.delete({ kind: "pin", key: "k", expectedRevision: 99 }),
    ],
  ];
  for (const [name, call] of failing) {
    promise(`Upkeep stays committed though ${name} that found it fails`, async (store) => {
      const found = await due(store);
      await assert.rejects(call(found), { reason: "REVISION" });
      assert.deepEqual(await turnsLeft(store), [["t2"]]);
      assert.deepEqual((await store.events()).map(({ kind, reserved, floor }) => [kind, reserved, floor]), [
        ["turn", false, 1],
      ]);
    });
  }

  promise(
    "Upkeep stays committed though putSummary() or cachePut() with a snapshot of before fails",
    async (store) => {
      const { clock, conversation } = await due(store);
      clock.set(NOON);
      const memory = !engine.durable ? null : await store.open({ clock: clock.now });
      const before = await (memory?.conversation(ORCHARD) ?? conversation).snapshot();
      const summary = summaryOf((await readTurns(conversation)).slice(-1));
      clock.advance(60);
      await assert.rejects(conversation.cachePut(before, "k", {}), { reason: "SNAPSHOT" });
      assert.deepEqual(await turnsLeft(store), [["t2"]]);
      await assert.rejects(conversation.putSummary(before, summary), { reason: "SNAPSHOT" });
    },
  );

  promise("append() runs upkeep and then its own write", async (store) => {
    const { conversation, revision } = await due(store);
    const { turnId } = await conversation.append([{ role: "user", content: "x" }]);
    assert.deepEqual(await readIds(conversation), ["t2", turnId]);
    assert.equal(await conversation.revision(), revision + 3);
  });

  promise("A repeated operation is answered without upkeep", async (store) => {
    const { conversation } = await due(store);
    assert.equal(await conversation.putTurn(turnOf("t2"), { operationId: "2", expectedRevision: 1 }), 2);
    assert.deepEqual(await turnsLeft(store), [["t1"], ["t2"]]);
  });

  promise("Upkeep is a scope's own: another scope's calls leave what is due", async (store) => {
    const { memory } = await due(store);
    await talk(memory, ["h1"], HARBOUR);
    assert.deepEqual(await turnsLeft(store), [["t1"], ["t2"], ["h1"]]);
  });

  promise(
    "A deadline is exclusive: the turn is there a millisecond before, and gone at it",
    async (store) => {
      const clock = clockAtNoon();
      const conversation = await talk(await store.open({ clock: clock.now }), []);
      await conversation.append([{ role: "user", content: "x" }], { expiresAt: after(60) });
      clock.ms = (NOON + 60) * 1_000 - 1;
      assert.equal((await conversation.snapshot()).turnCount, 1);
      clock.ms += 1;
      assert.equal((await conversation.snapshot()).turnCount, 0);
    },
  );

  promise(
    "A revision without expiresAt keeps the deadline, null clears it, and a new one replaces it",
    async (store) => {
      const clock = clockAtNoon();
      const conversation = await talk(await store.open({ clock: clock.now }), []);
      const expiresNext = async (): Promise<string | null> => (await conversation.snapshot()).nextExpiryAt;
      await conversation.putTurn(turnOf("t1"), {
        operationId: "1",
        expectedRevision: 0,
        expiresAt: after(60),
      });
      await revise(conversation, turnOf("t1", "kept", { revision: 2 }));
      assert.equal(await expiresNext(), "2027-01-15T08:01:00+00:00");
      await revise(conversation, turnOf("t1", "later", { revision: 3 }), after(120));
      clock.advance(60);
      assert.deepEqual([(await conversation.snapshot()).turnCount, await expiresNext()], [
        1,
        "2027-01-15T08:02:00+00:00",
      ]);
      await revise(conversation, turnOf("t1", "cleared", { revision: 4 }), null);
      clock.advance(60);
      assert.deepEqual([(await conversation.snapshot()).turnCount, await expiresNext()], [1, null]);
    },
  );

  promise(
    "TIM-01 A revision without timestamp keeps the turn's time, and another one replaces it",
    async (store) => {
      const clock = clockAtNoon();
      const conversation = await talk(await store.open({ clock: clock.now }), []);
      const times = async (): Promise<string[]> =>
        (await readTurns(conversation)).map(({ timestamp }) => timestamp);
      const given = "2026-12-24T18:30:00.250000+02:00";
      await conversation.append([{ role: "user", content: "before" }]);
      await revise(conversation, turnOf("t1", "given", { timestamp: given }));
      await revise(conversation, turnOf("t2", "open"));
      clock.advance(60);
      await revise(conversation, turnOf("t1", "once more", { revision: 2 }));
      await revise(conversation, turnOf("t2", "once more", { revision: 2 }));
      assert.deepEqual(await times(), ["2027-01-15T08:00:00+00:00", given, "2027-01-15T08:00:00+00:00"]);
      await revise(conversation, turnOf("t2", "later", { revision: 3, timestamp: after(30) }));
      await revise(conversation, turnOf("t2", "kept", { revision: 4, timestamp: null }));
      assert.deepEqual((await times()).at(-1), "2027-01-15T08:00:30+00:00");
    },
  );

  promise(
    "TIM-01 A turn that had expired has no time to keep: it comes back at the store's",
    async (store) => {
      const { conversation, clock } = await due(store);
      await revise(conversation, turnOf("t1", "back", { revision: 2 }));
      const [, back] = await readTurns(conversation);
      assert.equal(back!.timestamp, after((clock.ms / 1_000) - NOON).replace(".000Z", "+00:00"));
    },
  );

  promise("TIM-01 A revision that keeps a longer time is measured with it", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    const timestamp = "2027-01-15T10:00:00.250000+02:00";
    await revise(conversation, turnOf("t1", "x", { timestamp }));
    const { bytes } = (await store.rows(TURNS))[0]!;
    const room = 1_000_000 - bytes + 1;
    await revise(conversation, turnOf("t1", "y".repeat(room), { revision: 2 }));
    assert.deepEqual(await store.cells(TURNS, "bytes"), [[1_000_000]]);
    await store.assertChangesNothing(
      () => revise(conversation, turnOf("t1", "z".repeat(room + 1), { revision: 3 })),
      { code: "CONTRACT", field: "turn" },
    );
  });

  promise(
    "An expired turn's id may come back with the next revision; deleting it burns it",
    async (store) => {
      const { conversation } = await due(store);
      await assert.rejects(revise(conversation, turnOf("t1", "t1", { revision: 1 })), {
        reason: "REVISION",
        currentRevision: 1,
      });
      await revise(conversation, turnOf("t1", "back", { revision: 2 }));
      assert.deepEqual(await readIds(conversation), ["t2", "t1"]);
      await erase(conversation, "turn", "t1");
      await assert.rejects(revise(conversation, turnOf("t1", "x", { revision: 3 })), { reason: "DELETED" });
    },
  );

  promise("Hundreds of turns that are due at once go in bounded groups, before one call", async (store) => {
    const clock = clockAtNoon();
    const conversation = await talk(await store.open({ clock: clock.now }), []);
    await Promise.all(
      Array.from(
        { length: 450 },
        () => conversation.append([{ role: "user", content: "x" }], { expiresAt: after(60) }),
      ),
    );
    clock.advance(60);
    assert.deepEqual(await readIds(conversation), []);
    const batches = Map.groupBy(await store.events(), ({ batch }) => batch);
    assert.deepEqual([...batches.values()].map((events) => events.length), [200, 200, 50]);
    assert.equal(await conversation.revision(), 900);
  });

  promise("Pins, summaries and replays that are due go with the turns, each counted once", async (store) => {
    const clock = clockAtNoon();
    const memory = await store.open({ clock: clock.now });
    const conversation = await talk(memory, ["t1"]);
    await pinUp(conversation, pinOf("k", "v", { expiresAt: after(60) }));
    const summary = summaryOf(await readTurns(conversation), "x", { expiresAt: after(60) });
    await conversation.putSummary(await conversation.snapshot(), summary);
    await conversation.cachePut(await conversation.snapshot(), "k", {}, { ttl: 60 });
    clock.advance(60);
    const { expired } = await memory.prune({ scrub: false });
    assert.deepEqual(expired, { turns: 0, pins: 1, summaries: 1, replay: 1, records: 0 });
    assert.equal(await conversation.revision(), 5);
  });

  promise("With its signal aborted a call that finds something due erases nothing", async (store) => {
    const { conversation } = await due(store);
    const reason = new Error("enough");
    await assert.rejects(
      conversation.snapshot({ signal: AbortSignal.abort(reason) }),
      (error) => error === reason,
    );
    assert.deepEqual(await turnsLeft(store), [["t1"], ["t2"]]);
  });

  durable("What fell due while nobody had the store open is gone at the first read", async (store) => {
    const { clock, memory } = await due(store);
    await memory.close();
    const conversation = (await store.open({ clock: clock.now })).conversation(ORCHARD);
    assert.deepEqual(await readIds(conversation), ["t2"]);
  });
}
