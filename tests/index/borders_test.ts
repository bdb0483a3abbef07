/** Tests at borders: of two chunks without an overlap, of blocks of postings, and of the window. */

import assert from "node:assert/strict";
import { openMemory } from "../../mod.ts";
import { BLOCK_TURNS_MAX } from "../../src/limits.ts";
import { Scenario, SCOPE } from "./scenario.ts";
import { Writer } from "./vocabulary.ts";

const ONE_CHUNK = 20;

/** Words that are in one turn each: the last three of a block, and the first three of the next. */
const BIRDS = ["heron", "egret", "ibis", "stork", "crane", "raven"];

Deno.test("TST-10 Two chunks that touch, with an overlap of 0, are both found and both shown", async () => {
  await using memory = await openMemory(":memory:");
  const conversation = memory.conversation(SCOPE);
  const halves = ["the ticket one here ", "the ticket two here "];
  assert.deepEqual(halves.map(({ length }) => length), [ONE_CHUNK, ONE_CHUNK]);
  await conversation.append([{ role: "user", content: halves.join("") }]);
  const rest = Array.from({ length: 60 }, (_, index) => `pump ${index} at the north wall`);
  for (const content of rest) await conversation.append([{ role: "assistant", content }]);
  const retrieval = { chunkCharacters: ONE_CHUNK, overlapCharacters: 0 };
  for (const profile of ["reference", "holdfast"] as const) {
    const hits = await conversation.search("ticket", { profile, retrieval });
    const found = hits.filter(({ score }) => score.lexical > 0);
    assert.deepEqual(found.map(({ source }) => [source.start, source.end]).sort(), [
      [0, ONE_CHUNK],
      [ONE_CHUNK, 2 * ONE_CHUNK],
    ]);
    const budget = { maxInputTokens: 700, contextWindow: 8_000, maxOutputTokens: 100, retrievalReserve: 400 };
    const { context } = await conversation.assemble("ticket", budget, { profile, retrieval, system: "S" });
    const shown = JSON.stringify(context.request);
    for (const half of halves) assert(shown.includes(half), `${profile}: ${half}`);
  }
});

Deno.test("TST-10 A window across the border of two blocks has the hits of exhaustive scoring, in the same order", async () => {
  await using scenario = await Scenario.start();
  const writer = new Writer(31);
  const count = BLOCK_TURNS_MAX + 8;
  for (let index = 0; index < count; index++) {
    const bird = BIRDS[index - BLOCK_TURNS_MAX + 3];
    await scenario.put([`${writer.text(5)}${bird === undefined ? "" : ` ${bird}`}`]);
  }
  const options = { retrieval: { topK: 9, chunkCharacters: 60, overlapCharacters: 0 } };
  const begins = new Set<number>();
  for (const maxInputTokens of [260, 620, 700, 760, 820, 900]) {
    for (const question of ["heron egret ibis", "stork crane raven"]) {
      const budget = { maxInputTokens, retrievalReserve: 150 };
      const context = await scenario.compare({ question, budget, options });
      const begin = context!.diagnostics.omittedTurnCount - BLOCK_TURNS_MAX;
      begins.add(begin);
      if (begin >= BIRDS.length / 2) assert(context!.diagnostics.retrievedChunkIds.length > 0);
    }
  }
  const [least, greatest] = [Math.min(...begins), Math.max(...begins)];
  assert(least < 0 && greatest > 0 && begins.has(0), `windows begin at ${[...begins]}`);
});
