/**
 * Scrubbing: tables that lost or replaced content are rewritten, free pages given back, and both logs emptied. SQLite
 * clears the cells it deletes, but leaves copies in the unused middle of pages that it rebalanced; only a rewrite gets
 * rid of those.
 */

import { yieldToEventLoop } from "../clock.ts";
import type { ScrubReport } from "../contracts/options/receipt.ts";
import { rewriteTable, selectDirty } from "../tables/dirty_tables.ts";
import type { Engine } from "../engine/engine.ts";
import type { Operation, ReadTransaction, WriteTransaction } from "../engine/operation.ts";
import { StorageError } from "../errors.ts";

/** What scrubbing is told. */
interface ScrubOptions {
  readonly signal?: AbortSignal | undefined;
  /** Told how many tables were rewritten so far. */
  readonly onTable?: ((tables: number) => void) | undefined;
}

/** Scrubs both files. Throws only if it is cancelled, or for what no waiting can help. */
export async function scrub(engine: Engine, options: ScrubOptions = {}): Promise<ScrubReport> {
  const { signal, onTable } = options;
  const before = await engine.read(readBytes);
  let tables = 0;
  const report = (by: ScrubReport["by"], after: number): ScrubReport => ({
    complete: by === null,
    by,
    tables,
    bytesReturned: Math.max(0, before - after),
  });
  try {
    for (const name of await engine.read(selectDirty)) {
      signal?.throwIfAborted();
      await engine.write((transaction) => scrubTable(transaction, name), { alone: true, signal });
      onTable?.(++tables);
      await yieldToEventLoop();
    }
    signal?.throwIfAborted();
    await engine.write(giveBackPages, { alone: true, signal });
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== "BUSY") throw error;
    return report("BUSY", before);
  }
  return report(await engine.emptyLogs(signal), await engine.read(readBytes));
}

function* scrubTable(transaction: WriteTransaction, name: string): Operation<void> {
  yield* rewriteTable(transaction, name);
  transaction.noteScrub();
}

const GET_PAGE_COUNT = "PRAGMA page_count";
const GET_PAGE_SIZE = "PRAGMA page_size";
const GIVE_BACK_PAGES = "PRAGMA incremental_vacuum";

function* readBytes(transaction: ReadTransaction): Operation<number> {
  const pages = (yield* transaction.get(GET_PAGE_COUNT))![0] as number;
  return pages * ((yield* transaction.get(GET_PAGE_SIZE))![0] as number);
}

function* giveBackPages(transaction: WriteTransaction): Operation<void> {
  yield* transaction.all(GIVE_BACK_PAGES);
  transaction.noteScrub(yield* readBytes(transaction));
}
