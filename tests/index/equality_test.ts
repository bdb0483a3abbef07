import assert from "node:assert/strict";
import fc from "fast-check";
import { extract } from "../../src/contracts/source_ref.ts";
import { STUB4 } from "../context/golden.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { Scenario } from "./scenario.ts";
import { ASKING, STEP, TEXT, Writer } from "./vocabulary.ts";

Deno.test("assemble() returns the same request as assembleContext() over the whole history, after any steps", async () => {
  const plan = fc.record({
    steps: fc.array(STEP, { minLength: 1, maxLength: 24 }),
    askings: fc.array(ASKING, { minLength: 1, maxLength: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(plan, async ({ steps, askings }) => {
      await using scenario = await Scenario.start();
      const every = Math.max(1, Math.floor(steps.length / askings.length));
      for (const [index, step] of steps.entries()) {
        await scenario.play(step);
        const asking = index % every === 0 ? askings[index / every] : undefined;
        if (asking !== undefined) await scenario.compare(asking);
      }
      await scenario.compare(askings[0]!);
    }),
    { seed: 501, numRuns: 150 },
  );
});

Deno.test("assemble() equals assembleContext() for conversations of several hundred turns", async () => {
  for (const seed of [1, 2, 3]) {
    await using scenario = await Scenario.start();
    const writer = new Writer(seed);
    for (let index = 0; index < 160; index++) {
      await scenario.put(Array.from({ length: 1 + writer.next(3) }, () => writer.text(writer.next(40))));
    }
    for (const profile of ["reference", "holdfast"] as const) {
      for (
        const question of ["When did the north pump fail?", "rollback of the harbour", "it was", "copper"]
      ) {
        for (const maxInputTokens of [300, 1_500]) {
          const budget = { maxInputTokens, retrievalReserve: 120, summaryReserve: 30 };
          const retrieval = { chunkCharacters: 120, overlapCharacters: 30, recoverCappedWindow: seed === 2 };
          await scenario.compare({ question, budget, options: { profile, retrieval } });
        }
      }
    }
  }
});

Deno.test("No context from a store is over budget, and its evidence extracts exactly from the turns", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(TEXT, { maxLength: 12 }), ASKING, async (texts, asking) => {
      await using scenario = await Scenario.start();
      for (const text of texts) await scenario.put([text, "noted"]);
      const context = await scenario.compare(asking);
      if (context === null) return;
      const { estimate, inputAllowance, drops } = context.diagnostics;
      const counted = STUB4.countText(JSON.stringify(context.request));
      assert.ok(
        Math.ceil(counted * 1.07 - 1e-9) <= inputAllowance && estimate.estimatedTokens <= inputAllowance,
      );
      assert.deepEqual(drops, []);
      const history = await scenario.history();
      const retrieved = context.blocks.find(({ kind }) => kind === "retrieved")!;
      const chunks = retrieved.content === "" ? [] : JSON.parse(retrieved.content) as { text: string }[];
      for (const [index, source] of retrieved.sources.entries()) {
        const original = history.find(({ turnId }) => turnId === source.turnId)!;
        assert.equal(extract(source, original), chunks[index]!.text);
      }
    }),
    { seed: 502, numRuns: 60 },
  );
});

testThatNothingIsLeftOpen();
