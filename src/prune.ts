/**
 * Pruning a whole store: what has expired goes, in every scope and for every tenant, and what is left of indexes that
 * made room for others; then the files are scrubbed.
 */

import { yieldToEventLoop } from "./clock.ts";
import { readFields, requireBoolean, requireCallback, requireSignal } from "./contracts/arguments.ts";
import type { PruneOptions, PruneProgress, PruneReport } from "./contracts/options/receipt.ts";
import { clearRetired, selectRetired } from "./index/index_state.ts";
import { type DueScope, expireScope, selectDueScopes } from "./deletion/expiry.ts";
import { nothingErased } from "./deletion/cascade.ts";
import { scrub } from "./deletion/scrub.ts";
import { isDamage } from "./engine/check_collector.ts";
import type { Engine } from "./engine/engine.ts";
import { known, type Operation, type WriteTransaction } from "./engine/operation.ts";
import { StorageError } from "./errors.ts";
import { CLOCK_BEHIND_MS_MAX, DUE_SCOPES_PER_READ } from "./limits.ts";
import { purgeNow, purgeSome, selectDueTenants } from "./records/read.ts";

/** Prunes. */
export async function prune(engine: Engine, options: PruneOptions): Promise<PruneReport> {
  const given = readFields("options", options, ["scrub", "acceptClock", "signal", "onProgress"]);
  const signal = requireSignal(given.signal);
  const onProgress = requireCallback("onProgress", given.onProgress) as PruneOptions["onProgress"];
  const wantsScrub = given.scrub === undefined ? true : requireBoolean("scrub", given.scrub);
  const acceptClock = given.acceptClock === undefined
    ? false
    : requireBoolean("acceptClock", given.acceptClock);
  if (engine.readOnly) throw new StorageError("READONLY", "Cannot prune: the store was opened read-only");
  const clockLoweredByMs = acceptClock ? await engine.write(lowerClockMark, { signal }) : 0;
  const expired = { ...nothingErased(), records: 0 };
  const tell: Tell = (part, done: number): void => onProgress?.({ part, done });
  await expireScopes(engine, expired, signal, tell);
  await purgeTenants(engine, expired, signal, tell);
  const retiredIndexes = await clearIndexes(engine, signal, tell);
  const files = await engine.files?.();
  const leftovers = await files?.sweep() ?? { removed: [], kept: [] };
  const report = wantsScrub
    ? await scrub(engine, { signal, onTable: (tables) => tell("scrub", tables) })
    : null;
  const { turns, pins, summaries, replay, records } = expired;
  return {
    expired: { turns, pins, summaries, replay, records },
    retiredIndexes,
    clockLoweredByMs,
    leftovers,
    scrub: report,
  };
}

type Expired = ReturnType<typeof nothingErased> & { records: number };
type Tell = (part: PruneProgress["part"], done: number) => void;

function total({ turns, pins, summaries, replay, records }: Expired): number {
  return turns + pins + summaries + replay + records;
}

/** Scope by scope, in bounded groups; a scope that is damaged is left to `check`. */
async function expireScopes(
  engine: Engine,
  expired: Expired,
  signal: AbortSignal | undefined,
  tell: Tell,
): Promise<void> {
  let after: DueScope | null = null;
  do {
    const { effectiveMs, behindMs } = engine.time();
    if (behindMs > CLOCK_BEHIND_MS_MAX) return;
    const page: { readonly after: DueScope | null; readonly limit: number } = {
      after,
      limit: DUE_SCOPES_PER_READ,
    };
    const due = await engine.read((transaction) => selectDueScopes(transaction, effectiveMs, page), {
      signal,
    });
    for (const { scopeHash } of due) {
      try {
        await expireWhole(engine, scopeHash, expired, { signal, tell });
      } catch (error) {
        if (!isDamage(error)) throw error;
      }
    }
    after = due.length < DUE_SCOPES_PER_READ ? null : due.at(-1)!;
  } while (after !== null);
}

async function expireWhole(
  engine: Engine,
  scopeHash: Uint8Array,
  expired: Expired,
  { signal, tell }: { readonly signal: AbortSignal | undefined; readonly tell: Tell },
): Promise<void> {
  for (let more = true; more;) {
    const upkept = await engine.write(
      (transaction) => expireScope(transaction, scopeHash, engine.hashKey),
      { ledger: true, signal },
    );
    more = upkept.more;
    for (const name of ["turns", "pins", "summaries", "replay"] as const) {
      expired[name] += upkept.erased[name];
    }
    tell("expire", total(expired));
    await yieldToEventLoop();
  }
}

/** Only tenants with something due cost a commit: a store may have many, and few of them anything. */
async function purgeTenants(
  engine: Engine,
  expired: Expired,
  signal: AbortSignal | undefined,
  tell: Tell,
): Promise<void> {
  for (let after: string | null = ""; after !== null;) {
    const from: string = after;
    const now = purgeNow(engine.time());
    const page = await engine.read((transaction) => selectDueTenants(transaction, from, now), { signal });
    for (const tenant of page.due) await purgeTenant(engine, tenant, expired, { signal, tell });
    after = page.after;
    await yieldToEventLoop();
  }
}

async function purgeTenant(
  engine: Engine,
  tenant: string,
  expired: Expired,
  { signal, tell }: { readonly signal: AbortSignal | undefined; readonly tell: Tell },
): Promise<void> {
  for (let more = true; more;) {
    const purged = await engine.write((transaction) => purgeSome(transaction, tenant), { signal });
    more = purged.more;
    expired.records += purged.removed;
    tell("expire", total(expired));
    await yieldToEventLoop();
  }
}

/** Clears away the indexes that made room for others; gives how many. One that is damaged is left to `check`. */
async function clearIndexes(engine: Engine, signal: AbortSignal | undefined, tell: Tell): Promise<number> {
  let cleared = 0;
  for (let after: number | null = 0; after !== null;) {
    const from: number = after;
    const page = await engine.read((transaction) => selectRetired(transaction, from), { signal });
    for (const scope of new Set(page.scopes)) {
      try {
        for (let more = true; more;) {
          const done = await engine.write((transaction) => clearRetired(transaction, scope), { signal });
          more = done.more;
          cleared += done.indexes;
          tell("index", cleared);
        }
      } catch (error) {
        if (!isDamage(error)) throw error;
      }
    }
    after = page.after;
  }
  return cleared;
}

/** Lowers the store's clock mark to the clock; gives by how many milliseconds. */
export function* lowerClockMark(transaction: WriteTransaction): Operation<number> {
  return yield* known(transaction.lowerClockMark());
}
