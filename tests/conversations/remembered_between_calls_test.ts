/** What an open store remembers between calls is kept apart by all that it depends on: each call answers as a first one. */

import assert from "node:assert/strict";
import { z } from "zod";
import {
  type AssembledContext,
  type Conversation,
  defineKind,
  type Memory,
  type MemoryError,
  openMemory,
  type TokenCounter,
} from "@holdfast/memory";
import { atNoon, clockAtNoon, HARBOUR, ORCHARD, pinOf, pinUp, talk } from "./samples.ts";

const BUDGET = { maxInputTokens: 600, contextWindow: 8_000, maxOutputTokens: 100, retrievalReserve: 200 };
const TEXTS = Array.from(
  { length: 30 },
  (_, index) =>
    `${index} the quince was grafted at the north wall, ${"row after row ".repeat(index % 5)}in May.`,
);

async function fill(memory: Memory, scope = ORCHARD, texts = TEXTS): Promise<Conversation> {
  const conversation = await talk(memory, [], scope);
  for (const [index, content] of texts.entries()) {
    await conversation.putTurn(
      { turnId: `t${index}`, scope, messages: [{ messageId: `m${index}`, role: "user", content }] },
      { operationId: `${index}`, expectedRevision: index },
    );
  }
  return conversation;
}

/** Asks each question of one store again and again, in every order of two, and of a fresh store once. */
async function assertAsFresh<T>(
  ask: readonly ((conversation: Conversation) => Promise<T>)[],
  areDifferent = true,
): Promise<void> {
  const fresh: T[] = [];
  for (const each of ask) {
    await using memory = await openMemory(":memory:", atNoon());
    fresh.push(await each(await fill(memory)));
  }
  if (areDifferent) assert.equal(new Set(fresh.map((each) => JSON.stringify(each))).size, ask.length);
  await using memory = await openMemory(":memory:", atNoon());
  const conversation = await fill(memory);
  for (const [first, askFirst] of ask.entries()) {
    for (const [second, askSecond] of ask.entries()) {
      assert.deepEqual(await askFirst(conversation), fresh[first], `${first} before ${second}`);
      assert.deepEqual(await askSecond(conversation), fresh[second], `${second} after ${first}`);
    }
  }
}

/** What a context says, without what every store draws for itself. */
function told({ request, diagnostics }: AssembledContext): unknown {
  const { estimate, keptTurnIds, retrievedTurnIds } = diagnostics;
  return { request, estimate, keptTurnIds, retrievedTurnIds };
}

/** A counter of so many characters a token; all of them go by one name and version. */
function charactersPerToken(characters: number): TokenCounter {
  return { name: "stub", version: "1", countText: (text) => Math.ceil(text.length / characters) };
}

Deno.test("Two token counters of one name and version do not see what the other counted", async () => {
  const counters = [charactersPerToken(3), charactersPerToken(4), charactersPerToken(6)];
  await assertAsFresh(
    counters.map((counter) => async (conversation) => {
      const asked = { system: "Answer.", counting: { counter } };
      // One that counts the same request differently is found out, too.
      return await conversation.assemble("Where is the quince?", BUDGET, asked)
        .then(({ context }) => told(context), (error: MemoryError) => error.code);
    }),
  );
});

Deno.test("Texts that one cap shortened are shortened by another as if for the first time", async () => {
  const caps = [
    { maxTokens: 24, headTokens: 12, tailTokens: 6 },
    { maxTokens: 24, headTokens: 6, tailTokens: 12 },
    { maxTokens: 24, headTokens: 6, tailTokens: 6 },
    { maxTokens: 30, headTokens: 6, tailTokens: 6 },
  ];
  await assertAsFresh(
    caps.map((cap) => async (conversation) => {
      const { context } = await conversation.assemble("Where is the quince?", BUDGET, {
        system: "Answer.",
        cap,
      });
      return told(context);
    }),
  );
});

Deno.test("Searches by one profile and chunk size leave those by others as they are", async () => {
  const settings: readonly (readonly ["reference" | "holdfast", number, number])[] = [
    ["reference", 40, 0],
    ["holdfast", 40, 0],
    ["holdfast", 40, 10],
    ["holdfast", 60, 10],
  ];
  await assertAsFresh(
    settings.map(([profile, chunkCharacters, overlapCharacters]) => (conversation) => {
      const retrieval = { chunkCharacters, overlapCharacters };
      return conversation.search("quince north wall", { profile, retrieval, topK: 5 });
    }),
  );
});

Deno.test("Searches with other weights and floors on one index leave each other as they are", async () => {
  await assertAsFresh(
    [{}, { k1: 0.5 }, { b: 0.1 }, { minimumScore: 8 }].map((retrieval) => (conversation) =>
      conversation.search("quince 7 north wall 3", { profile: "reference", retrieval, topK: 20 })
    ),
  );
});

Deno.test("Scopes of two tenants with the same session, turns and questions are searched apart", async () => {
  await using memory = await openMemory(":memory:", atNoon());
  const orchard = await fill(memory);
  const harbour = await fill(memory, HARBOUR, TEXTS.map((text) => text.replace("quince", "anchor")));
  for (const word of ["quince", "anchor", "quince"]) {
    for (const [conversation, own] of [[orchard, "quince"], [harbour, "anchor"]] as const) {
      const hits = (await conversation.search(word)).filter(({ score }) => score.lexical > 0);
      assert.equal(hits.length > 0, word === own);
      assert(
        hits.every(({ source, content }) =>
          source.scope.tenantId === conversation.scope.tenantId && content.includes(own)
        ),
      );
    }
  }
});

Deno.test("Snapshots that are taken by turns in two stores and two scopes are each current, and no other's", async () => {
  await using first = await openMemory(":memory:", atNoon());
  await using second = await openMemory(":memory:", atNoon());
  const conversations = [];
  for (const memory of [first, second]) {
    for (const scope of [ORCHARD, HARBOUR]) {
      const conversation = await talk(memory, ["t1"], scope);
      await pinUp(conversation, pinOf("k", "v", { scope }));
      conversations.push(conversation);
    }
  }
  const ids: string[] = [];
  for (let round = 0; round < 2; round++) {
    for (const conversation of conversations) {
      const snapshot = await conversation.snapshot();
      await conversation.assertCurrent(snapshot);
      ids.push(snapshot.id);
    }
  }
  assert.equal(new Set(ids).size, conversations.length);
  assert.deepEqual(ids.slice(0, conversations.length), ids.slice(conversations.length));
});

Deno.test("A snapshot changes with a pin that expires, though nothing is written and others are taken between", async () => {
  const clock = clockAtNoon();
  await using memory = await openMemory(":memory:", { clock: clock.now });
  const orchard = await talk(memory, ["t1"]);
  await pinUp(orchard, pinOf("k", "v", { effectiveAt: new Date(clock.ms + 60_000) }));
  const before = await orchard.snapshot();
  await (await talk(memory, ["t1"], HARBOUR)).snapshot();
  assert.equal((await orchard.snapshot()).id, before.id);
  clock.advance(60);
  const after = await orchard.snapshot();
  assert.deepEqual([before.pins.length, after.pins.length, after.revision], [0, 1, before.revision]);
  assert.notEqual(after.id, before.id);
  await assert.rejects(orchard.assertCurrent(before), { reason: "SNAPSHOT" });
});

Deno.test("Two open stores hold records to their own definition of a kind of one name", async () => {
  const numbers = defineKind("note", z.strictObject({ n: z.int() }), { ttlMax: null });
  const texts = defineKind("note", z.strictObject({ text: z.string() }), { ttlMax: null });
  await using first = await openMemory(":memory:", { kinds: [numbers] });
  await using second = await openMemory(":memory:", { kinds: [texts] });
  const identity = { tenantId: "orchard", kind: "note", key: "a" };
  const put = (memory: Memory, value: unknown): Promise<number> =>
    memory.records.put(identity, value, { expectedRevision: null, ttl: null });
  await assert.rejects(put(first, { text: "x" }), { code: "CONTRACT" });
  await assert.rejects(put(second, { n: 1 }), { code: "CONTRACT" });
  await put(first, { n: 1 });
  await put(second, { text: "x" });
  const values = [await first.records.get(identity), await second.records.get(identity)];
  assert.deepEqual(values.map((found) => found?.value), [{ n: 1 }, { text: "x" }]);
});
