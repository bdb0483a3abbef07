/** Snapshots: what they hold, when their id changes, and that they keep text to themselves. */

import assert from "node:assert/strict";
import { inspect } from "node:util";
import { PINS, SUMMARIES, TURNS } from "../../tables/schema/main_tables.ts";
import { type Conversation, openMemory, type Snapshot } from "../../../mod.ts";
import type { Suite } from "../kit/suite.ts";
import {
  after,
  atNoon,
  clockAtNoon,
  derive,
  erase,
  HARBOUR,
  ORCHARD,
  pinOf,
  pinUp,
  readTurns,
  revise,
  summaryOf,
  talk,
  turnOf,
} from "../kit/conversation_samples.ts";

const CHANGES:
  readonly (readonly [what: string, change: (conversation: Conversation) => Promise<unknown>])[] = [
    ["a new turn", (c) => c.append([{ role: "user", content: "more" }])],
    ["a revised turn", (c) => revise(c, turnOf("t1", "other", { revision: 2 }))],
    ["a turn revised with equal content", (c) => revise(c, turnOf("t1", "t1", { revision: 2 }))],
    ["a deleted turn", (c) => erase(c, "turn", "t1")],
    ["an unknown turn's deletion", (c) => erase(c, "turn", "t9")],
    ["a new pin", (c) => pinUp(c, pinOf("k2"))],
    ["a pin that starts later", (c) => pinUp(c, pinOf("k2", "v", { effectiveAt: after(60) }))],
    ["a revised pin", (c) => pinUp(c, pinOf("k", "other", { revision: 2 }))],
    ["a deleted pin", (c) => erase(c, "pin", "k")],
    ["a summary", async (c) => c.putSummary(await c.snapshot(), summaryOf(await readTurns(c)))],
  ];

export function testSnapshots({ promise, durable }: Suite): void {
  promise("A snapshot holds scope, revision, counts, active pins by key, summary and time", async (store) => {
    const conversation = await talk(await store.open(atNoon()), ["t1", "t2"]);
    for (const key of ["b", "a", "\u{ffff}", "\u{10000}"]) await pinUp(conversation, pinOf(key));
    await conversation.putSummary(await conversation.snapshot(), summaryOf(await readTurns(conversation)));
    const { id, scope, revision, turnCount, pins, summary, at, nextExpiryAt } = await conversation.snapshot();
    assert.match(id, /^[0-9a-f]{64}$/);
    assert.deepEqual({ scope, revision, turnCount, at, nextExpiryAt }, {
      scope: ORCHARD,
      revision: 7,
      turnCount: 2,
      at: "2027-01-15T08:00:00+00:00",
      nextExpiryAt: null,
    });
    assert.deepEqual(pins.map(({ key }) => key), ["a", "b", "\u{ffff}", "\u{10000}"]);
    assert.equal(summary?.content, "what was said");
  });

  durable("Snapshots of one state are equal, whenever and by whomever they are taken", async (store) => {
    const clock = clockAtNoon();
    const first = await store.open({ clock: clock.now });
    const conversation = await talk(first, ["t1"]);
    await derive(conversation);
    const one = await conversation.snapshot();
    clock.advance(60);
    const two = await first.conversation({ ...ORCHARD }).snapshot();
    await first.close();
    const three = await (await store.open({ clock: clock.now })).conversation(ORCHARD).snapshot();
    assert.deepEqual([two.id, three.id], [one.id, one.id]);
    assert.deepEqual([two.revision, three.revision], [one.revision, one.revision]);
    assert.equal(two.at, "2027-01-15T08:01:00+00:00");
  });

  for (const [what, change] of CHANGES) {
    promise(`A snapshot's id changes with ${what}, and the old one is stale`, async (store) => {
      const conversation = await talk(await store.open(atNoon()), ["t1"]);
      await pinUp(conversation, pinOf("k"));
      const before = await conversation.snapshot();
      await change(conversation);
      const now = await conversation.snapshot();
      assert.notEqual(now.id, before.id);
      assert(now.revision > before.revision);
      await store.assertChangesNothing(() => conversation.assertCurrent(before), {
        code: "CONFLICT",
        reason: "SNAPSHOT",
        retryable: true,
        currentRevision: now.revision,
      });
      assert.equal((await conversation.assertCurrent(now)).id, now.id);
    });
  }

  promise(
    "Neither a replay, nor a repeated or refused call, nor another scope changes a snapshot's id",
    async (store) => {
      const memory = await store.open(atNoon());
      const conversation = await talk(memory, ["t1"]);
      await erase(conversation, "turn", "t9");
      const { id } = await conversation.snapshot();
      await conversation.cachePut(await conversation.snapshot(), "k", {});
      await conversation.putTurn(turnOf("t1"), { operationId: "put t1", expectedRevision: 0 });
      await erase(conversation, "turn", "t9");
      await assert.rejects(
        conversation.putTurn(turnOf("t2"), { operationId: "put t2", expectedRevision: 0 }),
      );
      await talk(memory, ["t1", "t2"], HARBOUR);
      assert.equal((await conversation.snapshot()).id, id);
    },
  );

  promise("Snapshots of two scopes with equal content differ", async (store) => {
    const memory = await store.open(atNoon());
    const one = await (await talk(memory, ["t1"])).snapshot();
    const two = await (await talk(memory, ["t1"], HARBOUR)).snapshot();
    assert.equal(one.revision, two.revision);
    assert.notEqual(one.id, two.id);
  });

  promise("A snapshot is of its scope: another conversation refuses it", async (store) => {
    const memory = await store.open(atNoon());
    const snapshot = await (await talk(memory, ["t1"])).snapshot();
    const harbour = await talk(memory, ["t1"], HARBOUR);
    const refused = { code: "CONTRACT", field: "snapshot" };
    await assert.rejects(harbour.assertCurrent(snapshot), refused);
    await assert.rejects(readTurns(harbour, snapshot), refused);
    await assert.rejects(harbour.cachePut(snapshot, "k", {}), refused);
    await assert.rejects(harbour.cacheGet(snapshot, "k"), refused);
    const summary = summaryOf(await readTurns(harbour));
    await assert.rejects(harbour.putSummary(snapshot, summary), refused);
  });

  promise("A copy of a snapshot is none: only what the store gave counts", async (store) => {
    const conversation = await talk(await store.open(atNoon()), ["t1"]);
    const snapshot = await conversation.snapshot();
    const copies = [{ ...snapshot }, structuredClone(snapshot), Object.create(snapshot)];
    for (const copy of copies as Snapshot[]) {
      await assert.rejects(conversation.assertCurrent(copy), { code: "CONTRACT", field: "snapshot" });
    }
  });

  promise("A snapshot of another store with an equal scope is stale here", async (store) => {
    const here = await talk(await store.open(atNoon()), ["t1"]);
    await using other = await openMemory(":memory:", atNoon());
    const there = await (await talk(other, ["t1"])).snapshot();
    await assert.rejects(here.assertCurrent(there), { reason: "SNAPSHOT" });
  });

  promise(
    "A snapshot is printed with ids and counts, never text, and is written as JSON whole (PRN-01)",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), ["t1"]);
      await pinUp(conversation, pinOf("language", "OPAL in a pin"));
      const summary = summaryOf(await readTurns(conversation), "OPAL in a summary");
      await conversation.putSummary(await conversation.snapshot(), summary);
      const snapshot = await conversation.snapshot();
      const shown = inspect(snapshot, { depth: 9 });
      assert.equal(shown.includes("OPAL"), false);
      assert(shown.includes(snapshot.id));
      for (const whole of [JSON.stringify(snapshot), JSON.stringify(structuredClone(snapshot))]) {
        assert.equal(whole.match(/OPAL/g)?.length, 2);
      }
    },
  );

  promise(
    "A turn that the store gives is printed with ids and counts, and is sent to a page whole (PRN-01)",
    async (store) => {
      const conversation = (await store.open(atNoon())).conversation(ORCHARD);
      await conversation.append([{ role: "user", content: "OPAL in a turn" }]);
      const [stored] = await readTurns(conversation);
      for (const printed of [stored, stored!.messages, stored!.messages[0]]) {
        assert.equal(inspect(printed, { depth: 9 }).includes("OPAL"), false);
        assert(JSON.stringify(printed).includes("OPAL"));
        assert.deepEqual(JSON.parse(JSON.stringify(printed)), structuredClone(printed));
      }
      const [hit] = await conversation.search("opal turn");
      assert.equal(inspect([hit], { depth: 9 }).includes("OPAL"), false);
      assert.equal(structuredClone(hit)!.content, "OPAL in a turn");
      const snapshot = await conversation.snapshot();
      const { chunks } = await conversation.chunkIndex(snapshot);
      assert.equal(inspect(chunks, { depth: 9 }).includes("OPAL"), false);
    },
  );

  promise("A snapshot cannot be changed", async (store) => {
    const conversation = await talk(await store.open(atNoon()), ["t1"]);
    const snapshot = (await conversation.snapshot()) as unknown as { revision: number; pins: unknown[] };
    assert.throws(() => snapshot.revision++, TypeError);
    assert.throws(() => snapshot.pins.push("x"), TypeError);
  });

  promise(
    "snapshot(), append(), putPin() and cachePut() read no turn: damaged ones are not noticed",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), ["t1"]);
      store.damaged = true;
      await store.damage(TURNS, { payload: "damaged" });
      assert.equal((await conversation.snapshot()).turnCount, 1);
      assert.equal((await conversation.append([{ role: "user", content: "x" }])).revision, 2);
      await pinUp(conversation, pinOf("k"));
      await conversation.cachePut(await conversation.snapshot(), "k", {});
    },
  );

  promise(
    "revision() reads nothing but the scope: damaged pins and summaries do not hide it",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), ["t1"]);
      await derive(conversation);
      store.damaged = true;
      await store.damage(PINS, { payload: "damaged" });
      await store.damage(SUMMARIES, { payload: "damaged" });
      await assert.rejects(conversation.snapshot(), { code: "INTEGRITY" });
      assert.equal(await conversation.revision(), 3);
    },
  );

  promise(
    "PIN-04 pins keep their place and bytes: equal exports each time, through updates and a scrub",
    async (store) => {
      const memory = await store.open(atNoon());
      const conversation = await talk(memory, []);
      for (const key of ["f1", "f2", "f3"]) await pinUp(conversation, pinOf(key));
      await pinUp(conversation, pinOf("f2", "new", { revision: 2 }));
      const text = async (): Promise<string> =>
        JSON.stringify((({ at: _at, ...rest }) => rest)(await conversation.snapshot()));
      const first = await text();
      assert.match(first, /"f1".*"f2".*"f3"/);
      for (let turn = 0; turn < 20; turn++) assert.equal(await text(), first);
      await memory.prune();
      assert.equal(await text(), first);
    },
  );
}
