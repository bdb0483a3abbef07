/** Every public call with good arguments, each optional one included, so that a test can spoil them one by one. */

import { z } from "zod";
import {
  assembleContext,
  type ChunkIndex,
  type Conversation,
  defaultTokenCounter,
  defineKind,
  frozenSummary,
  type Journal,
  type Memory,
  nodeSqlite,
  openMemory,
  pin,
  restoreMemory,
  type Snapshot,
  type Summary,
  summaryFromHistory,
  type TimedTurn,
  type TokenCounter,
  type Transaction,
  turn,
} from "@holdfast/memory";

/** One call. */
export interface PublicCall {
  /** `Class.method`, or a function's name. */
  readonly name: string;
  /** Good arguments. */
  readonly given: readonly unknown[];
  /** Makes the call, to its end. */
  readonly call: (...given: never[]) => unknown;
}

/** What the calls are made on. */
export interface Stage {
  readonly memory: Memory;
  readonly conversation: Conversation;
  readonly snapshot: Snapshot;
  readonly history: readonly TimedTurn[];
  readonly chunkIndex: ChunkIndex;
  readonly summary: Summary;
  /** What exporting the store gave. */
  readonly lines: readonly string[];
  readonly path: string;
}

const SCOPE = { tenantId: "orchard", sessionId: "spring" };
const AT = "2026-03-01T09:00:00+00:00";
const IDENTITY = { tenantId: "orchard", kind: "checkpoint", key: "run-a" };
const PLAN = defineKind("plan", z.strictObject({ items: z.array(z.string()) }));
const PLACE = { tenantId: "orchard", key: "run-a" };
const MESSAGES = [
  {
    messageId: "m1",
    role: "assistant",
    content: "",
    toolCalls: [{ id: "c", name: "n", arguments: "{}" }],
  },
  { messageId: "m2", role: "tool", content: "Dry.", toolCallId: "c" },
];
const QUESTION = { messageId: "q", role: "user", content: "When?", toolCalls: [] };
const TURN = { turnId: "t1", scope: SCOPE, messages: MESSAGES, revision: 1, timestamp: new Date(AT) };
const SOURCE = {
  ...{ scope: SCOPE, turnId: "t1", messageId: "m2", revision: 1, start: 0, end: 4 },
  messageHash: "0".repeat(64),
};
const PIN = {
  ...{ scope: SCOPE, key: "frost", value: "Cover the pears.", origin: "forecast", revision: 1 },
  ...{ effectiveAt: AT, expiresAt: "2036-03-01T09:00:00Z", source: null },
};
const COUNTER: TokenCounter = { name: "letters", version: "1", countText: (text) => text.length };
const TOOLS = [{ name: "weather", description: "Tells the weather.", parametersJson: "{}" }];
const RETRIEVAL = { chunkCharacters: 360, overlapCharacters: 80, topK: 4 };
const ASSEMBLY = {
  ...{ system: "Answer.", profile: "holdfast", retrieval: RETRIEVAL, cap: { maxTokens: 400 }, tools: TOOLS },
  ...{ counting: { counter: COUNTER }, options: { cap: true }, summaryPrefix: true },
};
const BUDGET = { maxInputTokens: 3_000, maxOutputTokens: 256 };
const EXPIRES_AT = new Date("2036-03-01T09:00:00Z");

/** An open store with one turn, and what was read of it. */
export async function setStage(path: string): Promise<Stage> {
  const memory = await openMemory(path, { kinds: [PLAN] });
  const conversation = memory.conversation(SCOPE);
  await conversation.append([{ role: "user", content: "The pears were grafted in March." }]);
  const snapshot = await conversation.snapshot();
  const history = await Array.fromAsync(conversation.turns({ snapshot }));
  const made = { content: "Pears.", policyVersion: "1", createdAt: snapshot.at };
  const summary = summaryFromHistory({ scope: SCOPE, history, ...made });
  await conversation.indexBatch(snapshot);
  const chunkIndex = await conversation.chunkIndex(snapshot);
  const lines = await Array.fromAsync(memory.exportLines({ includeContent: true }));
  return { memory, conversation, snapshot, history, chunkIndex, summary, lines, path };
}

function signal(): AbortSignal {
  return new AbortController().signal;
}

function pureCalls({ snapshot, summary, history, chunkIndex }: Stage): readonly PublicCall[] {
  const plain = history.map((each) => ({
    ...each,
    messages: each.messages.map((message) => ({ ...message })),
  }));
  const input = {
    ...{ ...ASSEMBLY, scope: SCOPE, history: plain, question: QUESTION, pins: [PIN], budget: BUDGET, at: AT },
    summaryPolicy: { getSummary: () => null },
    chunkIndex: { ...chunkIndex, chunks: chunkIndex.chunks.map((chunk) => ({ ...chunk })) },
    signal: signal(),
  };
  const summarized = {
    scope: SCOPE,
    content: "x",
    history: [TURN],
    policyVersion: "1",
    createdAt: snapshot.at,
  };
  return [
    { name: "turn", given: [TURN], call: turn },
    { name: "pin", given: [{ ...PIN, source: SOURCE }], call: pin },
    {
      name: "summaryFromHistory",
      given: [{ ...summarized, expiresAt: EXPIRES_AT }],
      call: summaryFromHistory,
    },
    { name: "frozenSummary", given: [{ ...summary }], call: frozenSummary },
    {
      name: "defineKind",
      given: ["note", { "~standard": { validate: () => ({ value: 1 }) } }, {
        version: 2,
        migrate: () => 1,
        maxBytes: 9,
        ttlMax: null,
        identifiers: "text",
      }],
      call: defineKind,
    },
    { name: "assembleContext", given: [input], call: assembleContext },
    { name: "defaultTokenCounter", given: [], call: defaultTokenCounter },
  ];
}

async function closed(opened: Promise<Memory>): Promise<void> {
  await (await opened).close();
}

function openingCalls({ path }: Stage): readonly PublicCall[] {
  const options = {
    ...{ clock: Date.now, driver: { name: nodeSqlite.name, open: nodeSqlite.open.bind(nodeSqlite) } },
    ...{
      kinds: [defineKind("note", z.string())],
      limits: { turnsPerScope: 9, bytesPerScope: 9, mediaBytesPerTurn: 9 },
    },
    ...{ busyTimeoutMs: 9, acceptClock: false, readOnly: false, onEvent: () => {} },
    deletionPath: `${path}.deletions`,
  };
  const lineage = "0".repeat(32);
  const watermark = { lineage, sequence: 0, head: "0".repeat(64) };
  const restoring = { ...options, watermark, signal: signal(), onProgress: () => {} };
  return [
    {
      name: "openMemory",
      given: [new URL(`file://${path}`), options],
      call: (...given: Parameters<typeof openMemory>) => closed(openMemory(...given)),
    },
    {
      name: "restoreMemory",
      given: [`${path}.backup`, `${path}.restored`, restoring],
      call: (...given: Parameters<typeof restoreMemory>) => closed(restoreMemory(...given)),
    },
  ];
}

function memoryCalls({ memory, lines }: Stage): readonly PublicCall[] {
  const progress = { signal: signal(), onProgress: () => {} };
  const counts = {
    turns: 0,
    pins: 0,
    summaries: 0,
    chunks: 0,
    postings: 0,
    replay: 0,
    operations: 0,
    journals: 0,
    entries: 0,
    media: 0,
  };
  const receipt = {
    ...{
      lineage: "0",
      sequence: 1,
      head: "0",
      kind: "turn",
      reserved: true,
      at: AT,
      already: false,
      scrubbed: false,
    },
    ...{ erased: counts, target: { tenantId: "0", sessionId: "0", key: "0" }, mac: "0" },
  };
  const list = (method: "backup" | "exportLedger"): PublicCall => ({
    name: `Memory.${method}`,
    given: ["/nowhere/at/all", progress],
    call: memory[method].bind(memory),
  });
  return [
    { name: "Memory.conversation", given: [SCOPE], call: memory.conversation.bind(memory) },
    { name: "Memory.journal", given: [SCOPE, "tools"], call: memory.journal.bind(memory) },
    {
      name: "Memory.search",
      given: [{ tenantId: SCOPE.tenantId }, "pears", {
        ...{ topK: 1, profile: "holdfast", retrieval: RETRIEVAL, after: AT, before: AT, roles: ["user"] },
        ...{ sessions: [SCOPE.sessionId], damaged: "error", signal: signal() },
      }],
      call: memory.search.bind(memory),
    },
    {
      name: "Memory.prune",
      given: [{ ...progress, scrub: false, acceptClock: false }],
      call: memory.prune.bind(memory),
    },
    {
      name: "Memory.verifyReceipt",
      given: [receipt, { ...SCOPE, key: "t1" }],
      call: memory.verifyReceipt.bind(memory),
    },
    {
      name: "Memory.transaction",
      given: [
        (transaction: Transaction) => {
          transaction.append(SCOPE, [{ role: "user", content: "pears" }], { onDuplicate: "skip" });
        },
        { operationId: "whole", signal: signal() },
      ],
      call: memory.transaction.bind(memory),
    },
    {
      name: "Memory.sessions",
      given: [SCOPE.tenantId, {
        ...{ order: "recent", subject: "gwen", after: "recent:1:1", limit: 9 },
        ...{ damaged: "error", signal: signal() },
      }],
      call: memory.sessions.bind(memory),
    },
    {
      name: "Memory.erase",
      given: [{ tenantId: "somebody else", subject: "gwen" }, {
        operationId: "op-erase",
        scrub: false,
        signal: signal(),
      }],
      call: memory.erase.bind(memory),
    },
    { name: "Memory.check", given: [progress], call: memory.check.bind(memory) },
    { name: "Memory.deletionWatermark", given: [], call: memory.deletionWatermark.bind(memory) },
    list("backup"),
    list("exportLedger"),
    {
      name: "Memory.inspect",
      given: [{ limit: 9, signal: signal() }],
      call: memory.inspect.bind(memory),
    },
    {
      name: "Memory.exportLines",
      given: [{ scope: SCOPE, includeContent: true, signal: signal() }],
      call: (...given: Parameters<Memory["exportLines"]>) => Array.fromAsync(memory.exportLines(...given)),
    },
    {
      name: "Memory.importLines",
      given: [[new TextEncoder().encode(lines[0]), ...lines.slice(1)], { signal: signal() }],
      call: memory.importLines.bind(memory),
    },
  ];
}

function recordCalls({ memory: { records } }: Stage): readonly PublicCall[] {
  const value = { schema: 1, step: 0, items: ["pears"] };
  const put = { expectedRevision: null, ttl: 60, now: 100, maxAge: 9, operationId: "op", signal: signal() };
  return [
    { name: "Records.put", given: [IDENTITY, value, put], call: records.put.bind(records) },
    {
      name: "Records.get",
      given: [IDENTITY, { now: 100, signal: signal() }],
      call: records.get.bind(records),
    },
    {
      name: "Records.update",
      given: [{ ...IDENTITY, key: "none" }, () => value, { ttl: 60, attempts: 1, signal: signal() }],
      call: records.update.bind(records),
    },
    {
      name: "Records.forget",
      given: [IDENTITY, 1, { revoke: false, operationId: "op-2", signal: signal() }],
      call: records.forget.bind(records),
    },
    {
      name: "Records.label",
      given: [{ ...IDENTITY, key: "none" }, "gwen", { signal: signal() }],
      call: records.label.bind(records),
    },
    {
      name: "Records.purge",
      given: ["orchard", { now: 9, signal: signal() }],
      call: records.purge.bind(records),
    },
    {
      name: "Records.list",
      given: ["orchard", { kind: "fact", limit: 9, signal: signal() }],
      call: records.list.bind(records),
    },
  ];
}

function kindCalls({ memory: { records } }: Stage): readonly PublicCall[] {
  const plans = records.of(PLAN);
  const value = { items: ["pears"] };
  const put = { expectedRevision: null, ttl: 60, now: 100, maxAge: 9, operationId: "op", signal: signal() };
  const listing = { prefix: "run", order: "newest", after: "newest:7", limit: 9, now: 9, signal: signal() };
  const of = <Name extends keyof typeof plans>(name: Name, ...given: unknown[]): PublicCall => ({
    name: `KindRecords.${name}`,
    given,
    call: (plans[name] as () => unknown).bind(plans),
  });
  return [
    { name: "Records.of", given: [PLAN], call: records.of.bind(records) },
    of("put", PLACE, value, put),
    of("get", PLACE, { now: 100, signal: signal() }),
    of("update", { ...PLACE, key: "none" }, () => value, { ttl: 60, attempts: 1, signal: signal() }),
    of("forget", PLACE, 1, { revoke: false, operationId: "op-2", signal: signal() }),
    of("list", "orchard", listing),
    of("getMany", "orchard", ["run-a"], { now: 9, signal: signal() }),
  ];
}

const MEDIA = { type: "media", mediaType: "image/png", ref: "0".repeat(64), bytes: 1 };

function conversationCalls({ conversation, snapshot, summary }: Stage): readonly PublicCall[] {
  const writing = { operationId: "op", expectedRevision: 1, expiresAt: EXPIRES_AT, signal: signal() };
  const { expiresAt: _, ...pinning } = writing;
  const { expectedRevision: _revision, ...adding } = writing;
  const reading = { signal: signal() };
  const of = <Name extends keyof Conversation>(name: Name, ...given: unknown[]): PublicCall => ({
    name: `Conversation.${name}`,
    given,
    call: (conversation[name] as () => unknown).bind(conversation),
  });
  return [
    of("create", reading),
    of("revision", reading),
    of("putTurn", TURN, writing),
    of("putPin", PIN, pinning),
    of("putSummary", snapshot, { ...summary }, { operationId: "op", signal: signal() }),
    of("append", MESSAGES, adding),
    of("snapshot", reading),
    {
      name: "Conversation.turns",
      given: [{ snapshot, last: 1, after: "t1", before: "t9", limit: 9, damaged: "error", signal: signal() }],
      call: (...given: Parameters<Conversation["turns"]>) => Array.fromAsync(conversation.turns(...given)),
    },
    of("describe", { title: "pears", metadata: { dry: [true] } }, reading),
    of("unpin", "none", { expectedRevision: 99, scrub: false, operationId: "op-unpin", signal: signal() }),
    of("turn", "t1", reading),
    of("media", "0".repeat(64), reading),
    of("withMedia", [{ messageId: "m", role: "user", content: [MEDIA] }], reading),
    of("assertCurrent", snapshot, reading),
    of("delete", { kind: "turn", key: "t9", expectedRevision: 99 }, {
      operationId: "op",
      scrub: false,
      signal: signal(),
    }),
    of("cachePut", snapshot, "weather", { dry: [true] }, { ttl: 9, signal: signal() }),
    of("cacheGet", snapshot, "weather", reading),
    of("indexBatch", snapshot, RETRIEVAL, { profile: "holdfast", batchSize: 9, signal: signal() }),
    of("chunkIndex", snapshot, RETRIEVAL, reading),
    of("search", "pears", { topK: 1, profile: "holdfast", retrieval: RETRIEVAL, signal: signal() }),
    of("assemble", QUESTION, BUDGET, { ...ASSEMBLY, signal: signal() }),
  ];
}

function journalCalls({ memory }: Stage): readonly PublicCall[] {
  const journal = memory.journal(SCOPE, "tools");
  const entries = [{ uuid: "e1", json: { pears: [1, null] } }];
  const writing = { operationId: "entries", expectedRevision: 0, signal: signal() };
  const erasing = { ...writing, operationId: "erase", scrub: false };
  const of = <Name extends keyof Journal>(name: Name, ...given: unknown[]): PublicCall => ({
    name: `Journal.${name}`,
    given,
    call: (journal[name] as () => unknown).bind(journal),
  });
  return [
    of("revision", { signal: signal() }),
    of("append", entries, writing),
    of("replaceSuffix", { from: 1, expectedRevision: 1 }, entries, {
      operationId: "suffix",
      signal: signal(),
    }),
    {
      name: "Journal.read",
      given: [{ last: 1, after: 0, before: 9, damaged: "error", signal: signal() }],
      call: (...given: Parameters<Journal["read"]>) => Array.fromAsync(journal.read(...given)),
    },
    of("pop", 1, { expectedRevision: 9, signal: signal() }),
    of("clear", erasing),
    of("delete", erasing),
  ];
}

/** All of them. */
export function publicCalls(stage: Stage): readonly PublicCall[] {
  return [pureCalls, openingCalls, memoryCalls, recordCalls, kindCalls, conversationCalls, journalCalls]
    .flatMap((
      calls,
    ) => calls(stage));
}
