/** Anthropic's Messages API: what goes in comes out, and what a store has becomes a request. */

import assert from "node:assert/strict";
import type Anthropic from "@anthropic-ai/sdk";
import fc from "fast-check";
import type { NewMessage } from "../../src/contracts/new_message.ts";
import { anthropicMessages, type AnthropicRequest, openaiChat } from "../../src/formats/message_formats.ts";
import { assertKept } from "./kept.ts";
import {
  assertExpressed,
  assertUnchanged,
  BYTES,
  JSON_VALUE,
  NAME,
  TEXT,
  withStrangeFields,
} from "./round_trip.ts";

type Request = Pick<Anthropic.MessageCreateParams, "system" | "messages">;

/** An answer as the SDK returns it: it may be put among the messages as it is. */
const ANSWER = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude",
  content: [
    { type: "thinking", thinking: "Let me look.", signature: "c2ln" },
    { type: "redacted_thinking", data: "ZW5j" },
    { type: "text", text: "I look.", citations: null },
    { type: "tool_use", id: "toolu_1", name: "track", input: { order: 7 }, caller: { type: "direct" } },
    { type: "text", text: "And there.", citations: null },
    { type: "tool_use", id: "toolu_2", name: "track", input: {} },
  ],
  stop_reason: "tool_use",
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 2 },
} as const;

const HISTORY: Request = {
  system: [
    { type: "text", text: "Be brief." },
    { type: "text", text: "You track orders.", cache_control: { type: "ephemeral" } },
  ],
  messages: [
    { role: "user", content: "Where is order 7?" },
    ANSWER as unknown as Anthropic.MessageParam,
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "toolu_1", content: "Customs" },
        {
          type: "tool_result",
          tool_use_id: "toolu_2",
          is_error: true,
          content: [
            { type: "text", text: "No." },
            { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw==" } },
            { type: "document", source: { type: "url", url: "https://example.com/a.pdf" }, title: "a.pdf" },
            { type: "search_result", source: "a", title: "A", content: [{ type: "text", text: "x" }] },
            { type: "tool_reference", tool_name: "track" },
          ],
        },
        { type: "text", text: "Hurry." },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "customs" } },
        {
          type: "web_search_tool_result",
          tool_use_id: "srvtoolu_1",
          content: [{
            type: "web_search_result",
            url: "https://example.com",
            title: "Customs",
            encrypted_content: "e",
          }],
        },
        {
          type: "text",
          text: "Customs has it.",
          citations: [{
            type: "web_search_result_location",
            url: "https://example.com",
            title: "Customs",
            encrypted_index: "i",
            cited_text: "has it",
          }],
        },
        { type: "tool_use", id: "toolu_3", name: "wait", input: { hours: 2 } },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_3", is_error: false }] },
    { role: "system", content: "The user is a customs officer." },
    { role: "assistant", content: "Done." },
    {
      role: "user",
      content: [
        { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
        {
          type: "document",
          source: { type: "base64", media_type: "application/pdf", data: "JVBERg==" },
          title: "b.pdf",
          context: "A bill",
          citations: { enabled: true },
        },
        { type: "document", source: { type: "text", media_type: "text/plain", data: "Plain" } },
        { type: "container_upload", file_id: "file_1" },
      ],
    },
  ],
};

Deno.test("a history of Anthropic's, with every kind of part, is kept by a store, a backup and an import", async () => {
  await assertKept(anthropicMessages, HISTORY as AnthropicRequest);
});

Deno.test("anthropicMessages returns a history with every kind of block as it was", () => {
  const messages = assertUnchanged(anthropicMessages, HISTORY as AnthropicRequest);
  assert.deepEqual(messages.map(({ role }) => role), [
    ...["system", "user", "assistant", "tool", "tool", "user", "assistant", "tool", "system", "assistant"],
    "user",
  ]);
  assert.deepEqual(messages[2]!.toolCalls, [
    { id: "toolu_1", name: "track", arguments: '{"order":7}' },
    { id: "toolu_2", name: "track", arguments: "{}" },
  ]);
  assert.equal(messages[4]!.isError, true);
});

Deno.test("anthropicMessages writes what the SDK takes", () => {
  const { system, messages } = anthropicMessages.write(anthropicMessages.parse(HISTORY as AnthropicRequest));
  const request: Anthropic.MessageCreateParams = {
    model: "claude",
    max_tokens: 100,
    messages,
    ...(system === undefined ? {} : { system }),
  };
  assert.equal(request.messages.length, HISTORY.messages.length);
});

const CONTENT_BLOCK = withStrangeFields(fc.oneof(
  fc.record({ type: fc.constant("text"), text: TEXT, citations: fc.constant(null) }, {
    requiredKeys: ["type", "text"],
  }),
  fc.record({
    type: fc.constantFrom("image", "document"),
    source: fc.oneof(
      fc.record({ type: fc.constant("url"), url: fc.oneof(fc.webUrl(), TEXT) }),
      fc.record({
        type: fc.constant("base64"),
        media_type: fc.constantFrom("image/png", "application/pdf", "image/tiff"),
        data: fc.oneof(TEXT, BYTES.map((bytes) => bytes.toBase64())),
      }),
      fc.record({ type: fc.constant("file"), file_id: NAME }),
    ),
    title: fc.oneof(TEXT, fc.constant(null)),
  }, { requiredKeys: ["type", "source"] }),
  fc.record({ type: fc.constantFrom("novel", "search_result"), novel: JSON_VALUE }),
));

const THINKING = withStrangeFields(fc.oneof(
  fc.record({ type: fc.constant("thinking"), thinking: TEXT, signature: TEXT }, {
    requiredKeys: ["type", "thinking"],
  }),
  fc.record({ type: fc.constant("redacted_thinking"), data: TEXT }),
));

const RESULT = withStrangeFields(fc.record({
  type: fc.constant("tool_result"),
  tool_use_id: NAME,
  content: fc.oneof(TEXT, fc.array(CONTENT_BLOCK, { maxLength: 3 })),
  is_error: fc.boolean(),
}, { requiredKeys: ["type", "tool_use_id"] }));

const CALL = withStrangeFields(fc.record({
  type: fc.constant("tool_use"),
  id: NAME,
  name: TEXT,
  input: fc.oneof(JSON_VALUE, fc.dictionary(NAME, JSON_VALUE)),
}, { requiredKeys: ["type", "id", "name"] }));

const MESSAGE = withStrangeFields(fc.oneof(
  fc.record({
    role: fc.constant("user"),
    content: fc.oneof(TEXT, fc.array(fc.oneof(CONTENT_BLOCK, RESULT), { maxLength: 5 })),
  }),
  fc.record({
    role: fc.constant("assistant"),
    content: fc.oneof(TEXT, fc.array(fc.oneof(CONTENT_BLOCK, CALL, THINKING), { maxLength: 5 })),
  }),
  fc.record({
    role: fc.constantFrom("system", "critic"),
    content: fc.oneof(TEXT, fc.array(CONTENT_BLOCK, { maxLength: 2 })),
  }),
));

/** The API refuses ids that are used twice: those that are made here are told apart. */
function withDistinctIds(messages: unknown[]): object[] {
  let count = 0;
  return JSON.parse(JSON.stringify(messages), (key, value) => {
    if (key === "id" && typeof value === "string") return `${value}-${count++}`;
    return value;
  });
}

const REQUEST = fc.record({
  system: fc.oneof(TEXT, fc.array(CONTENT_BLOCK, { maxLength: 2 })),
  messages: fc.array(MESSAGE, { maxLength: 5 }).map(withDistinctIds),
}, { requiredKeys: ["messages"] });

Deno.test("anthropicMessages returns every request as it was, also those of versions to come", () => {
  fc.assert(
    fc.property(REQUEST, (theirs) => {
      assertUnchanged(anthropicMessages, theirs as unknown as AnthropicRequest);
    }),
    { numRuns: 500 },
  );
});

Deno.test("anthropicMessages returns what a store keeps, as far as it can express it", () => {
  const seen = fc.oneof(
    fc.record({ type: fc.constant("text"), text: TEXT }),
    fc.record({ type: fc.constant("media"), mediaType: fc.constant("image/png"), data: BYTES }),
    fc.record({ type: fc.constant("media"), mediaType: fc.constant("image/*"), url: fc.webUrl() }),
    fc.record({
      type: fc.constant("media"),
      mediaType: fc.constant("application/pdf"),
      data: BYTES,
      filename: NAME,
    }),
  );
  const content = fc.oneof(TEXT, fc.array(seen, { minLength: 1, maxLength: 3 }));
  const text = fc.record({ type: fc.constant("text"), text: TEXT });
  let count = 0;
  const calls = fc.array(fc.dictionary(NAME, fc.integer()), { minLength: 1, maxLength: 3 }).map((list) =>
    list.map((input) => ({ id: `c${count++}`, name: "track", arguments: JSON.stringify(input) }))
  );
  const message = fc.oneof(
    fc.record({ role: fc.constant("user"), content }),
    fc.record({ role: fc.constant("tool"), content, toolCallId: NAME, isError: fc.constant(true) }, {
      requiredKeys: ["role", "content", "toolCallId"],
    }),
    fc.record({ role: fc.constant("assistant"), content: TEXT }),
    fc.record({
      role: fc.constant("assistant"),
      content: fc.array(text, { minLength: 1, maxLength: 3 }),
      toolCalls: calls,
    }),
  ) as unknown as fc.Arbitrary<NewMessage>;
  const system = fc.record({ role: fc.constant("system"), content: TEXT }) as unknown as fc.Arbitrary<
    NewMessage
  >;
  fc.assert(
    fc.property(system, fc.array(message, { maxLength: 4 }), (first, messages) => {
      assertExpressed(anthropicMessages, [first, ...messages]);
    }),
    { numRuns: 300 },
  );
});

Deno.test("anthropicMessages tells calls with one id apart, and shows invalid arguments in an object", () => {
  const call = (text: string): NewMessage => ({
    role: "assistant",
    content: null,
    toolCalls: [{ id: "c:1", name: "track", arguments: text }],
  });
  const result = (content: string): NewMessage => ({ role: "tool", toolCallId: "c:1", content });
  const { messages } = anthropicMessages.write([
    { role: "user", content: "Go." },
    ...[call('{"order":7}'), result("first"), call('{"order":'), result("second")],
    ...[call("[7]"), call("8"), result("fourth"), result("third")],
  ]);
  const used = (id: string, input: object): object => ({ type: "tool_use", id, name: "track", input });
  const answered = (id: string, content: string): object => ({
    type: "tool_result",
    tool_use_id: id,
    content,
  });
  assert.deepEqual(messages, [
    { role: "user", content: "Go." },
    { role: "assistant", content: [used("c_1", { order: 7 })] },
    { role: "user", content: [answered("c_1", "first")] },
    { role: "assistant", content: [used("c_1_2", { invalid_arguments: '{"order":' })] },
    { role: "user", content: [answered("c_1_2", "second")] },
    { role: "assistant", content: [used("c_1_3", { invalid_arguments: "[7]" })] },
    { role: "assistant", content: [used("c_1_4", { invalid_arguments: "8" })] },
    { role: "user", content: [answered("c_1_4", "fourth"), answered("c_1_3", "third")] },
  ]);
});

Deno.test("anthropicMessages leaves an id alone that the API takes, also where another one is renamed to it", () => {
  const calls = ["c:1", "c_1", "c_1_2"].map((id) => ({ id, name: "track", arguments: "{}" }));
  const { messages } = anthropicMessages.write([
    { role: "assistant", toolCalls: calls },
    { role: "assistant", toolCalls: [{ id: "c_1", name: "track", arguments: "{}" }] },
  ]);
  const ids = messages.flatMap(({ content }) => Array.isArray(content) ? content : [])
    .map((block) => block.type === "tool_use" ? block.id : null);
  assert.deepEqual(ids, ["c_1_3", "c_1", "c_1_2", "c_1_4"]);
});

Deno.test("anthropicMessages sends reasoning back to its own provider only", () => {
  const reasoning = { type: "reasoning", text: "Hm.", signature: "c2ln" } as const;
  const [ours] = anthropicMessages.parse({
    messages: [{ role: "assistant", content: [{ type: "thinking", thinking: "Hm.", signature: "c2ln" }] }],
  });
  assert.deepEqual(ours!.content?.[0], reasoning);
  const elsewhere: NewMessage = { role: "assistant", content: [reasoning, { type: "text", text: "Yes." }] };
  assert.deepEqual(anthropicMessages.write([ours!, elsewhere]).messages, [
    { role: "assistant", content: [{ type: "thinking", thinking: "Hm.", signature: "c2ln" }] },
    { role: "assistant", content: [{ type: "text", text: "Yes." }] },
  ]);
  assert.deepEqual(openaiChat.write([ours!]), []);
});

Deno.test("anthropicMessages writes a history of OpenAI's: first instructions, results in one message", () => {
  const messages = openaiChat.parse([
    { role: "developer", content: "Be brief." },
    { role: "system", content: "You track orders." },
    { role: "user", content: "Where are they?" },
    {
      role: "assistant",
      content: null,
      refusal: null,
      tool_calls: [
        { id: "c1", type: "function", function: { name: "track", arguments: "{}" } },
        { id: "c2", type: "function", function: { name: "track", arguments: "{}" } },
      ],
    },
    { role: "tool", tool_call_id: "c1", content: "Here" },
    { role: "tool", tool_call_id: "c2", content: "There" },
    { role: "assistant", content: "Here and there.", refusal: null },
  ]);
  assert.deepEqual(anthropicMessages.write(messages), {
    system: [{ type: "text", text: "Be brief." }, { type: "text", text: "You track orders." }],
    messages: [
      { role: "user", content: "Where are they?" },
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "c1", name: "track", input: {} },
          { type: "tool_use", id: "c2", name: "track", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c1", content: "Here" },
          { type: "tool_result", tool_use_id: "c2", content: "There" },
        ],
      },
      { role: "assistant", content: [{ type: "text", text: "Here and there." }] },
    ],
  });
});

Deno.test("anthropicMessages refuses what is no request, naming the path", () => {
  const parse = (theirs: unknown): unknown => anthropicMessages.parse(theirs as AnthropicRequest);
  assert.throws(() => parse([]), { code: "CONTRACT", field: "request" });
  assert.throws(() => parse({ messages: "Hello" }), { field: "messages" });
  assert.throws(() => parse({ messages: [7] }), { field: "messages[0]" });
  assert.throws(() => parse({ system: 7, messages: [] }), { field: "system" });
});
