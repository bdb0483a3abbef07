/** The AI SDK's messages of a page: what goes in comes out, and what a store has becomes a page. */

import assert from "node:assert/strict";
import type { UIMessage } from "ai";
import fc from "fast-check";
import type { NewMessage } from "../../src/contracts/new_message.ts";
import { aiSdkUi, openaiChat } from "../../src/formats/message_formats.ts";
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

const approved = { id: "p1", approved: true } as const;

const HISTORY: UIMessage[] = [
  { id: "m1", role: "system", parts: [{ type: "text", text: "Be brief." }] },
  {
    id: "m2",
    role: "user",
    metadata: { createdAt: 1 },
    parts: [
      { type: "text", text: "Where is this?" },
      { type: "file", mediaType: "image/png", filename: "a.png", url: "data:image/png;base64,iVBORw==" },
      { type: "file", mediaType: "application/pdf", url: "https://example.com/a.pdf" },
    ],
  },
  {
    id: "m3",
    role: "assistant",
    metadata: { model: "gpt", usage: { totalTokens: 7 } },
    parts: [
      { type: "step-start" },
      {
        type: "reasoning",
        text: "Hm.",
        state: "done",
        providerMetadata: { anthropic: { signature: "c2ln" } },
      },
      { type: "text", text: "I look.", state: "done" },
      {
        type: "tool-track",
        toolCallId: "c1",
        state: "output-available",
        input: { order: 7 },
        output: { at: "customs" },
        callProviderMetadata: { openai: { itemId: "fc_1" } },
      },
      {
        type: "dynamic-tool",
        toolName: "sql",
        toolCallId: "c2",
        state: "output-error",
        input: "SELECT",
        errorText: "Syntax",
      },
      {
        type: "tool-ask",
        toolCallId: "c3",
        state: "output-available",
        input: {},
        output: "yes",
        approval: approved,
      },
      { type: "text", text: "And then." },
      {
        type: "tool-ask",
        toolCallId: "c4",
        state: "output-denied",
        input: {},
        approval: { id: "p2", approved: false, reason: "Too dear" },
      },
      { type: "step-start" },
      { type: "source-url", sourceId: "s1", url: "https://example.com" },
      { type: "source-document", sourceId: "s2", mediaType: "text/plain", title: "Customs" },
      { type: "file", mediaType: "image/png", url: "data:image/png;base64,iVBORw==" },
      { type: "reasoning-file", mediaType: "image/png", url: "data:image/png;base64,iVBORw==" },
      { type: "custom", kind: "openai.compaction" },
      { type: "data-weather", id: "d1", data: { celsius: -3.5 } },
      { type: "text", text: "Customs has it." },
      { type: "step-start" },
      { type: "tool-ask", toolCallId: "c5", state: "input-streaming", input: undefined, rawInput: '{"a' },
      { type: "tool-ask", toolCallId: "c6", state: "input-available", input: {} },
      { type: "tool-ask", toolCallId: "c7", state: "approval-requested", input: {}, approval: { id: "p3" } },
      { type: "tool-ask", toolCallId: "c8", state: "approval-responded", input: {}, approval: approved },
    ],
  },
  { id: "m4", role: "assistant", parts: [{ type: "text", text: "Anything else?" }] },
];

/** As a page sends it: JSON. */
const SENT: UIMessage[] = JSON.parse(JSON.stringify(HISTORY));

Deno.test("a history of AI SDK's page messages, with every kind of part, is kept by a store, a backup and an import", async () => {
  await assertKept(aiSdkUi, SENT);
});

Deno.test("aiSdkUi returns a page with every kind of part in every state as it was", () => {
  const messages = assertUnchanged(aiSdkUi, SENT);
  assert.deepEqual(messages.map(({ role, messageId }) => [role, messageId]), [
    ["system", "m1"],
    ["user", "m2"],
    ["assistant", "m3"],
    ["tool", "m3:c1"],
    ["tool", "m3:c2"],
    ["tool", "m3:c3"],
    ["tool", "m3:c4"],
    ["assistant", "m3#1"],
    ["assistant", "m3#2"],
    ["assistant", "m4"],
  ]);
  assert.deepEqual(messages[1]!.metadata, { createdAt: 1 });
  assert.deepEqual(messages[3]!.content, [{ type: "data", name: "track", json: { at: "customs" } }]);
  assert.deepEqual([messages[4]!.isError, messages[4]!.content], [true, "Syntax"]);
  assert.deepEqual(aiSdkUi.parse(HISTORY), messages, "what is undefined is absent");
});

Deno.test("aiSdkUi writes what the SDK takes", () => {
  const written: UIMessage[] = aiSdkUi.write(aiSdkUi.parse(SENT));
  assert.equal(written.length, SENT.length);
});

const PART = withStrangeFields(fc.oneof(
  fc.record({ type: fc.constantFrom("text", "reasoning"), text: TEXT, state: fc.constant("done") }, {
    requiredKeys: ["type", "text"],
  }),
  fc.record({ type: fc.constant("step-start") }),
  fc.record({
    type: fc.constant("file"),
    mediaType: fc.constantFrom("image/png", "text/csv", ""),
    url: fc.oneof(TEXT, fc.webUrl(), BYTES.map((bytes) => `data:image/png;base64,${bytes.toBase64()}`)),
    filename: TEXT,
  }, { requiredKeys: ["type", "mediaType", "url"] }),
  fc.record({ type: fc.constantFrom("data-weather", "data-"), data: JSON_VALUE, id: NAME }, {
    requiredKeys: ["type"],
  }),
  fc.record({
    type: fc.constantFrom("tool-track", "tool-", "dynamic-tool"),
    toolName: NAME,
    toolCallId: NAME,
    state: fc.constantFrom("input-available", "output-available", "output-error", "output-denied", "novel"),
    input: JSON_VALUE,
    output: fc.oneof(TEXT, JSON_VALUE),
    errorText: TEXT,
    approval: fc.record({ id: NAME, reason: TEXT }),
  }, { requiredKeys: ["type", "toolCallId", "state"] }),
  fc.record({ type: fc.constantFrom("novel", "source-url"), novel: JSON_VALUE }),
));

const ITEM = withStrangeFields(fc.record({
  id: fc.uuid(),
  role: fc.constantFrom("system", "user", "assistant", "critic"),
  metadata: fc.oneof(JSON_VALUE, fc.dictionary(NAME, JSON_VALUE)),
  parts: fc.array(PART, { maxLength: 6 }),
}, { requiredKeys: ["id", "role", "parts"] }));

Deno.test("aiSdkUi returns every page as it was, also those of versions to come", () => {
  fc.assert(
    fc.property(fc.array(ITEM, { maxLength: 4 }), (theirs) => {
      assertUnchanged(aiSdkUi, theirs);
    }),
    { numRuns: 500 },
  );
});

Deno.test("aiSdkUi returns what a store keeps, as far as it can express it", () => {
  const seen = fc.oneof(
    fc.record({ type: fc.constant("text"), text: TEXT }),
    fc.record({ type: fc.constant("data"), name: NAME, json: JSON_VALUE }),
    fc.record({
      type: fc.constant("media"),
      mediaType: fc.constant("image/png"),
      data: BYTES,
      filename: NAME,
    }, {
      requiredKeys: ["type", "mediaType", "data"],
    }),
    fc.record({ type: fc.constant("media"), mediaType: fc.constant("text/csv"), url: fc.webUrl() }),
  );
  const parts = fc.array(seen, { minLength: 2, maxLength: 3 });
  const facts = {
    messageId: fc.uuid(),
    metadata: fc.dictionary(NAME, JSON_VALUE).map((made) => ({ ...made })),
  };
  const speech = fc.record({
    role: fc.constantFrom("user", "system"),
    content: fc.oneof(TEXT, parts),
    ...facts,
  }, { requiredKeys: ["role", "content", "messageId"] });
  const step = fc.record({
    first: fc.uuid(),
    parts,
    output: fc.oneof(TEXT, JSON_VALUE),
    isError: fc.boolean(),
  })
    .map(({ first, parts, output, isError }) => [
      {
        role: "assistant",
        messageId: first,
        content: parts,
        toolCalls: [{ id: "c1", name: "track", arguments: '{"order":7}' }],
      },
      {
        role: "tool",
        messageId: `${first}:c1`,
        toolCallId: "c1",
        ...(isError ? { isError } : {}),
        content: isError
          ? JSON.stringify(output)
          : typeof output === "string"
          ? output
          : [{ type: "data", name: "track", json: output }],
      },
    ]);
  const turn = fc.tuple(speech, step).map(([one, others]) => [one, ...others]) as unknown as fc.Arbitrary<
    NewMessage[]
  >;
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 3 }), (turns) => {
      assertExpressed(aiSdkUi, turns.flat());
    }),
    { numRuns: 300 },
  );
});

Deno.test("aiSdkUi shows a history of OpenAI's: steps and results in one message", () => {
  const call = (id: string): object => ({
    id,
    type: "function",
    function: { name: "track", arguments: "{}" },
  });
  const messages = openaiChat.parse([
    { role: "developer", content: "Be brief." },
    { role: "user", content: "Where?" },
    { role: "assistant", content: null, refusal: null, tool_calls: [call("c1"), call("c2")] },
    { role: "tool", tool_call_id: "c1", content: "Here" },
    { role: "assistant", content: "Here." },
    { role: "tool", tool_call_id: "c0", content: "Whose?" },
  ]);
  assert.deepEqual(aiSdkUi.write(messages), [
    { id: "message-0", role: "system", parts: [{ type: "text", text: "Be brief." }] },
    { id: "message-1", role: "user", parts: [{ type: "text", text: "Where?" }] },
    {
      id: "message-2",
      role: "assistant",
      parts: [
        { type: "step-start" },
        { type: "tool-track", toolCallId: "c1", state: "output-available", input: {}, output: "Here" },
        { type: "tool-track", toolCallId: "c2", state: "input-available", input: {} },
        { type: "step-start" },
        { type: "text", text: "Here." },
      ],
    },
  ]);
});
