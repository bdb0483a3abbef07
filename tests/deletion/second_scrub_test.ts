/** The second scrub of one open store: a table that was rewritten once and lost content again is rewritten again. */

import assert from "node:assert/strict";
import type { Conversation, Memory } from "@holdfast/memory";
import { RESULT } from "../../src/engines/sqlite/drivers/result_codes.ts";
import {
  atNoon,
  derive,
  erase,
  pinOf,
  pinUp,
  readTurns,
  revise,
  summaryOf,
  talk,
  turnOf,
} from "../conversations/samples.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { storeHolds } from "../kit/stored_bytes.ts";
import { promise } from "./file_store.ts";

const ROUNDS = ["first", "second", "third"] as const;

/** What loses content in which tables; `round` makes every text another one. */
const LOSSES: readonly (readonly [
  what: string,
  tables: readonly string[],
  lose: (memory: Memory, conversation: Conversation, round: string) => Promise<unknown>,
])[] = [
  ["a deleted turn", ["message_ids", "turns"], async (_, conversation, round) => {
    await put(conversation, round);
    await erase(conversation, "turn", round);
  }],
  ["a revised turn", ["message_ids", "turns"], async (_, conversation, round) => {
    await put(conversation, round);
    await revise(conversation, turnOf(round, "kept", { revision: 2 }));
  }],
  ["a deleted pin", ["pins"], async (_, conversation, round) => {
    await pinUp(conversation, pinOf(round, secretOf(round)));
    await erase(conversation, "pin", round);
  }],
  ["a replaced summary", ["summaries"], async (_, conversation, round) => {
    for (const content of [secretOf(round), "kept"]) {
      const summary = summaryOf(await readTurns(conversation), content);
      await conversation.putSummary(await conversation.snapshot(), summary);
    }
  }],
  ["a replaced replay", ["replays"], async (_, conversation, round) => {
    for (const text of [secretOf(round), "kept"]) {
      await conversation.cachePut(await conversation.snapshot(), "answer", { text });
    }
  }],
  ["a forgotten record", ["records"], async ({ records }, _, round) => {
    const identity = { tenantId: "orchard", kind: "fact", key: "a" } as const;
    const fact = { schema: 1, text: secretOf(round), source: "y", reviewed: false } as const;
    await records.forget(identity, await records.put(identity, fact, { expectedRevision: null, ttl: 60 }));
  }],
  [
    "a deleted turn of an index",
    ["index_terms", "indexed_turns", "message_ids", "postings", "turns"],
    async (_, conversation, round) => {
      await put(conversation, round);
      await conversation.search("kept", { profile: "reference" });
      await erase(conversation, "turn", round);
    },
  ],
];

function secretOf(round: string): string {
  return `zweckgeheimnis${round}`;
}

async function put(conversation: Conversation, round: string): Promise<void> {
  await conversation.putTurn(turnOf(round, secretOf(round)), {
    operationId: `put ${round}`,
    expectedRevision: await conversation.revision(),
  });
}

for (const [what, tables, lose] of LOSSES) {
  promise(`TST-01, TST-11 Each scrub of one open store rewrites what ${what} left behind`, async (store) => {
    const memory = await store.open(atNoon());
    const conversation = await talk(memory, ["kept"]);
    for (const round of ROUNDS) {
      await lose(memory, conversation, round);
      assert.deepEqual(store.sql("SELECT name FROM dirty ORDER BY name").flat(), tables, round);
      const { scrub } = await memory.prune();
      assert.deepEqual([scrub?.complete, scrub?.tables], [true, tables.length], round);
      assert.deepEqual(ROUNDS.filter((each) => storeHolds(store.path, secretOf(each))), [], round);
    }
  });
}

promise("TST-01 What was lost after another handle's scrub is rewritten by the next", async (store) => {
  const memory = await store.open(atNoon());
  const other = await store.open(atNoon());
  const conversation = await talk(memory, ["t1", "t2", "t3"]);
  await erase(conversation, "turn", "t1");
  assert.equal((await other.prune()).scrub?.tables, 2);
  await erase(conversation, "turn", "t2");
  assert.equal((await other.prune()).scrub?.tables, 2);
  await erase(conversation, "turn", "t3");
  assert.equal((await memory.prune()).scrub?.tables, 2);
});

promise("TST-01 What is lost while a scrub goes on is rewritten by the next", async (store) => {
  const memory = await store.open(atNoon());
  const conversation = await talk(memory, ["t1", "t2"]);
  await erase(conversation, "turn", "t1");
  let meanwhile: Promise<unknown> | null = null;
  const onProgress = (): void => void (meanwhile ??= erase(conversation, "turn", "t2"));
  await memory.prune({ onProgress });
  await meanwhile;
  assert.equal((await conversation.snapshot()).turnCount, 0);
  assert.deepEqual(store.sql("SELECT name FROM dirty WHERE name = 'message_ids'"), [["message_ids"]]);
  const { scrub } = await memory.prune();
  assert.equal(scrub?.complete, true);
  assert.equal(storeHolds(store.path, "t2-message"), false);
});

promise(
  "TST-01 A scrub that failed leaves its table to the next, which knows what was lost since",
  async (store) => {
    const memory = await store.open(atNoon());
    const conversation = await talk(memory, ["t1", "t2"]);
    await erase(conversation, "turn", "t1");
    store.driver.fail({ database: "main", sql: /^DELETE FROM dirty/, effect: "before", code: RESULT.IOERR });
    await assert.rejects(memory.prune(), { code: "IO" });
    store.driver.heal();
    await erase(conversation, "turn", "t2");
    assert.deepEqual((await memory.prune()).scrub?.tables, 2);
    await talk(memory, []);
    await put(conversation, "first");
    await erase(conversation, "turn", "first");
    assert.deepEqual((await memory.prune()).scrub?.tables, 2);
    assert.equal(storeHolds(store.path, secretOf("first")), false);
  },
);

for (const by of ["the same handle", "another handle"] as const) {
  promise(
    `TST-02 What a deletion lost that ${by} completed is rewritten by the next prune`,
    async (store) => {
      const memory = await store.open(atNoon());
      const conversation = await talk(memory, ["t1"]);
      await put(conversation, "first");
      await derive(conversation);
      await conversation.search("kept", { profile: "reference" });
      await memory.prune();
      store.driver.fail({
        database: "main",
        sql: "INSERT INTO deletions",
        effect: "before",
        code: RESULT.IOERR,
      });
      await assert.rejects(erase(conversation, "turn", "first"), { code: "IO" });
      store.driver.heal();
      const completing = by === "the same handle" ? memory : await store.open(atNoon());
      assert.equal((await completing.conversation(conversation.scope).snapshot()).turnCount, 1);
      const tables = store.sql("SELECT name FROM dirty ORDER BY name").flat();
      assert.deepEqual(tables, [
        "index_terms",
        "indexed_turns",
        "message_ids",
        "postings",
        "replays",
        "summaries",
        "turns",
      ]);
      const { scrub } = await memory.prune();
      assert.deepEqual([scrub?.complete, scrub?.tables], [true, tables.length]);
      assert.equal(storeHolds(store.path, secretOf("first")), false);
    },
  );
}

testThatNothingIsLeftOpen();
