/** The AI SDK's model messages: what goes in comes out, and what a store has becomes a prompt. */

import assert from "node:assert/strict";
import type { ModelMessage } from "ai";
import fc from "fast-check";
import type { NewMessage } from "../../src/contracts/new_message.ts";
import { aiSdkModel, anthropicMessages } from "../../src/formats/message_formats.ts";
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

const PNG = new Uint8Array([137, 80, 78, 71]);

const HISTORY: ModelMessage[] = [
  {
    role: "system",
    content: "Be brief.",
    providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
  },
  { role: "user", content: "Where is order 7?" },
  {
    role: "user",
    content: [
      { type: "text", text: "And this?", providerOptions: { openai: { x: 1 } } },
      { type: "image", image: PNG },
      { type: "image", image: "iVBORw==", mediaType: "image/png" },
      { type: "image", image: new URL("https://example.com/a.png") },
      { type: "file", data: PNG, mediaType: "image/png", filename: "a.png" },
      { type: "file", data: new URL("https://example.com/a.pdf"), mediaType: "application/pdf" },
      { type: "file", data: "https://example.com/a.pdf", mediaType: "application/pdf" },
      { type: "file", data: { type: "data", data: PNG }, mediaType: "image/png" },
      { type: "file", data: { type: "url", url: new URL("https://example.com/") }, mediaType: "text/html" },
      { type: "file", data: { type: "text", text: "Plain" }, mediaType: "text/plain" },
    ],
  },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "Hm.", providerOptions: { anthropic: { signature: "c2ln" } } },
      { type: "text", text: "I look." },
      {
        type: "tool-call",
        toolCallId: "c1",
        toolName: "track",
        input: { order: 7 },
        providerExecuted: false,
      },
      { type: "text", text: "And there." },
      { type: "tool-call", toolCallId: "c2", toolName: "track", input: "{" },
      { type: "tool-call", toolCallId: "c3", toolName: "ask", input: {} },
      { type: "tool-approval-request", approvalId: "p1", toolCallId: "c3" },
      { type: "custom", kind: "openai.compaction" },
      { type: "reasoning-file", data: "iVBORw==", mediaType: "image/png" },
      { type: "file", data: PNG, mediaType: "image/png" },
    ],
  },
  {
    role: "tool",
    content: [
      { type: "tool-approval-response", approvalId: "p1", approved: false },
      {
        type: "tool-result",
        toolCallId: "c1",
        toolName: "track",
        output: { type: "json", value: { at: "customs" } },
      },
      {
        type: "tool-result",
        toolCallId: "c2",
        toolName: "track",
        output: { type: "error-text", value: "No JSON" },
      },
      {
        type: "tool-result",
        toolCallId: "c3",
        toolName: "ask",
        output: { type: "execution-denied", reason: "Too dear" },
      },
      { type: "tool-result", toolCallId: "c4", toolName: "old", output: { type: "error-json", value: [1] } },
      {
        type: "tool-result",
        toolCallId: "c5",
        toolName: "old",
        output: {
          type: "content",
          value: [
            { type: "text", text: "See:" },
            { type: "file-data", data: "iVBORw==", mediaType: "image/png", filename: "a.png" },
            { type: "file-url", url: "https://example.com/a.pdf", mediaType: "application/pdf" },
            { type: "image-data", data: "iVBORw==", mediaType: "image/png" },
            { type: "custom" },
          ],
        },
      },
    ],
  },
  {
    role: "tool",
    content: [{
      type: "tool-result",
      toolCallId: "c1",
      toolName: "track",
      output: { type: "text", value: "Again" },
    }],
  },
  { role: "assistant", content: "Customs has it." },
];

Deno.test("a history of AI SDK's model messages, with every kind of part, is kept by a store, a backup and an import", async () => {
  await assertKept(aiSdkModel, HISTORY);
});

Deno.test("aiSdkModel returns a history with every kind of message and part as it was", () => {
  const messages = assertUnchanged(aiSdkModel, HISTORY);
  assert.deepEqual(
    messages.filter(({ role }) => role === "tool").map(({ toolCallId, name, isError }) => ({
      toolCallId,
      name,
      isError,
    })),
    [
      { toolCallId: "c1", name: undefined, isError: undefined },
      { toolCallId: "c2", name: undefined, isError: true },
      { toolCallId: "c3", name: undefined, isError: true },
      { toolCallId: "c4", name: "old", isError: true },
      { toolCallId: "c5", name: "old", isError: undefined },
      { toolCallId: "c1", name: undefined, isError: undefined },
    ],
  );
});

Deno.test("aiSdkModel writes what the SDK takes", () => {
  const written: ModelMessage[] = aiSdkModel.write(aiSdkModel.parse(HISTORY));
  assert.equal(written.length, HISTORY.length);
});

const BODY = fc.oneof(
  BYTES,
  BYTES.map((bytes) => bytes.toBase64()),
  TEXT,
  fc.webUrl(),
  fc.webUrl().map((url) => new URL(url)),
);

const FILE = fc.oneof(
  fc.record({ type: fc.constant("image"), image: BODY, mediaType: fc.constantFrom("image/png", "") }, {
    requiredKeys: ["type", "image"],
  }),
  fc.record({
    type: fc.constant("file"),
    data: fc.oneof(
      BODY,
      fc.record({ type: fc.constant("data"), data: fc.oneof(BYTES, BYTES.map((bytes) => bytes.toBase64())) }),
      fc.record({ type: fc.constant("url"), url: fc.webUrl().map((url) => new URL(url)) }),
    ),
    mediaType: fc.constant("application/pdf"),
    filename: TEXT,
  }, { requiredKeys: ["type", "data", "mediaType"] }),
).filter((file) => {
  // Bytes stay bytes where a file of ours holds them; in what is carried whole they become text.
  const body: unknown = "image" in file ? file.image : file.data;
  return !("mediaType" in file && file.mediaType === "" && body instanceof Uint8Array);
});

const SPOKEN = withStrangeFields(fc.oneof(
  fc.record({ type: fc.constantFrom("text", "reasoning"), text: TEXT }),
  fc.record({ type: fc.constantFrom("novel", "custom"), novel: JSON_VALUE }),
));

const CALL = withStrangeFields(fc.record({
  type: fc.constant("tool-call"),
  toolCallId: NAME,
  toolName: fc.constantFrom("track", "ask"),
  input: JSON_VALUE,
}, { requiredKeys: ["type", "toolCallId", "toolName"] }));

const OUTPUT = withStrangeFields(fc.oneof(
  fc.record({ type: fc.constantFrom("text", "error-text"), value: TEXT }),
  fc.record({ type: fc.constantFrom("json", "error-json"), value: JSON_VALUE }),
  fc.record({ type: fc.constant("execution-denied"), reason: TEXT }),
  fc.record({
    type: fc.constant("content"),
    value: fc.array(
      withStrangeFields(fc.oneof(
        fc.record({ type: fc.constant("text"), text: TEXT }),
        fc.record({
          type: fc.constantFrom("file-data", "image-data"),
          data: fc.oneof(TEXT, BYTES.map((bytes) => bytes.toBase64())),
          mediaType: fc.constant("image/png"),
        }),
        fc.record({ type: fc.constant("file-url"), url: TEXT, mediaType: fc.constant("image/png") }),
        fc.record({ type: fc.constant("novel"), novel: JSON_VALUE }),
      )),
      { maxLength: 3 },
    ),
  }),
));

const RESULT = withStrangeFields(fc.oneof(
  fc.record({
    type: fc.constant("tool-result"),
    toolCallId: NAME,
    toolName: fc.constantFrom("track", "ask"),
    output: OUTPUT,
  }),
  fc.record({ type: fc.constant("tool-approval-response"), approvalId: NAME, approved: fc.boolean() }),
));

const ITEM = withStrangeFields(fc.oneof(
  fc.record({ role: fc.constantFrom("system", "critic"), content: TEXT }),
  fc.record({
    role: fc.constant("user"),
    content: fc.oneof(TEXT, fc.array(fc.oneof(SPOKEN, FILE), { maxLength: 4 })),
  }),
  fc.record({
    role: fc.constant("assistant"),
    content: fc.oneof(TEXT, fc.array(fc.oneof(SPOKEN, FILE, CALL), { maxLength: 4 })),
  }),
  fc.record({ role: fc.constant("tool"), content: fc.array(RESULT, { maxLength: 4 }) }),
));

Deno.test("aiSdkModel returns every message as it was, also those of versions to come", () => {
  fc.assert(
    fc.property(fc.array(ITEM, { maxLength: 5 }), (theirs) => {
      assertUnchanged(aiSdkModel, theirs);
    }),
    { numRuns: 500 },
  );
});

Deno.test("aiSdkModel returns what a store keeps, as far as it can express it", () => {
  const seen = fc.oneof(
    fc.record({ type: fc.constant("text"), text: TEXT }),
    fc.record({
      type: fc.constant("media"),
      mediaType: fc.constant("image/png"),
      data: BYTES,
      filename: NAME,
    }, {
      requiredKeys: ["type", "mediaType", "data"],
    }),
    fc.record({
      type: fc.constant("media"),
      mediaType: fc.constant("text/csv"),
      url: fc.webUrl().map((url) => new URL(url).href),
    }),
  );
  const list = fc.array(seen, { minLength: 1, maxLength: 3 });
  const speech = fc.record({ role: fc.constantFrom("user", "assistant"), content: fc.oneof(TEXT, list) });
  const step = fc.tuple(
    fc.record({
      role: fc.constant("assistant"),
      content: list,
      toolCalls: fc.constant([{ id: "c1", name: "track", arguments: '{"order":7}' }]),
    }),
    fc.record({
      role: fc.constant("tool"),
      toolCallId: fc.constant("c1"),
      content: fc.oneof(TEXT, list, JSON_VALUE.map((json) => [{ type: "data", name: "track", json }])),
    }),
  );
  const system = fc.record({ role: fc.constant("system"), content: TEXT }).map((message) => [message]);
  const turn = fc.oneof(speech.map((message) => [message]), step, system) as unknown as fc.Arbitrary<
    NewMessage[]
  >;
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 3 }), (turns) => {
      assertExpressed(aiSdkModel, turns.flat());
    }),
    { numRuns: 300 },
  );
});

Deno.test("aiSdkModel writes a history of Anthropic's, without its thinking", () => {
  const messages = anthropicMessages.parse({
    system: [{ type: "text", text: "Be brief." }],
    messages: [
      { role: "user", content: "Where?" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm.", signature: "c2ln" },
          { type: "tool_use", id: "c1", name: "track", input: { order: 7 } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "No.", is_error: true }] },
    ],
  });
  assert.deepEqual(aiSdkModel.write(messages), [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Where?" },
    {
      role: "assistant",
      content: [{ type: "tool-call", toolCallId: "c1", toolName: "track", input: { order: 7 } }],
    },
    {
      role: "tool",
      content: [{
        type: "tool-result",
        toolCallId: "c1",
        toolName: "track",
        output: { type: "error-text", value: "No." },
      }],
    },
  ]);
});
