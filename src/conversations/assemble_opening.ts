/** Opens views of a scope whose index is complete, and holds calls to one that is still true at their end. */

import type { Operation, ReadTransaction } from "../engine/operation.ts";
import { ConflictError } from "../errors.ts";
import { FRESH_TRIES_MAX } from "../limits.ts";
import type { IndexRow } from "../deletion/index_row.ts";
import { View, ViewGone } from "./assemble_view.ts";
import { indexAll, markUsed } from "./index_run.ts";
import { findIndex, type IndexKind, isComplete } from "./index_state.ts";
import type { Snapshot } from "./snapshot.ts";
import { type Reading, requireCurrent, takeSnapshot } from "./take_snapshot.ts";
import type { Moment, StoreAccess } from "./store_access.ts";

/** How a view is opened. */
export interface Opening {
  readonly store: StoreAccess;
  readonly kind: IndexKind;
  readonly signal: AbortSignal | undefined;
  /** Judges what only the store can tell, in the same read as the snapshot. */
  readonly judge?: (transaction: ReadTransaction, reading: Reading) => Operation<void>;
  /** Judges by the snapshot, before anything is indexed. */
  readonly beforeIndexing?: (snapshot: Snapshot) => void;
}

interface Opened extends Reading {
  readonly index: IndexRow | null;
  readonly isReady: boolean;
}

/**
 * Gives a call a view, and a fresh one if the scope changed before the call was done: what it gives back was true of one
 * moment, and still is at its end.
 *
 * @throws {ConflictError} `SNAPSHOT` where the scope keeps changing
 */
export async function withView<T>(opening: Opening, use: (view: View) => Promise<T>): Promise<T> {
  const { store, signal } = opening;
  for (let attempt = 1;; attempt++) {
    signal?.throwIfAborted();
    try {
      const view = await openView(opening);
      const result = await use(view);
      await store.readUpkept(
        (transaction, moment) => requireCurrent(transaction, store.place, view.snapshot, moment),
        signal,
      );
      signal?.throwIfAborted();
      return result;
    } catch (error) {
      if (!isOutdated(error)) throw error;
      if (attempt >= FRESH_TRIES_MAX) throw changing(error);
    }
  }
}

function isOutdated(error: unknown): boolean {
  return error instanceof ViewGone || (error instanceof ConflictError && error.reason === "SNAPSHOT");
}

function changing(cause: unknown): ConflictError {
  return cause instanceof ConflictError
    ? cause
    : new ConflictError("SNAPSHOT", "The scope keeps changing", { cause });
}

/** Opens a view; makes the index first, where it is not complete. */
async function openView(opening: Opening): Promise<View> {
  const { store, kind, signal } = opening;
  for (let attempt = 0; attempt < FRESH_TRIES_MAX; attempt++) {
    const opened = await store.readUpkept(
      (transaction, moment) => readOpened(transaction, opening, moment),
      signal,
    );
    if (opened.isReady) {
      if (opened.index !== null) await markUsed(store, opened.index, signal);
      const { place } = store;
      return new View({
        place,
        reading: opened,
        index: opened.index,
        read: (factory) => store.read(factory, signal),
      });
    }
    if (store.engine.readOnly) {
      throw new ConflictError("NOT_READY", "The index is not complete, and the store was opened read-only");
    }
    opening.beforeIndexing?.(opened.snapshot);
    await indexAll(store, kind, signal);
  }
  throw new ConflictError("SNAPSHOT", "Turns keep coming in faster than they are indexed");
}

function* readOpened(
  transaction: ReadTransaction,
  { store, kind, judge }: Opening,
  moment: Moment,
): Operation<Opened> {
  const reading = yield* takeSnapshot(transaction, store.place, moment);
  if (judge !== undefined) yield* judge(transaction, reading);
  const index = yield* findIndex(transaction, reading.row.id, kind);
  return { ...reading, index, isReady: yield* isComplete(transaction, reading, index) };
}
