/** The calls from inside which another is made: every operation of the matrices, and those that take more of a caller's code. */

import { assembleContext, type Memory, turn } from "@holdfast/memory";
import { prepareTalk, talkOf } from "../faults/conversation_operations.ts";
import { PUBLIC_OPERATIONS } from "../faults/public_operations.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";
import type { Callbacks } from "./callbacks.ts";
import { ORCHARD } from "../conversations/samples.ts";

/** One call. */
export interface OuterCall {
  readonly name: string;
  readonly prepare: (memory: Memory) => Promise<unknown>;
  readonly laterMs?: number | undefined;
  readonly closes?: boolean | undefined;
  readonly run: (memory: Memory, callbacks: Callbacks) => Promise<unknown>;
}

const WATCHED = { tenantId: "orchard", kind: "watched", key: "a" } as const;

async function prepareWatched(memory: Memory): Promise<void> {
  await prepareTalk(memory);
  await memory.records.put(WATCHED, 1, { expectedRevision: null, ttl: 3_600 });
}

async function copyTo(copy: (file: string) => Promise<unknown>): Promise<unknown> {
  await using directory = await TemporaryDirectory.makeInMemory();
  return await copy(directory.file("copy.db"));
}

/** Calls that take a schema, a counter, a policy, a change, progress, lines or a proxy. */
const TAKING: readonly OuterCall[] = [
  {
    name: "a put of a kind of the caller's",
    prepare: prepareTalk,
    run: ({ records }, callbacks) =>
      records.put(WATCHED, 1, callbacks.proxy({ expectedRevision: null, ttl: 60 })),
  },
  {
    name: "a get of a kind of the caller's",
    prepare: prepareWatched,
    run: ({ records }, callbacks) => records.get(callbacks.proxy(WATCHED)),
  },
  {
    name: "a list of a kind of the caller's",
    prepare: prepareWatched,
    run: ({ records }, callbacks) =>
      records.of(callbacks.kind).list("orchard", callbacks.proxy({ limit: 1 })),
  },
  {
    name: "a read of several records of a kind of the caller's",
    prepare: prepareWatched,
    run: ({ records }, { kind }) => records.of(kind).getMany("orchard", ["a", "a"]),
  },
  {
    name: "an update",
    prepare: prepareWatched,
    run: ({ records }, { change }) => records.update<"watched", number>(WATCHED, change, { ttl: 60 }),
  },
  {
    name: "an import of a kind of the caller's from a generator",
    prepare: async (memory) => {
      await prepareWatched(memory);
      watchedLines = await Array.fromAsync(memory.exportLines({ includeContent: true }));
    },
    run: (memory, callbacks) => memory.importLines(callbacks.lines(watchedLines)),
  },
  {
    name: "an assembly with a counter of the caller's",
    prepare: prepareTalk,
    run: (memory, { counter }) =>
      talkOf(memory).assemble("t1", { maxInputTokens: 60 }, { system: "S", counting: { counter } }),
  },
  {
    name: "an assembly in memory with a policy",
    prepare: prepareTalk,
    run: async (memory, { getSummary, counter }) => {
      await memory.deletionWatermark();
      const messages = [{ messageId: "m", role: "user" as const, content: "word ".repeat(90) }];
      const history = [turn({ turnId: "t", scope: ORCHARD, messages, timestamp: "2026-01-01T00:00:00Z" })];
      const input = { scope: ORCHARD, history, question: "q", system: "S", budget: { maxInputTokens: 60 } };
      return await assembleContext({ ...input, summaryPolicy: { getSummary }, counting: { counter } });
    },
  },
  {
    name: "an append of messages that are a proxy",
    prepare: prepareTalk,
    run: (memory, callbacks) => {
      const message = { messageId: "own", role: "user" as const, content: "rain" };
      return talkOf(memory).append([message], callbacks.proxy({ operationId: "proxied" }));
    },
  },
  {
    name: "a check",
    prepare: prepareWatched,
    run: (memory, { onProgress }) => memory.check({ onProgress }),
  },
  {
    name: "a prune that reports",
    prepare: prepareWatched,
    run: (memory, { onProgress }) => memory.prune({ onProgress }),
  },
  {
    name: "a backup that reports",
    prepare: prepareWatched,
    run: (memory, { onProgress }) => copyTo((file) => memory.backup(file, { onProgress })),
  },
];

/** An export from before the inner calls' content: it would bring back what they take off a journal, which is no deletion. */
let watchedLines: readonly string[] = [];

/** See the module's documentation. */
export const OUTER_CALLS: readonly OuterCall[] = [
  ...PUBLIC_OPERATIONS.map((operation) => ({
    ...operation,
    run: (memory: Memory, callbacks: Callbacks) => operation.run(memory, callbacks.signal()),
  })),
  ...TAKING,
];
