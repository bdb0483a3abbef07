/** Every promise about searches and contexts: a store gives what the whole history in memory gives. */

import assert from "node:assert/strict";
import { MutableClock } from "../kit/mutable_clock.ts";
import type { StoreUnderTest } from "../kit/store_under_test.ts";
import type { Suite } from "../kit/suite.ts";
import { type Asking, Scenario, SCOPE, type Step } from "./scenario.ts";
import { Writer } from "./seeded_writer.ts";

const QUESTIONS = ["When did the north pump fail?", "rollback of the harbour", "it was", "copper"] as const;
const PROFILES = ["reference", "holdfast"] as const;
const STEPS = 40;

async function start(store: StoreUnderTest): Promise<Scenario> {
  const clock = new MutableClock(1_750_000_000);
  const scenario = new Scenario(await store.open({ clock: clock.now }), clock);
  await scenario.conversation.create();
  return scenario;
}

/** One to three texts of up to so many words. */
function textsBy(writer: Writer, words: number): readonly string[] {
  return Array.from({ length: 1 + writer.next(3) }, () => writer.text(writer.next(words)));
}

/** What happens next: mostly new turns. */
function nextStep(writer: Writer): Step {
  const which = writer.next(1_000);
  switch (writer.next(12)) {
    case 0:
      return { kind: "edit", which, texts: textsBy(writer, 25) };
    case 1:
      return { kind: "delete", which };
    case 2:
      return { kind: "wait", seconds: [1, 30][writer.next(2)]! };
    case 3:
      return { kind: "pin", value: "likes lists", ttl: [20, 90][writer.next(2)]! };
    case 4:
      return { kind: "summarize", turns: 1 + writer.next(9) };
    case 5:
      return { kind: "index", batchSize: [1, 3, 32][writer.next(3)]! };
    default:
      return {
        kind: "put",
        texts: textsBy(writer, 25),
        calls: Math.max(0, writer.next(5) - 2),
        ttl: [0, 0, 40][writer.next(3)]!,
      };
  }
}

/** Each question by each profile, within a budget. */
function askings(maxInputTokens: number, recoverCappedWindow: boolean): readonly Asking[] {
  const budget = {
    maxInputTokens,
    retrievalReserve: maxInputTokens >> 2,
    summaryReserve: maxInputTokens >> 4,
  };
  const retrieval = { chunkCharacters: 120, overlapCharacters: 30, recoverCappedWindow };
  return PROFILES.flatMap((profile) =>
    QUESTIONS.map((question) => ({ question, budget, options: { profile, retrieval } }))
  );
}

export function testSearches({ promise, durable }: Suite): void {
  for (const seed of [1, 2, 3, 4]) {
    promise(
      `assemble() equals assembleContext() over the whole history, whatever happened, seed ${seed}`,
      async (store) => {
        const scenario = await start(store);
        const writer = new Writer(seed);
        for (let step = 1; step <= STEPS; step++) {
          await scenario.play(nextStep(writer));
          if (step % 10 !== 0) continue;
          for (const asking of askings(120 + writer.next(700), seed % 2 === 0)) {
            await scenario.compare(asking);
          }
        }
      },
    );
  }

  promise("assemble() equals assembleContext() for a conversation of some hundred turns", async (store) => {
    const scenario = await start(store);
    const writer = new Writer(9);
    for (let index = 0; index < 160; index++) await scenario.put(textsBy(writer, 40));
    for (const maxInputTokens of [300, 1_500]) {
      for (const asking of askings(maxInputTokens, false)) await scenario.compare(asking);
    }
  });

  promise(
    "A search finds the same turns however the index was built: whole, in batches, after edits",
    async (store) => {
      const scenario = await start(store);
      const writer = new Writer(10);
      for (let index = 0; index < 60; index++) await scenario.put(textsBy(writer, 20));
      await scenario.play({ kind: "index", batchSize: 3 });
      for (const which of [5, 17, 30]) await scenario.play({ kind: "edit", which, texts: ["copper relay"] });
      await scenario.play({ kind: "delete", which: 40 });
      const { conversation } = scenario;
      const history = await scenario.history();
      const hits = await Promise.all(QUESTIONS.map((question) => conversation.search(question, { topK: 6 })));
      assert(hits.every((found) => found.length > 0));
      for (const { source, content } of hits.flat()) {
        const message = history.find(({ turnId }) => turnId === source.turnId)!.messages
          .find(({ messageId }) => messageId === source.messageId)!;
        assert.equal([...message.content].slice(source.start, source.end).join(""), content);
      }
    },
  );

  promise("What was deleted is in no hit and no context, though it was indexed", async (store) => {
    const scenario = await start(store);
    await scenario.put(["The opal valve failed.", "Noted."]);
    await scenario.put(["The kiln was lit.", "Noted."]);
    const { conversation } = scenario;
    assert.equal((await conversation.search("opal valve"))[0]?.content, "The opal valve failed.");
    await scenario.play({ kind: "delete", which: 0 });
    const hits = await conversation.search("opal valve");
    assert.equal(hits.some(({ content }) => content.includes("opal")), false);
    const { context } = await conversation.assemble("opal valve?", { maxInputTokens: 900 }, {
      system: "Answer.",
    });
    assert.equal(JSON.stringify(context).includes("opal valve failed"), false);
  });

  durable("An index is used by a later opening, which finds what the first one found", async (store) => {
    const scenario = await start(store);
    const writer = new Writer(11);
    for (let index = 0; index < 40; index++) await scenario.put(textsBy(writer, 20));
    const before = await scenario.conversation.search("copper relay", { topK: 6 });
    await scenario.memory.close();
    const memory = await store.open({ clock: scenario.clock.now });
    const again = memory.conversation(SCOPE);
    assert.deepEqual(await again.search("copper relay", { topK: 6 }), before);
  });
}
