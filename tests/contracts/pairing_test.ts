import assert from "node:assert/strict";
import type { Message } from "../../src/contracts/message.ts";
import { pairCalls, requireReferenceTurn } from "../../src/contracts/pairing.ts";
import { turn } from "../../src/contracts/turn.ts";
import { refuses } from "./refusal.ts";

const USER: Message = { messageId: "u", role: "user", content: "status?" };

function calls(...ids: readonly string[]): Message {
  const toolCalls = ids.map((callId) => ({ id: callId, name: "dig", arguments: '{"depth":3}' }));
  return { messageId: `calls ${ids.join()}`, role: "assistant", content: "", toolCalls };
}

function result(toolCallId: string, content = "5"): Message {
  return { messageId: `result ${toolCallId} ${content}`, role: "tool", content, toolCallId };
}

const PAIRED: readonly [title: string, messages: readonly Message[]][] = [
  ["no messages", []],
  ["no calls", [USER]],
  ["a call and its result", [USER, calls("c1"), result("c1"), USER]],
  ["results in another order than the calls", [
    calls("A", "B", "C"),
    result("C"),
    result("A"),
    result("B"),
    USER,
  ]],
  ["an empty result [TRN-07]", [calls("c1"), result("c1", "")]],
  ["two rounds", [calls("c1"), result("c1"), calls("c2"), result("c2")]],
];

for (const [title, messages] of PAIRED) {
  Deno.test(`requireReferenceTurn() accepts ${title}`, () => requireReferenceTurn({ messages }, "turn"));
}

const OPEN: readonly [title: string, field: string, messages: readonly Message[]][] = [
  ["a call without a result [TRN-03, the reference's answer]", "messages[0].toolCalls[0]", [calls("c-9")]],
  ["one of two calls without a result [TRN-03]", "messages[0].toolCalls[1]", [
    calls("c-9", "c-10"),
    result("c-9"),
  ]],
  ["a user's message before the result [TRN-06]", "messages[1]", [calls("c-9"), USER, result("c-9")]],
  ["another call before the result", "messages[1]", [calls("c1"), calls("c2"), result("c1"), result("c2")]],
  ["an identical second result [TRN-05]", "messages[2].toolCallId", [
    calls("c1"),
    result("c1"),
    result("c1"),
  ]],
  ["a different second result [TRN-05]", "messages[2].toolCallId", [
    calls("c1"),
    result("c1"),
    result("c1", "6"),
  ]],
  ["a result without a call", "messages[1].toolCallId", [USER, result("c1")]],
  ["a result before its call", "messages[0].toolCallId", [result("c1"), calls("c1")]],
  ["a call id used again", "messages[2].toolCalls[0].id", [
    calls("c1"),
    result("c1"),
    calls("c1"),
    result("c1"),
  ]],
];

for (const [title, field, messages] of OPEN) {
  Deno.test(`requireReferenceTurn() refuses ${title}`, () => {
    refuses(`turn.${field}`, () => requireReferenceTurn({ messages }, "turn"));
  });
}

Deno.test("a turn alone does not require paired calls", () => {
  const scope = { tenantId: "t", sessionId: "s" };
  assert.equal(turn({ turnId: "t1", scope, messages: [calls("c1")] }).messages.length, 1);
});

const CALL = { id: "c1", name: "dig", arguments: "secret" };
const NEW: readonly [title: string, field: string, message: Message][] = [
  ["a developer", "messages[0].role", { ...USER, role: "developer" }],
  ["parts", "messages[0].content", { ...USER, parts: [{ type: "text", text: USER.content }] }],
  ["null content", "messages[0].content", { ...USER, role: "assistant", content: "", contentIsNull: true }],
  ["a name", "messages[0]", { ...USER, name: "secret" }],
  ["metadata", "messages[0]", { ...USER, metadata: { secret: true } }],
  ["a failed result", "messages[0]", { ...result("c1"), isError: true }],
  ["arguments that are no JSON object", "messages[0].toolCalls[0].arguments", {
    ...USER,
    role: "assistant",
    toolCalls: [CALL],
  }],
];

for (const [title, field, message] of NEW) {
  Deno.test(`requireReferenceTurn() refuses ${title}`, () => {
    refuses(`turn.${field}`, () => requireReferenceTurn({ messages: [message] }, "turn"));
  });
}

/** The result of each call, in the order of the calls; null where there is none. */
function paired(messages: readonly Message[]): readonly (string | null)[] {
  const { results } = pairCalls(messages);
  return messages.flatMap(({ toolCalls = [] }) =>
    toolCalls.map((call) => results.get(call)?.content ?? null)
  );
}

Deno.test("pairCalls() pairs a result with the nearest earlier call of its id that has none (MSG-04)", () => {
  const again = [calls("c0"), result("c0", "1"), calls("c0"), result("c0", "2")];
  assert.deepEqual(paired(again), ["1", "2"]);
  assert.deepEqual(paired([calls("c0"), calls("c0"), result("c0", "1"), result("c0", "2")]), ["2", "1"]);
  assert.deepEqual(paired([calls("c0"), calls("c0"), result("c0", "1")]), [null, "1"]);
});

Deno.test("pairCalls() pairs across other messages, and tells results that answer nothing (MSG-03, MSG-08)", () => {
  const late = result("A", "late");
  const messages = [result("A", "early"), calls("A", "B"), USER, late, result("A", "again")];
  const { results, orphans } = pairCalls(messages);
  assert.deepEqual([...results.values()], [late]);
  assert.deepEqual([...orphans].map(({ content }) => content), ["early", "again"]);
});
