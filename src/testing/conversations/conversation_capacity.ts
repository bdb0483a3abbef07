/** How large a scope may become. */

import assert from "node:assert/strict";
import { SCOPES, TURNS } from "../../tables/schema/main_tables.ts";
import type { Suite } from "../kit/suite.ts";
import {
  atNoon,
  erase,
  HARBOUR,
  ORCHARD,
  pinOf,
  pinUp,
  revise,
  talk,
  turnOf,
} from "../kit/conversation_samples.ts";

const CAPACITY = { code: "CONFLICT", reason: "CAPACITY", retryable: false };

export function testCapacity({ promise, durable }: Suite): void {
  promise(
    "A scope takes as many turns as it may and no more; a deletion makes room, a revision needs none",
    async (store) => {
      const memory = await store.open({ ...atNoon(), limits: { turnsPerScope: 3 } });
      const conversation = await talk(memory, ["t1", "t2", "t3"]);
      const append = (): Promise<unknown> => conversation.append([{ role: "user", content: "more" }]);
      await store.assertChangesNothing(append, CAPACITY);
      assert.equal(await revise(conversation, turnOf("t3", "other", { revision: 2 })), 4);
      await erase(conversation, "turn", "t1");
      await append();
      await store.assertChangesNothing(append, CAPACITY);
    },
  );

  promise(
    "A scope takes as many bytes as it may, to the byte, and a revision counts with what it replaces",
    async (store) => {
      const memory = await store.open({ ...atNoon(), limits: { bytesPerScope: 1_000 } });
      const conversation = await talk(memory, ["t1"]);
      const { bytes } = (await store.rows(TURNS))[0]!;
      const grow = (characters: number): Promise<number> =>
        revise(conversation, turnOf("t1", "x".repeat(characters), { revision: 2 }));
      const room = 1_000 - bytes + "t1".length;
      await store.assertChangesNothing(() => grow(room + 1), CAPACITY);
      await grow(room);
      assert.deepEqual(await store.cells(SCOPES, "turnBytes"), [[1_000]]);
      await revise(conversation, turnOf("t1", "", { revision: 3 }));
      assert.deepEqual(await store.cells(SCOPES, "turnBytes"), [[bytes - "t1".length]]);
    },
  );

  promise("A capacity conflict tells counts and limits", async (store) => {
    const memory = await store.open({ ...atNoon(), limits: { turnsPerScope: 1, bytesPerScope: 50_000 } });
    const conversation = await talk(memory, ["t1"]);
    await assert.rejects(conversation.append([{ role: "user", content: "x" }]), (error) => {
      const { turns, turnsMax, bytesMax } = (error as { details: Record<string, unknown> }).details;
      assert.deepEqual({ turns, turnsMax, bytesMax }, { turns: 2, turnsMax: 1, bytesMax: 50_000 });
      return true;
    });
  });

  promise("Limits are a scope's own, and bind neither pins nor other scopes", async (store) => {
    const memory = await store.open({ ...atNoon(), limits: { turnsPerScope: 1 } });
    const conversation = await talk(memory, ["t1"]);
    await talk(memory, ["t1"], HARBOUR);
    assert.equal(await pinUp(conversation, pinOf("k")), 2);
  });

  promise("Running totals stay true through puts, revisions, deletions and expiry", async (store) => {
    const memory = await store.open(atNoon());
    const conversation = await talk(memory, ["t1", "t2", "t3"]);
    await revise(conversation, turnOf("t2", "much longer than before", { revision: 2 }));
    await erase(conversation, "turn", "t1");
    await erase(conversation, "turn", "t9");
    const [totals] = await store.cells(SCOPES, "turns", "turnBytes");
    const rows = await store.rows(TURNS);
    const sumOf = (bytesOf: (row: typeof rows[number]) => number): number =>
      rows.reduce((sum, row) => sum + bytesOf(row), 0);
    assert.deepEqual([rows.length, sumOf(({ bytes }) => bytes)], totals);
    assert.equal(sumOf(({ payload }) => new TextEncoder().encode(payload).length), totals![1]);
  });

  promise("openMemory() refuses limits that are no whole numbers from 1", async (store) => {
    for (
      const limits of [{ turnsPerScope: 0 }, { bytesPerScope: 1.5 }, { turnsPerScope: "9" }, { other: 1 }, 7]
    ) {
      await assert.rejects(store.open({ limits: limits as never }), { code: "CONTRACT" });
    }
  });

  durable(
    "A store that was filled under larger limits is read, revised smaller and emptied under smaller ones",
    async (store) => {
      const first = await store.open(atNoon());
      await talk(first, ["t1", "t2", "t3"]);
      await first.close();
      const memory = await store.open({ ...atNoon(), limits: { turnsPerScope: 2 } });
      const conversation = memory.conversation(ORCHARD);
      assert.equal((await conversation.snapshot()).turnCount, 3);
      await assert.rejects(conversation.append([{ role: "user", content: "x" }]), CAPACITY);
      await erase(conversation, "turn", "t1");
      assert.equal((await conversation.snapshot()).turnCount, 2);
    },
  );
}
