import assert from "node:assert/strict";
import {
  canonicalJson,
  type CanonicalObject,
  type CanonicalValue,
  Float,
} from "../../src/canonical/canonical_json.ts";
import {
  appendInputDigest,
  chunkId,
  configFingerprint,
  contentHash,
  digest,
  historyDigest,
  inputDigest,
  pinDigest,
  putTurnInputDigest,
  requestFingerprint,
  summaryDigest,
} from "../../src/contracts/digest.ts";
import { encodeRetrieval, encodeScope, encodeTurn } from "../../src/contracts/payload.ts";
import { sha256Hex } from "../../src/canonical/sha256.ts";
import { readStrictJson } from "../../src/canonical/strict_json.ts";
import { keyedPins } from "../../src/contracts/keyed_pins.ts";
import type { TimedPin } from "../../src/contracts/pin.ts";
import { unpackPin, unpackTurn } from "../../src/contracts/stored/unpack.ts";
import { toScope } from "../../src/contracts/scope.ts";
import { turn } from "../../src/contracts/turn.ts";
import {
  BARE_PIN,
  canonicalVector,
  chunksOf,
  HELLO,
  PIN,
  SCOPE,
  SUMMARY,
  T1,
  T2,
  VECTORS,
  VECTORS_TEXT,
} from "../vectors/conversation.ts";
import {
  chunkPayload,
  chunkSetDigest,
  snapshotDigest,
  turnContentHash,
} from "../vectors/hashed_elsewhere.ts";

const PINS = keyedPins(SCOPE, [PIN as TimedPin, BARE_PIN as TimedPin]);
const CHUNKS = chunksOf(T1, (content) => contentHash({ content }));
const [CHUNK = assert.fail()] = CHUNKS;

const RETRIEVAL = {
  chunkCharacters: 360,
  overlapCharacters: 80,
  topK: 4,
  minimumScore: 0,
  k1: 1.5,
  b: 0.75,
  recoverCappedWindow: false,
};

const EXPIRY = "2026-09-08T01:02:03.456000+05:30";

const DIGESTS: Readonly<Record<string, () => string>> = {
  "turn t1 payload; digest(turn)": () => sha256Hex(encodeTurn(T1)),
  "turn t2 payload": () => sha256Hex(encodeTurn(T2)),
  "pin payload": () => pinDigest(PIN),
  "pin without source/expiry": () => pinDigest(BARE_PIN),
  "summary payload": () => summaryDigest(SUMMARY),
  "chunk payload": () => digest(chunkPayload(CHUNK)),
  "RetrievalConfig() profile": () => sha256Hex(encodeRetrieval(RETRIEVAL)),
  "RetrievalConfig(chunk_characters=400,overlap_characters=40,k1=1.2,recover_capped_window=True)": () =>
    sha256Hex(encodeRetrieval({
      ...RETRIEVAL,
      chunkCharacters: 400,
      overlapCharacters: 40,
      k1: 1.2,
      recoverCappedWindow: true,
    })),
  "operation digest preimage, no expiry": () => putTurnInputDigest(T1, null),
  "operation digest preimage, expiry": () => putTurnInputDigest(T1, EXPIRY),
  "snapshot id preimage (epoch e0, revision 7, both pins, summary)": () =>
    snapshotDigest({
      epoch: "e0",
      scope: SCOPE,
      revision: 7,
      turns: [T1, T2],
      pins: PINS,
      summary: SUMMARY,
    }),
  "snapshot id preimage (empty)": () =>
    snapshotDigest({
      epoch: "e0",
      scope: SCOPE,
      revision: 0,
      turns: [],
      pins: keyedPins(SCOPE, []),
      summary: null,
    }),
  "Turn.content_hash preimage t1": () => turnContentHash(T1),
  "history_digest preimage (t1,t2)": () => historyDigest([T1, T2]),
  "history_digest preimage (empty)": () => historyDigest([]),
  "chunk id preimage": () => chunkId({ ...HELLO, end: 4 }, "characters-v1:4:1"),
  "coverage chunks_hash preimage (chunks of t1 at 4/1)": () => chunkSetDigest(CHUNKS),
  "message content_hash preimage = raw content": () => contentHash({ content: "Hello 🌍\n" }),
};

for (const [name, compute] of Object.entries(DIGESTS)) {
  Deno.test(`the digest of the reference is reproduced: ${name}`, () => {
    assert.equal(compute(), canonicalVector(name).sha256);
  });
}

for (const { name, text, sha256 } of VECTORS.canonical) {
  Deno.test(`the canonical text of the reference stays as it is, and has its digest: ${name}`, () => {
    assert.equal(sha256Hex(text), sha256);
    if (name.startsWith("message content_hash")) return;
    assert.equal(canonicalJson(readStrictJson(text)), text);
    assert.equal(digest(readStrictJson(text)), sha256);
  });
}

for (const { id, message, start, end } of VECTORS.chunks_4_1_of_t1) {
  Deno.test(`the chunk id of the reference is reproduced: ${message} ${start} to ${end}`, () => {
    const source = CHUNKS.find((chunk) => chunk.chunkId === id)?.source ?? assert.fail();
    assert.equal(chunkId(source, "characters-v1:4:1"), id);
  });
}

const NO_FACTS = { timestamp: null, metadata: null, subject: null, skipsDuplicates: false };

Deno.test("historyDigest() hashes each turn's messages as the reference does", () => {
  const { sha256 } = canonicalVector("Turn.content_hash preimage t1");
  const entry = [readStrictJson(encodeScope(SCOPE)), T1.turnId, T1.revision, T1.timestamp, sha256];
  assert.equal(historyDigest([T1]), digest([entry]));
});

Deno.test("putTurnInputDigest() treats an open timestamp as null, and an omitted expiry as keep", () => {
  const { timestamp: _, ...open } = T1;
  const digests = [
    putTurnInputDigest(turn(open), null),
    putTurnInputDigest(turn(open), "keep"),
    putTurnInputDigest(T1, null),
    putTurnInputDigest(T1, "keep"),
  ];
  assert.equal(new Set(digests).size, 4);
  assert.equal(
    putTurnInputDigest(turn(open), "keep"),
    putTurnInputDigest(turn({ ...open, timestamp: null }), "keep"),
  );
});

Deno.test("appendInputDigest() compares messages and expiry, and treats a missing message id as null", () => {
  const [message = assert.fail()] = T1.messages;
  const { messageId: _, ...unnamed } = message;
  const digests = [
    appendInputDigest([unnamed], "keep", NO_FACTS),
    appendInputDigest([message], "keep", NO_FACTS),
    appendInputDigest([message], null, NO_FACTS),
    appendInputDigest([message], EXPIRY, NO_FACTS),
  ];
  assert.equal(new Set(digests).size, 4);
});

Deno.test("appendInputDigest() compares time, metadata and what becomes of duplicates, and leaves out what is absent", () => {
  const [message = assert.fail()] = T1.messages;
  const digests = [
    appendInputDigest([message], null, NO_FACTS),
    appendInputDigest([message], null, { ...NO_FACTS, timestamp: EXPIRY }),
    appendInputDigest([message], null, { ...NO_FACTS, metadata: {} }),
    appendInputDigest([message], null, { ...NO_FACTS, skipsDuplicates: true }),
  ];
  assert.equal(new Set(digests).size, 4);
});

type Tree = CanonicalObject;

const JOBS = (readStrictJson(VECTORS_TEXT) as { readonly assemble: readonly Tree[] }).assemble;

function numberOf(value: CanonicalValue | undefined): number {
  return value instanceof Float ? value.value : Number(value);
}

for (const { job, result } of JOBS as readonly { readonly job: Tree; readonly result: Tree }[]) {
  const diagnostics = result.diagnostics as Tree | undefined;
  if (diagnostics === undefined) continue;
  Deno.test(`the fingerprints of the reference are reproduced: ${job.name}`, () => {
    const history = (job.history as readonly Tree[]).map((stored) => unpackTurn(canonicalJson(stored)));
    assert.equal(historyDigest(history), diagnostics.history_fingerprint);
    assert.equal(
      requestFingerprint(canonicalJson(result.request ?? null)),
      (diagnostics.estimate as Tree).request_fingerprint,
    );
    assert.equal(
      configFingerprint(configurationOf(job, diagnostics.estimate as Tree)),
      diagnostics.config_fingerprint,
    );
    if ((job.options as Tree).cap === true) return;
    const scope = unpackScope(job.scope as Tree);
    const pins = keyedPins(
      scope,
      (job.pins as readonly Tree[]).map((stored) => unpackPin(canonicalJson(stored))),
    );
    const question = { messageId: "current-question", role: "user" as const, content: String(job.question) };
    const original = historyDigest(history);
    assert.equal(
      inputDigest({ scope, original, working: original, pins, question }),
      diagnostics.input_fingerprint,
    );
  });
}

function unpackScope(stored: Tree): ReturnType<typeof toScope> {
  return toScope({ tenantId: stored.tenant_id, sessionId: stored.session_id });
}

function configurationOf(job: Tree, estimate: Tree): Parameters<typeof configFingerprint>[0] {
  const { budget, cap, retrieval, options } = job as Readonly<Record<string, Tree>>;
  assert(budget && cap && retrieval && options);
  const isOn = (name: string): boolean => options[name] === true;
  return {
    budget: {
      maxInputTokens: numberOf(budget.input_cap),
      contextWindow: numberOf(budget.model_capacity),
      maxOutputTokens: numberOf(budget.completion_reservation),
      retrievalReserve: isOn("retrieve") ? numberOf(budget.retrieval_reserve) : 0,
      summaryReserve: isOn("summarize") ? numberOf(budget.summary_reserve) : 0,
      providerInputCap: budget.provider_input_cap === null ? null : numberOf(budget.provider_input_cap),
    },
    cap: {
      maxTokens: numberOf(cap.max_tokens),
      headTokens: numberOf(cap.head_tokens),
      tailTokens: numberOf(cap.tail_tokens),
    },
    retrieval: {
      chunkCharacters: numberOf(retrieval.chunk_characters),
      overlapCharacters: numberOf(retrieval.overlap_characters),
      topK: numberOf(retrieval.top_k),
      minimumScore: numberOf(retrieval.minimum_score),
      k1: numberOf(retrieval.k1),
      b: numberOf(retrieval.b),
      recoverCappedWindow: retrieval.recover_capped_window === true,
    },
    options: {
      cap: isOn("cap"),
      pins: isOn("pins"),
      retrieve: isOn("retrieve"),
      summarize: isOn("summarize"),
    },
    counting: {
      tokenizer: String(estimate.tokenizer_name),
      version: String(estimate.tokenizer_version),
      serializer: String(estimate.serializer_name),
      factor: numberOf(estimate.calibration_factor),
      overhead: numberOf(estimate.adapter_overhead_tokens),
    },
  };
}
