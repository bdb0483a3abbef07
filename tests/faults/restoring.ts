/** A restore for the matrices: a store, its backup, and a turn that was deleted after it. */

import { type Memory, openMemory, restoreMemory, type Watermark } from "@holdfast/memory";
import type { SqliteDriver } from "../../src/engines/sqlite/drivers/driver.ts";
import type { DriverCall } from "../kit/faulty_driver.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";
import { prepareTalk, REVISION, talkOf } from "./conversation_operations.ts";
import { struckCalls } from "./matrix.ts";
import { optionsFor } from "./struck_operation.ts";
import { type StoreImage, StruckStore } from "./struck_store.ts";

/** The files that a restore begins with. */
export interface Shelf {
  readonly image: StoreImage;
  readonly backup: Uint8Array;
  readonly watermark: Watermark;
}

/** Makes them. */
export async function makeShelf(): Promise<Shelf> {
  await using directory = await TemporaryDirectory.makeInMemory();
  const path = directory.file("agent.db");
  const memory = await openMemory(path, optionsFor(5_000));
  await prepareTalk(memory);
  await memory.backup(directory.file("backup"));
  await talkOf(memory).delete({ kind: "turn", key: "t1", expectedRevision: REVISION });
  const watermark = await memory.deletionWatermark();
  await memory.close();
  const image = [await Deno.readFile(path), await Deno.readFile(`${path}.deletions`)] as const;
  return { image, backup: await Deno.readFile(directory.file("backup")), watermark };
}

/** Where it is restored to. */
export function restored(store: StruckStore): string {
  return store.path.replace("agent.db", "restored.db");
}

/** Lays the files out. */
export async function place({ image, backup }: Shelf): Promise<StruckStore> {
  const store = await StruckStore.make(image);
  await Deno.writeFile(`${store.path}.backup`, backup, { mode: 0o600 });
  return store;
}

/** Restores. */
export function restore(
  store: StruckStore,
  { watermark }: Shelf,
  driver: SqliteDriver,
  busyTimeoutMs: number,
): Promise<Memory> {
  const deletionPath = `${store.path}.deletions`;
  const options = { ...optionsFor(busyTimeoutMs), driver, deletionPath, watermark };
  return restoreMemory(`${store.path}.backup`, restored(store), options);
}

/** The statements of a restore in which nothing fails. */
export async function traceOf(shelf: Shelf): Promise<readonly DriverCall[]> {
  await using store = await place(shelf);
  store.driver.startTrace();
  await using _memory = await restore(store, shelf, store.driver, 5_000);
  return struckCalls(store.driver.stopTrace());
}
