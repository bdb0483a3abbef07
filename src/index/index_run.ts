/** Runs batches of indexing: one, or as many as are needed. */

import { monotonicMs, yieldToEventLoop } from "../clock.ts";
import { type Damage, NOTHING_SKIPPED } from "../engine/damage.ts";
import type { Operation } from "../engine/operation.ts";
import { ConflictError, StorageError } from "../errors.ts";
import {
  FRESH_TRIES_MAX,
  INDEX_BATCH_BYTES,
  INDEX_BATCH_DEFAULT,
  POSTING_BYTES,
  TERMS_PER_STEP,
} from "../limits.ts";
import { Pace } from "../pace.ts";
import type { IndexRow } from "../tables/chunk_indexes.ts";
import { drainScope } from "../deletion/drain_indexes.ts";
import {
  type BatchPlan,
  type BatchTurn,
  type Indexed,
  prepareTurn,
  readUnindexed,
  stepsOf,
  writeBatch,
  writePart,
} from "./index_batch.ts";
import { longTurn } from "./index_writing.ts";
import { clearRetired, type IndexKind, isOutdated, noteUse } from "./index_state.ts";
import { requireScope } from "../scopes/present_scope.ts";
import type { Snapshot } from "../contracts/snapshot.ts";
import { canWait } from "../scopes/place.ts";
import type { StoreAccess } from "../scopes/store_access.ts";
import type { IndexProgress, ValidatedBatch } from "./index_progress.ts";

/** Runs one batch against a snapshot. */
export async function indexBatch(
  store: StoreAccess,
  snapshot: Snapshot,
  { kind, batchSize, signal }: ValidatedBatch,
): Promise<IndexProgress> {
  const { place, engine } = store;
  requireWritable(store);
  const plan = {
    place,
    epoch: engine.epoch,
    snapshot,
    kind,
    batchSize,
    bytesMax: Infinity,
    damage: NOTHING_SKIPPED,
  };
  const { processed, remaining } = await runBatch(store, plan, signal);
  return { status: remaining === 0 ? "READY" : "BUILDING", processed, remaining, indexKey: kind.key };
}

/** The options of a search or an assembly that indexes first. */
interface OwnIndexing {
  readonly damage: Damage;
  readonly signal: AbortSignal | undefined;
}

function planOf({ place, engine }: StoreAccess, kind: IndexKind, damage: Damage): BatchPlan {
  return {
    place,
    epoch: engine.epoch,
    snapshot: null,
    kind,
    batchSize: INDEX_BATCH_DEFAULT,
    bytesMax: INDEX_BATCH_BYTES,
    damage,
  };
}

/** Notes damaged turns among those that are not indexed; returns whether there were any. Writes nothing. */
export async function noteDamaged(
  store: StoreAccess,
  kind: IndexKind,
  { damage, signal }: OwnIndexing,
): Promise<boolean> {
  const before = damage.turns.size;
  if (!damage.isSkipped) return false;
  const atMs = store.engine.time().effectiveMs;
  await store.read((transaction) => readUnindexed(transaction, planOf(store, kind, damage), atMs), signal);
  return damage.turns.size > before;
}

/** Indexes all turns, in small batches. */
export async function indexAll(
  store: StoreAccess,
  kind: IndexKind,
  { damage, signal }: OwnIndexing,
): Promise<void> {
  const plan = planOf(store, kind, damage);
  let left = Infinity;
  for (let idle = 0; left > 0 && idle < FRESH_TRIES_MAX;) {
    const { remaining } = await runBatch(store, plan, signal);
    idle = remaining < left ? 0 : idle + 1;
    left = remaining;
  }
}

/** Runs a batch and emits an event. */
async function runBatch(
  store: StoreAccess,
  plan: BatchPlan,
  signal: AbortSignal | undefined,
): Promise<{ readonly processed: number; readonly remaining: number }> {
  const startedMs = monotonicMs();
  const { processed, remaining } = await tryBatch(store, plan, signal);
  store.emit({ operation: "index", counts: { turns: processed, remaining } }, startedMs);
  return { processed, remaining };
}

async function tryBatch(
  store: StoreAccess,
  plan: BatchPlan,
  signal: AbortSignal | undefined,
): Promise<{ readonly processed: number; readonly remaining: number }> {
  const pace = new Pace(signal ?? null);
  for (let attempt = 0; attempt < FRESH_TRIES_MAX; attempt++) {
    pace.check();
    const atMs = store.engine.time().effectiveMs;
    const unindexed = await store.read((transaction) => readUnindexed(transaction, plan, atMs), signal);
    const { index, turns, remaining } = unindexed;
    if (unindexed.hasRetired) await clear(store, signal);
    if (unindexed.isDraining) await drainScope(store.engine, store.place.scopeHash, signal);
    if (turns.length === 0) {
      if (index !== null) await markUsed(store, index, signal);
      return { processed: 0, remaining };
    }
    const prepared: BatchTurn[] = [];
    for (const turn of turns) prepared.push(await prepareTurn(turn, plan.kind, pace));
    // Even after a short batch, because many batches can follow one another.
    await pace.rest();
    const written = await writeSteps(store, plan, { index, prepared, signal });
    if (written.index === null && written.processed === 0) continue;
    if (index === null) await clear(store, signal);
    else await markUsed(store, index, signal);
    return written;
  }
  throw new ConflictError("SNAPSHOT", "Cannot index: other calls keep replacing the index; try again");
}

/** What steps are written from. */
interface Steps {
  readonly index: IndexRow | null;
  readonly prepared: readonly BatchTurn[];
  readonly signal: AbortSignal | undefined;
}

/** Writes a batch in steps, a transaction each, so that none takes long. Stops where the index was replaced. */
async function writeSteps(
  store: StoreAccess,
  plan: BatchPlan,
  { prepared, signal, ...from }: Steps,
): Promise<{ readonly index: IndexRow | null; readonly processed: number; readonly remaining: number }> {
  let { index } = from;
  let processed = 0;
  let remaining = 0;
  for (const step of stepsOf(prepared)) {
    const [first] = step;
    const long = first === undefined || "isDamaged" in first || first.terms.size <= TERMS_PER_STEP
      ? null
      : longTurn(first);
    for (let next: number | null = 0; next !== null;) {
      const of = index;
      // With what they are written with, postings take about as many bytes as this.
      const bytes = Math.min(TERMS_PER_STEP, step.reduce((sum, turn) => sum + sizeOf(turn), 0)) *
        POSTING_BYTES;
      const written: Indexed & { readonly next?: number | null } = await store.write(
        (transaction): Operation<Indexed & { readonly next?: number | null }> =>
          long !== null ? writePart(transaction, plan, of, long) : writeBatch(transaction, plan, of, step),
        { bytes, signal },
      );
      ({ index, remaining } = written);
      processed += written.processed;
      if (index === null) return { index, processed, remaining };
      next = written.next ?? null;
      await yieldToEventLoop();
    }
  }
  return { index, processed, remaining };
}

function sizeOf(turn: BatchTurn): number {
  return "isDamaged" in turn ? 0 : turn.terms.size;
}

/** Deletes retired indexes in several write groups, and yields to the event loop between them. */
async function clear(store: StoreAccess, signal: AbortSignal | undefined): Promise<void> {
  const row = await store.read((transaction) => requireScope(transaction, store.place), signal);
  for (let more = true; more;) {
    ({ more } = await store.write((transaction) => clearRetired(transaction, row.id), { signal }));
    if (more) await yieldToEventLoop();
  }
}

/** Marks an index as the most recently used one, unless it already is. */
export async function markUsed(
  store: StoreAccess,
  index: IndexRow,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (store.engine.readOnly) return;
  if (!(await store.read((transaction) => isOutdated(transaction, index), signal))) return;
  try {
    await store.write((transaction) => noteUse(transaction, index), { signal });
  } catch (error) {
    if (!canWait(error)) throw error;
  }
}

function requireWritable({ engine }: StoreAccess): void {
  if (engine.readOnly) throw new StorageError("READONLY", "Cannot index: the store was opened read-only");
}
