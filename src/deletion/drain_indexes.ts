/** Erases from indexes what is left of long turns that were deleted or changed, a part in each transaction. */

import { yieldToEventLoop } from "../clock.ts";
import type { Engine } from "../engine/engine.ts";
import { isDamage } from "../engine/check_collector.ts";
import type { Operation, ReadTransaction } from "../engine/operation.ts";
import { INDEXES_PER_READ } from "../limits.ts";
import { SELECT_STALE_PART } from "../tables/draining_turns.ts";
import { readIndexesUnchecked } from "../tables/chunk_indexes.ts";
import { readScopeUnchecked } from "../tables/scopes.ts";
import { drainSome } from "./erase_index.ts";

/** Drains the indexes of a scope. */
export async function drainScope(
  engine: Engine,
  scopeHash: Uint8Array,
  signal: AbortSignal | undefined,
): Promise<void> {
  const found = await engine.read((transaction) => readScopeUnchecked(transaction, scopeHash), { signal });
  if (found !== null) await drain(engine, found.row.id, signal);
}

/** Drains the indexes of all scopes. A damaged one is skipped, and `check` reports it. */
export async function drainAll(engine: Engine, signal: AbortSignal | undefined): Promise<void> {
  for (let after: number | null = 0; after !== null;) {
    const from: number = after;
    const page = await engine.read((transaction) => selectDraining(transaction, from), { signal });
    for (const scope of new Set(page.scopes)) {
      try {
        await drain(engine, scope, signal);
      } catch (error) {
        if (!isDamage(error)) throw error;
      }
    }
    after = page.after;
  }
}

async function drain(engine: Engine, scope: number, signal: AbortSignal | undefined): Promise<void> {
  // A write that changes nothing would be synced too.
  while (await engine.read((transaction) => isDraining(transaction, scope), { signal })) {
    await engine.write((transaction) => drainSome(transaction, scope), { signal });
    await yieldToEventLoop();
  }
}

function* isDraining(transaction: ReadTransaction, scope: number): Operation<boolean> {
  for (const { index } of yield* readIndexesUnchecked(transaction, scope)) {
    if (index.draining > 0 && (yield* transaction.get(SELECT_STALE_PART, index.id)) !== undefined) {
      return true;
    }
  }
  return false;
}

const SELECT_DRAINING = `SELECT id, scope, draining FROM chunk_indexes WHERE id > $1 ORDER BY id LIMIT $2`;

/** Reads a page of all indexes. Returns the scopes of those that have something to drain, and where the next page begins. */
function* selectDraining(
  transaction: ReadTransaction,
  after: number,
): Operation<{ readonly scopes: readonly number[]; readonly after: number | null }> {
  const rows = (yield* transaction.all(SELECT_DRAINING, after, INDEXES_PER_READ)) as unknown as (readonly [
    id: number,
    scope: number,
    draining: number,
  ])[];
  return {
    scopes: rows.filter(([, , draining]) => draining > 0).map(([, scope]) => scope),
    after: rows.length < INDEXES_PER_READ ? null : rows.at(-1)![0],
  };
}
