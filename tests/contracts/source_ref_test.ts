import assert from "node:assert/strict";
import { contentHash } from "../../src/contracts/digest.ts";
import { toChunk, validateSource } from "../../src/contracts/chunk.ts";
import { toPin } from "../../src/contracts/pin.ts";
import { extract, wholeMessage } from "../../src/contracts/source_ref.ts";
import { turn } from "../../src/contracts/turn.ts";
import { chunksOf, HELLO, SCOPE, T1, T2 } from "../vectors/conversation.ts";
import { refuses } from "./refusal.ts";

Deno.test("extract() counts in code points and cuts no character in two", () => {
  assert.equal(extract(HELLO, T1), "Hello");
  assert.equal(extract({ ...HELLO, start: 6, end: 7 }, T1), "🌍");
  assert.equal(extract({ ...HELLO, start: 7, end: 8 }, T1), "\n");
});

const MISMATCHES: readonly [title: string, field: string, change: Record<string, unknown>][] = [
  ["another scope", "scope", { scope: { ...SCOPE, tenantId: "other" } }],
  ["another turn", "turnId", { turnId: "t2" }],
  ["another revision", "revision", { revision: 2 }],
  ["a message the turn does not have", "messageId", { messageId: "secret" }],
  ["the hash of other content", "messageHash", { messageHash: "0".repeat(64) }],
  ["a range beyond the message", "end", { end: 9 }],
];

for (const [title, field, change] of MISMATCHES) {
  Deno.test(`extract() refuses ${title}`, () => {
    refuses(`source.${field}`, () => extract({ ...HELLO, ...change }, T1));
    refuses(`pin.source.${field}`, () => extract({ ...HELLO, ...change }, T1, "pin.source"));
  });
}

Deno.test("wholeMessage() covers the content, and is null where there is none", () => {
  const [greeting = assert.fail(), call = assert.fail()] = T1.messages;
  assert.deepEqual(wholeMessage(T1, greeting), { ...HELLO, end: 8 });
  assert.equal(wholeMessage(T1, call), null);
});

Deno.test("what a pin's source lacks is named", () => {
  const { messageId: _, ...source } = HELLO;
  refuses("pin.source.messageId", () => toPin({ scope: SCOPE, key: "k", value: "v", origin: "app", source }));
});

Deno.test("validateSource() proves every chunk against its turn", () => {
  for (const chunk of chunksOf(T1, (content) => contentHash({ content }))) validateSource(toChunk(chunk), T1);
});

Deno.test("validateSource() refuses other text and another turn", () => {
  const chunk = toChunk({ chunkId: "c", source: HELLO, content: "Hallo", chunkerVersion: "v" });
  refuses("chunk.content", () => validateSource(chunk, T1));
  refuses("chunk.source.turnId", () => validateSource(chunk, T2));
  const revised = turn({ ...T1, revision: 2 });
  refuses("chunk.source.revision", () => validateSource(chunk, revised));
});

Deno.test("toChunk() wants text that is not blank and as long as its source says, in code points", () => {
  const chunk = { chunkId: "c", source: { ...HELLO, start: 6, end: 7 }, content: "🌍", chunkerVersion: "v" };
  assert(Object.isFrozen(toChunk(chunk)));
  refuses("chunk.content", () => toChunk({ ...chunk, content: "🌍🌍" }));
  refuses("chunk.content", () => toChunk({ ...chunk, content: " " }));
  refuses("chunk.chunkId", () => toChunk({ ...chunk, chunkId: "" }));
  refuses("chunk.chunkerVersion", () => toChunk({ ...chunk, chunkerVersion: "" }));
  refuses("chunk.source.end", () => toChunk({ ...chunk, source: { ...HELLO, end: 0 } }));
});
