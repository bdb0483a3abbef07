/** Reading turns: their order, parts of them, and what a change does to a reading. */

import assert from "node:assert/strict";
import { TURNS } from "../../tables/schema/main_tables.ts";
import type { TurnsOptions } from "../../../mod.ts";
import type { Suite } from "../kit/suite.ts";
import {
  after,
  atNoon,
  clockAtNoon,
  erase,
  ORCHARD,
  readIds,
  readTurns,
  revise,
  talk,
  turnOf,
} from "../kit/conversation_samples.ts";

const TWELVE = [
  "zz-first",
  "aa-second",
  "mm-third",
  "b",
  "a",
  "\u{10000}",
  "\u{ffff}",
  "Z",
  "0",
  "ä",
  "yy-eleventh",
  "aa-last",
];

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `t${index + 1}`);
}

export function testPaging({ promise, durable }: Suite): void {
  durable(
    "TRN-01 turns of one tick keep the order in which they came, after a reopen and a scrub too",
    async (store) => {
      const memory = await store.open(atNoon());
      const conversation = await talk(memory, TWELVE);
      assert.deepEqual(await readIds(conversation), TWELVE);
      assert.deepEqual(await readIds(conversation, undefined, { last: 10 }), TWELVE.slice(2));
      await revise(conversation, turnOf("mm-third", "again", { revision: 2 }));
      await memory.prune();
      await memory.close();
      const again = (await store.open(atNoon())).conversation(ORCHARD);
      assert.deepEqual(await readIds(again), TWELVE);
      assert.deepEqual(await readIds(again, undefined, { last: 10 }), TWELVE.slice(2));
    },
  );

  promise(
    "Any part of a history is read as if all of it were, by places, neighbours and counts",
    async (store) => {
      const ids = numbered(70);
      const conversation = await talk(await store.open(atNoon()), ids);
      const read = (options: TurnsOptions): Promise<string[]> => readIds(conversation, undefined, options);
      const places = [0, 1, 31, 32, 33, 64, 69, 70, 500];
      for (const from of places) {
        assert.deepEqual(await read({ from }), ids.slice(from), `from ${from}`);
        for (const limit of [0, 1, 32, 33]) {
          assert.deepEqual(
            await read({ from, limit }),
            ids.slice(from, from + limit),
            `from ${from}, ${limit}`,
          );
        }
      }
      for (const before of [1, 2, 33, 70]) {
        assert.deepEqual(await read({ before: `t${before}` }), ids.slice(0, before - 1));
        assert.deepEqual(
          await read({ before: `t${before}`, last: 5 }),
          ids.slice(Math.max(0, before - 6), before - 1),
        );
        assert.deepEqual(
          await read({ before: `t${before}`, after: "t1", limit: 2 }),
          ids.slice(1, before - 1).slice(0, 2),
        );
      }
      assert.deepEqual(await read({ from: 3, after: "t10", before: "t13" }), ["t11", "t12"]);
      assert.deepEqual(await read({ last: 4, limit: 2 }), ["t67", "t68"]);
      assert.deepEqual(await read({ before: "t5", after: "t9" }), []);
      await assert.rejects(read({ last: 1, from: 1 }), { code: "CONTRACT", field: "from" });
      await assert.rejects(read({ before: "t71" }), { code: "CONFLICT", reason: "MISSING" });
    },
  );

  promise("One turn is read by its id; null where it is not, was deleted, or has expired", async (store) => {
    const clock = clockAtNoon();
    const memory = await store.open({ clock: clock.now });
    await assert.rejects(memory.conversation(ORCHARD).turn("t1"), { code: "CONFLICT", reason: "MISSING" });
    const conversation = await talk(memory, numbered(3));
    await revise(conversation, turnOf("t2", "again", { revision: 2 }), after(60));
    assert.equal((await conversation.turn("t2"))?.messages[0]?.content, "again");
    assert.equal(await conversation.turn("t9"), null);
    await erase(conversation, "turn", "t1");
    assert.equal(await conversation.turn("t1"), null);
    clock.advance(61);
    assert.equal(await conversation.turn("t2"), null);
    assert.equal((await conversation.turn("t3"))?.turnId, "t3");
    assert.deepEqual(await readIds(conversation, undefined, { from: 0, limit: 1 }), ["t3"]);
  });

  promise("TRN-10 last gives the newest so many, oldest first", async (store) => {
    const conversation = await talk(await store.open(atNoon()), numbered(5));
    const last = (count: number): Promise<string[]> => readIds(conversation, undefined, { last: count });
    assert.deepEqual(await last(2), ["t4", "t5"]);
    assert.deepEqual(await last(0), []);
    assert.deepEqual(await last(5), numbered(5));
    assert.deepEqual(await last(9), numbered(5));
    assert.deepEqual(await last(Number.MAX_SAFE_INTEGER), numbered(5));
  });

  promise("An empty scope has no turns, whatever is asked of it", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    assert.deepEqual(await readIds(conversation), []);
    assert.deepEqual(await readIds(conversation, undefined, { last: 3 }), []);
  });

  promise(
    "after begins behind a turn, also a revised one; together with last the later start counts",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), numbered(5));
      await revise(conversation, turnOf("t2", "again", { revision: 2 }));
      const read = (options: { after: string; last?: number }): Promise<string[]> =>
        readIds(conversation, undefined, options);
      assert.deepEqual(await read({ after: "t2" }), ["t3", "t4", "t5"]);
      assert.deepEqual(await read({ after: "t5" }), []);
      assert.deepEqual(await read({ after: "t1", last: 2 }), ["t4", "t5"]);
      assert.deepEqual(await read({ after: "t4", last: 3 }), ["t5"]);
    },
  );

  promise("after a turn that is not there is MISSING", async (store) => {
    const conversation = await talk(await store.open(atNoon()), ["t1"]);
    await assert.rejects(readIds(conversation, undefined, { after: "t9" }), {
      reason: "MISSING",
      retryable: false,
    });
  });

  promise("Pages add up: histories around a page's size are read whole and once", async (store) => {
    const conversation = await talk(await store.open(atNoon()), numbered(97));
    assert.deepEqual(await readIds(conversation), numbered(97));
    for (const last of [31, 32, 33, 64, 65, 96]) {
      assert.deepEqual(await readIds(conversation, undefined, { last }), numbered(97).slice(97 - last));
    }
  });

  promise("TRN-09 a thousand turns are read whole, and the last fifty without the rest", async (store) => {
    const conversation = (await store.open(atNoon())).conversation(ORCHARD);
    await Promise.all(
      Array.from(
        { length: 1_000 },
        (_, index) => conversation.append([{ role: "user", content: `${index}` }]),
      ),
    );
    assert.equal((await readTurns(conversation)).length, 1_000);
    store.damaged = true;
    await store.damage(TURNS, ({ id }) => id <= 950 ? { payload: "damaged" } : null);
    const last = await readTurns(conversation, undefined, { last: 50 });
    assert.deepEqual(
      last.map(({ messages }) => Number(messages[0]!.content)),
      Array.from({ length: 50 }, (_, i) => 950 + i),
    );
  });

  promise(
    "A change while turns are read ends the reading with SNAPSHOT: nothing deleted follows out of a page",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), numbered(40));
      const seen: string[] = [];
      const read = async (): Promise<void> => {
        for await (const { turnId } of conversation.turns()) {
          seen.push(turnId);
          if (turnId === "t1") await erase(conversation, "turn", "t2");
        }
      };
      await assert.rejects(read(), { code: "CONFLICT", reason: "SNAPSHOT", retryable: true });
      assert.equal(seen.at(-1), "t1");
    },
  );

  promise("A reading of a stale snapshot gives no turn at all", async (store) => {
    const conversation = await talk(await store.open(atNoon()), numbered(3));
    const snapshot = await conversation.snapshot();
    await erase(conversation, "turn", "t2");
    await assert.rejects(readTurns(conversation, snapshot), { reason: "SNAPSHOT" });
    await assert.rejects(readTurns(conversation, snapshot, { last: 1 }), { reason: "SNAPSHOT" });
    await assert.rejects(readTurns(conversation, snapshot, { after: "t1" }), { reason: "SNAPSHOT" });
  });

  promise("Something that falls due between two pages ends a reading with SNAPSHOT", async (store) => {
    const clock = clockAtNoon();
    const conversation = await talk(await store.open({ clock: clock.now }), numbered(40));
    await conversation.append([{ role: "user", content: "soon gone" }], { expiresAt: after(60) });
    const read = async (): Promise<void> => {
      for await (const { turnId } of conversation.turns()) if (turnId === "t1") clock.advance(60);
    };
    await assert.rejects(read(), { reason: "SNAPSHOT" });
  });

  promise(
    "A replay put between two pages does not end a reading, nor does another scope's turn",
    async (store) => {
      const memory = await store.open(atNoon());
      const conversation = await talk(memory, numbered(40));
      const snapshot = await conversation.snapshot();
      let count = 0;
      for await (const _ of conversation.turns({ snapshot })) {
        if (++count !== 1) continue;
        await conversation.cachePut(snapshot, "k", {});
        await memory.conversation({ tenantId: "harbour", sessionId: "s" }).append([{
          role: "user",
          content: "x",
        }]);
      }
      assert.equal(count, 40);
    },
  );

  promise("A reading that is left early holds nothing: writes and close go on", async (store) => {
    const memory = await store.open(atNoon());
    const conversation = await talk(memory, numbered(40));
    for await (const _ of conversation.turns()) break;
    await erase(conversation, "scope");
    await memory.close();
  });

  promise("A reading may be begun several times, and each is whole", async (store) => {
    const conversation = await talk(await store.open(atNoon()), numbered(40));
    const [one, two] = await Promise.all([readIds(conversation), readIds(conversation)]);
    assert.deepEqual([one.length, two.length], [40, 40]);
  });

  promise("A signal between two pages ends a reading with its reason", async (store) => {
    const conversation = await talk(await store.open(atNoon()), numbered(40));
    const controller = new AbortController();
    const reason = new Error("enough");
    let count = 0;
    const read = async (): Promise<void> => {
      for await (const _ of conversation.turns({ signal: controller.signal })) {
        if (++count === 1) controller.abort(reason);
      }
    };
    await assert.rejects(read(), (error) => error === reason);
    // On a machine that stands still for a moment the scope is looked at anew between two turns, and the signal with it.
    assert(count <= 32, `${count} turns after the signal`);
  });

  promise(
    "TRN-11 one damaged turn is INTEGRITY where it is read; those behind it can be read past it",
    async (store) => {
      const memory = await store.open(atNoon());
      const conversation = await talk(memory, numbered(40));
      store.damaged = true;
      await store.damage(TURNS, ({ turnId }) => turnId === "t35" ? { payload: '{"role":"us' } : null);
      const seen: string[] = [];
      const read = async (): Promise<void> => {
        for await (const { turnId } of conversation.turns()) seen.push(turnId);
      };
      await assert.rejects(read(), { code: "INTEGRITY" });
      assert.deepEqual(seen, numbered(32));
      assert.deepEqual(await readIds(conversation, undefined, { after: "t35" }), [
        "t36",
        "t37",
        "t38",
        "t39",
        "t40",
      ]);
      assert.deepEqual((await memory.check()).problems.map(({ table, row }) => [table, row]), [
        ["turns", "orchard/spring/t35"],
      ]);
    },
  );

  promise(
    "TRN-14 a reading after a turn begins with a whole turn: calls and results are never apart",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), ["t1"]);
      const { turnId } = await conversation.append([
        { role: "assistant", content: "", toolCalls: [{ id: "q2", name: "dig", arguments: "{}" }] },
        { role: "tool", content: "7", toolCallId: "q2" },
      ]);
      const [turn] = await readTurns(conversation, undefined, { after: "t1" });
      assert.deepEqual([turn!.turnId, turn!.messages.map(({ role }) => role)], [turnId, [
        "assistant",
        "tool",
      ]]);
    },
  );
}
