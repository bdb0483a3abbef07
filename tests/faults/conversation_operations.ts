/** The operations on conversations that matrices strike. */

import type { Conversation, Memory } from "@holdfast/memory";
import {
  after,
  derive,
  erase,
  HARBOUR,
  ORCHARD,
  pinOf,
  pinUp,
  readTurns,
  summaryOf,
  talk,
  turnOf,
} from "../conversations/samples.ts";
import { prepareOthers } from "./record_operations.ts";
import type { StruckOperation } from "./struck_operation.ts";

/** The scope's revision after {@linkcode prepareTalk}. */
export const REVISION = 4;

/** The part of the scope's journal. */
export const TOOLS = "tools";

/** Two turns, both of them indexed, the first with all that derives from it; a journal; and another scope. */
export async function prepareTalk(memory: Memory): Promise<void> {
  await prepareOthers(memory);
  const conversation = await talk(memory, ["t1", "t2"]);
  await derive(conversation);
  await conversation.search("t1");
  for (const title of ["draft", "pears"]) await conversation.describe({ title });
  const entries = [{ json: { tool: "graft" } }, { uuid: "e2", json: { pears: "grafted" } }];
  await memory.journal(ORCHARD, TOOLS).append(entries);
  await talk(memory, ["h1"], HARBOUR);
}

/** One more turn, and a pin, a summary and a replay, all of which expire a minute later. */
export async function prepareExpiring(memory: Memory): Promise<void> {
  await prepareTalk(memory);
  const conversation = talkOf(memory);
  const options = { operationId: "t3", expectedRevision: REVISION, expiresAt: after(60) };
  await conversation.putTurn(turnOf("t3"), options);
  await pinUp(conversation, pinOf("brief", "brief", { expiresAt: after(60) }));
  const summary = summaryOf(await readTurns(conversation), "brief", { expiresAt: after(60) });
  await conversation.putSummary(await conversation.snapshot(), summary);
  await conversation.cachePut(await conversation.snapshot(), "brief", {}, { ttl: 60 });
  await conversation.search("t3");
}

/** The delay after which what {@linkcode prepareExpiring} creates has expired. */
export const EXPIRES_MS = 60_000;

/** The conversation that everything happens to. */
export function talkOf(memory: Memory): Conversation {
  return memory.conversation(ORCHARD);
}

/** As many replays as a scope may have. */
async function prepareReplays(memory: Memory): Promise<void> {
  await prepareTalk(memory);
  const conversation = talkOf(memory);
  const snapshot = await conversation.snapshot();
  await Promise.all(
    Array.from({ length: 99 }, (_, index) => conversation.cachePut(snapshot, `answer-${index}`, {})),
  );
}

/** Pins, one of which was deleted. */
async function preparePins(memory: Memory): Promise<void> {
  await prepareTalk(memory);
  const conversation = talkOf(memory);
  await pinUp(conversation, pinOf("colour", "red"));
  await pinUp(conversation, pinOf("size", "small"));
  await erase(conversation, "pin", "size");
}

/** The scope's revision after {@linkcode preparePins}. */
const PINS_REVISION = 7;

async function prepareDeletedTurn(memory: Memory): Promise<void> {
  await prepareTalk(memory);
  await talkOf(memory).delete({ kind: "turn", key: "t1", expectedRevision: REVISION });
}

/** See the module's documentation. */
export const CONVERSATION_OPERATIONS: readonly StruckOperation[] = [
  {
    name: "the making of a scope",
    calls: "Conversation.create",
    prepare: prepareOthers,
    run: (memory, signal) => talkOf(memory).create({ signal }),
  },
  {
    name: "the making of a scope that is there",
    calls: "Conversation.create",
    prepare: prepareTalk,
    run: (memory, signal) => talkOf(memory).create({ signal }),
  },
  {
    name: "a new turn",
    calls: "Conversation.putTurn",
    prepare: prepareTalk,
    run: (memory, signal) => {
      const options = { operationId: "new", expectedRevision: REVISION, expiresAt: after(3_600), signal };
      return talkOf(memory).putTurn(turnOf("t3"), options);
    },
  },
  {
    name: "a turn that is recalled",
    calls: "Conversation.putTurn",
    prepare: prepareTalk,
    run: (memory, signal) => {
      const options = { operationId: "put t2", expectedRevision: 1, signal };
      return talkOf(memory).putTurn(turnOf("t2"), options);
    },
  },
  {
    name: "a turn's revision, with what derived from it",
    calls: "Conversation.putTurn",
    prepare: prepareTalk,
    run: (memory, signal) => {
      const options = { operationId: "revised", expectedRevision: REVISION, signal };
      return talkOf(memory).putTurn(turnOf("t1", "other words", { revision: 2 }), options);
    },
  },
  {
    name: "a turn that conflicts",
    calls: "Conversation.putTurn",
    prepare: prepareTalk,
    run: (memory, signal) => {
      return talkOf(memory).putTurn(turnOf("t3"), { operationId: "new", expectedRevision: 1, signal });
    },
  },
  {
    name: "a turn that was deleted",
    calls: "Conversation.putTurn",
    prepare: prepareDeletedTurn,
    run: (memory, signal) => {
      return talkOf(memory).putTurn(turnOf("t1"), { operationId: "again", expectedRevision: 6, signal });
    },
  },
  {
    name: "a turn where something has expired",
    calls: "Conversation.putTurn",
    prepare: prepareExpiring,
    laterMs: EXPIRES_MS,
    steps: true,
    run: (memory, signal) => {
      return talkOf(memory).putTurn(turnOf("t4"), { operationId: "new", expectedRevision: 11, signal });
    },
  },
  {
    name: "a first append",
    calls: "Conversation.append",
    prepare: prepareOthers,
    run: (memory, signal) =>
      talkOf(memory).append([{ role: "user", content: "rain" }], { operationId: "first", signal }),
  },
  {
    name: "another append",
    calls: "Conversation.append",
    prepare: prepareTalk,
    run: (memory, signal) =>
      talkOf(memory).append([{ role: "user", content: "rain" }], { operationId: "next", signal }),
  },
  {
    name: "a new pin",
    calls: "Conversation.putPin",
    prepare: preparePins,
    run: (memory, signal) => {
      const options = { operationId: "new", expectedRevision: PINS_REVISION, signal };
      return talkOf(memory).putPin(pinOf("place", "here", { expiresAt: after(3_600) }), options);
    },
  },
  {
    name: "a pin's revision",
    calls: "Conversation.putPin",
    prepare: preparePins,
    run: (memory, signal) => {
      const pin = pinOf("colour", "blue", { revision: 2 });
      return talkOf(memory).putPin(pin, { expectedRevision: PINS_REVISION, signal });
    },
  },
  {
    name: "a pin that was deleted",
    calls: "Conversation.putPin",
    prepare: preparePins,
    run: (memory, signal) =>
      talkOf(memory).putPin(pinOf("size"), { expectedRevision: PINS_REVISION, signal }),
  },
  {
    name: "a summary in place of another",
    calls: "Conversation.putSummary",
    prepare: prepareTalk,
    run: async (memory, signal) => {
      const conversation = talkOf(memory);
      const summary = summaryOf(await readTurns(conversation), "otherwise");
      const snapshot = await conversation.snapshot();
      return await conversation.putSummary(snapshot, summary, { operationId: "summary", signal });
    },
  },
  {
    name: "a replay",
    calls: "Conversation.cachePut",
    prepare: prepareTalk,
    run: async (memory, signal) => {
      const conversation = talkOf(memory);
      return await conversation.cachePut(await conversation.snapshot(), "another", { text: "x" }, {
        signal,
      });
    },
  },
  {
    name: "a replay that evicts another",
    calls: "Conversation.cachePut",
    prepare: prepareReplays,
    run: async (memory, signal) => {
      const conversation = talkOf(memory);
      return await conversation.cachePut(await conversation.snapshot(), "another", { text: "x" }, {
        signal,
      });
    },
  },
  {
    name: "a turn's deletion",
    calls: "Conversation.delete",
    prepare: prepareTalk,
    run: (memory, signal) =>
      talkOf(memory).delete({ kind: "turn", key: "t1", expectedRevision: REVISION }, { signal }),
  },
  {
    name: "a turn's deletion with an operation id",
    calls: "Conversation.delete",
    prepare: prepareTalk,
    run: (memory, signal) => {
      const target = { kind: "turn", key: "t2", expectedRevision: REVISION } as const;
      return talkOf(memory).delete(target, { operationId: "gone", signal });
    },
  },
  {
    name: "a turn's deletion that is repeated",
    calls: "Conversation.delete",
    prepare: prepareDeletedTurn,
    run: (memory, signal) =>
      talkOf(memory).delete({ kind: "turn", key: "t1", expectedRevision: 99 }, { signal }),
  },
  {
    name: "the taking off of a pin",
    calls: "Conversation.unpin",
    prepare: preparePins,
    run: (memory, signal) =>
      talkOf(memory).unpin("colour", { expectedRevision: PINS_REVISION, operationId: "off", signal }),
  },
  {
    name: "a turn's deletion with scrub",
    calls: "Conversation.delete",
    prepare: prepareTalk,
    steps: true,
    rests: true,
    run: (memory, signal) => {
      const target = { kind: "turn", key: "t1", expectedRevision: REVISION } as const;
      return talkOf(memory).delete(target, { scrub: true, signal });
    },
  },
  {
    name: "a pin's deletion",
    calls: "Conversation.delete",
    prepare: preparePins,
    run: (memory, signal) => {
      const target = { kind: "pin", key: "colour", expectedRevision: PINS_REVISION } as const;
      return talkOf(memory).delete(target, { signal });
    },
  },
  {
    name: "the deletion of a pin that never was",
    calls: "Conversation.delete",
    prepare: preparePins,
    run: (memory, signal) => {
      const target = { kind: "pin", key: "shape", expectedRevision: PINS_REVISION } as const;
      return talkOf(memory).delete(target, { signal });
    },
  },
  {
    name: "a scope's deletion",
    calls: "Conversation.delete",
    prepare: preparePins,
    run: (memory, signal) =>
      talkOf(memory).delete({ kind: "scope", expectedRevision: PINS_REVISION }, { signal }),
  },
  {
    name: "a scope's deletion with scrub",
    calls: "Conversation.delete",
    prepare: prepareTalk,
    steps: true,
    rests: true,
    run: (memory, signal) => {
      const target = { kind: "scope", expectedRevision: REVISION } as const;
      return talkOf(memory).delete(target, { scrub: true, signal });
    },
  },
  {
    name: "a read of the revision that finds something expired",
    calls: "Conversation.revision",
    prepare: prepareExpiring,
    laterMs: EXPIRES_MS,
    steps: true,
    rests: true,
    run: (memory, signal) => talkOf(memory).revision({ signal }),
  },
  {
    name: "a snapshot that finds something expired",
    calls: "Conversation.snapshot",
    prepare: prepareExpiring,
    laterMs: EXPIRES_MS,
    steps: true,
    rests: true,
    run: (memory, signal) => talkOf(memory).snapshot({ signal }),
  },
  {
    name: "a comparison with a snapshot",
    calls: "Conversation.assertCurrent",
    prepare: prepareTalk,
    run: async (memory, signal) => {
      const conversation = talkOf(memory);
      return await conversation.assertCurrent(await conversation.snapshot(), { signal });
    },
  },
  {
    name: "a reading of turns",
    calls: "Conversation.turns",
    prepare: prepareTalk,
    run: (memory, signal) => Array.fromAsync(talkOf(memory).turns({ from: 1, limit: 1, signal })),
  },
  {
    name: "one turn by its id",
    calls: "Conversation.turn",
    prepare: prepareTalk,
    run: (memory, signal) => talkOf(memory).turn("t1", { signal }),
  },
  {
    name: "the reading of the newest turns",
    calls: "Conversation.turns",
    prepare: prepareTalk,
    run: async (memory, signal) => {
      const conversation = talkOf(memory);
      const snapshot = await conversation.snapshot();
      return [
        ...await readTurns(conversation, snapshot, { after: "t1", signal }),
        ...await readTurns(conversation, snapshot, { last: 1, signal }),
      ];
    },
  },
  {
    name: "a replay's reading",
    calls: "Conversation.cacheGet",
    prepare: prepareTalk,
    run: async (memory, signal) => {
      const conversation = talkOf(memory);
      return await conversation.cacheGet(await conversation.snapshot(), "answer", { signal });
    },
  },
];
