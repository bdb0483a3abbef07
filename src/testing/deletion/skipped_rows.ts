/** What reading leaves out with `damaged: "skip"`: nothing but the damaged rows, each told. */

import assert from "node:assert/strict";
import { PINS, RECORDS, SCOPES, SUMMARIES, TURNS } from "../../tables/schema/main_tables.ts";
import type { Conversation, Memory } from "../../../mod.ts";
import {
  after,
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
  summaryOf,
  talk,
  turnOf,
} from "../kit/conversation_samples.ts";
import { assertIntact, type StoreUnderTest } from "../kit/store_under_test.ts";
import type { Suite } from "../kit/suite.ts";

const SKIP = { damaged: "skip" } as const;
const LABELS = { tenantId: "orchard", sessionId: "spring" };
const COUNTER = { name: "quarters", version: "1", countText: (text: string) => Math.ceil(text.length / 4) };
const ASSEMBLY = { system: "Answer.", counting: { counter: COUNTER }, ...SKIP } as const;
const WORDS = ["pears", "plums", "quinces", "medlars", "apples"];

function wordsOf(number: number): string {
  return `Turn${number} says that ${WORDS[number % 5]} and ${WORDS[number % 3]} were grafted. Were they?`;
}

/** Turns 1 to 60, without some. */
async function history(memory: Memory, without: ReadonlySet<number> = new Set()): Promise<Conversation> {
  const conversation = memory.conversation(ORCHARD);
  let expectedRevision = await conversation.create();
  for (let number = 1; number <= 60; number++) {
    if (without.has(number)) continue;
    const turn = turnOf(`t${number}`, wordsOf(number), { timestamp: after(number - 100) });
    expectedRevision = await conversation.putTurn(turn, { operationId: `put ${number}`, expectedRevision });
  }
  return conversation;
}

/** What a search finds and a context holds, without what tells of revisions. */
async function found(
  conversation: Conversation,
  options: typeof SKIP | Record<never, never>,
): Promise<unknown> {
  const told: unknown[] = [];
  for (const query of ["pears quinces", "Turn17", "were medlars grafted?", "Turn30 Turn31 apples"]) {
    for (const profile of ["holdfast", "reference"] as const) {
      told.push([...await conversation.search(query, { ...options, profile, topK: 6 })]);
      for (const maxInputTokens of [700, 1_500, 6_000]) {
        const assembly = { ...ASSEMBLY, damaged: "error", ...options, profile } as const;
        const { context } = await conversation.assemble(query, { maxInputTokens }, assembly);
        const { keptTurnIds, omittedTurnCount, retrievedChunkIds, layers } = context.diagnostics;
        told.push([context.request, keptTurnIds, omittedTurnCount, retrievedChunkIds, layers]);
      }
    }
  }
  return told;
}

const GONE = new Set([3, 17, 18, 30, 58]);
/** Replaces a word of theirs by another of the same length. */
async function damageGone(store: StoreUnderTest): Promise<void> {
  await store.damage(
    TURNS,
    ({ turnId, payload }) =>
      GONE.has(Number(turnId.slice(1))) ? { payload: payload.replaceAll("grafted", "grifted") } : null,
  );
}

export function testSkippedRows({ makeStore, promise, durable }: Suite): void {
  promise(
    "search and assemble give what they would if damaged turns had never been (BAD-01)",
    async (store) => {
      store.damaged = true;
      const memory = await store.open({ clock: clockAtNoon().now });
      const conversation = await history(memory);
      await damageGone(store);
      const first = await found(conversation, SKIP);
      assert.deepEqual(await found(conversation, SKIP), first);
      assert.equal((await memory.check()).problems.length, GONE.size);
      await using another = await makeStore();
      const other = await another.open({ clock: clockAtNoon().now });
      assert.deepEqual(await found(await history(other, GONE), {}), first);
    },
  );

  promise(
    "Turns that were damaged after they were indexed are in no hit and no context (BAD-01)",
    async (store) => {
      store.damaged = true;
      const memory = await store.open({ clock: clockAtNoon().now });
      const conversation = await history(memory);
      const before = JSON.stringify(await found(conversation, {}));
      await damageGone(store);
      const text = JSON.stringify(await found(conversation, SKIP));
      for (const number of GONE) {
        assert.deepEqual([number, before.includes(`"t${number}"`), text.includes(`"t${number}"`)], [
          number,
          true,
          false,
        ]);
      }
      assert.equal((await memory.check()).problems.length, GONE.size);
    },
  );

  promise(
    "A call says of each damaged turn that it met, once, and of none that it did not meet (BAD-01)",
    async (store) => {
      store.damaged = true;
      const memory = await store.open({ clock: clockAtNoon().now });
      const conversation = await history(memory);
      await damageGone(store);
      const ids = (rows: readonly { readonly turnId?: string | undefined }[]): readonly string[] =>
        rows.map(({ turnId }) => turnId ?? "").sort();
      const all = [...GONE].map((number) => `t${number}`).sort();
      const turns = conversation.turns(SKIP);
      assert.equal((await Array.fromAsync(turns)).length, 55);
      assert.deepEqual(ids(turns.skipped), all);
      assert.deepEqual(ids((await conversation.search("pears", SKIP)).skipped), all);
      // A window that shows a few of the newest, and no evidence.
      const options = { retrieve: false } as const;
      const { skipped } = await conversation.assemble("pears", { maxInputTokens: 700 }, {
        ...ASSEMBLY,
        options,
      });
      assert.deepEqual(ids(skipped), ["t58"]);
      assert.deepEqual(JSON.stringify(turns.skipped).includes("grifted"), false);
    },
  );

  promise(
    "A hundred damaged turns before the first intact one are passed over by an index (BAD-01)",
    async (store) => {
      store.damaged = true;
      const memory = await store.open({ clock: clockAtNoon().now });
      const conversation = memory.conversation(ORCHARD);
      for (let number = 0; number < 100; number++) {
        await conversation.append([{
          role: "user",
          content: "lost",
        }]);
      }
      await store.damage(TURNS, ({ payload }) => ({ payload: payload.replaceAll("lost", "last") }));
      await conversation.append([{ role: "user", content: "The pears were grafted." }]);
      for (let round = 0; round < 2; round++) {
        const hits = await conversation.search("pears", SKIP);
        assert.deepEqual([hits.length, hits.skipped.length], [1, 100]);
      }
      await assert.rejects(conversation.search("pears"), { code: "INTEGRITY" });
    },
  );

  promise(
    "A damaged turn that is revised is found again, by those who skip and those who do not (BAD-01)",
    async (store) => {
      const memory = await store.open({ clock: clockAtNoon().now });
      const conversation = await talk(memory, ["t1", "t2", "t3"]);
      await store.damage(
        TURNS,
        ({ turnId, payload }) => turnId === "t2" ? { payload: payload.replaceAll('"t2"', '"u2"') } : null,
      );
      assert.equal((await conversation.search("t2", SKIP)).length, 0);
      await revise(conversation, turnOf("t2", "quinces", { revision: 2 }));
      assert.equal((await conversation.search("quinces", SKIP))[0]?.source.turnId, "t2");
      assert.equal((await conversation.search("quinces"))[0]?.source.turnId, "t2");
      await assertIntact(memory);
    },
  );

  durable(
    "A store that is opened read-only is searched although a turn is damaged, once the rest is indexed (BAD-01)",
    async (store) => {
      store.damaged = true;
      const memory = await store.open({ clock: clockAtNoon().now });
      const conversation = await talk(memory, ["t1", "t2", "t3"]);
      await store.damage(TURNS, ({ turnId }) => turnId === "t2" ? { payload: "{" } : null);
      await conversation.search("t1", SKIP);
      const reader = (await store.open({ clock: clockAtNoon().now, readOnly: true })).conversation(ORCHARD);
      const hits = await reader.search("t3", SKIP);
      assert.deepEqual([hits[0]?.content, hits.skipped], ["t3", [{
        table: "turns",
        ...LABELS,
        turnId: "t2",
      }]]);
      await conversation.append([{ role: "user", content: "more" }]);
      await assert.rejects(reader.search("t3", SKIP), { reason: "NOT_READY" });
    },
  );

  promise(
    "A damaged pin or summary costs itself: turns, contexts and exports go on (BAD-01)",
    async (store) => {
      store.damaged = true;
      const memory = await store.open({ clock: clockAtNoon().now });
      const conversation = await talk(memory, ["t1", "t2"]);
      await pinUp(conversation, pinOf("alone", "Clay."));
      await derive(conversation);
      await store.damage(PINS, ({ key }) => key === "derived" ? { payload: "" } : null);
      await store.damage(SUMMARIES, { payload: "[]" });
      const rows = [{ table: "pins", ...LABELS, key: "derived" }, { table: "summaries", ...LABELS }];
      await assert.rejects(conversation.snapshot(), { code: "INTEGRITY", details: rows[0] });
      const turns = conversation.turns(SKIP);
      assert.deepEqual([(await Array.fromAsync(turns)).length, turns.skipped], [2, rows]);
      const { context, skipped, snapshot } = await conversation.assemble(
        "t1",
        { maxInputTokens: 900 },
        ASSEMBLY,
      );
      assert.deepEqual([skipped, snapshot.pins.map(({ key }) => key), snapshot.summary], [
        rows,
        ["alone"],
        null,
      ]);
      assert(context.blocks.find(({ kind }) => kind === "pinned")!.content.includes("Clay."));
      assert.deepEqual((await conversation.search("t1", SKIP)).skipped, rows);
      const lines = memory.exportLines({ includeContent: true, ...SKIP });
      const types = (await Array.fromAsync(lines)).map((line) => JSON.parse(line).type);
      assert.deepEqual(types, ["header", "scope", "turn", "turn", "pin", "skipped", "skipped", "end"]);
      assert.deepEqual(new Set(lines.skipped.map(({ table }) => table)), new Set(["pins", "summaries"]));
    },
  );

  promise(
    "A damaged row of a scope costs that scope in an export, and is an error of all that names it (BAD-01)",
    async (store) => {
      store.damaged = true;
      const memory = await store.open({ clock: clockAtNoon().now });
      const conversation = await talk(memory, ["t1"]);
      await talk(memory, ["t1"], HARBOUR);
      await store.damage(SCOPES, ({ tenant }) => tenant === "orchard" ? { turns: 7 } : null);
      const details = { table: "scopes", ...LABELS };
      await assert.rejects(readIds(conversation), { code: "INTEGRITY", details });
      await assert.rejects(conversation.search("t1", SKIP), { code: "INTEGRITY", details });
      await assert.rejects(Array.fromAsync(memory.exportLines({ scope: ORCHARD, ...SKIP })), { details });
      const lines = memory.exportLines(SKIP);
      const types = (await Array.fromAsync(lines)).map((line) => JSON.parse(line).type);
      assert.deepEqual([types, lines.skipped], [["header", "skipped", "scope", "turn", "end"], [details]]);
    },
  );

  promise("A damaged record costs itself in an export (BAD-01)", async (store) => {
    store.damaged = true;
    const memory = await store.open({ clock: clockAtNoon().now });
    for (const key of ["one", "two", "three"]) {
      const fact = { schema: 1, text: "Kept.", source: "chat", reviewed: false } as const;
      await memory.records.put({ tenantId: "orchard", kind: "fact", key }, fact, {
        expectedRevision: null,
        ttl: 3_600,
      });
    }
    await store.damage(
      RECORDS,
      ({ key, body }) => key === "two" ? { body: body.replaceAll("Kept", "Lost") } : null,
    );
    const details = { table: "records", tenantId: "orchard", kind: "fact", key: "two" };
    await assert.rejects(memory.records.get({ tenantId: "orchard", kind: "fact", key: "two" }), { details });
    await assert.rejects(Array.fromAsync(memory.exportLines({ includeContent: true })), { details });
    const lines = memory.exportLines({ includeContent: true, ...SKIP });
    const types = (await Array.fromAsync(lines)).map((line) => JSON.parse(line).type);
    assert.deepEqual([types, lines.skipped], [["header", "record", "record", "skipped", "end"], [details]]);
  });

  promise(
    "A summary of turns of which one is damaged by now still stands for them in a context (BAD-01)",
    async (store) => {
      store.damaged = true;
      const memory = await store.open({ clock: clockAtNoon().now });
      const conversation = await history(memory);
      const covered = (await readTurns(conversation)).slice(0, 20);
      await conversation.putSummary(await conversation.snapshot(), summaryOf(covered, "Much was grafted."));
      await store.damage(TURNS, ({ turnId }) => ["t3", "t30"].includes(turnId) ? { payload: "{" } : null);
      const options = { retrieve: true } as const;
      const { context } = await conversation.assemble("pears", { maxInputTokens: 1_500 }, {
        ...ASSEMBLY,
        options,
        summaryPrefix: true,
      });
      assert.equal(context.diagnostics.summaryUsed, true);
    },
  );

  promise(
    "Lines that lack one that was skipped, or tell of another number, are refused (BAD-01)",
    async (store) => {
      store.damaged = true;
      const memory = await store.open({ clock: clockAtNoon().now });
      const conversation = await talk(memory, ["t1", "t2"]);
      await store.damage(TURNS, ({ turnId }) => turnId === "t2" ? { payload: "{" } : null);
      const lines = await Array.fromAsync(memory.exportLines({ includeContent: true, ...SKIP }));
      await erase(conversation, "turn", "t2");
      const without = lines.filter((line) => JSON.parse(line).type !== "skipped");
      assert.equal(without.length, lines.length - 1);
      await assert.rejects(memory.importLines(without), { code: "CONTRACT", field: "digest" });
      assert.equal((await memory.importLines(lines)).skipped, 1);
    },
  );
}
