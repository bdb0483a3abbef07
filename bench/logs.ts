/**
 * Brings write-ahead logs into a steady state. While a log grows, its sync also writes the new length of the file. After
 * the first checkpoint the log is overwritten from its start, and its sync is cheaper. Every durable row therefore begins
 * with logs of full size on both sides, after one automatic checkpoint.
 */

import type { DatabaseSync } from "node:sqlite";
import type { Memory } from "../mod.ts";
import type { Size } from "./measure.ts";
import { factOf, identityOf } from "./stores.ts";

/** The frames after which SQLite runs a checkpoint: its default, and fewer for the small size. */
const CHECKPOINT_FRAMES = { full: 1_000, small: 8 } as const;

/** The bytes of a page and the frame header before it. */
const FRAME_BYTES = 4_096 + 24;

/** Most commits that are needed, because each one writes at least one page. */
const COMMITS_MAX = 2 * CHECKPOINT_FRAMES.full;

/** Commits until the log of a file has its full size, and once more, which overwrites its start. */
export async function fillLog(path: string, size: Size, commit: (number: number) => unknown): Promise<void> {
  const fullBytes = CHECKPOINT_FRAMES[size] * FRAME_BYTES;
  let number = 0;
  while ((await Deno.stat(`${path}-wal`)).size < fullBytes) {
    if (number === COMMITS_MAX) throw new Error(`The log did not reach its size in ${COMMITS_MAX} commits`);
    await commit(number++);
  }
  await commit(number);
}

/** Fills the log of a database without touching its other tables. */
export async function fillLogByHand(path: string, size: Size, database: DatabaseSync): Promise<void> {
  database.exec("CREATE TABLE log_filler (number INTEGER) STRICT; INSERT INTO log_filler VALUES (-1)");
  const update = database.prepare("UPDATE log_filler SET number = ?");
  await fillLog(path, size, (number) => update.run(number));
}

/** The index of a record that no row uses. */
const FILLER = 1_000_000;

/** Fills the log of our store with puts. */
export async function fillOurLog(path: string, size: Size, memory: Memory): Promise<void> {
  let expectedRevision: number | null = null;
  await fillLog(path, size, async (number) => {
    expectedRevision = await memory.records.put(identityOf(FILLER), factOf(number), {
      expectedRevision,
      ttl: 86_400,
    });
  });
}

/** Fills the logs of our store and of its ledger. */
export async function fillOurLogs(path: string, size: Size, memory: Memory): Promise<void> {
  await fillOurLog(path, size, memory);
  await fillLog(`${path}.deletions`, size, async (number) => {
    await memory.records.forget(identityOf(FILLER + 1 + number), null, { revoke: true });
  });
}
