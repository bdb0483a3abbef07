/** Opens views of a scope, indexes what a call turns out to search, and holds calls to a view that is still true at their end. */

import type { Damage } from "../engine/damage.ts";
import type { Operation, ReadTransaction } from "../engine/operation.ts";
import { ConflictError } from "../errors.ts";
import { FRESH_TRIES_MAX } from "../limits.ts";
import type { IndexRow } from "../tables/chunk_indexes.ts";
import { IndexNeeded, type ReadStore, TurnsDamaged, View, ViewGone } from "./scope_view.ts";
import { indexAll, markUsed, noteDamaged } from "./index_run.ts";
import { findIndex, type IndexKind, isComplete } from "./index_state.ts";
import type { Snapshot } from "../contracts/snapshot.ts";
import { type Reading, requireCurrent, snapshotOfNothing, takeSnapshot } from "../scopes/take_snapshot.ts";
import type { Moment, StoreAccess } from "../scopes/store_access.ts";

/** How a view is opened. */
interface Opening {
  readonly store: StoreAccess;
  readonly kind: IndexKind;
  readonly signal: AbortSignal | undefined;
  /** What becomes of damaged rows. */
  readonly damage: Damage;
  /** Validates what only the store can tell, in the same read as the snapshot. */
  readonly validate?: (transaction: ReadTransaction, reading: Reading) => Operation<void>;
}

/** What is done with a view. */
interface ViewUse<T> {
  /** Uses it. */
  readonly use: (view: View) => Promise<T>;
  /** What is given where there is no such scope yet: its history is empty, and asking does not create it. */
  readonly ifMissing: (snapshot: Snapshot) => Promise<T>;
}

interface Opened extends Reading {
  readonly index: IndexRow | null;
  readonly isReady: boolean;
}

/**
 * Gives a call a view, and a fresh one if the scope changed before the call was done: what it gives back was true of one
 * moment, and still is at its end. What is not indexed yet is indexed once the call asks the index, and not before: many
 * do not, since nothing may be spent on evidence or the window holds everything. A damaged turn that is left out is met
 * once, and the call starts over without it: what comes out is what the scope would give if it were not there.
 *
 * @throws {ConflictError} `SNAPSHOT` where the scope keeps changing
 */
export async function withView<T>(opening: Opening, { use, ifMissing }: ViewUse<T>): Promise<T> {
  let isSearched = false;
  for (let attempt = 1;; attempt++) {
    opening.signal?.throwIfAborted();
    try {
      return await useView(opening, await openView(opening, isSearched), use);
    } catch (error) {
      if (error instanceof ConflictError && error.reason === "MISSING") {
        return await ifMissing(snapshotOfNothing(opening.store));
      }
      if (error instanceof IndexNeeded && !isSearched) {
        isSearched = true;
        continue;
      }
      if (error instanceof TurnsDamaged) {
        // Each time at least one more is known.
        attempt--;
        continue;
      }
      if (!isOutdated(error)) throw error;
      opening.damage.clear();
      if (attempt >= FRESH_TRIES_MAX) throw changing(error);
    }
  }
}

async function useView<T>(
  { store, signal, damage }: Opening,
  view: View,
  use: (view: View) => Promise<T>,
): Promise<T> {
  const result = await use(view);
  if (view.isSearched && view.index !== null) await markUsed(store, view.index, signal);
  await store.readUpkept(
    (transaction, moment) => requireCurrent(transaction, store.place, view.snapshot, { ...moment, damage }),
    signal,
  );
  signal?.throwIfAborted();
  return result;
}

function isOutdated(error: unknown): boolean {
  return error instanceof ViewGone || (error instanceof ConflictError && error.reason === "SNAPSHOT");
}

/** Whatever told of the change, the caller gave no snapshot that could be stale. */
function changing(cause: unknown): ConflictError {
  const known = cause instanceof ConflictError && cause.currentRevision !== undefined
    ? { currentRevision: cause.currentRevision }
    : {};
  return new ConflictError("SNAPSHOT", "The scope keeps changing; try again", { cause, ...known });
}

/** Opens a view; one that will be searched has a complete index, which is made first. */
async function openView(opening: Opening, isSearched: boolean): Promise<View> {
  const { store, kind, signal, damage } = opening;
  for (let attempt = 0; attempt < FRESH_TRIES_MAX; attempt++) {
    const opened = await store.readUpkept(
      (transaction, moment) => readOpened(transaction, opening, moment),
      signal,
    );
    const { isReady, index } = opened;
    if (isReady || !isSearched) {
      const read: ReadStore = (factory) => store.read(factory, signal);
      return new View({
        place: store.place,
        reading: opened,
        index: isReady ? index : null,
        isIndexed: isReady,
        read,
        damage,
      });
    }
    if (store.engine.readOnly && !(await noteDamaged(store, kind, opening))) {
      throw new ConflictError("NOT_READY", "The index is not complete, and the store was opened read-only");
    }
    if (!store.engine.readOnly) await indexAll(store, kind, opening);
  }
  throw new ConflictError("SNAPSHOT", "Turns keep coming in faster than they are indexed");
}

function* readOpened(
  transaction: ReadTransaction,
  { store, kind, validate, damage }: Opening,
  moment: Moment,
): Operation<Opened> {
  const taken = yield* takeSnapshot(transaction, store.place, { ...moment, damage });
  if (validate !== undefined) yield* validate(transaction, taken);
  const reading = { ...taken, expiredTurns: taken.expiredTurns.union(damage.turns) };
  const index = yield* findIndex(transaction, reading.row.id, kind);
  return { ...reading, index, isReady: yield* isComplete(transaction, reading, index) };
}
