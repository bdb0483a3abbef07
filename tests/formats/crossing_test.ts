/** Any messages of a store go through any format: nothing throws, and what was written once stays as it is. */

import assert from "node:assert/strict";
import fc from "fast-check";
import {
  aiSdkModel,
  aiSdkUi,
  anthropicMessages,
  type Format,
  langchain,
  openaiChat,
  openaiResponses,
} from "../../src/formats/message_formats.ts";
import { ordinary, readBack } from "./round_trip.ts";
import { SPOKEN } from "../kit/message_arbitrary.ts";

const FORMATS = { aiSdkModel, aiSdkUi, anthropicMessages, langchain, openaiChat, openaiResponses };

for (const [name, format] of Object.entries(FORMATS) as [string, Format<unknown, unknown>][]) {
  Deno.test(`${name} writes whatever a store keeps, and reads it as it was written`, () => {
    fc.assert(
      fc.property(fc.array(SPOKEN, { maxLength: 5 }), (messages) => {
        const written = format.write(ordinary(messages));
        assert.deepEqual(format.write(format.parse(written)), written);
      }),
      { numRuns: 300 },
    );
  });
}

Deno.test("what is written can be changed, and changes nothing that was read back", () => {
  const isOpen = (value: unknown): boolean =>
    typeof value !== "object" || value === null || value instanceof Uint8Array ||
    (!Object.isFrozen(value) && Object.values(value).every(isOpen));
  for (const [name, format] of Object.entries(FORMATS) as [string, Format<unknown, unknown>][]) {
    const item = { type: "novel", inner: { list: [1] } };
    const [messages, options] = readBack([{
      role: "user",
      content: [
        { type: "text", text: "Look:" },
        { type: "media", mediaType: "image/png", data: new Uint8Array([1]) },
        { type: "opaque", format: `${format.name}:part`, json: item },
      ],
    }]);
    const written = format.write(messages, options);
    assert(JSON.stringify(written).includes("novel"), name);
    assert(isOpen(written), name);
  }
});

Deno.test("a history keeps its text, its calls and its results through every other format", () => {
  const history = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Where is order 7?" },
    {
      role: "assistant",
      content: "I look.",
      toolCalls: [{ id: "c1", name: "track", arguments: '{"order":7}' }],
    },
    { role: "tool", toolCallId: "c1", content: "Customs" },
    { role: "assistant", content: "Customs has it." },
  ] as const;
  for (const [name, format] of Object.entries(FORMATS) as [string, Format<unknown, unknown>][]) {
    const read = format.parse(format.write(history));
    const textOf = (content: unknown): string =>
      Array.isArray(content)
        ? content.flatMap((part) => part.type === "text" ? [part.text] : []).join("")
        : `${content}`;
    assert.deepEqual(
      read.map((
        { role, content, toolCalls = [], toolCallId },
      ) => [role, textOf(content), toolCalls, toolCallId]),
      history.map((message) => [
        message.role,
        message.content,
        "toolCalls" in message ? message.toolCalls : [],
        "toolCallId" in message ? message.toolCallId : undefined,
      ]),
      name,
    );
  }
});

Deno.test("parse takes what is no JSON as JSON would have it, and refuses what has no end", () => {
  const strange = { a: [() => 1, undefined], b: undefined, c: () => 1, d: new Date(0), e: 7n, f: NaN, g: -0 };
  const [message] = openaiChat.parse([{ role: "user", content: [{ type: "novel", strange }] }]);
  assert.deepEqual(openaiChat.write([message!])[0]?.content, [{
    type: "novel",
    strange: { a: [null, null], d: "1970-01-01T00:00:00.000Z", e: "7", f: null, g: 0 },
  }]);
  const round: Record<string, unknown> = { role: "user" };
  round.content = round;
  let doubled: unknown[] = [];
  for (let level = 0; level < 60; level++) doubled = [doubled, doubled];
  for (const format of [aiSdkModel, aiSdkUi, langchain, openaiChat, openaiResponses]) {
    assert.throws(() => format.parse([{ role: "user" }, round]), { code: "CONTRACT" });
    assert.throws(() => format.parse([{ role: "user", content: doubled }]), { code: "CONTRACT" });
  }
  assert.throws(() => anthropicMessages.parse({ system: doubled as object[], messages: [] }), {
    field: "system",
  });
});
