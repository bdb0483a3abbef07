import assert from "node:assert/strict";
import { toMessage, toNewMessages } from "../../src/contracts/message.ts";
import { PARTS } from "../../src/testing/kit/message_parts.ts";
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

Deno.test("toMessage() keeps empty content as it is [TRN-07]", () => {
  assert.equal(toMessage({ ...ASSISTANT, toolCalls: [] }).content, "");
  assert.equal(toMessage(RESULT).content, "");
  assert.equal(toMessage({ ...USER, content: "\n" }).content, "\n");
});

Deno.test("toMessage() takes null of an assistant only, and reads it as empty text (MSG-01)", () => {
  assert.deepEqual(toMessage({ ...ASSISTANT, content: null }), { ...ASSISTANT, contentIsNull: true });
  assert.deepEqual(toMessage({ messageId: "m2", role: "assistant" }).content, "");
  for (const content of [null, undefined]) refuses("message.content", () => toMessage({ ...USER, content }));
  for (const content of [null, undefined]) {
    refuses("message.content", () => toMessage({ ...RESULT, content }));
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
  ["no arguments", "toolCalls[0].arguments", withArguments(undefined)],
  ["arguments with a lone surrogate", "toolCalls[0].arguments", withArguments("secret\ud800")],
  ["arguments that are a Date", "toolCalls[0].arguments", withArguments(new Date(0))],
  ["a part of no type", "content[0].type", { ...USER, content: [{ text: "secret" }] }],
  ["a part of another type", "content[0].type", { ...USER, content: [{ type: "secret" }] }],
  ["a part that is no object", "content[1]", { ...USER, content: [{ type: "text", text: "" }, "secret"] }],
  ["text of a part that is no text", "content[0].text", { ...USER, content: [{ type: "text", text: 1 }] }],
  ["media without bytes", "content[0]", { ...USER, content: [{ type: "media", mediaType: "image/png" }] }],
  ["media with two sources", "content[0]", {
    ...USER,
    content: [{ type: "media", mediaType: "image/png", url: "secret", data: new Uint8Array(1) }],
  }],
  ["a reference without a size", "content[0].bytes", {
    ...USER,
    content: [{ type: "media", mediaType: "image/png", ref: "a".repeat(64) }],
  }],
  ["bytes that are no bytes", "content[0].data", {
    ...USER,
    content: [{ type: "media", mediaType: "image/png", data: { 0: 1 } }],
  }],
  ["data that is a Date", "content[0].json", {
    ...USER,
    content: [{ type: "data", name: "result", json: { at: new Date(0) } }],
  }],
  ["parts without content", "parts", { messageId: "m", role: "assistant", parts: [] }],
  ["parts that say otherwise", "content", { ...USER, parts: [{ type: "text", text: "secret" }] }],
  ["metadata that is no object", "metadata", { ...USER, metadata: ["secret"] }],
  ["metadata that is too large", "metadata", { ...USER, metadata: { text: "x".repeat(16_384) } }],
  ["an error of a user", "isError", { ...USER, isError: true }],
  ["null and text at once", "contentIsNull", { ...ASSISTANT, content: "secret", contentIsNull: true }],
];

function withArguments(given: unknown): unknown {
  return { ...ASSISTANT, toolCalls: [{ ...CALL, arguments: given }] };
}

for (
  const [kind, text] of [
    ["a JSON object", '{ "depth": 3 }'],
    ["no text", ""],
    ["half of a JSON object", '{"cmd":"echo '],
    ["a list", "[]"],
    ["a JSON object with a repeated key", '{"a":{"k":1,"k":1}}'],
    ["NaN", '{"a":NaN}'],
    ["an escaped lone surrogate", '{"a":"\\ud800"}'],
    ["nesting 20 000 deep", '{"a":'.repeat(20_000)],
  ]
) {
  Deno.test(`toMessage() keeps arguments that are ${kind} as they are (MSG-02)`, () => {
    assert.equal(toMessage(withArguments(text)).toolCalls?.[0]?.arguments, text);
  });
}

Deno.test("toMessage() keeps arguments that are no text as compact JSON (MSG-02)", () => {
  for (const value of [{ b: 1, a: [true, null] }, [], 1.5, null, false]) {
    assert.equal(toMessage(withArguments(value)).toolCalls?.[0]?.arguments, JSON.stringify(value));
  }
});

Deno.test("toMessage() keeps parts as they are; the content is the texts of the text parts (MSG-01)", () => {
  const message = toMessage({ ...USER, content: PARTS });
  assert.deepEqual(message, { ...USER, content: "Here\n\nit is.", parts: PARTS });
  assert.deepEqual(toMessage(message), message);
  assert(Object.isFrozen(message.parts) && Object.isFrozen(message.parts?.[0]));
  assert.deepEqual(toMessage({ ...USER, content: [] }), { ...USER, content: "", parts: [] });
});

Deno.test("toMessage() copies the bytes of media", () => {
  const data = Uint8Array.of(1, 2, 3);
  const { parts } = toMessage({ ...USER, content: [{ type: "media", mediaType: "image/png", data }] });
  data[0] = 9;
  assert.deepEqual(parts, [{ type: "media", mediaType: "image/png", data: Uint8Array.of(1, 2, 3) }]);
});

Deno.test("toMessage() keeps metadata, name and isError; isError false counts as absent (MSG-08)", () => {
  const metadata = { usage: { output: 12 }, model: "m-1" };
  assert.deepEqual(toMessage({ ...RESULT, metadata, name: "dig", isError: true }), {
    ...RESULT,
    metadata,
    name: "dig",
    isError: true,
  });
  assert.deepEqual(toMessage({ ...RESULT, isError: false }), RESULT);
  assert.equal(toMessage({ ...USER, role: "developer" }).role, "developer");
});

const MEANT: readonly [field: string, meant: string, value: unknown][] = [
  ["messages[0].tool_calls", "toolCalls", { role: "assistant", content: "", tool_calls: [] }],
  ["messages[0].tool_call_id", "toolCallId", { role: "tool", content: "", tool_call_id: "c1" }],
  ["messages[0].is_error", "isError", { role: "tool", content: "", toolCallId: "c1", is_error: true }],
  ["messages[0].id", "messageId", { role: "user", content: "", id: "m1" }],
  ["messages[0].text", "content", { role: "user", text: "secret" }],
  ["messages[0].toolCalls[0].function", "name and arguments", {
    role: "assistant",
    toolCalls: [{ id: "c1", type: "function", function: { name: "secret", arguments: "" } }],
  }],
  ["messages[0].toolCalls[0].input", "arguments", {
    role: "assistant",
    toolCalls: [{ id: "c1", name: "dig", input: {} }],
  }],
  ["messages[0].content[0].media_type", "mediaType", {
    role: "user",
    content: [{ type: "media", media_type: "image/png", url: "secret" }],
  }],
];

for (const [field, meant, value] of MEANT) {
  Deno.test(`toNewMessages() suggests ${meant} for ${field}`, () => {
    refuses(field, () => toNewMessages([value]));
    assert.throws(() => toNewMessages([value]), {
      message: `${field} is not a field; did you mean ${meant}?`,
    });
  });
}

for (const [rule, field, value] of REFUSED) {
  Deno.test(`toMessage() refuses ${rule}`, () => refuses(`message.${field}`, () => toMessage(value)));
}

Deno.test("toMessage() names an unexpected field by its key, or by its parent where the key is no name", () => {
  refuses("message.extra", () => toMessage({ ...USER, extra: "secret" }));
  refuses("message", () => toMessage({ ...USER, "secret key": 1 }));
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
  refuses("scope.extra", () => toScope({ tenantId: "t", sessionId: "s", extra: "secret" }));
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
