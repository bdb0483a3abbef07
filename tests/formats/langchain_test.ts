/** LangChain: what goes in comes out, and what a store has becomes messages. */

import assert from "node:assert/strict";
import {
  AIMessage,
  ChatMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import fc from "fast-check";
import type { NewMessage } from "../../src/contracts/new_message.ts";
import { langchain } from "../../src/formats/message_formats.ts";
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

const HISTORY = [
  new SystemMessage("You track orders."),
  new SystemMessage({ content: "Be brief.", additional_kwargs: { __openai_role__: "developer" } }),
  new HumanMessage({
    id: "h1",
    name: "ada",
    content: [
      { type: "text", text: "Where is this?" },
      { type: "image_url", image_url: { url: "https://example.com/a.png", detail: "low" } },
      { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw==" } },
      { type: "image", mimeType: "image/png", data: "iVBORw==" },
      { type: "audio", url: "https://example.com/a.wav" },
      { type: "video", mimeType: "video/mp4", url: "https://example.com/a.mp4" },
      { type: "file", mimeType: "application/pdf", data: "JVBERg==", metadata: { filename: "a.pdf" } },
      { type: "file", fileId: "file_1" },
      { type: "text-plain", mimeType: "text/plain", text: "Plain" },
    ],
  }),
  new AIMessage(
    {
      id: "a1",
      content: [
        { type: "reasoning", reasoning: "Let me look." },
        { type: "thinking", thinking: "Hm.", signature: "c2ln" },
        { type: "text", text: "I look.", annotations: [] },
        { type: "tool_use", id: "c1", name: "track", input: { order: 7 } },
      ],
      tool_calls: [{ id: "c1", name: "track", args: { order: 7 }, type: "tool_call" }],
      invalid_tool_calls: [{
        id: "c2",
        name: "track",
        args: '{"order":',
        error: "Malformed",
        type: "invalid_tool_call",
      }],
      usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
      response_metadata: { model: "gpt" },
      additional_kwargs: { refusal: null },
    } as unknown as ConstructorParameters<typeof AIMessage>[0],
  ),
  new ToolMessage({ content: "Customs", tool_call_id: "c1", name: "track", artifact: { raw: 1 } }),
  new ToolMessage({ content: [{ type: "text", text: "No." }], tool_call_id: "c2", status: "error" }),
  new AIMessage("Customs has it."),
  new ChatMessage("Too short.", "critic"),
];

/** As LangChain's messages are stored as JSON. */
const STORED = JSON.parse(JSON.stringify(mapChatMessagesToStoredMessages(HISTORY)));

Deno.test("a history of LangChain's, with every kind of part, is kept by a store, a backup and an import", async () => {
  await assertKept(langchain, STORED);
});

Deno.test("langchain returns a history with every kind of message and block as it was", () => {
  const messages = assertUnchanged(langchain, STORED);
  assert.deepEqual(messages.map(({ role }) => role), [
    ...["system", "developer", "user", "assistant", "tool", "tool", "assistant", "assistant"],
  ]);
  assert.equal(messages[2]!.messageId, "h1");
  assert.deepEqual(messages[3]!.toolCalls, [
    { id: "c1", name: "track", arguments: '{"order":7}' },
    { id: "c2", name: "track", arguments: '{"order":' },
  ]);
  assert.equal(messages[5]!.isError, true);
});

Deno.test("langchain takes messages as they are, and writes what becomes the same messages", () => {
  const messages = langchain.parse(HISTORY);
  assert.deepEqual(messages, langchain.parse(STORED));
  const again = mapStoredMessagesToChatMessages(langchain.write(messages));
  assert.deepEqual(JSON.parse(JSON.stringify(mapChatMessagesToStoredMessages(again))), STORED);
});

const BLOCK = withStrangeFields(fc.oneof(
  fc.record({ type: fc.constant("text"), text: TEXT }),
  fc.record({
    type: fc.constant("image_url"),
    image_url: fc.oneof(TEXT, fc.record({ url: fc.oneof(TEXT, fc.webUrl()) })),
  }),
  fc.record({
    type: fc.constantFrom("image", "audio", "video", "file"),
    mimeType: fc.constantFrom("image/png", "audio/wav", "application/pdf"),
    url: fc.webUrl(),
    data: fc.oneof(TEXT, BYTES.map((bytes) => bytes.toBase64())),
    metadata: fc.record({ filename: TEXT, size: fc.nat() }),
  }, { requiredKeys: ["type"] }),
  fc.record({ type: fc.constant("reasoning"), reasoning: TEXT }),
  fc.record({ type: fc.constant("thinking"), thinking: TEXT, signature: TEXT }),
  fc.record({ type: fc.constantFrom("tool_use", "novel"), novel: JSON_VALUE }),
));

const CALLS = fc.array(
  withStrangeFields(
    fc.record({
      id: fc.oneof(NAME, fc.constant("")),
      name: NAME,
      args: fc.oneof(TEXT, JSON_VALUE, fc.dictionary(NAME, JSON_VALUE)),
      type: fc.constant("tool_call"),
    }),
  ),
  { maxLength: 2 },
);

const ITEM = withStrangeFields(fc.record({
  type: fc.constantFrom("human", "ai", "system", "tool", "generic", "remove"),
  data: withStrangeFields(fc.record({
    content: fc.oneof(TEXT, fc.array(BLOCK, { maxLength: 3 }), fc.constant(null)),
    additional_kwargs: fc.constantFrom({}, { __openai_role__: "developer" }),
    response_metadata: fc.constant({}),
    id: fc.uuid(),
    name: TEXT,
    tool_call_id: NAME,
    status: fc.constantFrom("success", "error"),
    tool_calls: CALLS,
    invalid_tool_calls: CALLS,
  }, { requiredKeys: ["content"] })),
}));

Deno.test("langchain returns every message as it was, also those of versions to come", () => {
  fc.assert(
    fc.property(fc.array(ITEM, { maxLength: 5 }), (theirs) => {
      assertUnchanged(langchain, theirs);
    }),
    { numRuns: 500 },
  );
});

Deno.test("langchain returns what a store keeps, as far as it can express it", () => {
  const seen = fc.oneof(
    fc.record({ type: fc.constant("text"), text: TEXT }),
    fc.record({
      type: fc.constant("media"),
      mediaType: fc.constantFrom("image/png", "audio/wav", "video/mp4", "text/csv"),
      data: BYTES,
      filename: NAME,
    }, { requiredKeys: ["type", "mediaType", "data"] }),
    fc.record({
      type: fc.constant("media"),
      mediaType: fc.constantFrom("image/png", "a/b"),
      url: fc.webUrl(),
    }),
  );
  const facts = {
    content: fc.oneof(TEXT, fc.array(seen, { maxLength: 3 })),
    messageId: fc.uuid(),
    name: NAME,
  };
  const calls = fc.uniqueArray(NAME, { minLength: 1, maxLength: 3 }).map((ids) =>
    ids.map((id, index) => ({ id, name: "track", arguments: index === 0 ? `{"${id}":1}` : `{"${id}` }))
  );
  const message = fc.oneof(
    fc.record({ role: fc.constantFrom("user", "system", "developer"), ...facts }, {
      requiredKeys: ["role", "content"],
    }),
    fc.record({ role: fc.constant("tool"), toolCallId: NAME, isError: fc.constant(true), ...facts }, {
      requiredKeys: ["role", "content", "toolCallId"],
    }),
    fc.record({ role: fc.constant("assistant"), toolCalls: calls, ...facts }, {
      requiredKeys: ["role", "content"],
    }),
  ) as unknown as fc.Arbitrary<NewMessage>;
  const messages = fc.uniqueArray(message, { maxLength: 4, selector: ({ messageId }) => messageId ?? {} });
  fc.assert(fc.property(messages, (list) => assertExpressed(langchain, list)), { numRuns: 300 });
});
