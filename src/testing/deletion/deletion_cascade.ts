/** What goes with what, whatever takes it away, and that the counts say so. */

import assert from "node:assert/strict";
import type { Conversation, ErasedCounts } from "../../../mod.ts";
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
  readIds,
  readTurns,
  revise,
  sourceOf,
  summaryOf,
  talk,
  turnOf,
} from "../kit/conversation_samples.ts";
import { rowsByTable } from "./rows_by_table.ts";
import type { Suite } from "../kit/suite.ts";

const NOTHING: ErasedCounts = {
  turns: 0,
  pins: 0,
  summaries: 0,
  chunks: 0,
  postings: 0,
  replay: 0,
  operations: 0,
  journals: 0,
  entries: 0,
  media: 0,
};

/** Two pins that cite `t1`, a free one, a summary of all turns, three replays. */
async function deriveMuch(conversation: Conversation): Promise<void> {
  const turns = await readTurns(conversation);
  const source = sourceOf(turns[0]!);
  const { scope } = conversation;
  for (const key of ["a", "b"]) await pinUp(conversation, pinOf(key, "v", { scope, source }));
  await pinUp(conversation, pinOf("free", "v", { scope }));
  await conversation.putSummary(await conversation.snapshot(), summaryOf(turns));
  const snapshot = await conversation.snapshot();
  for (const key of ["x", "y", "z"]) await conversation.cachePut(snapshot, key, {});
}

export function testCascade({ promise }: Suite): void {
  promise(
    "A deleted turn takes its pins, the summary and the replays along, and its receipt counts them",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), ["t1", "t2"]);
      await deriveMuch(conversation);
      const { erased } = await erase(conversation, "turn", "t1");
      assert.deepEqual(erased, { ...NOTHING, turns: 1, pins: 2, summaries: 1, replay: 3 });
      const now = await conversation.snapshot();
      assert.deepEqual([now.pins.map(({ key }) => key), now.summary, now.turnCount], [["free"], null, 1]);
      assert.deepEqual(await rowsByTable(store), {
        scopes: 1,
        turns: 1,
        message_ids: 1,
        pins: 1,
        summaries: 0,
        covered_turns: 0,
        replays: 0,
        operations: 2,
        floors: 3, // of two pins that were lost with the turn, and of its message
      });
    },
  );

  promise("A deleted scope takes everything along, and its receipt counts it", async (store) => {
    const memory = await store.open(atNoon());
    const conversation = await talk(memory, ["t1", "t2"]);
    await deriveMuch(conversation);
    await deriveMuch(await talk(memory, ["t1"], HARBOUR));
    const { erased } = await erase(conversation, "scope");
    assert.deepEqual(erased, { ...NOTHING, turns: 2, pins: 3, summaries: 1, replay: 3, operations: 2 });
    assert.deepEqual(await rowsByTable(store), {
      scopes: 1,
      turns: 1,
      message_ids: 1,
      pins: 3,
      summaries: 1,
      covered_turns: 1,
      replays: 3,
      operations: 1,
      floors: 0,
    });
  });

  promise("A deleted pin takes the replays along, and leaves turns and summary", async (store) => {
    const conversation = await talk(await store.open(atNoon()), ["t1", "t2"]);
    await deriveMuch(conversation);
    const { erased } = await erase(conversation, "pin", "a");
    assert.deepEqual(erased, { ...NOTHING, pins: 1, replay: 3 });
    const now = await conversation.snapshot();
    assert.deepEqual([now.pins.map(({ key }) => key), now.summary?.content], [
      ["b", "free"],
      "what was said",
    ]);
  });

  promise(
    "A revised turn takes the same along, without an event: no put ever writes the ledger",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), ["t1", "t2"]);
      await deriveMuch(conversation);
      await revise(conversation, turnOf("t1", "other", { revision: 2 }));
      const now = await conversation.snapshot();
      assert.deepEqual([now.pins.map(({ key }) => key), now.summary, now.turnCount], [["free"], null, 2]);
      const { floors, replays, summaries } = await rowsByTable(store);
      assert.deepEqual({ floors, replays, summaries }, { floors: 2, replays: 0, summaries: 0 });
      assert.equal((await store.events()).length, 0);
    },
  );

  promise("An expired turn takes the same along, and its event counts them", async (store) => {
    const clock = clockAtNoon();
    const conversation = await talk(await store.open({ clock: clock.now }), []);
    await conversation.putTurn(turnOf("t1"), { operationId: "1", expectedRevision: 0, expiresAt: after(60) });
    await deriveMuch(conversation);
    clock.advance(60);
    assert.deepEqual(await readIds(conversation), []);
    const [event] = await store.events();
    assert.deepEqual([event?.kind, event?.reserved, event?.floor], ["turn", false, 1]);
    assert.deepEqual(event?.counts, { ...NOTHING, turns: 1, pins: 2, summaries: 1, replay: 3 });
  });

  promise("Turns that expire in one batch are counted one by one", async (store) => {
    const clock = clockAtNoon();
    const conversation = await talk(await store.open({ clock: clock.now }), []);
    for (const [index, turnId] of ["t1", "t2", "t3"].entries()) {
      const options = { operationId: turnId, expectedRevision: index, expiresAt: after(60) };
      await conversation.putTurn(turnOf(turnId), options);
    }
    await deriveMuch(conversation);
    clock.advance(60);
    await conversation.snapshot();
    const counted = (await store.events()).map(({ batch, counts }) => {
      const { turns, pins, summaries, replay } = counts;
      return [batch, turns, pins, summaries, replay];
    });
    assert.deepEqual(counted, [[1, 1, 2, 1, 3], [1, 1, 0, 0, 0], [1, 1, 0, 0, 0]]);
  });

  promise(
    "A pin that expires together with its source leaves one floor, at its own revision",
    async (store) => {
      const clock = clockAtNoon();
      const conversation = await talk(await store.open({ clock: clock.now }), []);
      await conversation.putTurn(turnOf("t1"), {
        operationId: "1",
        expectedRevision: 0,
        expiresAt: after(60),
      });
      const source = sourceOf((await readTurns(conversation))[0]!);
      await pinUp(conversation, pinOf("k", "v", { source }));
      await pinUp(conversation, pinOf("k", "w", { source, revision: 2, expiresAt: after(60) }));
      clock.advance(60);
      await assert.rejects(pinUp(conversation, pinOf("k", "k", { revision: 1 })), {
        reason: "REVISION",
        currentRevision: 2,
      });
      await pinUp(conversation, pinOf("k", "x", { revision: 3 }));
    },
  );

  promise("A floor stays behind a deletion: ids and keys are reserved above it, not below", async (store) => {
    const conversation = await talk(await store.open(atNoon()), ["t1"]);
    await derive(conversation);
    await erase(conversation, "turn", "t1");
    await erase(conversation, "pin", "derived");
    for (const revision of [1, 2, 3]) {
      await assert.rejects(pinUp(conversation, pinOf("derived", "v", { revision })), { reason: "DELETED" });
    }
  });

  promise(
    "A scope's deletion takes its floors and reserved ids along; the scope itself is reserved",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), ["t1"]);
      await derive(conversation);
      await erase(conversation, "turn", "t1");
      await erase(conversation, "scope");
      assert.equal((await rowsByTable(store)).floors, 0);
      await assert.rejects(conversation.create(), { reason: "DELETED" });
    },
  );

  promise(
    "An event covers the revision that was there: the turn's, the pin's, the scope's",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), ["t1"]);
      await revise(conversation, turnOf("t1", "x", { revision: 2 }));
      await pinUp(conversation, pinOf("k"));
      await erase(conversation, "turn", "t1");
      await erase(conversation, "pin", "k");
      await erase(conversation, "turn", "never");
      await erase(conversation, "scope");
      const events = (await store.events()).map(({ kind, reserved, floor }) => [kind, reserved, floor]);
      assert.deepEqual(events, [["turn", true, 2], ["pin", true, 1], ["turn", true, 0], ["scope", true, 6]]);
    },
  );

  promise(
    "DEL-01 after a deletion every table has no row of the scope, whatever late writers tried",
    async (store) => {
      const memory = await store.open(atNoon());
      const conversation = await talk(memory, ["t1", "t2", "t3"]);
      const snapshot = await derive(conversation);
      const summary = summaryOf(await readTurns(conversation));
      await erase(memory.conversation(ORCHARD), "scope");
      const late = await Promise.allSettled([
        conversation.append([{ role: "user", content: "x" }]),
        conversation.putTurn(turnOf("t4"), { operationId: "t4", expectedRevision: 5 }),
        conversation.putPin(pinOf("late"), { expectedRevision: 5 }),
        conversation.putSummary(snapshot, summary),
        conversation.cachePut(snapshot, "late", {}),
        conversation.create(),
      ]);
      for (const outcome of late) {
        assert.equal((outcome as PromiseRejectedResult).reason.reason, "DELETED");
      }
      assert.deepEqual(Object.values(await rowsByTable(store)), Array(9).fill(0));
    },
  );
}
