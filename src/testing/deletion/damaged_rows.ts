/** One damaged row: only what reads it fails, check() names it, and deleting never parses what it deletes. */

import assert from "node:assert/strict";
import { toHex } from "../../canonical/keyed_hash.ts";
import {
  COVERED_TURNS,
  DELETIONS,
  FLOORS,
  MESSAGE_IDS,
  OPERATIONS,
  PINS,
  REPLAYS,
  SCOPES,
  SUMMARIES,
  TURNS,
} from "../../tables/schema/main_tables.ts";
import type { Conversation, Memory } from "../../../mod.ts";
import {
  after,
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
  sourceOf,
  talk,
  turnOf,
} from "../kit/conversation_samples.ts";
import { MutableClock } from "../kit/mutable_clock.ts";
import { assertIntact } from "../kit/store_under_test.ts";
import type { StoreUnderTest } from "../kit/store_under_test.ts";
import type { Suite } from "../kit/suite.ts";

/** A row to damage, and what reads it. */
interface Damage {
  readonly table: string;
  readonly what: string;
  readonly damage: (store: StoreUnderTest) => Promise<void>;
  /** What must fail with INTEGRITY; null where nothing reads it. */
  readonly read: ((conversation: Conversation) => Promise<unknown>) | null;
  /** How check() names it: table and row. */
  readonly named: readonly (readonly [string, string | null])[];
}

const SPRING = "orchard/spring";

function isFirstTurn({ scope, turnId }: { scope: number; turnId: string }): boolean {
  return scope === 1 && turnId === "t1";
}

function isFirstMessage({ scope, messageId }: { scope: number; messageId: string }): boolean {
  return scope === 1 && messageId === "t1-message";
}

function isDerived({ scope, key }: { scope: number; key: string }): boolean {
  return scope === 1 && key === "derived";
}

/** Every table of conversations in turn. The scope has `t1` with what derives from it, `t2`, and a floor. */
const DAMAGES: readonly Damage[] = [
  {
    table: "scopes",
    what: "a total",
    damage: (store) =>
      store.damage(SCOPES, ({ tenant, turns }) => tenant === "orchard" ? { turns: turns + 1 } : null),
    read: (conversation) => conversation.snapshot(),
    named: [["scopes", "scope 1"]],
  },
  {
    table: "scopes",
    what: "the checksum",
    damage: (store) =>
      store.damage(
        SCOPES,
        ({ tenant, checksum }) => tenant === "orchard" ? { checksum: checksum + 1 } : null,
      ),
    read: (conversation) => conversation.revision(),
    named: [["scopes", "scope 1"]],
  },
  {
    table: "turns",
    what: "a payload",
    damage: (store) => store.damage(TURNS, (row) => isFirstTurn(row) ? { payload: "{" } : null),
    read: (conversation) => readTurns(conversation),
    named: [["turns", `${SPRING}/t1`]],
  },
  {
    table: "turns",
    what: "a deadline",
    damage: (store) =>
      store.damage(TURNS, (row) => isFirstTurn(row) ? { expires: 99_999_999_999_999 } : null),
    read: (conversation) => revise(conversation, turnOf("t1", "other", { revision: 2 })),
    named: [["turns", `${SPRING}/t1`]],
  },
  {
    table: "message_ids",
    what: "an id",
    damage: (store) =>
      store.damage(MESSAGE_IDS, (row) => isFirstMessage(row) ? { messageId: "other" } : null),
    read: null,
    named: [["message_ids", `${SPRING}/t1`]],
  },
  {
    table: "message_ids",
    what: "a turn",
    damage: (store) => store.damage(MESSAGE_IDS, (row) => isFirstMessage(row) ? { turn: 99 } : null),
    read: null,
    named: [["message_ids", `${SPRING}/t1`], ["message_ids", null]],
  },
  {
    table: "pins",
    what: "a payload",
    damage: (store) => store.damage(PINS, (row) => isDerived(row) ? { payload: "" } : null),
    read: (conversation) => conversation.snapshot(),
    named: [["pins", `${SPRING}/derived`]],
  },
  {
    table: "pins",
    what: "a start",
    damage: (store) => store.damage(PINS, (row) => isDerived(row) ? { effective: 99_999_999_999_999 } : null),
    read: (conversation) => readTurns(conversation),
    named: [["pins", `${SPRING}/derived`]],
  },
  {
    table: "summaries",
    what: "a payload",
    damage: (store) => store.damage(SUMMARIES, ({ scope }) => scope === 1 ? { payload: "[]" } : null),
    read: (conversation) => conversation.snapshot(),
    named: [["summaries", SPRING]],
  },
  {
    table: "covered_turns",
    what: "a row that is gone",
    damage: (store) => store.discard(COVERED_TURNS, ({ scope, turn }) => scope === 1 && turn === 1),
    read: null,
    named: [["summaries", SPRING]],
  },
  {
    table: "replays",
    what: "a payload",
    damage: (store) => store.damage(REPLAYS, ({ scope }) => scope === 1 ? { payload: "{}" } : null),
    read: async (conversation) => conversation.cacheGet(await conversation.snapshot(), "answer"),
    named: [["replays", `${SPRING}/answer`]],
  },
  {
    table: "operations",
    what: "an answer",
    damage: async (store) => {
      const { scopeHash } = (await store.rows(SCOPES)).find(({ id }) => id === 1)!;
      const isItsOwn = (row: { scopeHash: Uint8Array }): boolean => toHex(row.scopeHash) === toHex(scopeHash);
      await store.damage(OPERATIONS, (row) => isItsOwn(row) ? { result: 77 } : null);
    },
    read: (conversation) =>
      conversation.putTurn(turnOf("t1"), { operationId: "put t1", expectedRevision: 0 }),
    named: [["operations", null]],
  },
  {
    table: "floors",
    what: "a floor",
    damage: (store) => store.damage(FLOORS, ({ floor }) => ({ floor: floor + 1 })),
    read: (conversation) => pinUp(conversation, pinOf("lost", "v", { revision: 2 })),
    named: [["floors", null]],
  },
];

/** Two scopes, the first with something in every table. */
async function fill(store: StoreUnderTest): Promise<{ memory: Memory; clock: MutableClock }> {
  const clock = clockAtNoon();
  const memory = await store.open({ clock: clock.now });
  const conversation = await talk(memory, ["t1", "t2", "t3"]);
  const [, , third] = await readTurns(conversation);
  await pinUp(conversation, pinOf("lost", "v", { source: sourceOf(third!) }));
  await erase(conversation, "turn", "t3");
  await derive(conversation);
  await derive(await talk(memory, ["t1"], HARBOUR));
  return { memory, clock };
}

export function testDamagedRows({ engine, promise }: Suite): void {
  for (const { table, what, damage, read, named } of DAMAGES) {
    promise(
      `In ${table} ${what} is damaged: only what reads it fails, and deleting the scope mends the store`,
      async (store) => {
        store.damaged = true;
        const { memory: first, clock } = await fill(store);
        const revision = await first.conversation(ORCHARD).revision();
        await damage(store);
        if (engine.durable) await first.close();
        const memory = engine.durable ? await store.open({ clock: clock.now }) : first;
        const conversation = memory.conversation(ORCHARD);
        if (read === null) assert.deepEqual(await readIds(conversation), ["t1", "t2"]);
        else {
          await assert.rejects(read(conversation), (error) => {
            const { name, code } = error as { name: string; code: string };
            assert.deepEqual([name, code], ["IntegrityError", "INTEGRITY"]);
            return true;
          });
        }
        const harbour = memory.conversation(HARBOUR);
        assert.deepEqual(await readIds(harbour), ["t1"]);
        assert.equal((await harbour.snapshot()).summary?.content, "what was said");
        await harbour.append([{ role: "user", content: "x" }]);
        await erase(harbour, "turn", "t1");
        const { problems } = await memory.check();
        for (const [table, row] of named) {
          assert(
            problems.some((problem) => problem.table === table && (row === null || problem.row === row)),
            `check() did not name ${table} ${row}: ${JSON.stringify(problems)}`,
          );
        }
        const receipt = await conversation.delete({ kind: "scope", expectedRevision: revision });
        assert.equal((await memory.verifyReceipt(receipt)).valid, true);
        await assertIntact(memory);
      },
    );
  }

  promise(
    "check() tells how many deleted messages could come back where what keeps them away is gone (MSG-06)",
    async (store) => {
      store.damaged = true;
      const { memory } = await fill(store);
      await store.discard(FLOORS);
      assert.deepEqual((await memory.check()).problems.map(({ table, problem }) => [table, problem]), [
        ["floors", "1 deleted messages could come back"],
      ]);
    },
  );

  promise("A damaged event of main's copy is told by what asks for its id, and by check()", async (store) => {
    store.damaged = true;
    const { memory } = await fill(store);
    const conversation = memory.conversation(ORCHARD);
    await store.damage(DELETIONS, ({ sequence, at }) => sequence === 1 ? { at: at + 1 } : null);
    await assert.rejects(revise(conversation, turnOf("t3", "x", { revision: 2 })), { code: "INTEGRITY" });
    await assert.rejects(erase(conversation, "turn", "t3"), { code: "INTEGRITY" });
    assert.deepEqual(await readIds(conversation), ["t1", "t2"]);
    assert.deepEqual((await memory.check()).problems.map(({ table, row }) => [table, row]), [[
      "deletions",
      "1",
    ]]);
    assert.equal((await erase(conversation, "scope")).erased.turns, 2);
  });

  promise("A turn whose payload is damaged can be deleted, revised away, or expire", async (store) => {
    const clock = clockAtNoon();
    const memory = await store.open({ clock: clock.now });
    const conversation = await talk(memory, ["t1", "t2"]);
    await conversation.putTurn(turnOf("t3"), {
      operationId: "t3",
      expectedRevision: 2,
      expiresAt: after(60),
    });
    await store.damage(TURNS, { payload: "damaged" });
    assert.equal((await erase(conversation, "turn", "t1")).erased.turns, 1);
    await revise(conversation, turnOf("t2", "mended", { revision: 2 }));
    clock.advance(60);
    assert.equal((await readTurns(conversation))[0]!.messages[0]!.content, "mended");
  });

  promise("A pin, a summary or a replay that is damaged can be deleted or replaced", async (store) => {
    const { memory } = await fill(store);
    const conversation = memory.conversation(ORCHARD);
    const damaged = ({ scope }: { scope: number }): { payload: string } | null =>
      scope === 1 ? { payload: "damaged" } : null;
    await store.damage(PINS, damaged);
    await store.damage(SUMMARIES, damaged);
    await store.damage(REPLAYS, damaged);
    assert.equal((await erase(conversation, "turn", "t1")).erased.pins, 1);
    assert.deepEqual([await store.count(REPLAYS), (await conversation.snapshot()).summary], [1, null]);
  });

  promise("A damaged scope with something due can still be deleted", async (store) => {
    const clock = clockAtNoon();
    const memory = await store.open({ clock: clock.now });
    const conversation = memory.conversation(ORCHARD);
    await conversation.append([{ role: "user", content: "x" }], { expiresAt: after(60) });
    await store.damage(SCOPES, { turns: 7 });
    clock.advance(60);
    await assert.rejects(conversation.snapshot(), { code: "INTEGRITY" });
    const receipt = await conversation.delete({ kind: "scope", expectedRevision: 1 });
    assert.equal(receipt.erased.turns, 1);
    assert.equal((await memory.verifyReceipt(receipt)).valid, true);
  });

  promise("A damaged scope tells its revision to who wants to delete it", async (store) => {
    const memory = await store.open({ clock: new MutableClock(NOON).now });
    const conversation = await talk(memory, ["t1"]);
    await store.damage(SCOPES, { turns: 7 });
    await assert.rejects(conversation.revision(), { code: "INTEGRITY" });
    await assert.rejects(conversation.delete({ kind: "scope", expectedRevision: 99 }), {
      currentRevision: 1,
    });
    await conversation.delete({ kind: "scope", expectedRevision: 1 });
  });

  promise("Of a damaged scope no turn or pin is deleted: its totals could not be kept", async (store) => {
    store.damaged = true;
    const conversation = await talk(await store.open({ clock: new MutableClock(NOON).now }), ["t1"]);
    await store.damage(SCOPES, { turns: 7 });
    const target = { kind: "turn", key: "t1", expectedRevision: 1 } as const;
    await store.assertChangesNothing(() => conversation.delete(target), { code: "INTEGRITY" });
  });

  promise(
    "prune() passes over a damaged scope and erases what is due in the others, fifty-five of them",
    async (store) => {
      store.damaged = true;
      const clock = clockAtNoon();
      const memory = await store.open({ clock: clock.now });
      for (let index = 0; index < 55; index++) {
        const scope = { tenantId: "orchard", sessionId: `s${index}` };
        await memory.conversation(scope).append([{ role: "user", content: "x" }], { expiresAt: after(60) });
      }
      await store.damage(SCOPES, ({ session }) => ["s0", "s20"].includes(session) ? { turns: 7 } : null);
      clock.advance(60);
      const { expired, scrub } = await memory.prune();
      assert.deepEqual([expired.turns, scrub?.complete], [53, true]);
      assert.equal(await store.count(TURNS), 2);
      assert.equal((await memory.check()).problems.length, 2);
    },
  );
}
