/** The openings of the fault matrices: of nothing, of a store, and of one that has work left to do. */

import assert from "node:assert/strict";
import { RESULT } from "../../src/engines/sqlite/drivers/result_codes.ts";
import type { Memory } from "../../src/memory.ts";
import { factAt, factOf } from "../../src/testing/records/record_samples.ts";
import { prepareTalk, REVISION, talkOf } from "./conversation_operations.ts";
import { imageOf, imageWithLogs, type StoreImage, StruckStore } from "./struck_store.ts";

const CREATE = { expectedRevision: null, ttl: 60 };

/** A store to open, and what must be in it once it was opened without a fault. */
export interface Opening {
  readonly name: string;
  readonly image: () => Promise<StoreImage | null>;
  /** The revision of each key. */
  readonly holds: Readonly<Record<string, number | null>>;
  /** Whether the clock has gone back by ten minutes, and is accepted. */
  readonly acceptClock?: true;
}

/** Two records, revisions 1 and 2. */
export async function prepareTwo({ records }: Memory): Promise<void> {
  await records.put(factAt("a"), factOf("a"), CREATE);
  await records.put(factAt("b"), factOf("b"), CREATE);
}

/** The same, after a third one came and went. */
async function prepareDeletion(memory: Memory): Promise<void> {
  await prepareTwo(memory);
  const revision = await memory.records.put(factAt("c"), factOf("c"), CREATE);
  await memory.records.forget(factAt("c"), revision);
}

/** The same, and a conversation. */
async function prepareBoth(memory: Memory): Promise<void> {
  await prepareTwo(memory);
  await prepareTalk(memory);
}

function erase(kind: "turn" | "pin" | "scope", memory: Memory): Promise<unknown> {
  const key = { turn: "t1", pin: "derived", scope: undefined }[kind];
  return talkOf(memory).delete({ kind, key, expectedRevision: REVISION });
}

/** A store whose last deletion is recorded in its ledger and not yet applied. */
async function imageWithPending(
  prepare: (memory: Memory) => Promise<unknown>,
  remove: (memory: Memory) => Promise<unknown>,
): Promise<StoreImage> {
  await using store = await StruckStore.make(await imageOf(prepare));
  {
    await using memory = await store.open(5_000);
    store.driver.fail({
      database: "main",
      sql: "INSERT INTO deletions",
      effect: "before",
      code: RESULT.IOERR,
    });
    await assert.rejects(remove(memory), { code: "IO" });
  }
  return [await Deno.readFile(store.path), await Deno.readFile(`${store.path}.deletions`)];
}

export const OPENINGS: readonly Opening[] = [
  { name: "creating a store", image: () => Promise.resolve(null), holds: { a: null } },
  { name: "opening a store", image: () => imageOf(prepareTwo), holds: { a: 1, b: 2 } },
  {
    name: "opening a store whose process was killed",
    image: () => imageWithLogs(prepareTwo),
    holds: { a: 1, b: 2 },
  },
  {
    name: "opening a store with a clock that is to be accepted",
    image: () => imageOf(prepareTwo),
    holds: { a: 1, b: 2 },
    acceptClock: true,
  },
  {
    name: "opening a store with a pending deletion",
    image: () => imageWithPending(prepareDeletion, ({ records }) => records.forget(factAt("b"), 2)),
    holds: { a: 1, b: null },
  },
  ...(["turn", "pin", "scope"] as const).map((kind): Opening => ({
    name: `opening a store with a pending deletion of a ${kind}`,
    image: () => imageWithPending(prepareBoth, (memory) => erase(kind, memory)),
    holds: { a: 1, b: 2 },
  })),
];
