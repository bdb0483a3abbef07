/**
 * Runs a call on a view of a scope. Indexes the scope if the call searches it, and starts again if the scope changed
 * before the call ended.
 */

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

/** The options of opening a view. */
interface Opening {
  readonly store: StoreAccess;
  readonly kind: IndexKind;
  readonly signal: AbortSignal | undefined;
  /** How damaged rows are handled. */
  readonly damage: Damage;
  /** Validates arguments against the store, in the same read as the snapshot. */
  readonly validate?: (transaction: ReadTransaction, reading: Reading) => Operation<void>;
}

/** The two cases of a call. */
interface ViewUse<T> {
  /** Computes the result from the view. */
  readonly use: (view: View) => Promise<T>;
  /** Computes the result if the scope does not exist. Its history is empty, and a read does not create it. */
  readonly ifMissing: (snapshot: Snapshot) => Promise<T>;
}

interface Opened extends Reading {
  readonly index: IndexRow | null;
  readonly isReady: boolean;
}

/**
 * Runs a call on a view, and again on a new view if the scope changed before the call ended. The result is therefore
 * true of one moment, and still true at the end. The scope is indexed when the call first asks the index, and not
 * before: many calls never do, because evidence has no reserve or the window holds everything. When the call meets a
 * damaged turn that it may skip, it starts again without it, and the result is the same as if the turn did not exist.
 *
 * @throws {ConflictError} `SNAPSHOT` if the scope keeps changing
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
        // This ends: each time at least one more damaged turn is known.
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

/** Returns an error that does not mention a stale snapshot, because the caller passed none. */
function changing(cause: unknown): ConflictError {
  const known = cause instanceof ConflictError && cause.currentRevision !== undefined
    ? { currentRevision: cause.currentRevision }
    : {};
  return new ConflictError("SNAPSHOT", "Cannot finish: the conversation keeps changing; try again", {
    cause,
    ...known,
  });
}

/** Opens a view. If the call will search it, its index is completed first. */
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
      const message = "Cannot search: the index is not complete, and the store was opened read-only";
      throw new ConflictError("NOT_READY", message);
    }
    if (!store.engine.readOnly) await indexAll(store, kind, opening);
  }
  throw new ConflictError(
    "SNAPSHOT",
    "Cannot search: turns are added faster than they are indexed; try again",
  );
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
