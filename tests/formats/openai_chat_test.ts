/** OpenAI's Chat Completions: what goes in comes out, and what a store has becomes a request. */

import assert from "node:assert/strict";
import fc from "fast-check";
import type OpenAI from "openai";
import type { NewMessage } from "../../src/contracts/new_message.ts";
import { openaiChat } from "../../src/formats/message_formats.ts";
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

type Message = OpenAI.Chat.Completions.ChatCompletionMessageParam;

/** A history with every kind of message and part, as requests and answers have them. */
const HISTORY: (Message | OpenAI.Chat.Completions.ChatCompletionMessage)[] = [
  { role: "developer", content: "Answer in one sentence." },
  { role: "system", content: [{ type: "text", text: "You track orders." }], name: "desk" },
  { role: "user", content: "Where is order 7?", name: "ada" },
  {
    role: "assistant",
    content: null,
    refusal: null,
    tool_calls: [
      { id: "c1", type: "function", function: { name: "track", arguments: '{"order": 7}' } },
      { id: "c2", type: "function", function: { name: "track", arguments: '{"order":' } },
      { id: "c3", type: "custom", custom: { name: "sql", input: "SELECT 1" } },
    ],
  },
  { role: "tool", tool_call_id: "c1", content: '{"status":"customs"}' },
  {
    role: "tool",
    tool_call_id: "c2",
    content: [{ type: "text", text: "Invalid" }, { type: "text", text: "JSON" }],
  },
  { role: "tool", tool_call_id: "c3", content: "1" },
  {
    role: "assistant",
    content: "Customs has it.",
    refusal: null,
    annotations: [{
      type: "url_citation",
      url_citation: { start_index: 0, end_index: 7, title: "Customs", url: "https://example.com/7" },
    }],
    audio: { id: "a1", data: "AAAA", expires_at: 1, transcript: "Customs has it." },
  },
  {
    role: "user",
    content: [
      { type: "text", text: "What is this?" },
      { type: "image_url", image_url: { url: "https://example.com/a.png", detail: "low" } },
      { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw==" } },
      { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
      { type: "input_audio", input_audio: { data: "SUQz", format: "mp3" } },
      { type: "file", file: { file_data: "data:application/pdf;base64,JVBERg==", filename: "a.pdf" } },
      { type: "file", file: { file_id: "file-1" }, prompt_cache_breakpoint: { mode: "explicit" } },
    ],
  },
  { role: "assistant", content: null, refusal: "I cannot help with that." },
  { role: "assistant", content: [{ type: "text", text: "No: " }, { type: "refusal", refusal: "not that." }] },
  { role: "assistant", audio: { id: "a1" } },
  { role: "assistant", content: null, function_call: { name: "old", arguments: "{}" } },
  { role: "function", name: "old", content: null },
];

Deno.test("a history of OpenAI's Chat Completions, with every kind of part, is kept by a store, a backup and an import", async () => {
  await assertKept(openaiChat, HISTORY);
});

Deno.test("openaiChat returns a history with every kind of message and part as it was", () => {
  const messages = assertUnchanged(openaiChat, HISTORY);
  assert.equal(messages.length, HISTORY.length);
  assert.deepEqual(messages[2], { role: "user", content: "Where is order 7?", name: "ada" });
  assert.deepEqual(messages[3]!.toolCalls?.map((call) => call.arguments), [
    '{"order": 7}',
    '{"order":',
    "SELECT 1",
  ]);
  assert.deepEqual(messages[9]!.content?.[0], { type: "text", text: "I cannot help with that." });
});

Deno.test("openaiChat writes what the SDK takes", () => {
  const written: Message[] = openaiChat.write(openaiChat.parse(HISTORY));
  assert.equal(written.length, HISTORY.length);
});

const PART = withStrangeFields(fc.oneof(
  fc.record({ type: fc.constant("text"), text: TEXT }),
  fc.record({ type: fc.constant("refusal"), refusal: TEXT }),
  fc.record({
    type: fc.constant("image_url"),
    image_url: fc.record({
      url: fc.oneof(
        fc.webUrl(),
        BYTES.map((bytes) => `data:image/png;base64,${bytes.toBase64()}`),
        TEXT,
      ),
      detail: fc.constant("high"),
    }, { requiredKeys: ["url"] }),
  }),
  fc.record({
    type: fc.constant("input_audio"),
    input_audio: fc.record({
      data: fc.oneof(TEXT, BYTES.map((bytes) => bytes.toBase64())),
      format: fc.constantFrom("wav", "mp3", "opus"),
    }),
  }),
  fc.record({
    type: fc.constant("file"),
    file: fc.record({
      file_data: fc.oneof(TEXT, BYTES.map((bytes) => `data:application/pdf;base64,${bytes.toBase64()}`)),
      filename: TEXT,
      file_id: NAME,
    }, { requiredKeys: [] }),
  }),
  fc.record({ type: fc.constant("novel"), novel: JSON_VALUE }),
));

const CONTENT = fc.oneof(TEXT, fc.constant(null), fc.array(PART, { maxLength: 4 }));

const CALL = withStrangeFields(fc.oneof(
  fc.record({
    id: NAME,
    type: fc.constant("function"),
    function: fc.record({ name: TEXT, arguments: TEXT }),
  }),
  fc.record({ id: NAME, type: fc.constant("custom"), custom: fc.record({ name: NAME, input: TEXT }) }),
  fc.record({ id: NAME, type: fc.constant("novel") }),
));

const ITEM = withStrangeFields(fc.oneof(
  fc.record({
    role: fc.constantFrom("system", "developer", "user", "tool", "critic"),
    content: CONTENT,
    name: TEXT,
    tool_call_id: NAME,
  }, { requiredKeys: ["role", "content"] }),
  fc.record({
    role: fc.constant("assistant"),
    content: CONTENT,
    name: NAME,
    refusal: fc.oneof(fc.constant(null), TEXT),
    tool_calls: fc.oneof(fc.array(CALL, { maxLength: 3 }), fc.constant(null)),
    reasoning_content: TEXT,
  }, { requiredKeys: ["role"] }),
));

Deno.test("openaiChat returns every message as it was, also those of versions to come", () => {
  fc.assert(
    fc.property(fc.array(ITEM, { maxLength: 5 }), (theirs) => {
      assertUnchanged(openaiChat, theirs);
    }),
    { numRuns: 500 },
  );
});

Deno.test("openaiChat returns what a store keeps, as far as it can express it", () => {
  const user = fc.oneof(
    fc.record({ type: fc.constant("text"), text: TEXT }),
    fc.record({
      type: fc.constant("media"),
      mediaType: fc.constantFrom("image/png", "audio/wav"),
      data: BYTES,
    }),
    fc.record({ type: fc.constant("media"), mediaType: fc.constant("image/*"), url: fc.webUrl() }),
    fc.record({
      type: fc.constant("media"),
      mediaType: fc.constant("application/pdf"),
      data: BYTES,
      filename: NAME,
    }),
  );
  const text = fc.record({ type: fc.constant("text"), text: TEXT });
  const calls = fc.uniqueArray(NAME, { minLength: 1, maxLength: 3 }).map((ids) =>
    ids.map((id) => ({ id, name: "track", arguments: `{"${id}` }))
  );
  const content = fc.oneof(TEXT, fc.array(text, { maxLength: 3 }));
  const message = fc.oneof(
    fc.record({ role: fc.constant("user"), content: fc.oneof(TEXT, fc.array(user, { maxLength: 3 })) }),
    fc.record({ role: fc.constantFrom("system", "developer"), content, name: NAME }, {
      requiredKeys: ["role", "content"],
    }),
    fc.record({ role: fc.constant("tool"), content, toolCallId: NAME }),
    fc.record({
      role: fc.constant("assistant"),
      content: fc.oneof(content, fc.constant(null)),
      toolCalls: calls,
    }, {
      requiredKeys: ["role", "content"],
    }),
  ) as unknown as fc.Arbitrary<NewMessage>;
  fc.assert(
    fc.property(fc.array(message, { maxLength: 4 }), (messages) => {
      assertExpressed(openaiChat, messages);
    }),
    { numRuns: 300 },
  );
});

Deno.test("openaiChat leaves out what it cannot express, and names media", () => {
  const written = openaiChat.write([
    {
      role: "user",
      content: [
        { type: "text", text: "Look:" },
        {
          type: "media",
          mediaType: "image/png",
          ref: "0".repeat(64),
          bytes: 4,
          filename: "a.png",
          alt: "A plan",
        },
        { type: "media", mediaType: "video/mp4", url: "https://example.com/v.mp4" },
        { type: "opaque", format: "anthropic-messages:part", json: { type: "container_upload" } },
      ],
    },
    { role: "assistant", content: [{ type: "reasoning", text: "Hm.", signature: "c2ln" }] },
    {
      role: "assistant",
      content: [{ type: "reasoning", text: "Hm." }],
      toolCalls: [{ id: "c1", name: "look", arguments: { at: 1 } }],
    },
    {
      role: "tool",
      toolCallId: "c1",
      isError: true,
      content: [{ type: "data", name: "look", json: { seen: 2 } }],
    },
  ]);
  assert.deepEqual(written, [
    {
      role: "user",
      content: [
        { type: "text", text: "Look:" },
        { type: "text", text: '[image/png "a.png": A plan; not included]' },
        { type: "text", text: "[video/mp4; not included]" },
      ],
    },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: '{"at":1}' } }],
    },
    { role: "tool", tool_call_id: "c1", content: [{ type: "text", text: '{"seen":2}' }] },
  ]);
});

Deno.test("openaiChat writes media that were read back by reference, if it is given their bytes", () => {
  const ref = "0".repeat(64);
  const bytes = new Uint8Array([137, 80]);
  const message = {
    messageId: "m1",
    role: "user",
    content: "",
    parts: [{ type: "media", mediaType: "image/png", ref, bytes: 2 }],
  } as const;
  const written = [{
    role: "user",
    content: [{ type: "image_url", image_url: { url: "data:image/png;base64,iVA=" } }],
  }];
  assert.deepEqual(openaiChat.write([message], { media: new Map([[ref, bytes]]) }), written);
  assert.deepEqual(openaiChat.write([message], { media: () => bytes }), written);
});

Deno.test("openaiChat refuses what is no list of messages, naming the path", () => {
  const parse = (theirs: unknown): unknown => openaiChat.parse(theirs as object[]);
  assert.throws(() => parse("Hello"), { code: "CONTRACT", field: "messages" });
  assert.throws(() => parse([{ role: "user", content: "Hello" }, "Hello"]), { field: "messages[1]" });
});
