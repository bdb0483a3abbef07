import assert from "node:assert/strict";
import fc from "fast-check";
import { assembleContext, type AssembleContextInput } from "../../src/context/assemble_context.ts";
import type { AssembledContext } from "../../src/context/assembled_context.ts";
import { defaultTokenCounter } from "../../src/context/counting/default_counter.ts";
import { Calibrator } from "../../src/context/counting/estimate.ts";
import { frozenSummary } from "../../src/context/summary_policy.ts";
import { canonicalJson, type CanonicalValue } from "../../src/canonical/canonical_json.ts";
import { pin } from "../../src/contracts/pin.ts";
import { isBlank } from "../../src/canonical/text.ts";
import { extract } from "../../src/contracts/source_ref.ts";
import { summaryFromHistory } from "../../src/contracts/summary.ts";
import { type Turn, turn } from "../../src/contracts/turn.ts";
import { MemoryError } from "../../src/errors.ts";
import { AT, SCOPE } from "../search/conversation.ts";
import { STUB4 } from "./golden.ts";

const O200K = await defaultTokenCounter();

const TEXT = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: "grapheme", maxLength: 80 }).map((text) => text.toWellFormed()) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      "the pump failed",
      "shard-19 at noon",
      "kiln2Temp high",
      "",
      "ok",
      "阀门 関係",
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "the pump failed at the north wall. ".repeat(30),
      "w".repeat(900),
      "🌍".repeat(200),
    ),
  },
);

/** The messages of one turn: plain, or with tool calls that all have a result. */
const MESSAGES = fc.record({
  texts: fc.array(TEXT, { minLength: 1, maxLength: 3 }),
  calls: fc.nat(2),
  answer: TEXT,
});

function historyOf(items: readonly { texts: string[]; calls: number; answer: string }[]): readonly Turn[] {
  return items.map(({ texts, calls, answer }, index) => {
    const plain = texts.map((content, position) => {
      return {
        messageId: `m${index}.${position}`,
        role: position % 2 === 0 ? "user" as const : "assistant" as const,
        content,
      };
    });
    const names = Array.from({ length: calls }, (_, call) => `c${index}.${call}`);
    const asked = {
      messageId: `m${index}.ask`,
      role: "assistant" as const,
      content: "",
      toolCalls: names.map((callId) => ({ id: callId, name: "look", arguments: '{ "q": "x" }' })),
    };
    const answers = names.toReversed().map((toolCallId) => {
      return { messageId: `m${index}.${toolCallId}`, role: "tool" as const, content: answer, toolCallId };
    });
    const messages = calls === 0 ? plain : [...plain, asked, ...answers];
    return turn({ turnId: `t${index}`, scope: SCOPE, messages, timestamp: AT });
  });
}

/** Replaces a blank question, which only the reference accepts. */
function askable(question: string, profile: "reference" | "holdfast"): string {
  return profile === "holdfast" && isBlank(question) ? "?" : question;
}

const INPUT = fc.record({
  items: fc.array(MESSAGES, { maxLength: 14 }),
  question: fc.oneof(TEXT, fc.constantFrom("When did the pump fail?", "shard-19", "阀门")),
  pinned: TEXT,
  maxInputTokens: fc.integer({ min: 60, max: 1_500 }),
  retrievalReserve: fc.constantFrom(0, 40, 150, 400),
  summaryReserve: fc.constantFrom(0, 30, 80),
  covered: fc.nat(14),
  chunkCharacters: fc.constantFrom(20, 60, 360),
  options: fc.record({ cap: fc.boolean(), retrieve: fc.boolean(), summarize: fc.boolean() }),
  recoverCappedWindow: fc.boolean(),
  profile: fc.constantFrom("reference" as const, "holdfast" as const),
  counter: fc.constantFrom(STUB4, O200K),
}).map(
  (
    { items, pinned, covered, retrievalReserve, summaryReserve, maxInputTokens, ...rest },
  ): AssembleContextInput => {
    const history = historyOf(items);
    const content = "Earlier, pumps failed.";
    const summarized = history.slice(0, covered);
    const summary = summaryFromHistory({
      scope: SCOPE,
      content,
      history: summarized,
      policyVersion: "1",
      createdAt: AT,
    });
    const value = pinned.trim() === "" ? "none" : `v${pinned}`;
    return {
      scope: SCOPE,
      history,
      question: askable(rest.question, rest.profile),
      system: "Use the data.",
      at: AT,
      profile: rest.profile,
      options: rest.options,
      pins: [pin({ scope: SCOPE, key: "k", value, origin: "o", effectiveAt: AT })],
      counting: { counter: rest.counter },
      retrieval: {
        chunkCharacters: rest.chunkCharacters,
        overlapCharacters: 10,
        recoverCappedWindow: rest.recoverCappedWindow,
      },
      summaryPolicy: frozenSummary(summary),
      budget: {
        maxInputTokens,
        retrievalReserve: Math.min(retrievalReserve, maxInputTokens >> 1),
        summaryReserve: Math.min(summaryReserve, maxInputTokens >> 2),
      },
    };
  },
);

const REFUSALS = ["REQUIRED_CONTEXT_TOO_LARGE", "LAYER_ALLOCATION", "CAP_BUDGET"];

/** Assembles a context; returns null if the budget is too small for the required blocks. */
async function attempt(input: AssembleContextInput): Promise<AssembledContext | null> {
  try {
    return await assembleContext(input);
  } catch (error) {
    assert.ok(error instanceof MemoryError && REFUSALS.includes(error.code), String(error));
    return null;
  }
}

function blockOf(context: AssembledContext, kind: string): string {
  return context.blocks.find((block) => block.kind === kind)?.content ?? "";
}

/** Tests a promise about every context, for generated conversations under both profiles. */
function promise(
  name: string,
  seed: number,
  check: (input: AssembleContextInput, context: AssembledContext) => void,
): void {
  Deno.test(name, async () => {
    await fc.assert(
      fc.asyncProperty(INPUT, async (input) => {
        const context = await attempt(input);
        if (context !== null) check(input, context);
      }),
      { seed, numRuns: 250 },
    );
  });
}

promise(
  "PIN-02 No context is over budget, counted independently of the assembly",
  101,
  ({ budget, counting }, context) => {
    const { estimate, drops, inputAllowance } = context.diagnostics;
    const serialized = canonicalJson(context.request as unknown as CanonicalValue);
    const tokens = counting?.counter?.countText(serialized) ?? NaN;
    const calibrator = new Calibrator({ calibrationFactor: 1.07, adapterOverheadTokens: 0 });
    assert.equal(estimate.serializedTokens, tokens);
    assert.equal(estimate.estimatedTokens, calibrator.estimated(tokens));
    assert.ok(estimate.estimatedTokens <= inputAllowance && inputAllowance === budget?.maxInputTokens);
    assert.deepEqual(drops, []);
  },
);

promise("The window is a contiguous suffix of the history", 102, ({ history }, { diagnostics }) => {
  const { keptTurnIds, omittedTurnIds, plannedWindowTurnIds } = diagnostics;
  const ids = history.map(({ turnId }) => turnId);
  assert.deepEqual([...omittedTurnIds ?? [], ...keptTurnIds], ids);
  assert.deepEqual(plannedWindowTurnIds, keptTurnIds);
});

promise("ASM-01 ASM-08 No call without its results and no result without its call", 103, (_, context) => {
  assert.ok(context.request.messages.every(({ role }) => role === "system" || role === "user"));
  const window = blockOf(context, "window");
  for (const { messages } of window === "" ? [] : JSON.parse(window)) {
    const calls = messages.flatMap((message: { tool_calls?: { id: string }[] }) => message.tool_calls ?? []);
    const results = messages.filter(({ role }: { role: string }) => role === "tool");
    const answered = results.map((message: { tool_call_id: string }) => message.tool_call_id).toSorted();
    assert.deepEqual(answered, calls.map(({ id }: { id: string }) => id).toSorted());
  }
});

promise(
  "Every chunk of evidence extracts exactly from its original, and is not in the window already",
  104,
  (input, context) => {
    const retrieved = blockOf(context, "retrieved");
    const chunks = retrieved === "" ? [] : JSON.parse(retrieved);
    const sources = context.blocks.find(({ kind }) => kind === "retrieved")?.sources ?? [];
    assert.equal(sources.length, chunks.length);
    const kept = new Set(context.diagnostics.keptTurnIds);
    for (const [index, source] of sources.entries()) {
      const original = input.history.find(({ turnId }) => turnId === source.turnId);
      assert.ok(original);
      assert.equal(extract(source, original), chunks[index].text);
      if (!input.retrieval?.recoverCappedWindow) assert.ok(!kept.has(source.turnId));
    }
  },
);

promise(
  "SUM-05 No turn is both in the window and covered by the summary",
  105,
  (_, { blocks, diagnostics }) => {
    if (!diagnostics.summaryUsed) return;
    const summarized = blocks.find(({ kind }) => kind === "summary")?.sources.map(({ turnId }) => turnId) ??
      [];
    for (const id of summarized) assert.ok(!diagnostics.keptTurnIds.includes(id));
  },
);

promise("Base and shares add up to the estimate", 106, (_, { diagnostics }) => {
  const shares = diagnostics.blocks.reduce((sum, block) => sum + block.inputDeltaTokens, 0);
  assert.equal(diagnostics.baseRequestTokens + shares, diagnostics.estimate.estimatedTokens);
});

Deno.test("Equal input results in an equal context", async () => {
  await fc.assert(
    fc.asyncProperty(INPUT, async (input) => {
      assert.deepEqual(await attempt(input), await attempt(input));
    }),
    { seed: 107, numRuns: 60 },
  );
});
