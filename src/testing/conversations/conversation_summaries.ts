/** Summaries: what drops them, what does not, and which are taken. */

import assert from "node:assert/strict";
import { COVERED_TURNS, SUMMARIES, TURNS } from "../../tables/schema/main_tables.ts";
import { type Conversation, summaryFromHistory } from "../../../mod.ts";
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
  readTurns,
  revise,
  summaryOf,
  talk,
  turnOf,
} from "../kit/conversation_samples.ts";

/** Puts a summary of turns from `first` to `last`, counted from 1. */
async function summarize(conversation: Conversation, first: number, last: number): Promise<number> {
  const turns = (await readTurns(conversation)).slice(first - 1, last);
  return await conversation.putSummary(
    await conversation.snapshot(),
    summaryOf(turns, `${first} to ${last}`),
  );
}

async function summaryText(conversation: Conversation): Promise<string | null> {
  return (await conversation.snapshot()).summary?.content ?? null;
}

const KEEPS: readonly (readonly [string, (conversation: Conversation) => Promise<unknown>])[] = [
  ["a new turn", (c) => c.append([{ role: "user", content: "more" }])],
  ["a revision of a turn that it does not cover", (c) => revise(c, turnOf("t3", "other", { revision: 2 }))],
  ["the deletion of a turn that it does not cover", (c) => erase(c, "turn", "t3")],
  ["the deletion of an unknown turn", (c) => erase(c, "turn", "t9")],
  ["a new pin", (c) => pinUp(c, pinOf("k2"))],
  ["the deletion of a pin", (c) => erase(c, "pin", "k")],
  ["a replay", async (c) => c.cachePut(await c.snapshot(), "k", {})],
];

const DROPS: readonly (readonly [string, (conversation: Conversation) => Promise<unknown>])[] = [
  ["a revision of a covered turn", (c) => revise(c, turnOf("t1", "other", { revision: 2 }))],
  ["a revision of a covered turn with equal content", (c) => revise(c, turnOf("t2", "t2", { revision: 2 }))],
  ["the deletion of a covered turn", (c) => erase(c, "turn", "t2")],
];

export function testSummaries({ promise, durable }: Suite): void {
  for (const [what, change] of KEEPS) {
    promise(`A summary stays through ${what}`, async (store) => {
      const conversation = await talk(await store.open(atNoon()), ["t1", "t2", "t3"]);
      await pinUp(conversation, pinOf("k"));
      await summarize(conversation, 1, 2);
      await change(conversation);
      assert.equal(await summaryText(conversation), "1 to 2");
    });
  }

  for (const [what, change] of DROPS) {
    promise(`SUM-01 a summary goes with ${what}, in the same transaction`, async (store) => {
      const conversation = await talk(await store.open(atNoon()), ["t1", "t2", "t3"]);
      await summarize(conversation, 1, 2);
      await change(conversation);
      assert.equal(await store.count(SUMMARIES), 0);
      assert.equal(await store.count(COVERED_TURNS), 0);
      assert.equal(await summaryText(conversation), null);
    });
  }

  promise("SUM-05 a scope has one summary: a newer one takes the place of the one before", async (store) => {
    const conversation = await talk(await store.open(atNoon()), ["t1", "t2", "t3"]);
    await summarize(conversation, 1, 2);
    await summarize(conversation, 2, 3);
    assert.equal(await summaryText(conversation), "2 to 3");
    await erase(conversation, "turn", "t1");
    assert.equal(await summaryText(conversation), "2 to 3");
    await erase(conversation, "turn", "t3");
    assert.equal(await summaryText(conversation), null);
  });

  promise(
    "A summary costs one revision, and the snapshot it was made at is stale afterwards",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), ["t1"]);
      const snapshot = await conversation.snapshot();
      const summary = summaryOf(await readTurns(conversation));
      assert.equal(await conversation.putSummary(snapshot, summary), 2);
      await store.assertChangesNothing(() => conversation.putSummary(snapshot, summary), {
        reason: "SNAPSHOT",
        retryable: true,
      });
    },
  );

  promise("A summary with gaps, or of nothing, is taken", async (store) => {
    const conversation = await talk(await store.open(atNoon()), ["t1", "t2", "t3"]);
    const turns = await readTurns(conversation);
    await conversation.putSummary(await conversation.snapshot(), summaryOf([turns[0]!, turns[2]!], "gaps"));
    assert.deepEqual((await conversation.snapshot()).summary?.coveredTurnIds, ["t1", "t3"]);
    await conversation.putSummary(await conversation.snapshot(), summaryOf([], "nothing"));
    await erase(conversation, "turn", "t1");
    assert.equal(await summaryText(conversation), "nothing");
  });

  promise(
    "A summary of turns in another order, of a missing turn, or of an old revision is SNAPSHOT",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), ["t1", "t2"]);
      const [first, second] = await readTurns(conversation);
      const missing = { ...first!, turnId: "t9" };
      const old = { ...first!, revision: 3 };
      const other = { ...first!, messages: [{ ...first!.messages[0]!, content: "other" }] };
      for (const history of [[second!, first!], [first!, missing], [old], [other]]) {
        const summary = summaryFromHistory({
          scope: ORCHARD,
          content: "x",
          history,
          policyVersion: "1",
          createdAt: after(0),
        });
        const snapshot = await conversation.snapshot();
        await store.assertChangesNothing(() => conversation.putSummary(snapshot, summary), {
          reason: "SNAPSHOT",
        });
      }
    },
  );

  promise("A summary of another scope is refused", async (store) => {
    const memory = await store.open(atNoon());
    const conversation = await talk(memory, ["t1"]);
    const turns = await readTurns(await talk(memory, ["t1"], HARBOUR));
    const snapshot = await conversation.snapshot();
    await store.assertChangesNothing(() => conversation.putSummary(snapshot, summaryOf(turns)), {
      code: "CONTRACT",
      field: "summary.scope",
    });
  });

  promise("A summary that is not yet, or no longer, current is SNAPSHOT", async (store) => {
    const conversation = await talk(await store.open(atNoon()), ["t1"]);
    const turns = await readTurns(conversation);
    const snapshot = await conversation.snapshot();
    const early = summaryOf(turns, "early", { createdAt: after(1) });
    const late = summaryOf(turns, "late", { createdAt: after(-60), expiresAt: after(0) });
    for (const summary of [early, late]) {
      await store.assertChangesNothing(() => conversation.putSummary(snapshot, summary), {
        reason: "SNAPSHOT",
      });
    }
  });

  promise("A summary's expiry costs a revision and leaves nothing behind", async (store) => {
    const clock = clockAtNoon();
    const conversation = await talk(await store.open({ clock: clock.now }), ["t1"]);
    const summary = summaryOf(await readTurns(conversation), "x", { expiresAt: after(60) });
    await conversation.putSummary(await conversation.snapshot(), summary);
    clock.advance(60);
    const now = await conversation.snapshot();
    assert.deepEqual([now.revision, now.summary], [3, null]);
    assert.equal(await store.count(SUMMARIES), 0);
    assert.equal(await store.count(COVERED_TURNS), 0);
  });

  durable("A summary is the same after a reopen, and still goes with its turns", async (store) => {
    const memory = await store.open(atNoon());
    const conversation = await talk(memory, ["t1", "t2"]);
    await summarize(conversation, 1, 2);
    const before = await conversation.snapshot();
    await memory.close();
    const again = (await store.open(atNoon())).conversation(ORCHARD);
    assert.deepEqual((await again.snapshot()).summary, before.summary);
    await erase(again, "turn", "t2");
    assert.equal(await summaryText(again), null);
  });

  promise("SUM-06 a summary that is refused leaves nothing: no turn, no row, no revision", async (store) => {
    const conversation = await talk(await store.open(atNoon()), ["t1"]);
    const stale = await conversation.snapshot();
    await pinUp(conversation, pinOf("k"));
    const summary = summaryOf(await readTurns(conversation));
    for (let attempt = 0; attempt < 5; attempt++) {
      await store.assertChangesNothing(() => conversation.putSummary(stale, summary), { reason: "SNAPSHOT" });
    }
  });

  promise("check() tells a summary whose noted turns are not those that it covers", async (store) => {
    const memory = await store.open(atNoon());
    const conversation = await talk(memory, ["t1", "t2"]);
    await summarize(conversation, 1, 1);
    store.damaged = true;
    const second = (await store.rows(TURNS)).find(({ turnId }) => turnId === "t2")!;
    await store.damage(COVERED_TURNS, { turn: second.id });
    assert.deepEqual((await memory.check()).problems.map(({ table, row }) => [table, row]), [
      ["summaries", "orchard/spring"],
    ]);
  });
}
