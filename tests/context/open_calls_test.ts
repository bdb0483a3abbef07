/** Contexts over histories with open calls: no call is shown without a result, no result without its call. */

import fc from "fast-check";
import assert from "node:assert/strict";
import {
  assembleContext,
  type AssembledContext,
  type NewMessage,
  turn,
  type TurnInput,
} from "@holdfast/memory";

const SCOPE = { tenantId: "acme", sessionId: "deployment-7" };

function turnOf(turnId: string, ...messages: readonly NewMessage[]): ReturnType<typeof turn> {
  const given = messages.map((message, index) => ({ ...message, messageId: `${turnId}:m${index}` }));
  return turn({ turnId, scope: SCOPE, messages: given as TurnInput["messages"] });
}

function call(...ids: readonly string[]): NewMessage {
  return {
    role: "assistant",
    content: null,
    toolCalls: ids.map((id) => ({ id, name: "run", arguments: "{}" })),
  };
}

function result(toolCallId: string, content: string): NewMessage {
  return { role: "tool", toolCallId, content };
}

const HELLO: NewMessage = { role: "user", content: "Why did the build fail?" };

interface ShownMessage {
  readonly role: string;
  readonly content: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string }[];
}

/** What the window shows, turn by turn. */
function shown(
  { blocks }: AssembledContext,
): readonly (readonly [turn: string, messages: readonly ShownMessage[]])[] {
  const { content } = blocks.find(({ kind }) => kind === "window")!;
  const turns = content === "" ? [] : JSON.parse(content) as { turn: string; messages: ShownMessage[] }[];
  return turns.map(({ turn, messages }) => [turn, messages]);
}

function texts(context: AssembledContext): readonly string[] {
  return shown(context).flatMap(([turn, messages]) =>
    messages.map(({ role, content, tool_calls: calls }) =>
      `${turn} ${role} ${calls === undefined ? content : calls.map(({ id }) => id).join("+")}`
    )
  );
}

async function assembled(
  history: readonly ReturnType<typeof turn>[],
  maxInputTokens?: number,
): Promise<AssembledContext> {
  const budget = maxInputTokens === undefined
    ? {}
    : { maxInputTokens, retrievalReserve: 0, summaryReserve: 0, maxOutputTokens: 1 };
  return await assembleContext({ scope: SCOPE, history, question: "And now?", system: "Answer.", budget });
}

const INTERRUPTED = "Interrupted: this call has no result.";

Deno.test("a call that nobody answered is shown with a result that says so (MSG-03, CTX-03)", async () => {
  const context = await assembled([turnOf("t1", HELLO, call("a", "b"), result("a", "1 failed"))]);
  assert.deepEqual(texts(context), [
    "t1 user Why did the build fail?",
    "t1 assistant a+b",
    "t1 tool 1 failed",
    `t1 tool ${INTERRUPTED}`,
  ]);
  assert.deepEqual(context.diagnostics.interruptedCallIds, ["b"]);
});

Deno.test("a result that came in a later turn is shown directly after its call (MSG-03)", async () => {
  const context = await assembled([
    turnOf("t1", call("a", "b")),
    turnOf("t2", HELLO),
    turnOf("t3", result("b", "late")),
    turnOf("t4", result("a", "later"), HELLO),
  ]);
  assert.deepEqual(texts(context), [
    "t1 assistant a+b",
    "t1 tool later",
    "t1 tool late",
    "t2 user Why did the build fail?",
    "t4 user Why did the build fail?",
  ]);
  assert.equal(context.diagnostics.interruptedCallIds, undefined);
  assert.equal(context.diagnostics.omittedResultIds, undefined);
});

Deno.test("a result without its call is left out and reported (MSG-08)", async () => {
  const context = await assembled([
    turnOf("t1", HELLO, result("lost", "secret")),
    turnOf("t2", result("lost", "too")),
  ]);
  assert.deepEqual(texts(context), ["t1 user Why did the build fail?"]);
  assert.deepEqual(context.diagnostics.omittedResultIds, ["t1:m1", "t2:m0"]);
  const { sources } = context.blocks.find(({ kind }) => kind === "window")!;
  assert.deepEqual(sources.map(({ messageId }) => messageId), ["t1:m0"]);
});

Deno.test("an id that is used again is answered by the nearest result (MSG-04)", async () => {
  const context = await assembled([
    turnOf("t1", call("call_0"), result("call_0", "one"), call("call_0")),
    turnOf("t2", result("call_0", "two")),
  ]);
  assert.deepEqual(texts(context), [
    "t1 assistant call_0",
    "t1 tool one",
    "t1 assistant call_0",
    "t1 tool two",
  ]);
});

Deno.test("a history of complete turns is shown as it is", async () => {
  const context = await assembled([
    turnOf("t1", call("a", "b"), result("b", "second"), result("a", "first"), HELLO),
  ]);
  assert.deepEqual(texts(context), [
    "t1 assistant a+b",
    "t1 tool second",
    "t1 tool first",
    "t1 user Why did the build fail?",
  ]);
});

Deno.test("no context shows an orphan, whatever was stored and however much fits", async () => {
  const message = fc.oneof(
    fc.constant(HELLO),
    fc.uniqueArray(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 2 }).map((ids) => call(...ids)),
    fc.tuple(fc.constantFrom("a", "b", "c"), fc.string({ maxLength: 30 })).map(([id, text]) =>
      result(id, text)
    ),
  );
  const history = fc.array(fc.array(message, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(history, fc.integer({ min: 100, max: 1_500 }), async (turns, tokens) => {
      const context = await assembled(
        turns.map((messages, index) => turnOf(`t${index}`, ...messages)),
        tokens,
      );
      assert(context.diagnostics.estimate.estimatedTokens <= context.diagnostics.inputAllowance);
      for (const [, messages] of shown(context)) {
        let waiting: string[] = [];
        for (const { role, tool_call_id: id, tool_calls: calls = [] } of messages) {
          if (role === "tool") {
            assert(waiting.includes(id!), "a result stands after its call");
            waiting = waiting.filter((each) => each !== id);
            continue;
          }
          assert.deepEqual(waiting, [], "every call has its result before anything else is said");
          waiting = calls.map(({ id }) => id);
        }
        assert.deepEqual(waiting, []);
      }
    }),
    { numRuns: 60 },
  );
});

Deno.test("the reference profile refuses what the reference refuses, by its field", async () => {
  const assemble = (messages: readonly NewMessage[]): Promise<AssembledContext> =>
    assembleContext({
      scope: SCOPE,
      history: [turnOf("t1", HELLO), turnOf("t2", ...messages)],
      question: "And now?",
      system: "Answer.",
      profile: "reference",
    });
  const rows: readonly (readonly [field: string, messages: readonly NewMessage[]])[] = [
    ["history[1].messages[0].content", [call("a")]],
    ["history[1].messages[0].toolCalls[0]", [{ ...call("a"), content: "" } as NewMessage]],
    ["history[1].messages[0].toolCallId", [result("a", "")]],
    ["history[1].messages[0].role", [{ role: "developer", content: "x" }]],
    ["history[1].messages[0].content", [{ role: "user", content: [{ type: "text", text: "x" }] }]],
  ];
  for (const [field, messages] of rows) await assert.rejects(assemble(messages), { code: "CONTRACT", field });
});
