/**
 * Removes the traces of erased content from a store's files.
 *
 * SQLite clears the cells it deletes, but leaves copies in the unused middle of pages that it rebalanced; only a
 * rewrite of the table removes those.
 */

import { jitter, monotonicMs, sleep, yieldIfBusy } from "../../../clock.ts";
import type { Engine, Scrubbing } from "../../../engine/engine.ts";
import type { Operation, ReadTransaction, WriteTransaction } from "../../../engine/operation.ts";
import { BUSY_SLEEP_MS } from "../../../limits.ts";
import { selectDirty } from "../../../tables/dirty_tables.ts";
import { rewriteStatements } from "../../../tables/schema/dialects.ts";
import { MAIN_TABLES } from "../../../tables/schema/main_tables.ts";
import type { Connection } from "../database/connection.ts";

const DELETE_DIRTY = `DELETE FROM dirty WHERE name = $1`;

/** Rewrites a table: a new one in key order replaces the old. */
function* rewriteTable(transaction: WriteTransaction, name: string): Operation<void> {
  const table = MAIN_TABLES.find((each) => each.name === name);
  const statements = table === undefined ? [] : rewriteStatements(table);
  for (const statement of statements) yield* transaction.run(statement);
  yield* transaction.run(DELETE_DIRTY, name);
}

/** Rewrites the tables marked as dirty, so that a restored store or a backup has no erased content. */
export async function rewriteDirty(
  main: Connection,
  transaction: WriteTransaction,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const name of main.drive(selectDirty(transaction))) {
    main.drive(rewriteTable(transaction, name));
    await yieldIfBusy();
    signal?.throwIfAborted();
  }
}

/** Returns free pages to the file system. */
export const GIVE_BACK_PAGES = "PRAGMA incremental_vacuum";

const GET_PAGE_COUNT = "PRAGMA page_count";
const GET_PAGE_SIZE = "PRAGMA page_size";

/** Dependencies of {@linkcode SqliteScrubbing}. */
interface ScrubbingParts {
  readonly engine: Pick<Engine, "read" | "write">;
  readonly connections: readonly Connection[];
  readonly busyTimeoutMs: number;
  /** Copies a file's log into it and empties it; returns what prevented that, or null. */
  readonly emptyLog: (connection: Connection) => "READERS" | "BUSY" | null;
  /** Waits until the code that drives a transaction has ended. */
  readonly ended: () => Promise<void>;
  /** Throws once the store is closed. */
  readonly assertOpen: () => void;
}

/** Scrubs both files of a store. */
export class SqliteScrubbing implements Scrubbing {
  readonly #parts: ScrubbingParts;

  constructor(parts: ScrubbingParts) {
    this.#parts = parts;
  }

  bytes(): Promise<number> {
    return this.#parts.engine.read(readBytes);
  }

  async rewrite(table: string, signal: AbortSignal | undefined): Promise<void> {
    const rewrite = function* (transaction: WriteTransaction): Operation<void> {
      yield* rewriteTable(transaction, table);
      transaction.noteScrub();
    };
    await this.#parts.engine.write(rewrite, { alone: true, signal });
  }

  async finish(signal: AbortSignal | undefined): Promise<"READERS" | "BUSY" | null> {
    await this.#parts.engine.write(giveBackPages, { alone: true, signal });
    return await this.#emptyLogs(signal);
  }

  async #emptyLogs(signal: AbortSignal | undefined): Promise<"READERS" | "BUSY" | null> {
    const { connections, busyTimeoutMs, emptyLog, ended, assertOpen } = this.#parts;
    assertOpen();
    await ended();
    const deadlineMs = monotonicMs() + busyTimeoutMs;
    for (const connection of connections) {
      let inTheWay = emptyLog(connection);
      while (inTheWay !== null) {
        if (monotonicMs() >= deadlineMs) return inTheWay;
        await sleep(jitter(BUSY_SLEEP_MS.min, BUSY_SLEEP_MS.max));
        signal?.throwIfAborted();
        assertOpen();
        inTheWay = emptyLog(connection);
      }
    }
    return null;
  }
}

function* readBytes(transaction: ReadTransaction): Operation<number> {
  const pages = (yield* transaction.get(GET_PAGE_COUNT))![0] as number;
  return pages * ((yield* transaction.get(GET_PAGE_SIZE))![0] as number);
}

function* giveBackPages(transaction: WriteTransaction): Operation<void> {
  yield* transaction.all(GIVE_BACK_PAGES);
  transaction.noteScrub(yield* readBytes(transaction));
}
