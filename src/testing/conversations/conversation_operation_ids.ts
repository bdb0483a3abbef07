/** Operation ids of conversations: every mutation that is not harmless to repeat takes one. */

import assert from "node:assert/strict";
import { OPERATIONS } from "../../tables/schema/main_tables.ts";
import type { Conversation } from "../../../mod.ts";
import type { Suite } from "../kit/suite.ts";
import {
  after,
  atNoon,
  clockAtNoon,
  erase,
  HARBOUR,
  ORCHARD,
  pinOf,
  readTurns,
  summaryOf,
  talk,
  turnOf,
} from "../kit/conversation_samples.ts";

const IDEMPOTENCY = { code: "CONFLICT", reason: "IDEMPOTENCY", retryable: false };
const operationId = "call-1";

export function testOperationIds({ promise, durable }: Suite): void {
  promise(
    "A turn rebuilt without its timestamp repeats itself: filled-in defaults are not compared",
    async (store) => {
      const clock = clockAtNoon();
      const conversation = await talk(await store.open({ clock: clock.now }), []);
      const put = (): Promise<number> =>
        conversation.putTurn(turnOf("t1"), { operationId, expectedRevision: 0 });
      assert.equal(await put(), 1);
      clock.advance(60);
      assert.equal(await put(), 1);
    },
  );

  promise(
    "A put's operation id stands for its turn, its timestamp if given, and its deadline",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), []);
      const timestamp = after(0);
      const put = (turn: ReturnType<typeof turnOf>, expiresAt?: string | null): Promise<number> =>
        conversation.putTurn(turn, { operationId, expectedRevision: 0, expiresAt });
      await put(turnOf("t1", "x", { timestamp }), after(60));
      assert.equal(await put(turnOf("t1", "x", { timestamp }), after(60)), 1);
      await store.assertChangesNothing(() => put(turnOf("t1", "y", { timestamp }), after(60)), IDEMPOTENCY);
      await store.assertChangesNothing(() => put(turnOf("t1", "x"), after(60)), IDEMPOTENCY);
      await store.assertChangesNothing(
        () => put(turnOf("t1", "x", { timestamp: after(1) }), after(60)),
        IDEMPOTENCY,
      );
      await store.assertChangesNothing(() => put(turnOf("t1", "x", { timestamp }), after(61)), IDEMPOTENCY);
      await store.assertChangesNothing(() => put(turnOf("t1", "x", { timestamp })), IDEMPOTENCY);
      await store.assertChangesNothing(() => put(turnOf("t1", "x", { timestamp }), null), IDEMPOTENCY);
    },
  );

  promise(
    "putPin() and putSummary() repeated with their operation ids give their first answers",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), ["t1"]);
      const pin = (value: string): Promise<number> =>
        conversation.putPin(pinOf("k", value), { expectedRevision: 1, operationId: "pin" });
      assert.deepEqual([await pin("v"), await pin("v")], [2, 2]);
      const snapshot = await conversation.snapshot();
      const turns = await readTurns(conversation);
      const sum = (content: string): Promise<number> =>
        conversation.putSummary(snapshot, summaryOf(turns, content), { operationId: "summary" });
      assert.deepEqual([await sum("x"), await sum("x")], [3, 3]);
      await store.assertChangesNothing(() => pin("w"), IDEMPOTENCY);
      await store.assertChangesNothing(() => sum("y"), IDEMPOTENCY);
    },
  );

  promise(
    "delete() repeated with its operation id gives the first receipt, as one of its own",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), ["t1"]);
      const call = (): ReturnType<Conversation["delete"]> =>
        conversation.delete({ kind: "turn", key: "t1", expectedRevision: 1 }, { operationId });
      const first = await call();
      const before = await store.state();
      assert.deepEqual(await call(), first);
      assert.equal(first.already, false);
      assert.deepEqual(await store.state(), before);
    },
  );

  promise(
    "delete()'s operation id used for another deletion or call is IDEMPOTENCY, and deletes nothing",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), ["t1", "t2"]);
      await conversation.delete({ kind: "turn", key: "t1", expectedRevision: 2 }, { operationId });
      for (
        const target of [
          { kind: "turn", key: "t2", expectedRevision: 3 },
          { kind: "pin", key: "t1", expectedRevision: 3 },
          { kind: "scope", expectedRevision: 3 },
        ] as const
      ) {
        await store.assertChangesNothing(() => conversation.delete(target, { operationId }), IDEMPOTENCY);
        await store.assertChangesNothing(
          () => conversation.delete(target, { operationId: "put t1" }),
          IDEMPOTENCY,
        );
      }
    },
  );

  promise("One operation id cannot serve two kinds of calls", async (store) => {
    const conversation = await talk(await store.open(atNoon()), ["t1"]);
    const turns = await readTurns(conversation);
    const snapshot = await conversation.snapshot();
    const operationId = "put t1";
    const others: (() => Promise<unknown>)[] = [
      () => conversation.append([{ role: "user", content: "x" }], { operationId }),
      () => conversation.putPin(pinOf("k"), { operationId, expectedRevision: 1 }),
      () => conversation.putSummary(snapshot, summaryOf(turns), { operationId }),
      () => conversation.putTurn(turnOf("t2"), { operationId, expectedRevision: 1 }),
    ];
    for (const call of others) await store.assertChangesNothing(call, IDEMPOTENCY);
  });

  promise("An operation id belongs to its scope, and records have their own", async (store) => {
    const memory = await store.open(atNoon());
    await talk(memory, ["t1"]);
    await talk(memory, ["t1"], HARBOUR);
    const identity = { tenantId: "orchard", kind: "fact", key: "a" } as const;
    const fact = { schema: 1, text: "x", source: "y", reviewed: false } as const;
    assert.equal(
      await memory.records.put(identity, fact, { expectedRevision: null, ttl: 60, operationId: "put t1" }),
      1,
    );
  });

  promise("Operation ids are kept for as long as their scope, not for a day", async (store) => {
    const clock = clockAtNoon();
    const conversation = await talk(await store.open({ clock: clock.now }), ["t1"]);
    clock.advance(30 * 86_400);
    assert.equal(await conversation.putTurn(turnOf("t1"), { operationId: "put t1", expectedRevision: 0 }), 1);
  });

  promise("Three calls with one operation id in one group run once", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    const call = (): Promise<number> =>
      conversation.putTurn(turnOf("t1"), { operationId, expectedRevision: 0 });
    assert.deepEqual(await Promise.all([call(), call(), call()]), [1, 1, 1]);
  });

  promise("A call that failed is not remembered: repeated, it runs", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    const call = (): Promise<number> =>
      conversation.putTurn(turnOf("t2"), { operationId, expectedRevision: 1 });
    await store.assertChangesNothing(call, { reason: "REVISION" });
    await conversation.putTurn(turnOf("t1"), { operationId: "put t1", expectedRevision: 0 });
    assert.equal(await call(), 2);
  });

  durable("Neither an operation id nor its input can be read back from the files", async (store) => {
    const memory = await store.open(atNoon());
    const conversation = memory.conversation(ORCHARD);
    await conversation.append([{ role: "user", content: "text of the call" }], {
      operationId: "id of the call",
    });
    await erase(conversation, "scope");
    const text = JSON.stringify(await store.state());
    for (const word of ["id of the call", "text of the call", "orchard", "spring"]) {
      assert.equal(text.includes(word), false, word);
    }
  });

  promise("A scope's deletion forgets its operations and tells how many", async (store) => {
    const conversation = await talk(await store.open(atNoon()), ["t1", "t2"]);
    await conversation.append([{ role: "user", content: "x" }], { operationId });
    assert.equal((await erase(conversation, "scope")).erased.operations, 3);
    assert.equal(await store.count(OPERATIONS), 0);
  });
}
