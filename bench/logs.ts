/**
 * Steady state of what commits durably. A write-ahead log that still grows makes its sync write the file's new length,
 * too; one that was copied back once is written over from its start, and its sync is cheaper. So every durable row
 * begins with logs of full size on both sides: past one automatic checkpoint.
 */

import type { DatabaseSync } from "node:sqlite";
import type { Memory } from "../mod.ts";
import type { Size } from "./measure.ts";
import { factOf, identityOf } from "./stores.ts";

/** SQLite copies its log back after as many frames, unless it is told otherwise, and nobody here tells it. */
const CHECKPOINT_FRAMES = { full: 1_000, small: 8 } as const;

/** A page and what SQLite writes before it. */
const FRAME_BYTES = 4_096 + 24;

/** Each commit writes a page at least. */
const COMMITS_MAX = 2 * CHECKPOINT_FRAMES.full;

/** Commits until the log of a file has its full size, then once more, which writes over its start. */
export async function fillLog(path: string, size: Size, commit: (number: number) => unknown): Promise<void> {
  const fullBytes = CHECKPOINT_FRAMES[size] * FRAME_BYTES;
  let number = 0;
  while ((await Deno.stat(`${path}-wal`)).size < fullBytes) {
    if (number === COMMITS_MAX) throw new Error(`The log did not reach its size in ${COMMITS_MAX} commits`);
    await commit(number++);
  }
  await commit(number);
}

/** Fills the log of a database by hand, without touching its other tables. */
export async function fillLogByHand(path: string, size: Size, database: DatabaseSync): Promise<void> {
  database.exec("CREATE TABLE log_filler (number INTEGER) STRICT; INSERT INTO log_filler VALUES (-1)");
  const update = database.prepare("UPDATE log_filler SET number = ?");
  await fillLog(path, size, (number) => update.run(number));
}

/** No row has a record of that index. */
const FILLER = 1_000_000;

/** Fills the log of a store of ours with puts. */
export async function fillOurLog(path: string, size: Size, memory: Memory): Promise<void> {
  let expectedRevision: number | null = null;
  await fillLog(path, size, async (number) => {
    expectedRevision = await memory.records.put(identityOf(FILLER), factOf(number), {
      expectedRevision,
      ttl: 86_400,
    });
  });
}

/** Fills both logs of a store that deletes: its own and its ledger's. */
export async function fillOurLogs(path: string, size: Size, memory: Memory): Promise<void> {
  await fillOurLog(path, size, memory);
  await fillLog(`${path}.deletions`, size, async (number) => {
    await memory.records.forget(identityOf(FILLER + 1 + number), null, { revoke: true });
  });
}
