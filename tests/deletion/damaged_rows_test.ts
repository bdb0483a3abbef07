/** One damaged row: only what reads it fails, check() names it, and deleting never parses what it deletes. */

import assert from "node:assert/strict";
import type { Conversation, Memory } from "@holdfast/memory";
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
} from "../conversations/samples.ts";
import type { FaultyDriver } from "../kit/faulty_driver.ts";
import { MutableClock } from "../kit/mutable_clock.ts";
import { assertIntact, testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import type { TestStore } from "../kit/test_store.ts";
import { promise, rowsByTable } from "./file_store.ts";

/** A row to damage, and what reads it. */
interface Damage {
  readonly table: string;
  readonly what: string;
  readonly sql: string;
  /** What must fail with INTEGRITY; null where nothing reads it. */
  readonly read: ((conversation: Conversation) => Promise<unknown>) | null;
  /** How check() names it: table and row. */
  readonly named: readonly (readonly [string, string | null])[];
}

const SPRING = "orchard/spring";

/** Every table of conversations in turn. The scope has `t1` with what derives from it, `t2`, and a floor. */
const DAMAGES: readonly Damage[] = [
  {
    table: "scopes",
    what: "a total",
    sql: "UPDATE scopes SET turns = turns + 1 WHERE tenant = 'orchard'",
    read: (conversation) => conversation.snapshot(),
    named: [["scopes", "scope 1"]],
  },
  {
    table: "scopes",
    what: "the checksum",
    sql: "UPDATE scopes SET checksum = checksum + 1 WHERE tenant = 'orchard'",
    read: (conversation) => conversation.revision(),
    named: [["scopes", "scope 1"]],
  },
  {
    table: "turns",
    what: "a payload",
    sql: "UPDATE turns SET payload = '{' WHERE scope = 1 AND turn_id = 't1'",
    read: (conversation) => readTurns(conversation),
    named: [["turns", `${SPRING}/t1`]],
  },
  {
    table: "turns",
    what: "a deadline",
    sql: "UPDATE turns SET expires = 99999999999999 WHERE scope = 1 AND turn_id = 't1'",
    read: (conversation) => revise(conversation, turnOf("t1", "other", { revision: 2 })),
    named: [["turns", `${SPRING}/t1`]],
  },
  {
    table: "message_ids",
    what: "an id",
    sql: "UPDATE message_ids SET message_id = 'other' WHERE scope = 1 AND message_id = 't1-message'",
    read: null,
    named: [["message_ids", `${SPRING}/t1`]],
  },
  {
    table: "message_ids",
    what: "a turn",
    sql: "UPDATE message_ids SET turn = 99 WHERE scope = 1 AND message_id = 't1-message'",
    read: null,
    named: [["message_ids", `${SPRING}/t1`], ["message_ids", null]],
  },
  {
    table: "pins",
    what: "a payload",
    sql: "UPDATE pins SET payload = '' WHERE scope = 1 AND key = 'derived'",
    read: (conversation) => conversation.snapshot(),
    named: [["pins", `${SPRING}/derived`]],
  },
  {
    table: "pins",
    what: "a start",
    sql: "UPDATE pins SET effective = 99999999999999 WHERE scope = 1 AND key = 'derived'",
    read: (conversation) => readTurns(conversation),
    named: [["pins", `${SPRING}/derived`]],
  },
  {
    table: "summaries",
    what: "a payload",
    sql: "UPDATE summaries SET payload = '[]' WHERE scope = 1",
    read: (conversation) => conversation.snapshot(),
    named: [["summaries", SPRING]],
  },
  {
    table: "covered_turns",
    what: "a row that is gone",
    sql: "DELETE FROM covered_turns WHERE scope = 1 AND turn = 1",
    read: null,
    named: [["summaries", SPRING]],
  },
  {
    table: "replays",
    what: "a payload",
    sql: "UPDATE replays SET payload = '{}' WHERE scope = 1",
    read: async (conversation) => conversation.cacheGet(await conversation.snapshot(), "answer"),
    named: [["replays", `${SPRING}/answer`]],
  },
  {
    table: "operations",
    what: "an answer",
    sql: "UPDATE operations SET result = 77 WHERE scope_hash = (SELECT scope_hash FROM scopes WHERE id = 1)",
    read: (conversation) =>
      conversation.putTurn(turnOf("t1"), { operationId: "put t1", expectedRevision: 0 }),
    named: [["operations", null]],
  },
  {
    table: "floors",
    what: "a floor",
    sql: "UPDATE floors SET floor = floor + 1",
    read: (conversation) => pinUp(conversation, pinOf("lost", "v", { revision: 2 })),
    named: [["floors", null]],
  },
];

/** Two scopes, the first with something in every table. */
async function fill(store: TestStore<FaultyDriver>): Promise<{ memory: Memory; clock: MutableClock }> {
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

for (const { table, what, sql, read, named } of DAMAGES) {
  promise(
    `In ${table} ${what} is damaged: only what reads it fails, and deleting the scope mends the store`,
    async (store) => {
      store.damaged = true;
      const { memory: first, clock } = await fill(store);
      const revision = await first.conversation(ORCHARD).revision();
      store.sql(sql);
      await first.close();
      const memory = await store.open({ clock: clock.now });
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
    store.sql("DELETE FROM floors");
    assert.deepEqual((await memory.check()).problems.map(({ table, problem }) => [table, problem]), [
      ["floors", "1 deleted messages could come back"],
    ]);
  },
);

promise("A damaged event of main's copy is told by what asks for its id, and by check()", async (store) => {
  store.damaged = true;
  const { memory } = await fill(store);
  const conversation = memory.conversation(ORCHARD);
  store.sql("UPDATE deletions SET at = at + 1 WHERE sequence = 1");
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
  await conversation.putTurn(turnOf("t3"), { operationId: "t3", expectedRevision: 2, expiresAt: after(60) });
  store.sql("UPDATE turns SET payload = 'damaged'");
  assert.equal((await erase(conversation, "turn", "t1")).erased.turns, 1);
  await revise(conversation, turnOf("t2", "mended", { revision: 2 }));
  clock.advance(60);
  assert.equal((await readTurns(conversation))[0]!.messages[0]!.content, "mended");
});

promise("A pin, a summary or a replay that is damaged can be deleted or replaced", async (store) => {
  const { memory } = await fill(store);
  const conversation = memory.conversation(ORCHARD);
  for (const table of ["pins", "summaries", "replays"]) {
    store.sql(`UPDATE ${table} SET payload = 'damaged' WHERE scope = 1`);
  }
  assert.equal((await erase(conversation, "turn", "t1")).erased.pins, 1);
  assert.deepEqual([rowsByTable(store).replays, (await conversation.snapshot()).summary], [1, null]);
});

promise("A damaged scope with something due can still be deleted", async (store) => {
  const clock = clockAtNoon();
  const memory = await store.open({ clock: clock.now });
  const conversation = memory.conversation(ORCHARD);
  await conversation.append([{ role: "user", content: "x" }], { expiresAt: after(60) });
  store.sql("UPDATE scopes SET turns = 7");
  clock.advance(60);
  await assert.rejects(conversation.snapshot(), { code: "INTEGRITY" });
  const receipt = await conversation.delete({ kind: "scope", expectedRevision: 1 });
  assert.equal(receipt.erased.turns, 1);
  assert.equal((await memory.verifyReceipt(receipt)).valid, true);
});

promise("A damaged scope tells its revision to who wants to delete it", async (store) => {
  const memory = await store.open({ clock: new MutableClock(NOON).now });
  const conversation = await talk(memory, ["t1"]);
  store.sql("UPDATE scopes SET turns = 7");
  await assert.rejects(conversation.revision(), { code: "INTEGRITY" });
  await assert.rejects(conversation.delete({ kind: "scope", expectedRevision: 99 }), { currentRevision: 1 });
  await conversation.delete({ kind: "scope", expectedRevision: 1 });
});

promise("Of a damaged scope no turn or pin is deleted: its totals could not be kept", async (store) => {
  store.damaged = true;
  const conversation = await talk(await store.open({ clock: new MutableClock(NOON).now }), ["t1"]);
  store.sql("UPDATE scopes SET turns = 7");
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
    store.sql("UPDATE scopes SET turns = 7 WHERE session IN ('s0', 's20')");
    clock.advance(60);
    const { expired, scrub } = await memory.prune();
    assert.deepEqual([expired.turns, scrub?.complete], [53, true]);
    assert.deepEqual(store.sql("SELECT count(*) FROM turns"), [[2]]);
    assert.equal((await memory.check()).problems.length, 2);
  },
);

testThatNothingIsLeftOpen();
