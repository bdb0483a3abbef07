/** Two indexes of one conversation, and those of others in the same store, never take each other's rows. */

import assert from "node:assert/strict";
import { openMemory } from "../../mod.ts";
import { MutableClock } from "../../src/testing/kit/mutable_clock.ts";
import { Scenario } from "../../src/testing/searches/scenario.ts";
import { Writer } from "../../src/testing/searches/seeded_writer.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";

const TURNS = 180;
const QUESTIONS = ["When did the north pump fail?", "it was"] as const;
/** Each has an index of its own: another chunk size, or another profile. */
const KINDS = [
  { profile: "holdfast", retrieval: { chunkCharacters: 120, overlapCharacters: 30 } },
  { profile: "holdfast", retrieval: { chunkCharacters: 40, overlapCharacters: 0 } },
  { profile: "reference", retrieval: { chunkCharacters: 40, overlapCharacters: 0 } },
] as const;

Deno.test("Three indexes of one long conversation, next to another conversation, each answer as if alone", async () => {
  const clock = new MutableClock(1_750_000_000);
  await using memory = await openMemory(":memory:", { clock: clock.now });
  const scenario = new Scenario(memory, clock);
  await scenario.conversation.create();
  const other = memory.conversation({ tenantId: "acme", sessionId: "ticket-1" });
  const writer = new Writer(7);
  for (let turn = 0; turn < TURNS; turn++) {
    if (turn % 3 === 0) await other.append([{ role: "user", content: writer.text(12) }]);
    await scenario.put([writer.text(12)]);
  }
  await other.search("pump");
  const compare = async (): Promise<void> => {
    for (const options of KINDS) {
      for (const question of QUESTIONS) {
        for (const maxInputTokens of [300, 900]) {
          const budget = { maxInputTokens, retrievalReserve: 100, summaryReserve: 0 };
          await scenario.compare({ question, budget, options });
        }
      }
    }
  };
  await compare();
  for (const which of [3, 70, 71, 140]) await scenario.play({ kind: "delete", which });
  for (const which of [5, 90, 150]) await scenario.play({ kind: "edit", which, texts: [writer.text(20)] });
  await compare();
  assert.equal((await memory.check()).ok, true);
});

Deno.test("chunkIndex() of each of two indexes returns its own chunks", async () => {
  await using memory = await openMemory(":memory:");
  const conversation = memory.conversation({ tenantId: "acme", sessionId: "ticket-4711" });
  const content = new Writer(3).text(40);
  await conversation.append([{ role: "user", content }]);
  const snapshot = await conversation.snapshot();
  for (const { profile, retrieval } of KINDS.slice(0, 2)) {
    while ((await conversation.indexBatch(snapshot, retrieval, { profile })).status !== "READY");
  }
  for (const { retrieval } of KINDS.slice(0, 2)) {
    const { chunks } = await conversation.chunkIndex(snapshot, retrieval);
    assert.equal(Math.max(...chunks.map((chunk) => chunk.content.length)) <= retrieval.chunkCharacters, true);
    assert.equal(chunks.at(-1)?.source.end, content.length);
  }
});

testThatNothingIsLeftOpen();
