/** The operations on journals. The measured journal has as many entries as the conversation has turns. */

import type { JournalEntry } from "../../mod.ts";
import { type GrowthOperation, operation, reading } from "./operation.ts";
import { NEW_TEXT, type World } from "./world.ts";

/** The number of calls that are timed together. */
const OFTEN = 20;

/** Entries that are read at a time. */
const SOME_ENTRIES = 20;

async function count(entries: AsyncIterable<JournalEntry>): Promise<number> {
  let number = 0;
  for await (const _ of entries) number++;
  return number;
}

const append = async ({ journal }: World, uuid: string): Promise<number> =>
  await journal.append([{ uuid, json: { text: NEW_TEXT } }]) > 0 ? 1 : 0;

/** A journal with one entry, to be erased. */
async function readySmall(world: World): Promise<World["journal"]> {
  const journal = world.memory.journal(world.scope, world.newName());
  await journal.append([{ json: NEW_TEXT }]);
  return journal;
}

/** See the module's documentation. */
export const JOURNAL_OPERATIONS: readonly GrowthOperation[] = [
  reading({
    name: "journal",
    calls: "Memory.journal",
    often: 200,
    run: ({ memory, scope }) => memory.journal(scope, "notes").part.length,
  }),
  reading({
    name: "journal revision",
    calls: "Journal.revision",
    often: OFTEN,
    run: async ({ journal }) => await journal.revision() > 0 ? 1 : 0,
  }),
  operation({
    name: "journal append",
    calls: "Journal.append",
    ready: (world) => Promise.resolve(world.newName()),
    run: append,
    undo: async ({ journal }) => {
      await journal.pop();
    },
  }),
  reading({
    name: "journal read, the last 20",
    calls: "Journal.read",
    run: ({ journal }) => count(journal.read({ last: SOME_ENTRIES })),
  }),
  reading({
    name: "journal read, all",
    calls: "Journal.read",
    grows: { turns: "returns each of them" },
    long: true,
    run: ({ journal }) => count(journal.read()),
  }),
  operation({
    name: "journal pop",
    calls: "Journal.pop",
    ready: (world) => append(world, world.newName()),
    run: async ({ journal }) => (await journal.pop()).length,
  }),
  operation({
    name: "journal replaceSuffix, of one",
    calls: "Journal.replaceSuffix",
    ready: async ({ journal }) => {
      const [newest] = await Array.fromAsync(journal.read({ last: 1 }));
      return { from: newest!.place, expectedRevision: await journal.revision() };
    },
    run: async ({ journal }, suffix) =>
      await journal.replaceSuffix(suffix, [{ json: { text: NEW_TEXT } }]) > 0 ? 1 : 0,
  }),
  operation({
    name: "journal clear, one entry",
    calls: "Journal.clear",
    ready: readySmall,
    run: async (_, journal) => (await journal.clear()).erased.entries,
    undo: async (_, journal) => {
      await journal.delete();
    },
  }),
  operation({
    name: "journal delete, one entry",
    calls: "Journal.delete",
    ready: readySmall,
    run: async (_, journal) => (await journal.delete()).erased.journals,
  }),
];
