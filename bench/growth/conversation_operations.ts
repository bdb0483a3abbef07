/** The operations on conversations. */

import {
  type Message,
  type Snapshot,
  type Summary,
  summaryFromHistory,
  type TimedTurn,
  type TurnInput,
} from "../../mod.ts";
import { BUDGET, historyOf, QUESTION, QUESTIONS, SYSTEM } from "../history.ts";
import { type GrowthOperation, operation, reading } from "./operation.ts";
import { NEW_TEXT, type World } from "./world.ts";

/** The number of calls that are timed together. */
const OFTEN = 20;

/** Turns that a summary covers, or that are read at a time. */
const SOME_TURNS = 20;

/** Counted: one statement at 100 turns; 36 at 1 000 and at 4 000 for as many hits, and one posting row for each block. */
const FOUND = {
  turns: "reads 100 turns at once; of more turns, only the hits and their neighbours, at any length",
};

const AT = "2026-03-01T09:00:00Z";

/** Creates a turn to put, and reads the revision of the scope before it. */
async function readyTurn(world: World): Promise<{ turn: TurnInput; expectedRevision: number }> {
  const turnId = world.newName();
  const messages = [{ messageId: `${turnId}-m`, role: "user" as const, content: NEW_TEXT }];
  const expectedRevision = await world.conversation.revision();
  return { turn: { turnId, scope: world.scope, messages, timestamp: AT }, expectedRevision };
}

const snapshotOf = ({ conversation }: World): Promise<Snapshot> => conversation.snapshot();

async function readySummary(world: World): Promise<{ snapshot: Snapshot; summary: Summary }> {
  const snapshot = await snapshotOf(world);
  const history: TimedTurn[] = [];
  for await (const turn of world.conversation.turns({ snapshot })) {
    if (history.push(turn) === SOME_TURNS) break;
  }
  const content = `The pallets were counted, ${world.newName()}.`;
  const about = { scope: world.scope, policyVersion: "1", createdAt: AT };
  return { snapshot, summary: summaryFromHistory({ ...about, content, history }) };
}

/** Appends media, and reads what refers to it. */
async function readyMedia(
  { conversation }: World,
): Promise<{ turnId: string; messages: readonly Message[]; ref: string }> {
  const data = new Uint8Array(300_000).fill(7);
  const { turnId } = await conversation.append([
    { role: "user", content: [{ type: "media", mediaType: "image/png", data }] },
  ]);
  const [turn] = await Array.fromAsync(conversation.turns({ last: 1 }));
  const { messages } = turn!;
  const part = messages[0]!.parts![0]!;
  return { turnId, messages, ref: part.type === "media" ? part.ref! : "" };
}

async function count(turns: AsyncIterable<TimedTurn>): Promise<number> {
  let number = 0;
  for await (const _ of turns) number++;
  return number;
}

/** The operations on conversations. */
export const CONVERSATION_OPERATIONS: readonly GrowthOperation[] = [
  operation({
    name: "create",
    calls: "Conversation.create",
    ready: (world) =>
      Promise.resolve(world.memory.conversation({ ...world.scope, sessionId: world.newName() })),
    run: async (_, conversation) => await conversation.create() + 1,
    undo: async (_, conversation) => {
      await conversation.delete({ kind: "scope", expectedRevision: await conversation.revision() });
    },
  }),
  reading({
    name: "revision",
    calls: "Conversation.revision",
    often: OFTEN,
    run: async ({ conversation }) => await conversation.revision() > 0 ? 1 : 0,
  }),
  operation({
    name: "putTurn",
    calls: "Conversation.putTurn",
    ready: readyTurn,
    run: async ({ conversation }, { turn, expectedRevision }) =>
      await conversation.putTurn(turn, { operationId: turn.turnId, expectedRevision }) > 0 ? 1 : 0,
    undo: (world, { turn }) => world.delete("turn", turn.turnId),
  }),
  operation({
    name: "append",
    calls: "Conversation.append",
    ready: () => Promise.resolve({ turnId: "" }),
    run: async (world, made) => (made.turnId = await world.append()).length,
    undo: (world, { turnId }) => world.delete("turn", turnId),
  }),
  operation({
    name: "putPin",
    calls: "Conversation.putPin",
    ready: async (world) => ({ key: world.newName(), expectedRevision: await world.conversation.revision() }),
    run: async ({ conversation, scope }, { key, expectedRevision }) => {
      const pin = { scope, key, value: "red", origin: "user" };
      return await conversation.putPin(pin, { expectedRevision }) > 0 ? 1 : 0;
    },
    undo: (world, { key }) => world.delete("pin", key),
  }),
  reading({
    name: "snapshot",
    calls: "Conversation.snapshot",
    often: OFTEN,
    run: async (world) => (await snapshotOf(world)).turnCount,
  }),
  operation({
    name: "assertCurrent",
    calls: "Conversation.assertCurrent",
    often: OFTEN,
    ready: snapshotOf,
    run: async ({ conversation }, snapshot) => (await conversation.assertCurrent(snapshot)).turnCount,
  }),
  operation({
    name: "turns, the last 20",
    calls: "Conversation.turns",
    ready: snapshotOf,
    run: ({ conversation }, snapshot) => count(conversation.turns({ snapshot, last: SOME_TURNS })),
  }),
  operation({
    name: "turns, 20 from the middle",
    calls: "Conversation.turns",
    grows: { turns: "the place is counted in an index of ids" },
    ready: snapshotOf,
    run: ({ conversation }, snapshot) =>
      count(conversation.turns({ snapshot, from: snapshot.turnCount >> 1, limit: SOME_TURNS })),
  }),
  operation({
    name: "describe",
    calls: "Conversation.describe",
    ready: (world) => Promise.resolve(world.newName()),
    run: async ({ conversation }, title) => Number((await conversation.describe({ title })).title === title),
  }),
  operation({
    name: "unpin",
    calls: "Conversation.unpin",
    ready: async (world) => {
      const { conversation, scope } = world;
      const key = `pin-${world.newName()}`;
      const pin = { scope, key, value: NEW_TEXT, origin: "bench" };
      await conversation.putPin(pin, { expectedRevision: await conversation.revision() });
      return key;
    },
    run: async ({ conversation }, key) => (await conversation.unpin(key)).erased.pins,
  }),
  operation({
    name: "turn, by its id",
    calls: "Conversation.turn",
    ready: async (world) => ({ turnId: await world.append() }),
    run: async ({ conversation }, { turnId }) => Number(await conversation.turn(turnId) !== null),
    undo: (world, { turnId }) => world.delete("turn", turnId),
  }),
  operation({
    name: "turns, all",
    calls: "Conversation.turns",
    grows: { turns: "returns each of them" },
    long: true,
    ready: snapshotOf,
    run: ({ conversation }, snapshot) => count(conversation.turns({ snapshot })),
  }),
  operation({
    name: "cachePut",
    calls: "Conversation.cachePut",
    ready: snapshotOf,
    run: async (world, snapshot) => {
      await world.conversation.cachePut(snapshot, "answer", { text: NEW_TEXT });
      return 1;
    },
  }),
  operation({
    name: "cacheGet",
    calls: "Conversation.cacheGet",
    often: OFTEN,
    ready: async (world) => {
      const snapshot = await snapshotOf(world);
      await world.conversation.cachePut(snapshot, "answer", { text: NEW_TEXT });
      return snapshot;
    },
    run: async ({ conversation }, snapshot) =>
      Number(await conversation.cacheGet(snapshot, "answer") !== null),
  }),
  operation({
    name: "indexBatch, one new turn",
    calls: "Conversation.indexBatch",
    ready: async (world) => ({ turnId: await world.append(), snapshot: await snapshotOf(world) }),
    run: async ({ conversation }, { snapshot }) => (await conversation.indexBatch(snapshot)).processed,
    undo: (world, { turnId }) => world.delete("turn", turnId),
  }),
  reading({
    name: "search",
    calls: "Conversation.search",
    grows: FOUND,
    run: async ({ conversation }) => (await conversation.search(QUESTION)).length,
  }),
  ...QUESTIONS.map(({ share, question }) =>
    reading({
      name: `search, words in ${share}`,
      calls: "Conversation.search",
      grows: { turns: "scores every turn that has a word of the question" },
      run: async ({ conversation }) => (await conversation.search(question)).length,
    })
  ),
  reading({
    name: "assemble, 8 000 tokens",
    calls: "Conversation.assemble",
    grows: FOUND,
    run: async ({ conversation }) => {
      const { context } = await conversation.assemble(QUESTION, BUDGET, { system: SYSTEM });
      return context.request.messages.length;
    },
  }),
  reading({
    name: "assemble in messages, 8 000 tokens",
    calls: "Conversation.assemble",
    grows: FOUND,
    run: async ({ conversation }) => {
      const options = { form: "messages", system: SYSTEM } as const;
      const { context } = await conversation.assemble(QUESTION, BUDGET, options);
      return context.messages.length;
    },
  }),
  operation({
    name: "media, 300 kB",
    calls: "Conversation.media",
    ready: readyMedia,
    run: async ({ conversation }, { ref }) => (await conversation.media(ref)).length,
    undo: (world, { turnId }) => world.delete("turn", turnId),
  }),
  operation({
    name: "withMedia, 300 kB",
    calls: "Conversation.withMedia",
    ready: readyMedia,
    run: async ({ conversation }, { messages }) => (await conversation.withMedia(messages)).length,
    undo: (world, { turnId }) => world.delete("turn", turnId),
  }),
  operation({
    name: "chunkIndex",
    calls: "Conversation.chunkIndex",
    grows: { turns: "returns the chunks of each turn" },
    long: true,
    ready: snapshotOf,
    run: async ({ conversation }, snapshot) => (await conversation.chunkIndex(snapshot)).chunks.length,
  }),
  operation({
    name: "putSummary, of 20 turns",
    calls: "Conversation.putSummary",
    ready: readySummary,
    run: async ({ conversation }, { snapshot, summary }) =>
      await conversation.putSummary(snapshot, summary) > 0 ? 1 : 0,
  }),
  operation({
    name: "delete, an indexed turn",
    calls: "Conversation.delete",
    ready: async (world) => {
      const key = await world.append();
      await world.conversation.search(QUESTION);
      return { key, expectedRevision: await world.conversation.revision() };
    },
    run: async ({ conversation }, target) =>
      (await conversation.delete({ kind: "turn", ...target })).erased.turns,
  }),
  operation({
    name: "delete, the scope",
    calls: "Conversation.delete",
    grows: { turns: "erases each of them" },
    long: true,
    ready: (world) => world.openCopy(),
    run: async (_, { memory }) => {
      const conversation = historyOf(memory);
      const expectedRevision = await conversation.revision();
      return (await conversation.delete({ kind: "scope", expectedRevision })).erased.turns;
    },
    undo: (world, { path, memory }) => world.discard(path, memory),
  }),
];
