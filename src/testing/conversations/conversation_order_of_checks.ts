/** Which error wins where several would fit, with its reason and whether repeating can help. */

import assert from "node:assert/strict";
import type { Conversation } from "../../../mod.ts";
import { forEachRow } from "../kit/each_row.ts";
import type { Suite } from "../kit/suite.ts";
import {
  after,
  atNoon,
  erase,
  ORCHARD,
  pinOf,
  pinUp,
  readTurns,
  sourceOf,
  summaryOf,
  talk,
  turnOf,
} from "../kit/conversation_samples.ts";

type Call = (conversation: Conversation) => Promise<unknown>;

const NOWHERE: readonly (readonly [string, Call])[] = [
  ["revision", (c) => c.revision()],
  ["putTurn", (c) => c.putTurn(turnOf("t"), { operationId: "new", expectedRevision: 7 })],
  ["putPin", (c) => c.putPin(pinOf("k"), { expectedRevision: 7 })],
  ["snapshot", (c) => c.snapshot()],
  ["turns", (c) => readTurns(c)],
  ["delete of the scope", (c) => c.delete({ kind: "scope", expectedRevision: 7 })],
  ["delete of a turn", (c) => c.delete({ kind: "turn", key: "other", expectedRevision: 7 })],
];

export function testOrderOfChecks({ promise }: Suite): void {
  promise(
    "A scope that was never created is MISSING for every call but create(), append(), search() and assemble()",
    async (store) => {
      const conversation = (await store.open(atNoon())).conversation(ORCHARD);
      await forEachRow(NOWHERE, async ([, call]) => {
        await store.assertChangesNothing(() => call(conversation), {
          code: "CONFLICT",
          reason: "MISSING",
          retryable: false,
        });
      });
      assert.equal(await conversation.create(), 0);
      assert.equal(await conversation.create(), 0);
    },
  );

  promise(
    "DEL-01 a late writer of a deleted scope is refused with DELETED, whatever it calls",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), ["t1", "t2", "t3"]);
      const snapshot = await conversation.snapshot();
      const turns = await readTurns(conversation);
      await erase(conversation, "scope");
      const refused = { code: "CONFLICT", reason: "DELETED", retryable: false };
      const late: readonly (readonly [string, Call])[] = [
        ...NOWHERE.filter(([name]) => name !== "delete of the scope"),
        ["create", (c) => c.create()],
        ["append", (c) => c.append([{ role: "user", content: "still there?" }])],
        [
          "a put that was made before",
          (c) => c.putTurn(turnOf("t1"), { operationId: "put t1", expectedRevision: 0 }),
        ],
        ["putSummary", (c) => c.putSummary(snapshot, summaryOf(turns))],
        ["assertCurrent", (c) => c.assertCurrent(snapshot)],
        ["turns of a snapshot", (c) => readTurns(c, snapshot)],
        ["cachePut", (c) => c.cachePut(snapshot, "k", {})],
        ["cacheGet", (c) => c.cacheGet(snapshot, "k")],
      ];
      await forEachRow(late, async ([, call]) => {
        await store.assertChangesNothing(() => call(conversation), refused);
      });
    },
  );

  promise("A repeated operation id is answered before any revision is looked at", async (store) => {
    const conversation = await talk(await store.open(atNoon()), ["t1"]);
    const put = { operationId: "put t1", expectedRevision: 99 };
    assert.equal(await conversation.putTurn(turnOf("t1"), put), 1);
    await assert.rejects(conversation.putTurn(turnOf("t1", "other"), put), { reason: "IDEMPOTENCY" });
  });

  promise(
    "A stale scope revision is told before a reserved id, a wrong turn revision, or a past deadline",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), ["t1", "t2"]);
      await erase(conversation, "turn", "t1");
      const stale = { reason: "REVISION", currentRevision: 3, retryable: true };
      await forEachRow(["t1", "t2", "t3"], async (turnId) => {
        const put = { operationId: "put late", expectedRevision: 2, expiresAt: after(-60) };
        await store.assertChangesNothing(
          () => conversation.putTurn(turnOf(turnId, "x", { revision: 9 }), put),
          stale,
        );
      });
    },
  );

  promise(
    "A reserved id is told before the turn's revision, and that before a past deadline",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), ["t1", "t2"]);
      await erase(conversation, "turn", "t1");
      const put = (turnId: string, revision: number): Promise<number> =>
        conversation.putTurn(turnOf(turnId, "x", { revision }), {
          operationId: "put late",
          expectedRevision: 3,
          expiresAt: after(-60),
        });
      await store.assertChangesNothing(() => put("t1", 9), { reason: "DELETED" });
      await store.assertChangesNothing(() => put("t2", 9), { reason: "REVISION", currentRevision: 1 });
      await store.assertChangesNothing(() => put("t2", 2), { code: "CONTRACT", field: "expiresAt" });
    },
  );

  promise(
    "A past deadline is told before the scope's capacity, and that before a doubled message id",
    async (store) => {
      const memory = await store.open({ ...atNoon(), limits: { turnsPerScope: 1 } });
      const conversation = await talk(memory, ["t1"]);
      const doubled = turnOf("t2", "x", { messages: turnOf("t1").messages });
      const put = (expiresAt?: string): Promise<number> =>
        conversation.putTurn(doubled, { operationId: "put t2", expectedRevision: 1, expiresAt });
      await store.assertChangesNothing(() => put(after(-60)), { code: "CONTRACT", field: "expiresAt" });
      await store.assertChangesNothing(() => put(), { reason: "CAPACITY", retryable: false });
    },
  );

  promise(
    "Of a pin the scope's revision is told first, then a reserved key, then the pin's own, then its source",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), ["t1"]);
      const source = { ...sourceOf((await readTurns(conversation))[0]!), turnId: "other" };
      await pinUp(conversation, pinOf("k"));
      await pinUp(conversation, pinOf("reserved"));
      await erase(conversation, "pin", "reserved");
      const put = (key: string, revision: number, expectedRevision: number): Promise<number> =>
        conversation.putPin(pinOf(key, "v", { revision, source }), { expectedRevision });
      await store.assertChangesNothing(() => put("reserved", 9, 1), {
        reason: "REVISION",
        currentRevision: 4,
      });
      await store.assertChangesNothing(() => put("reserved", 9, 4), { reason: "DELETED" });
      await store.assertChangesNothing(() => put("k", 9, 4), { reason: "REVISION", currentRevision: 1 });
      await store.assertChangesNothing(() => put("k", 2, 4), { reason: "MISSING" });
    },
  );

  promise(
    "A deletion of something unknown checks the scope's revision, then burns the id and costs a revision",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), ["t1"]);
      const unknown = (expectedRevision: number): Promise<unknown> =>
        conversation.delete({ kind: "turn", key: "t9", expectedRevision });
      await store.assertChangesNothing(() => unknown(0), { reason: "REVISION", currentRevision: 1 });
      const receipt = await unknown(1) as { erased: { turns: number }; already: boolean };
      assert.deepEqual([receipt.erased.turns, receipt.already], [0, false]);
      assert.equal(await conversation.revision(), 2);
      await assert.rejects(
        conversation.putTurn(turnOf("t9"), { operationId: "put t9", expectedRevision: 2 }),
        {
          reason: "DELETED",
        },
      );
    },
  );

  promise("What was deleted before is told whatever revision is expected", async (store) => {
    const conversation = await talk(await store.open(atNoon()), ["t1"]);
    const first = await erase(conversation, "turn", "t1");
    const again = await conversation.delete({ kind: "turn", key: "t1", expectedRevision: 99 });
    assert.deepEqual(again, { ...first, already: true, mac: again.mac });
    const scope = await erase(conversation, "scope");
    const repeated = await conversation.delete({ kind: "scope", expectedRevision: 99 });
    assert.deepEqual(repeated, { ...scope, already: true, mac: repeated.mac });
    assert.equal(
      (await conversation.delete({ kind: "turn", key: "t1", expectedRevision: 99 })).head,
      first.head,
    );
  });
}
