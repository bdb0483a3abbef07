/** The golden values of conversations, and the scope, turns, pins, summary and chunks that stand behind them. */

import type { Chunk } from "../../src/contracts/chunk.ts";
import { type Pin, pin } from "../../src/contracts/pin.ts";
import type { Scope } from "../../src/contracts/scope.ts";
import type { SourceRef } from "../../src/contracts/source_ref.ts";
import { type Summary, summaryFromHistory } from "../../src/contracts/summary.ts";
import { type TimedTurn, type Turn, turn } from "../../src/contracts/turn.ts";

/** A text and its digest. */
export interface CanonicalVector {
  readonly name: string;
  readonly text: string;
  readonly sha256: string;
}

/** A time text and its offset. */
export interface TimeVector {
  readonly utc_offset_seconds: number;
  readonly text: string;
}

/** A chunk of turn t1, at 4 characters with an overlap of 1. */
export interface ChunkVector {
  readonly id: string;
  readonly message: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface Vectors {
  readonly canonical: readonly CanonicalVector[];
  readonly isoformat: readonly TimeVector[];
  readonly chunks_4_1_of_t1: readonly ChunkVector[];
}

/** The file's text: reading it with `JSON.parse` loses which numbers are floats. */
export const VECTORS_TEXT = Deno.readTextFileSync(new URL("./conversation.json", import.meta.url));

/** The golden values. */
export const VECTORS: Vectors = JSON.parse(VECTORS_TEXT);

/** The golden value of a name. */
export function canonicalVector(name: string): CanonicalVector {
  const found = VECTORS.canonical.find((vector) => vector.name === name);
  if (found === undefined) throw new Error(`No vector is named ${name}`);
  return found;
}

/** The scope of every object here: text that JSON escapes, and text that it does not. */
export const SCOPE: Scope = { tenantId: "ténant", sessionId: 's\u2028"\\/\u0001\u007f' };

/** Turn t1: three messages, a call and its result. */
export const T1: TimedTurn = turn({
  turnId: "t1",
  scope: SCOPE,
  messages: [
    { messageId: "m1", role: "user", content: "Hello 🌍\n" },
    {
      messageId: "m2",
      role: "assistant",
      content: "",
      toolCalls: [{ id: "c1", name: "lookup", arguments: '{ "q": "తెలుగు", "n": 1.0 }' }],
    },
    { messageId: "m3", role: "tool", content: "résult", toolCallId: "c1" },
  ],
  timestamp: "2026-09-08T01:02:03.456+05:30",
}) as TimedTurn;

/** Turn t2: an empty system message, at revision 3. */
export const T2: TimedTurn = turn({
  turnId: "t2",
  scope: SCOPE,
  messages: [{ messageId: "m4", role: "system", content: "" }],
  revision: 3,
  timestamp: "2026-09-08T00:00:00Z",
}) as TimedTurn;

/** "Hello" of message m1. */
export const HELLO: SourceRef = {
  scope: SCOPE,
  turnId: "t1",
  messageId: "m1",
  revision: 1,
  start: 0,
  end: 5,
  messageHash: "100c8395da9685d6bb109dd160ba11fdadb0816e25384a29d8fbe0f51498f9c4",
};

/** The pin with source and expiry. */
export const PIN: Pin = pin({
  scope: SCOPE,
  key: "key",
  value: "välue",
  origin: "app",
  revision: 2,
  effectiveAt: "2026-09-08T00:00:00Z",
  expiresAt: "2026-09-09T01:02:03.456+05:30",
  source: HELLO,
});

/** The pin without. */
export const BARE_PIN: Pin = pin({
  scope: SCOPE,
  key: "a",
  value: "b",
  origin: "c",
  effectiveAt: "2026-09-08T00:00:00Z",
});

/** The summary of both turns. */
export const SUMMARY: Summary = summaryFromHistory({
  scope: SCOPE,
  content: "summary text",
  history: [T1, T2],
  policyVersion: "v1",
  createdAt: "2026-09-08T00:00:00Z",
  expiresAt: "2026-09-08T01:00:00Z",
});

/** The chunks of turn t1, in the order of the vectors. */
export function chunksOf(turn: Turn, contentHash: (content: string) => string): readonly Chunk[] {
  return VECTORS.chunks_4_1_of_t1.map(({ id, message, start, end, text }) => {
    const content = turn.messages.find(({ messageId }) => messageId === message)?.content ?? "";
    const source = { ...HELLO, messageId: message, start, end, messageHash: contentHash(content) };
    return { chunkId: id, source, content: text, chunkerVersion: "characters-v1:4:1" };
  });
}
