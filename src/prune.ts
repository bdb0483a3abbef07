/**
 * Prunes a whole store. Erases what has expired in every scope and for every tenant, removes replaced indexes, and scrubs
 * the files.
 */

import { yieldToEventLoop } from "./clock.ts";
import { readFields, requireBoolean, requireCallback, requireSignal } from "./contracts/arguments.ts";
import type { PruneOptions, PruneProgress, PruneReport } from "./contracts/options/receipt.ts";
import { clearRetired, selectRetired } from "./index/index_state.ts";
import { expireScope, type ExpiringScope, selectExpiredScopes } from "./deletion/expiry.ts";
import { nothingErased } from "./deletion/cascade.ts";
import { drainAll } from "./deletion/drain_indexes.ts";
import { drainErased } from "./deletion/drain_scopes.ts";
import { scrub } from "./deletion/scrub.ts";
import { isDamage } from "./engine/check_collector.ts";
import type { Engine } from "./engine/engine.ts";
import { known, type Operation, type WriteTransaction } from "./engine/operation.ts";
import { StorageError } from "./errors.ts";
import { CLOCK_BEHIND_MS_MAX, EXPIRING_SCOPES_PER_READ } from "./limits.ts";
import { purgeNow, purgeSome, selectExpiredTenants } from "./records/read.ts";

/** Prunes the store. */
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
  const progress: ReportProgress = (part, done: number): void => onProgress?.({ part, done });
  await expireScopes(engine, expired, signal, progress);
  await purgeTenants(engine, expired, signal, progress);
  await drainErased(engine, signal);
  await drainAll(engine, signal);
  const retiredIndexes = await clearIndexes(engine, signal, progress);
  const files = await engine.files?.();
  const leftovers = await files?.sweep() ?? { removed: [], kept: [] };
  const report = wantsScrub
    ? await scrub(engine, { signal, onTable: (tables) => progress("scrub", tables) })
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
type ReportProgress = (part: PruneProgress["part"], done: number) => void;

function total({ turns, pins, summaries, replay, records }: Expired): number {
  return turns + pins + summaries + replay + records;
}

/** Expires scope by scope, in bounded groups; a damaged scope is skipped, and `check` reports it. */
async function expireScopes(
  engine: Engine,
  expired: Expired,
  signal: AbortSignal | undefined,
  progress: ReportProgress,
): Promise<void> {
  let after: ExpiringScope | null = null;
  do {
    const { effectiveMs, behindMs } = engine.time();
    if (behindMs > CLOCK_BEHIND_MS_MAX) return;
    const page: { readonly after: ExpiringScope | null; readonly limit: number } = {
      after,
      limit: EXPIRING_SCOPES_PER_READ,
    };
    const scopes = await engine.read((transaction) => selectExpiredScopes(transaction, effectiveMs, page), {
      signal,
    });
    for (const { scopeHash } of scopes) {
      try {
        await expireWhole(engine, scopeHash, expired, { signal, progress });
      } catch (error) {
        if (!isDamage(error)) throw error;
      }
    }
    after = scopes.length < EXPIRING_SCOPES_PER_READ ? null : scopes.at(-1)!;
  } while (after !== null);
}

async function expireWhole(
  engine: Engine,
  scopeHash: Uint8Array,
  expired: Expired,
  { signal, progress }: { readonly signal: AbortSignal | undefined; readonly progress: ReportProgress },
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
    progress("expire", total(expired));
    await yieldToEventLoop();
  }
}

/** Purges tenant by tenant. Only tenants with expired records cost a commit: a store may have many tenants. */
async function purgeTenants(
  engine: Engine,
  expired: Expired,
  signal: AbortSignal | undefined,
  progress: ReportProgress,
): Promise<void> {
  for (let after: string | null = ""; after !== null;) {
    const from: string = after;
    const now = purgeNow(engine.time());
    const page = await engine.read((transaction) => selectExpiredTenants(transaction, from, now), {
      signal,
    });
    for (const tenant of page.expired) await purgeTenant(engine, tenant, expired, { signal, progress });
    after = page.after;
    await yieldToEventLoop();
  }
}

async function purgeTenant(
  engine: Engine,
  tenant: string,
  expired: Expired,
  { signal, progress }: { readonly signal: AbortSignal | undefined; readonly progress: ReportProgress },
): Promise<void> {
  for (let more = true; more;) {
    const purged = await engine.write((transaction) => purgeSome(transaction, tenant), { signal });
    more = purged.more;
    expired.records += purged.removed;
    progress("expire", total(expired));
    await yieldToEventLoop();
  }
}

/** Removes replaced indexes; resolves to their number. A damaged one is skipped, and `check` reports it. */
async function clearIndexes(
  engine: Engine,
  signal: AbortSignal | undefined,
  progress: ReportProgress,
): Promise<number> {
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
          progress("index", cleared);
        }
      } catch (error) {
        if (!isDamage(error)) throw error;
      }
    }
    after = page.after;
  }
  return cleared;
}

/** Lowers the store's clock mark to the clock; returns by how many milliseconds. */
export function* lowerClockMark(transaction: WriteTransaction): Operation<number> {
  return yield* known(transaction.lowerClockMark());
}
