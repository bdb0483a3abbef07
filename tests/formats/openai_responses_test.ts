/** OpenAI's Responses API: what goes in comes out, and what a store has becomes a request. */

import assert from "node:assert/strict";
import fc from "fast-check";
import type OpenAI from "openai";
import type { NewMessage } from "../../src/contracts/new_message.ts";
import { anthropicMessages, openaiChat, openaiResponses } from "../../src/formats/message_formats.ts";
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

type Item = OpenAI.Responses.ResponseInputItem;

const HISTORY: (Item | OpenAI.Responses.ResponseOutputItem)[] = [
  { role: "developer", content: "Be brief." },
  { type: "message", role: "system", content: [{ type: "input_text", text: "You track orders." }] },
  {
    role: "user",
    content: [
      { type: "input_text", text: "Where is this?" },
      { type: "input_image", detail: "high", image_url: "https://example.com/a.png" },
      { type: "input_image", detail: "auto", image_url: "data:image/png;base64,iVBORw==" },
      { type: "input_image", detail: "auto", file_id: "file_1" },
      { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERg==" },
      { type: "input_file", file_url: "https://example.com/a.pdf" },
    ],
  },
  {
    type: "reasoning",
    id: "rs_1",
    summary: [{ type: "summary_text", text: "Let me" }, { type: "summary_text", text: "look." }],
    encrypted_content: "ZW5j",
  },
  {
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: "completed",
    phase: "commentary",
    content: [
      { type: "output_text", text: "I look.", annotations: [], logprobs: [] },
      {
        type: "output_text",
        text: "There.",
        annotations: [{
          type: "url_citation",
          start_index: 0,
          end_index: 5,
          title: "There",
          url: "https://example.com",
        }],
      },
    ],
  },
  { type: "reasoning", id: "rs_2", summary: [], content: [{ type: "reasoning_text", text: "Hm." }] },
  {
    type: "function_call",
    id: "fc_1",
    call_id: "c1",
    name: "track",
    arguments: '{"order": 7',
    status: "completed",
  },
  { type: "custom_tool_call", id: "ctc_1", call_id: "c2", name: "sql", input: "SELECT 1" },
  { type: "function_call_output", call_id: "c1", output: "Invalid JSON" },
  {
    type: "custom_tool_call_output",
    call_id: "c2",
    output: [{ type: "input_text", text: "1" }, {
      type: "input_image",
      detail: "auto",
      image_url: "https://example.com/b.png",
    }],
  },
  {
    type: "web_search_call",
    id: "ws_1",
    status: "completed",
    action: { type: "search", query: "customs", queries: ["customs"] },
  },
  {
    type: "message",
    id: "msg_2",
    role: "assistant",
    status: "completed",
    content: [{ type: "refusal", refusal: "I cannot." }],
  },
  { role: "assistant", content: "Easy." },
  { role: "user", content: "Go on." },
  { type: "item_reference", id: "msg_3" },
];

Deno.test("a history of OpenAI's Responses, with every kind of part, is kept by a store, a backup and an import", async () => {
  await assertKept(openaiResponses, HISTORY);
});

Deno.test("openaiResponses returns a history with every kind of item as it was", () => {
  const messages = assertUnchanged(openaiResponses, HISTORY);
  assert.deepEqual(messages.map(({ role }) => role), [
    ...["developer", "system", "user", "assistant", "tool", "tool", "assistant", "user", "assistant"],
  ]);
  assert.deepEqual(messages[3]!.toolCalls, [
    { id: "c1", name: "track", arguments: '{"order": 7' },
    { id: "c2", name: "sql", arguments: "SELECT 1" },
  ]);
});

Deno.test("openaiResponses writes what the SDK takes", () => {
  const input: Item[] = openaiResponses.write(openaiResponses.parse(HISTORY));
  const request: OpenAI.Responses.ResponseCreateParams = { model: "gpt", input };
  assert.equal(request.input?.length, HISTORY.length);
});

const PART = withStrangeFields(fc.oneof(
  fc.record({ type: fc.constantFrom("input_text", "output_text"), text: TEXT }),
  fc.record({ type: fc.constant("refusal"), refusal: TEXT }),
  fc.record({
    type: fc.constant("input_image"),
    image_url: fc.oneof(fc.webUrl(), TEXT, BYTES.map((bytes) => `data:image/png;base64,${bytes.toBase64()}`)),
    detail: fc.constantFrom("auto", "low"),
  }, { requiredKeys: ["type"] }),
  fc.record({
    type: fc.constant("input_file"),
    file_url: fc.webUrl(),
    file_data: fc.oneof(TEXT, BYTES.map((bytes) => `data:application/pdf;base64,${bytes.toBase64()}`)),
    filename: TEXT,
  }, { requiredKeys: ["type"] }),
  fc.record({ type: fc.constant("novel"), novel: JSON_VALUE }),
));

const CONTENT = fc.oneof(TEXT, fc.array(PART, { maxLength: 3 }));

const ITEM = withStrangeFields(fc.oneof(
  fc.record({
    type: fc.constant("message"),
    role: fc.constantFrom("system", "developer", "user", "assistant", "critic"),
    content: CONTENT,
    id: NAME,
  }, { requiredKeys: ["role", "content"] }),
  fc.record({
    type: fc.constant("reasoning"),
    id: NAME,
    summary: fc.array(fc.record({ type: fc.constant("summary_text"), text: TEXT }), { maxLength: 2 }),
    encrypted_content: fc.oneof(TEXT, fc.constant(null)),
  }, { requiredKeys: ["type", "id", "summary"] }),
  fc.record({ type: fc.constant("function_call"), call_id: NAME, name: TEXT, arguments: TEXT }),
  fc.record({ type: fc.constant("custom_tool_call"), call_id: NAME, name: NAME, input: TEXT }),
  fc.record({
    type: fc.constantFrom("function_call_output", "custom_tool_call_output"),
    call_id: fc.oneof(NAME, fc.constant(null)),
    output: CONTENT,
  }),
  fc.record({ type: fc.constantFrom("web_search_call", "novel"), novel: JSON_VALUE }),
));

Deno.test("openaiResponses returns every item as it was, also those of versions to come", () => {
  fc.assert(
    fc.property(fc.array(ITEM, { maxLength: 7 }), (theirs) => {
      assertUnchanged(openaiResponses, theirs);
    }),
    { numRuns: 500 },
  );
});

Deno.test("openaiResponses returns what a store keeps, as far as it can express it", () => {
  const seen = fc.oneof(
    fc.record({ type: fc.constant("text"), text: TEXT }),
    fc.record({ type: fc.constant("media"), mediaType: fc.constant("image/png"), data: BYTES }),
    fc.record({ type: fc.constant("media"), mediaType: fc.constant("image/*"), url: fc.webUrl() }),
    fc.record({
      type: fc.constant("media"),
      mediaType: fc.constant("audio/wav"),
      data: BYTES,
      filename: NAME,
    }),
  );
  const content = fc.oneof(TEXT, fc.array(seen, { maxLength: 3 }));
  const texts = fc.array(fc.record({ type: fc.constant("text"), text: TEXT }), {
    minLength: 2,
    maxLength: 3,
  });
  const calls = fc.uniqueArray(NAME, { minLength: 1, maxLength: 3 }).map((ids) =>
    ids.map((id) => ({ id, name: "track", arguments: `{"${id}` }))
  );
  const other = fc.oneof(
    fc.record({ role: fc.constant("user"), content }),
    fc.record({ role: fc.constant("tool"), content, toolCallId: NAME }),
    fc.record({ role: fc.constantFrom("developer", "system"), content: TEXT }),
  );
  const answer = fc.record({
    role: fc.constant("assistant"),
    content: fc.oneof(TEXT.filter((text) => text !== ""), texts),
    toolCalls: calls,
  }, { requiredKeys: ["role", "content"] });
  // Answers that follow one another are one message.
  const turn = fc.tuple(other, answer) as unknown as fc.Arbitrary<NewMessage[]>;
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 3 }), (turns) => {
      assertExpressed(openaiResponses, turns.flat());
    }),
    { numRuns: 300 },
  );
});

Deno.test("openaiResponses sends reasoning back to its own provider only, before its own item", () => {
  const theirs = [
    { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "ZW5j" },
    { type: "function_call", call_id: "c1", name: "track", arguments: "{}" },
  ];
  const messages = openaiResponses.parse(theirs);
  assert.deepEqual(openaiResponses.write(messages), theirs);
  assert.deepEqual(anthropicMessages.write(messages).messages, [
    { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "track", input: {} }] },
  ]);
  const thinking = anthropicMessages.parse({
    messages: [{ role: "assistant", content: [{ type: "thinking", thinking: "Hm.", signature: "c2ln" }] }],
  });
  assert.deepEqual(openaiResponses.write(thinking), []);
});

Deno.test("openaiResponses writes a history of Chat Completions", () => {
  const messages = openaiChat.parse([
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", type: "function", function: { name: "track", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "c1", content: "Here" },
    { role: "assistant", content: null, refusal: "I cannot." },
  ]);
  assert.deepEqual(openaiResponses.write(messages), [
    { type: "function_call", call_id: "c1", name: "track", arguments: "{}" },
    { type: "function_call_output", call_id: "c1", output: "Here" },
    { role: "assistant", content: "I cannot." },
  ]);
});
