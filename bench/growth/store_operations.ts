/** The operations on a whole store. */

import {
  type Memory,
  openMemory,
  type Receipt,
  restoreMemory,
  type Scope,
  type Watermark,
} from "../../mod.ts";
import { historyOf, LIMITS, QUESTION } from "../history.ts";
import { factOf, identityOf } from "../stores.ts";
import { type GrowthOperation, operation, reading } from "./operation.ts";
import { NEW_TEXT, type World } from "./world.ts";

/** The number of turns of a conversation that is imported. */
const IMPORTED_TURNS = 20;

const CHECKS = { turns: "checks every row", scopes: "checks every row" };
const COPIES = { turns: "copies and checks every row", scopes: "copies and checks every row" };

/** Exports a conversation of twenty turns that the store does not have. */
async function readyLines(world: World): Promise<{ scope: Scope; lines: readonly string[] }> {
  const scope = { ...world.scope, sessionId: world.newName() };
  await using donor = await openMemory(":memory:");
  for (let turn = 0; turn < IMPORTED_TURNS; turn++) {
    await donor.conversation(scope).append([{ role: "user", content: `Item ${turn} was counted.` }]);
  }
  return { scope, lines: await Array.fromAsync(donor.exportLines({ scope, includeContent: true })) };
}

async function readyReceipt(world: World): Promise<Receipt> {
  const conversation = world.memory.conversation({ ...world.scope, sessionId: world.newName() });
  const { turnId } = await conversation.append([{ role: "user", content: "Not to be kept." }]);
  const expectedRevision = await conversation.revision();
  return await conversation.delete({ kind: "turn", key: turnId, expectedRevision });
}

async function count(lines: AsyncIterable<string>): Promise<number> {
  let number = 0;
  for await (const _ of lines) number++;
  return number;
}

/** Deletes a turn, so that there is something to scrub. */
async function readyScrub(world: World): Promise<void> {
  await world.delete("turn", await world.append());
}

interface Restoring {
  readonly path: string;
  readonly deletionPath: string;
  readonly backup: string;
  readonly watermark: Watermark;
  readonly destination: string;
  restored: Memory | undefined;
}

/** Creates a backup of a store and closes the store. */
async function readyRestore(world: World): Promise<Restoring> {
  const { path, memory } = await world.openCopy();
  const backup = world.newPath();
  const { watermark } = await memory.backup(backup);
  await memory.close();
  const deletionPath = `${path}.deletions`;
  return { path, deletionPath, backup, watermark, destination: world.newPath(), restored: undefined };
}

/** The operations on a whole store. */
export const STORE_OPERATIONS: readonly GrowthOperation[] = [
  reading({
    name: "conversation",
    calls: "Memory.conversation",
    often: 200,
    run: ({ memory, scope }) => memory.conversation(scope).scope.sessionId.length,
  }),
  operation({
    name: "transaction, one append and one put",
    calls: "Memory.transaction",
    ready: (world) => Promise.resolve({ key: world.newName(), turnId: "" }),
    run: async ({ memory, scope }, made) => {
      const identity = { ...identityOf(0), tenantId: scope.tenantId, key: made.key };
      const [appended] = await memory.transaction((transaction) => [
        transaction.append(scope, [{ role: "user", content: NEW_TEXT }]),
        transaction.put(identity, factOf(0), { expectedRevision: null, ttl: 60 }),
      ]);
      made.turnId = appended.turnId;
      return 2;
    },
    undo: (world, { turnId }) => world.delete("turn", turnId),
  }),
  reading({
    name: "sessions, a page",
    calls: "Memory.sessions",
    run: async ({ memory, scope }) => (await memory.sessions(scope.tenantId)).items.length,
  }),
  operation({
    name: "erase, a person with one session",
    calls: "Memory.erase",
    ready: async ({ memory, scope: { tenantId } }) => {
      const conversation = memory.conversation({ tenantId, sessionId: "of one person" });
      await conversation.append([{ role: "user", content: "hello" }], { subject: "gwen" });
    },
    run: async ({ memory, scope: { tenantId } }) =>
      (await memory.erase({ tenantId, subject: "gwen" })).erased.sessions!,
  }),
  reading({
    name: "search of a tenant",
    calls: "Memory.search",
    grows: { turns: "opens every session that has a word of the question" },
    run: async ({ memory, scope }) => (await memory.search({ tenantId: scope.tenantId }, QUESTION)).length,
  }),
  operation({
    name: "openMemory, one read",
    calls: "openMemory",
    ready: async (world) => ({ path: await world.copy(), memory: undefined as Memory | undefined }),
    run: async (_, made) => {
      made.memory = await openMemory(made.path, { limits: LIMITS });
      return await historyOf(made.memory).revision() > 0 ? 1 : 0;
    },
    undo: (world, { path, memory }) => world.discard(path, memory),
  }),
  operation({
    name: "close, after a put",
    calls: "Memory.close",
    ready: async (world) => {
      const { path, memory } = await world.openCopy();
      await memory.records.put(identityOf(1_000), factOf(0), { expectedRevision: null, ttl: 60 });
      return { path, memory };
    },
    run: async (_, { memory }) => {
      await memory.close();
      return 1;
    },
    undo: (world, { path }) => world.discard(path),
  }),
  reading({
    name: "deletionWatermark",
    calls: "Memory.deletionWatermark",
    often: 20,
    run: async ({ memory }) => (await memory.deletionWatermark()).lineage.length,
  }),
  reading({
    name: "inspect, a page of one",
    calls: "Memory.inspect",
    often: 5,
    run: async ({ memory }) => {
      const { tenants, scopes } = await memory.inspect({ limit: 1 });
      return tenants.length + scopes.length;
    },
  }),
  operation({
    name: "verifyReceipt",
    calls: "Memory.verifyReceipt",
    grows: {
      turns: "searches every table for remaining rows",
      scopes: "searches every table for remaining rows",
    },
    ready: readyReceipt,
    run: async ({ memory }, receipt) => Number((await memory.verifyReceipt(receipt)).valid),
  }),
  operation({
    name: "importLines, 20 turns",
    calls: "Memory.importLines",
    ready: readyLines,
    run: async ({ memory }, { lines }) => (await memory.importLines(lines)).imported.turns,
    undo: async ({ memory }, { scope }) => {
      const conversation = memory.conversation(scope);
      await conversation.delete({ kind: "scope", expectedRevision: await conversation.revision() });
    },
  }),
  reading({
    name: "exportLines, one scope",
    calls: "Memory.exportLines",
    grows: { turns: "returns each of them; in pages, if there are more than fit into one read" },
    long: true,
    run: ({ memory, scope }) => count(memory.exportLines({ scope, includeContent: true })),
  }),
  reading({
    name: "exportLines, all",
    calls: "Memory.exportLines",
    grows: { turns: "returns each of them", scopes: "returns each of them, and reads each scope separately" },
    long: true,
    run: ({ memory }) => count(memory.exportLines({ includeContent: true })),
  }),
  reading({
    name: "prune, nothing expired",
    calls: "Memory.prune",
    grows: {
      scopes: "searches each tenant once, and commits only for those in which something has expired",
    },
    run: async ({ memory }) => (await memory.prune({ scrub: false })).retiredIndexes,
  }),
  operation({
    name: "prune, with scrub",
    calls: "Memory.prune",
    grows: {
      turns: "rewrites tables from which rows were erased",
      scopes: "rewrites tables from which rows were erased",
    },
    long: true,
    ready: readyScrub,
    run: async ({ memory }) => Number((await memory.prune()).scrub !== null),
  }),
  reading({
    name: "check",
    calls: "Memory.check",
    grows: CHECKS,
    long: true,
    run: async ({ memory }) => Number((await memory.check()).ok),
  }),
  operation({
    name: "backup",
    calls: "Memory.backup",
    grows: COPIES,
    long: true,
    ready: (world) => Promise.resolve(world.newPath()),
    run: async ({ memory }, path) => Number((await memory.backup(path)).bytes > 0),
    undo: (_, path) => Deno.remove(path),
  }),
  operation({
    name: "exportLedger",
    calls: "Memory.exportLedger",
    ready: (world) => Promise.resolve(world.newPath()),
    run: async ({ memory }, path) => Number((await memory.exportLedger(path)).bytes > 0),
    undo: (_, path) => Deno.remove(path),
  }),
  operation({
    name: "restoreMemory",
    calls: "restoreMemory",
    grows: COPIES,
    long: true,
    ready: readyRestore,
    run: async (_, made) => {
      const { backup, destination, deletionPath, watermark } = made;
      const restored = await restoreMemory(backup, destination, { deletionPath, watermark, limits: LIMITS });
      made.restored = restored;
      return (await historyOf(restored).snapshot()).turnCount;
    },
    undo: async (_, made) => {
      await made.restored?.close();
      for (const path of [made.backup, made.destination, made.path, made.deletionPath]) {
        await Deno.remove(path);
      }
    },
  }),
];
