/**
 * Contexts in messages: within the budget, with no orphan, with the newest message in some form, the same for the same
 * input, and with a beginning that stays. `HOLDFAST_LONG=1` tries more histories.
 */

import assert from "node:assert/strict";
import fc from "fast-check";
import type Anthropic from "@anthropic-ai/sdk";
import type OpenAI from "openai";
import {
  type Budget,
  type Conversation,
  type Memory,
  type Message,
  type MessagesContext,
  type NewMessage,
  openMemory,
} from "@holdfast/memory";
import { anthropicMessages, openaiResponses } from "@holdfast/memory/formats";
import { isBlank } from "../../src/canonical/text.ts";
import { SPOKEN } from "../kit/message_arbitrary.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { Seeded } from "../model/records/seeded.ts";

const NOON_MS = 1_800_000_000_000;
const SCOPE = { tenantId: "acme", sessionId: "deployment-7" };
const OPTIONS = { form: "messages", system: "You help." } as const;
const RUNS = Deno.env.get("HOLDFAST_LONG") === "1" ? 10_000 : 150;

async function talk(memory: Memory, ...turns: readonly (readonly NewMessage[])[]): Promise<Conversation> {
  const conversation = memory.conversation(SCOPE);
  for (const messages of turns) await conversation.append(messages);
  return conversation;
}

/** Requires that every call is directly followed by its results, and that no result stands elsewhere. */
function assertNoOrphans({ request }: MessagesContext): void {
  let open: string[] = [];
  for (const message of request.messages) {
    if (message.role === "tool") {
      const at = open.indexOf(message.tool_call_id);
      assert(at >= 0, "a result has no call");
      open.splice(at, 1);
      continue;
    }
    assert.deepEqual(open, [], "a call has no result");
    open = message.role === "assistant" ? (message.tool_calls ?? []).map(({ id }) => id) : [];
  }
  assert.deepEqual(open, [], "a call has no result");
}

const call = (...ids: readonly string[]): NewMessage => ({
  role: "assistant",
  content: null,
  toolCalls: ids.map((id) => ({ id, name: "read_file", arguments: { path: `/src/${id}.ts` } })),
});
const result = (toolCallId: string, content: string): NewMessage => ({ role: "tool", toolCallId, content });

/** Whether a message says anything to a model. */
function saysSomething({ role, content, parts = [], toolCalls }: Message): boolean {
  const hasMore = parts.some(({ type }) => type !== "text" && type !== "reasoning");
  return role === "tool" || toolCalls !== undefined || !isBlank(content) || hasMore;
}

/** So many different words. */
function words(count: number, seed = 1): string {
  return Array.from({ length: count }, (_, index) => `word${(index * 7 + seed) % 991}`).join(" ");
}

Deno.test("CTX-01 six parallel results of 8 000 tokens leave both turns in the window, at every limit from 1 000 to 60 000", async () => {
  await using memory = await openMemory(":memory:");
  const ids = ["a", "b", "c", "d", "e", "f"];
  const conversation = await talk(
    memory,
    [{ role: "user", content: "My name is Zoe." }, { role: "assistant", content: "Hello Zoe." }],
    [
      { role: "user", content: "Look at all files." },
      call(...ids),
      ...ids.map((id, index) => result(id, words(4_000, index))),
    ],
  );
  for (const maxInputTokens of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 50_000, 60_000]) {
    const { context } = await conversation.assemble("What did you find?", { maxInputTokens }, OPTIONS)
      .catch((error: Error) => assert.fail(error.message));
    const { keptTurnIds, estimatedTokens, degraded, shortenedMessageIds } = context.diagnostics;
    assert.equal(keptTurnIds.length, 2, `${maxInputTokens}`);
    assert(estimatedTokens <= maxInputTokens);
    assert(estimatedTokens > maxInputTokens / 2, `${estimatedTokens} of ${maxInputTokens} are used`);
    assert(context.messages.some(({ content }) => content === "My name is Zoe."));
    assert.equal(context.messages.filter(({ role }) => role === "tool").length, 6);
    if (maxInputTokens <= 30_000) {
      assert.deepEqual(degraded.map(({ kind }) => kind), ["results_shortened"]);
      assert.equal(degraded[0]!.messageIds.length, 6);
      assert.equal(shortenedMessageIds.length, 6);
      assert(context.messages.find(({ role }) => role === "tool")!.content.includes("tokens elided"));
    }
    assertNoOrphans(context);
  }
});

Deno.test("CTX-02 the beginning of a request stays over sixty turns, with evidence and without", async () => {
  for (const [retrieve, shareMin] of [[false, 0.95], [true, 0.78]] as const) {
    await using memory = await openMemory(":memory:");
    const conversation = memory.conversation(SCOPE);
    const seeded = new Seeded(7);
    const vocabulary = words(40).split(" ");
    const text = (count: number): string =>
      Array.from({ length: count }, () => seeded.pick(vocabulary)).join(" ");
    const shares: number[] = [];
    let before = "";
    let moves = 0;
    let start: string | undefined;
    let expectedRevision = await conversation.create();
    for (let turn = 0; turn < 60; turn++) {
      // Ids of their own: where a window starts depends on them.
      const messages = [
        { messageId: `u${turn}`, role: "user", content: text(15) },
        { messageId: `a${turn}`, role: "assistant", content: text(15) },
      ] as const;
      const given = { turnId: `turn-${turn}`, scope: SCOPE, messages };
      expectedRevision = await conversation.putTurn(given, { operationId: `put ${turn}`, expectedRevision });
      const options = { ...OPTIONS, system: "You track orders. ".repeat(16), options: { retrieve } };
      const { context } = await conversation.assemble(text(8), { maxInputTokens: 4_000 }, options);
      const now = JSON.stringify(context.request.messages);
      let shared = 0;
      while (shared < before.length && before[shared] === now[shared]) shared++;
      if (turn > 0) shares.push(shared / now.length);
      const [first] = context.diagnostics.keptTurnIds;
      if (first !== start) moves++;
      [before, start] = [now, first];
    }
    const median = shares.toSorted((left, right) => left - right)[shares.length >> 1]!;
    assert(median >= shareMin, `the median share is ${median}`);
    assert(moves > 1 && moves <= 20, `the start moved ${moves} times`);
  }
});

Deno.test("CTX-03 a call without a result, a result without a call, and an open call as the newest message", async () => {
  await using memory = await openMemory(":memory:");
  const conversation = memory.conversation(SCOPE);
  await conversation.append([{ role: "user", content: "Look." }]);
  const called = await conversation.append([call("a")]);
  await conversation.append([{ ...result("a", "Found."), messageId: "lost" }]);
  await conversation.append([call("b")]);
  const answered = await conversation.append([result("b", "Nothing.")]);
  for (const key of [called.turnId, answered.turnId]) {
    await conversation.delete({ kind: "turn", key, expectedRevision: await conversation.revision() });
  }
  await conversation.append([call("c", "d"), result("d", "Done.")]);
  const { context } = await conversation.assemble(null, {}, OPTIONS);
  assertNoOrphans(context);
  const { interruptedCallIds, omittedResultIds } = context.diagnostics;
  assert.deepEqual([interruptedCallIds, omittedResultIds], [["b", "c"], ["lost"]]);
  assert.deepEqual(context.messages.map(({ role, content }) => [role, content]).slice(1), [
    ["user", "Look."],
    ["assistant", ""],
    ["tool", "Interrupted: this call has no result."],
    ["assistant", ""],
    ["tool", "Interrupted: this call has no result."],
    ["tool", "Done."],
  ]);
});

Deno.test("CTX-03 a loop of tools goes on with a question of null, each step a turn", async () => {
  await using memory = await openMemory(":memory:");
  const conversation = await talk(memory, [{ role: "user", content: "Find the broken test." }]);
  for (let step = 0; step < 30; step++) {
    await conversation.append([call(`c${step}`)]);
    await conversation.append([result(`c${step}`, words(60, step))]);
    const { context } = await conversation.assemble(null, { maxInputTokens: 1_500 }, OPTIONS);
    assertNoOrphans(context);
    assert.equal(context.messages.at(-1)!.content, words(60, step));
    assert.deepEqual(context.diagnostics.degraded, []);
    assert.deepEqual(context.diagnostics.retrievedChunkIds, [], "nothing is looked for");
  }
  const options = { ...OPTIONS, query: "broken test" };
  const { context } = await conversation.assemble(null, { maxInputTokens: 1_500 }, options);
  const roles = context.messages.map(({ role }) => role);
  const evidence = context.messages.findIndex(({ content }) => content.startsWith("[RETRIEVED DATA]"));
  assert(evidence > 0 && context.diagnostics.retrievedChunkIds.length > 0);
  assertNoOrphans(context);
  assert.notEqual(roles[evidence + 1], "tool");
});

Deno.test("CTX-04 more input tokens than the context window has are refused, except by the reference", async () => {
  await using memory = await openMemory(":memory:");
  const conversation = await talk(memory, [{ role: "user", content: "Hello." }]);
  const budget: Budget = { maxInputTokens: 200_000 };
  for (const options of [OPTIONS, { system: "You help." }]) {
    await assert.rejects(conversation.assemble("Why?", budget, options as { readonly system: string }), {
      code: "CONTRACT",
      field: "budget.maxInputTokens",
      message: "Invalid budget.maxInputTokens: it must be at most budget.contextWindow",
    });
  }
  const reference = { system: "You help.", profile: "reference" } as const;
  assert.ok(await conversation.assemble("Why?", budget, reference));
});

Deno.test("Evidence stands just before the question, and a summary and pins before the window", async () => {
  await using memory = await openMemory(":memory:");
  const conversation = await talk(memory, [{ role: "user", content: "The invoice number is 4711." }]);
  for (let turn = 0; turn < 40; turn++) {
    await conversation.append([{ role: "user", content: words(40, turn) }]);
  }
  const pin = { scope: SCOPE, key: "language", value: "Welsh", origin: "settings" };
  await conversation.putPin(pin, { expectedRevision: await conversation.revision() });
  const { context } = await conversation.assemble(
    "Which invoice number?",
    { maxInputTokens: 2_000 },
    OPTIONS,
  );
  const [system, pinned] = context.messages;
  assert.deepEqual([system!.content, pinned!.content.startsWith("[PINNED DATA]")], ["You help.", true]);
  const [evidence, question] = context.messages.slice(-2);
  assert(evidence!.content.startsWith("[RETRIEVED DATA]") && evidence!.content.includes("4711"));
  assert.equal(question!.content, "Which invoice number?");
  assert.equal(context.diagnostics.sources.length, context.diagnostics.retrievedChunkIds.length);
  const [first, second] = context.cacheBreakpoints;
  assert.equal(first, 2);
  assert.equal(second, context.messages.length - 3, "before the newest turn, the evidence and the question");
});

Deno.test("CTX-03 a late result stands after its call, also where another result of it came with it", async () => {
  await using memory = await openMemory(":memory:");
  const conversation = await talk(
    memory,
    [{ role: "user", content: "Go." }, call("b")],
    [{ role: "user", content: "Stop." }],
    [result("b", "Late."), { ...result("b", "Later."), messageId: "second" }],
  );
  const { context } = await conversation.assemble(null, {}, OPTIONS);
  const contents = context.messages.map(({ role, content }) => [role, content]).slice(1);
  assert.deepEqual(contents, [["user", "Go."], ["assistant", ""], ["tool", "Late."], ["user", "Stop."]]);
  assert.deepEqual(context.diagnostics.omittedResultIds, ["second"]);
  assert.deepEqual(context.diagnostics.interruptedCallIds, []);
});

Deno.test("The bytes of media in a context are those of withMedia; a promise of them is refused", async () => {
  await using memory = await openMemory(":memory:");
  const data = new Uint8Array([137, 80, 78, 71]);
  const picture = [{ type: "media", mediaType: "image/png", data }] as const;
  const conversation = await talk(memory, [{ role: "user", content: picture }]);
  const { context } = await conversation.assemble(null, {}, OPTIONS);
  const request = anthropicMessages.write(await conversation.withMedia(context.messages));
  assert(JSON.stringify(request).includes("iVBORw=="));
  const media = (() => Promise.resolve(data)) as unknown as () => Uint8Array;
  assert.throws(() => context.write(anthropicMessages, { media }), { code: "CONTRACT", field: "media" });
});

Deno.test("What cacheBreakpoints name is the same in the next request, also where evidence stands between steps", async () => {
  await using memory = await openMemory(":memory:");
  const conversation = await talk(memory, [{ role: "user", content: "The invoice number is 4711." }]);
  for (let turn = 0; turn < 30; turn++) {
    await conversation.append([{ role: "user", content: words(30, turn) }]);
  }
  await conversation.append([{ role: "user", content: "Look it up." }]);
  let before: MessagesContext | null = null;
  for (let step = 0; step < 4; step++) {
    await conversation.append([call(`c${step}`), result(`c${step}`, "Nothing.")]);
    const options = { ...OPTIONS, query: step % 2 === 0 ? "invoice number" : `word${step}` };
    const { context } = await conversation.assemble(null, { maxInputTokens: 1_500 }, options);
    const [, stable] = context.cacheBreakpoints;
    const evidence = context.messages.findIndex(({ content }) => content.startsWith("[RETRIEVED DATA]"));
    assert(evidence < 0 || stable! <= evidence, "what changes with each request lies behind");
    if (before?.diagnostics.keptTurnIds[0] === context.diagnostics.keptTurnIds[0]) {
      const shared = Math.min(stable!, before!.cacheBreakpoints[1]!);
      assert(shared > 2);
      assert.deepEqual(context.messages.slice(0, shared), before!.messages.slice(0, shared));
    }
    before = context;
  }
});

Deno.test("The newest turn is not shortened for one before it that is not kept", async () => {
  const ids = [..."abcdefghijkl"];
  const newest: readonly NewMessage[] = [
    { role: "user", content: "Look." },
    call(...ids),
    ...ids.map((id) => result(id, words(40))),
  ];
  await using without = await openMemory(":memory:");
  const alone = await talk(without, newest);
  for (const size of [10, 40, 80, 160]) {
    await using memory = await openMemory(":memory:");
    const both = await talk(memory, [{ role: "user", content: words(size) }], newest);
    const outcomes = new Set<string>();
    for (let maxInputTokens = 900; maxInputTokens <= 1_700; maxInputTokens += 50) {
      const [first, second] = await Promise.all(
        [both, alone].map((conversation) => conversation.assemble(null, { maxInputTokens }, OPTIONS)),
      );
      const { context } = first!;
      const shown = (messages: MessagesContext["messages"]): readonly string[] =>
        messages.slice(-newest.length).map(({ content }) => content);
      const isKept = context.diagnostics.keptTurnIds.length > 1;
      outcomes.add(isKept ? "kept" : "left out");
      if (!isKept) assert.deepEqual(shown(context.messages), shown(second!.context.messages));
    }
    assert.equal(outcomes.size, 2);
  }
  await using memory = await openMemory(":memory:");
  const long = await talk(
    memory,
    Array.from({ length: 8 }, () => ({ role: "user", content: words(80) })),
    newest,
  );
  const { context } = await long.assemble(null, { maxInputTokens: 2_500 }, OPTIONS);
  assert.equal(context.diagnostics.keptTurnIds.length, 1, "more than a quarter of the room");
  assert.deepEqual(context.diagnostics.degraded, []);
});

Deno.test("Messages that say nothing are left out, and a user's message comes first, as providers demand", async () => {
  await using memory = await openMemory(":memory:");
  const conversation = await talk(
    memory,
    [{ role: "assistant", content: "How can I help?" }],
    [{ role: "user", content: "Where is order 7?" }, { role: "assistant", content: "" }],
    [{ role: "assistant", content: null }, {
      role: "assistant",
      content: [{ type: "reasoning", text: "Hm." }],
    }],
    [{ role: "user", content: " " }, { role: "system", content: "" }],
  );
  for (const question of ["And order 8?", null]) {
    const { context } = await conversation.assemble(question, {}, OPTIONS);
    const said = [
      ["system", "You help."],
      ["user", "[EARLIER MESSAGES ARE LEFT OUT]"],
      ["assistant", "How can I help?"],
      ["user", "Where is order 7?"],
      ...(question === null ? [] : [["user", question]]),
    ];
    assert.deepEqual(context.request.messages.map(({ role, content }) => [role, content]), said);
    const { messages } = context.write(anthropicMessages);
    assert.equal(messages[0]!.role, "user");
    assert(messages.every(({ content }) => content.length > 0));
    assert.equal(context.diagnostics.keptTurnIds.length, 2);
  }
});

Deno.test("A request is one that the SDKs take, by their types", async () => {
  await using memory = await openMemory(":memory:");
  const conversation = await talk(memory, [{ role: "user", content: "Look." }], [
    call("a"),
    result("a", "Found."),
  ]);
  const { context } = await conversation.assemble("And?", {}, OPTIONS);
  const chat: OpenAI.Chat.Completions.ChatCompletionCreateParamsNonStreaming = {
    model: "m",
    ...context.request,
  };
  const claude: Anthropic.Messages.MessageCreateParamsNonStreaming = {
    model: "m",
    max_tokens: 256,
    ...context.write(anthropicMessages),
  };
  const responses: OpenAI.Responses.ResponseCreateParamsNonStreaming = {
    model: "m",
    input: context.write(openaiResponses),
  };
  assert.deepEqual([chat.messages.length, claude.messages.length], [5, 4]);
  assert.equal(responses.input?.length, 5);
});

Deno.test("A context in messages is printed as ids and counts", async () => {
  await using memory = await openMemory(":memory:");
  const conversation = await talk(memory, [{ role: "user", content: "The door code is 4711." }]);
  const { context } = await conversation.assemble("Which code?", {}, OPTIONS);
  assert(!Deno.inspect(context, { depth: 9 }).includes("4711"));
  assert(JSON.stringify(context).includes("4711"));
});

Deno.test("Any history and any budget: within it, no orphan, the newest message in some form, and the same twice", async () => {
  const turns = fc.array(fc.array(SPOKEN, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 8 });
  const budgets = fc.oneof(fc.integer({ min: 60, max: 600 }), fc.integer({ min: 600, max: 100_000 }));
  await fc.assert(
    fc.asyncProperty(turns, budgets, fc.boolean(), async (history, maxInputTokens, asks) => {
      await using memory = await openMemory(":memory:", { clock: () => NOON_MS });
      const conversation = await talk(memory, ...history);
      const assemble = async (): Promise<MessagesContext | string> => {
        try {
          return (await conversation.assemble(asks ? "Why?" : null, { maxInputTokens }, OPTIONS)).context;
        } catch (error) {
          assert.equal((error as { readonly code?: string }).code, "REQUIRED_CONTEXT_TOO_LARGE");
          return "too large";
        }
      };
      const context = await assemble();
      if (typeof context === "string") {
        assert(maxInputTokens < 4_000);
        return;
      }
      assert(context.diagnostics.estimatedTokens <= maxInputTokens);
      assertNoOrphans(context);
      assert.deepEqual(await assemble(), context);
      const stored = (await Array.fromAsync(conversation.turns())).flatMap(({ messages }) => messages);
      const omitted = new Set(context.diagnostics.omittedResultIds);
      const newest = stored.findLast((message) => !omitted.has(message.messageId) && saysSomething(message));
      const shown = new Set(context.messages.map(({ messageId }) => messageId));
      if (newest !== undefined) assert(shown.has(newest.messageId), "the newest message is there");
    }),
    { numRuns: RUNS, seed: 7 },
  );
});

testThatNothingIsLeftOpen();
