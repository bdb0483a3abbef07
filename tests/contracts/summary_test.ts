import assert from "node:assert/strict";
import { historyDigest } from "../../src/contracts/digest.ts";
import { instantOf } from "../../src/canonical/time.ts";
import { matches, summaryFromHistory, toSummary } from "../../src/contracts/summary.ts";
import { type TimedTurn, turn } from "../../src/contracts/turn.ts";
import { HELLO, SCOPE, SUMMARY, T1, T2 } from "../vectors/conversation.ts";
import { refuses } from "./refusal.ts";

const INPUT = {
  scope: SCOPE,
  content: "",
  history: [T1, T2],
  policyVersion: "v1",
  createdAt: "2026-09-08T00:00:00Z",
};

const AT = instantOf("2026-09-08T00:30:00+00:00");
const OTHER = { tenantId: "other", sessionId: "s" };

Deno.test("summaryFromHistory() binds itself to the turns, their content and their order", () => {
  const summary = summaryFromHistory(INPUT);
  assert.equal(summary.historyFingerprint, historyDigest([T1, T2]));
  assert.deepEqual(summary.coveredTurnIds, ["t1", "t2"]);
  assert.deepEqual(summary.sources.map(({ messageId, start, end }) => [messageId, start, end]), [
    ["m1", 0, 8],
    ["m3", 0, 6],
  ]);
  for (const part of [summary, summary.sources, summary.coveredTurnIds]) assert(Object.isFrozen(part));
});

Deno.test("summaryFromHistory() takes plain turns, and an empty history", () => {
  const plain = { ...T2, timestamp: new Date(Date.UTC(2026, 8, 8)) };
  const { historyFingerprint } = summaryFromHistory({ ...INPUT, history: [plain] });
  assert.equal(historyFingerprint, historyDigest([T2]));
  assert.deepEqual(summaryFromHistory({ ...INPUT, history: [] }).coveredTurnIds, []);
});

const { timestamp: _, ...OPEN } = T1;

const REFUSED: readonly [rule: string, field: string, change: Record<string, unknown>][] = [
  ["no scope", "scope", { scope: undefined }],
  ["content that is no text", "content", { content: null }],
  ["history that is no list", "history", { history: "secret" }],
  ["a turn of another scope", "history[1].scope", { history: [T1, turn({ ...T2, scope: OTHER })] }],
  ["a turn without a timestamp", "history[0].timestamp", { history: [turn(OPEN)] }],
  ["a turn twice", "history[1].turnId", { history: [T1, T1] }],
  ["what is no turn", "history[0].messages", { history: [{ ...T1, messages: [] }] }],
  ["a blank policy version", "policyVersion", { policyVersion: " " }],
  ["no creation time", "createdAt", { createdAt: undefined }],
  ["an expiry at creation", "expiresAt", { expiresAt: "2026-09-08T00:00:00Z" }],
  ["an unexpected field", "extra", { extra: "secret" }],
];

for (const [rule, field, change] of REFUSED) {
  Deno.test(`summaryFromHistory() refuses ${rule}`, () => {
    refuses(field, () => summaryFromHistory({ ...INPUT, ...change }));
  });
}

const PLAIN = structuredClone(SUMMARY);
const [FIRST = assert.fail()] = SUMMARY.sources;

const REFUSED_PLAIN: readonly [rule: string, field: string, change: Record<string, unknown>][] = [
  ["a blank fingerprint", "historyFingerprint", { historyFingerprint: "" }],
  ["a blank covered id", "coveredTurnIds[1]", { coveredTurnIds: ["t1", " "] }],
  ["a covered id twice", "coveredTurnIds[1]", { coveredTurnIds: ["t1", "t1"] }],
  ["a source of a turn that is not covered", "sources[0]", { coveredTurnIds: ["t2"] }],
  ["a source of another scope", "sources[1]", { sources: [FIRST, { ...HELLO, scope: OTHER }] }],
  ["a source that is none", "sources[0].end", { sources: [{ ...HELLO, end: 0 }] }],
  ["an expiry before creation", "expiresAt", { expiresAt: "2026-09-07T23:59:59.999999Z" }],
];

for (const [rule, field, change] of REFUSED_PLAIN) {
  Deno.test(`toSummary() refuses ${rule}`, () => {
    refuses(`summary.${field}`, () => toSummary({ ...PLAIN, ...change }));
  });
}

Deno.test("toSummary() takes any text as fingerprint, and gives back what was made here", () => {
  assert.equal(toSummary({ ...PLAIN, historyFingerprint: "any" }).historyFingerprint, "any");
  assert.equal(toSummary(SUMMARY), SUMMARY);
  assert.deepEqual(toSummary(PLAIN), SUMMARY);
});

Deno.test("matches() is true for exactly the covered history, while the summary lives", () => {
  assert.equal(matches(SUMMARY, [T1, T2], SCOPE, AT), true);
  const revised = turn({ ...T2, revision: 4 }) as TimedTurn;
  const edited = turn({ ...T2, messages: [{ messageId: "m4", role: "system", content: "x" }] }) as TimedTurn;
  const histories: readonly (readonly TimedTurn[])[] = [[T2, T1], [T1], [T1, T2, revised], [T1, revised], [
    T1,
    edited,
  ], []];
  for (const history of histories) assert.equal(matches(SUMMARY, history, SCOPE, AT), false);
  assert.equal(matches(SUMMARY, [T1, T2], OTHER, AT), false);
});

Deno.test("matches() is false when a source does not extract, though the fingerprint fits", () => {
  const wrong = toSummary({ ...PLAIN, sources: [{ ...HELLO, messageHash: "0".repeat(64) }] });
  assert.equal(matches(wrong, [T1, T2], SCOPE, AT), false);
});

Deno.test("a summary counts from its creation to before its expiry", () => {
  const table: readonly [string, boolean][] = [
    ["2026-09-07T23:59:59.999999+00:00", false],
    ["2026-09-08T00:00:00+00:00", true],
    ["2026-09-08T00:59:59.999999+00:00", true],
    ["2026-09-08T01:00:00+00:00", false],
  ];
  for (const [at, current] of table) {
    assert.equal(matches(SUMMARY, [T1, T2], SCOPE, instantOf(at)), current, at);
  }
  const lasting = summaryFromHistory(INPUT);
  assert.equal(matches(lasting, INPUT.history, SCOPE, instantOf("9999-01-01T00:00:00+00:00")), true);
});
