import assert from "node:assert/strict";
import { toMessage, toNewMessages } from "../../src/contracts/message.ts";
import { toScope } from "../../src/contracts/scope.ts";
import { toTool } from "../../src/contracts/tool.ts";
import { refuses } from "./refusal.ts";

const CALL = { id: "c1", name: "dig", arguments: '{ "depth": 3 }' };
const USER = { messageId: "m1", role: "user", content: "hello" };
const ASSISTANT = { messageId: "m2", role: "assistant", content: "", toolCalls: [CALL] };
const RESULT = { messageId: "m3", role: "tool", content: "", toolCallId: "c1" };

Deno.test("toMessage() gives a frozen copy, with absent fields left out", () => {
  const given = { ...USER, toolCallId: undefined, toolCalls: null };
  const message = toMessage(given);
  assert.deepEqual(message, USER);
  assert(Object.isFrozen(message));
  assert.notEqual(message, given);
  assert.deepEqual(toMessage({ ...USER, toolCalls: [] }), USER);
});

Deno.test("toMessage() keeps tool arguments byte for byte", () => {
  const message = toMessage(ASSISTANT);
  assert.equal(message.toolCalls?.[0]?.arguments, '{ "depth": 3 }');
  assert(Object.isFrozen(message.toolCalls) && Object.isFrozen(message.toolCalls?.[0]));
});

Deno.test("toMessage() keeps empty content as it is, and refuses null and lists [TRN-07, the reference's answer]", () => {
  assert.equal(toMessage({ ...ASSISTANT, toolCalls: [] }).content, "");
  assert.equal(toMessage(RESULT).content, "");
  assert.equal(toMessage({ ...USER, content: "\n" }).content, "\n");
  for (const content of [null, undefined, [], [{ type: "text", text: "" }]]) {
    refuses("message.content", () => toMessage({ ...ASSISTANT, content }));
  }
});

const REFUSED: readonly [rule: string, field: string, value: unknown][] = [
  ["a missing message id", "messageId", { role: "user", content: "" }],
  ["a message id that is no text", "messageId", { ...USER, messageId: 7 }],
  ["a blank message id", "messageId", { ...USER, messageId: "\u001c\u3000" }],
  ["a lone surrogate in a message id", "messageId", { ...USER, messageId: "secret\ud800" }],
  ["content that is no text", "content", { ...USER, content: 1 }],
  ["a lone surrogate in content", "content", { ...USER, content: "secret\udc00" }],
  ["an unknown role", "role", { ...USER, role: "secret" }],
  ["a missing role", "role", { messageId: "m", content: "" }],
  ["tool calls that are no list", "toolCalls", { ...ASSISTANT, toolCalls: { 0: CALL } }],
  ["a tool call that is no object", "toolCalls[0]", { ...ASSISTANT, toolCalls: ["secret"] }],
  ["a blank call id", "toolCalls[0].id", { ...ASSISTANT, toolCalls: [{ ...CALL, id: " " }] }],
  ["a blank tool name", "toolCalls[1].name", {
    ...ASSISTANT,
    toolCalls: [CALL, { ...CALL, id: "d", name: "" }],
  }],
  ["a repeated call id", "toolCalls[1].id", { ...ASSISTANT, toolCalls: [CALL, CALL] }],
  ["tool calls of a user", "toolCalls", { ...USER, toolCalls: [CALL] }],
  ["a tool's message without a call id", "toolCallId", { messageId: "m", role: "tool", content: "" }],
  ["a blank call id of a tool's message", "toolCallId", { ...RESULT, toolCallId: "\t" }],
  ["an answer of a user", "toolCallId", { ...USER, toolCallId: "c1" }],
  ["arguments that are no JSON", "toolCalls[0].arguments", withArguments("secret")],
  ["arguments that are a list", "toolCalls[0].arguments", withArguments("[]")],
  ["blank arguments", "toolCalls[0].arguments", withArguments(" ")],
  ["arguments with a repeated key below", "toolCalls[0].arguments", withArguments('{"a":{"k":1,"k":1}}')],
  ["arguments with NaN", "toolCalls[0].arguments", withArguments('{"a":NaN}')],
  [
    "arguments with an escaped lone surrogate",
    "toolCalls[0].arguments",
    withArguments('{"a":"\\ud800"}'),
  ],
  ["arguments nested 20 000 deep", "toolCalls[0].arguments", withArguments('{"a":'.repeat(20_000))],
];

function withArguments(argumentsJson: string): unknown {
  return { ...ASSISTANT, toolCalls: [{ ...CALL, arguments: argumentsJson }] };
}

for (const [rule, field, value] of REFUSED) {
  Deno.test(`toMessage() refuses ${rule}`, () => refuses(`message.${field}`, () => toMessage(value)));
}

Deno.test("toMessage() reports an unexpected field by its parent", () => {
  refuses("message", () => toMessage({ ...USER, secret: 1 }));
  refuses("message", () => toMessage({ ...USER, secret: () => 1 }));
  refuses("message", () => toMessage({ ...USER, "secret\ud800": 1 }));
  refuses(
    "message.toolCalls[0]",
    () => toMessage({ ...ASSISTANT, toolCalls: [{ ...CALL, secret: { deep: NaN } }] }),
  );
});

Deno.test("toMessage() names the first broken rule in the reference's order", () => {
  refuses("message.messageId", () => toMessage({ messageId: "", content: 1, role: "secret" }));
  refuses("message.content", () => toMessage({ messageId: "m", content: 1, role: "secret" }));
});

Deno.test("toNewMessages() lets message ids be absent, and refuses given ones that repeat", () => {
  const [first, second] = toNewMessages([{ role: "user", content: "a" }, USER]);
  assert.equal(first?.messageId, undefined);
  assert.equal(second?.messageId, "m1");
  refuses("messages[2].messageId", () => toNewMessages([USER, { role: "user", content: "" }, USER]));
  refuses("messages[1].toolCallId", () => toNewMessages([USER, { role: "tool", content: "" }]));
  refuses("messages", () => toNewMessages([]));
  refuses("messages", () => toNewMessages("secret"));
});

Deno.test("toScope() wants two texts that are not blank, and nothing else", () => {
  assert.deepEqual(toScope({ tenantId: "t", sessionId: "s" }), { tenantId: "t", sessionId: "s" });
  refuses("scope.tenantId", () => toScope({ sessionId: "s" }));
  refuses("scope.sessionId", () => toScope({ tenantId: "t", sessionId: "\u0085" }));
  refuses("scope.tenantId", () => toScope({ tenantId: Object("secret"), sessionId: "s" }));
  refuses("scope", () => toScope({ tenantId: "t", sessionId: "s", secret: "" }));
  refuses("scope", () => toScope(null));
  assert.equal(toScope({ tenantId: "\ufeff", sessionId: "s" }).tenantId, "\ufeff");
});

Deno.test("toTool() puts parameters into canonical form", () => {
  const tool = toTool({ name: "dig", description: "", parametersJson: '{ "b": 1.50, "a": 2e3 }' });
  assert.deepEqual(tool, { name: "dig", description: "", parametersJson: '{"a":2000.0,"b":1.5}' });
  assert(Object.isFrozen(tool));
  refuses("tool.name", () => toTool({ name: " ", description: "", parametersJson: "{}" }));
  refuses("tool.description", () => toTool({ name: "dig", parametersJson: "{}" }));
  refuses(
    "tools[3].parametersJson",
    () => toTool({ name: "dig", description: "", parametersJson: "[]" }, "tools[3]"),
  );
});
