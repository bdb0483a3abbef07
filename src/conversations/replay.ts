/** The response cache: answers that hold for exactly one snapshot. */

import type { Json } from "../canonical/plain.ts";
import { expiryMs } from "../canonical/time.ts";
import type { Ending } from "../contracts/options/lifetime.ts";
import { clockBehind, hasPassed } from "../engine/effective_time.ts";
import {
  type Operation,
  type ReadTransaction,
  together,
  type WriteTransaction,
} from "../engine/operation.ts";
import { SELECT_REPLAY, toReplay, upsertReplay } from "../tables/replays.ts";
import { noteExpiry, writeScope } from "../tables/scopes.ts";
import { ContractError, IntegrityError } from "../errors.ts";
import { CLOCK_BEHIND_MS_MAX, REPLAY_TTL_SECONDS_MAX, SCOPE_REPLAYS_MAX } from "../limits.ts";
import type { Place } from "../scopes/place.ts";
import { requireUpkept } from "../scopes/present_scope.ts";
import { requireSame, type Snapshot } from "../contracts/snapshot.ts";
import { readScopeState, requireCurrent } from "../scopes/take_snapshot.ts";

/** A put, validated and encoded. */
export interface ReplayPlan {
  readonly place: Place;
  readonly epoch: string;
  readonly snapshot: Snapshot;
  readonly key: string;
  readonly payload: string;
  readonly lifetime: Ending;
}

/** Keeps an answer; where the scope has as many as it may, the expired ones go first, then the oldest. */
export function* putReplay(transaction: WriteTransaction, plan: ReplayPlan): Operation<void> {
  const { place, epoch, key, payload } = plan;
  const { effectiveMs, behindMs } = transaction.time();
  if (behindMs > CLOCK_BEHIND_MS_MAX) {
    throw clockBehind(behindMs, { action: "cache response" });
  }
  const { id, row } = yield* readScopeState(transaction, place, { atMs: effectiveMs, epoch });
  requireUpkept(transaction, row);
  requireSame({ id, revision: row.revision }, plan.snapshot);
  const expires = expiryOf(transaction, plan.lifetime);
  const kept = yield* transaction.all(SELECT_REPLAY_KEYS, row.id);
  const evicted = toEvict(kept as unknown as KeptReplay[], key, effectiveMs);
  transaction.markDirty("replays");
  noteExpiry(row, expires);
  yield* together([
    transaction.runEach(DELETE_REPLAY, evicted.map((old) => [row.id, old])),
    upsertReplay(transaction, { scope: row.id, key, snapshot: id, at: effectiveMs, expires, payload }),
    writeScope(transaction, row),
  ]);
}

const CACHING = { action: "cache response", field: "expiresAt" };

/** When an answer expires, in milliseconds. */
function expiryOf(transaction: WriteTransaction, lifetime: Ending): number {
  const { effectiveMs } = transaction.time();
  if ("ttl" in lifetime) return effectiveMs + lifetime.ttl * 1_000;
  const expires = expiryMs(lifetime.at);
  const { field } = CACHING;
  if (hasPassed(transaction.time(), expires, CACHING)) {
    throw new ContractError(field, `${field} must lie in the future`);
  }
  if (expires - effectiveMs <= REPLAY_TTL_SECONDS_MAX * 1_000) return expires;
  throw new ContractError(field, `${field} must lie at most ${REPLAY_TTL_SECONDS_MAX} seconds ahead`, {
    details: { maximum: REPLAY_TTL_SECONDS_MAX },
  });
}

const SELECT_REPLAY_KEYS = `SELECT key, at, expires FROM replays WHERE scope = $1`;

const DELETE_REPLAY = `DELETE FROM replays WHERE scope = $1 AND key = $2`;

type KeptReplay = readonly [key: string, at: number, expires: number];

/** The keys that make room for a new one: expired ones first, then the oldest. */
function toEvict(kept: readonly KeptReplay[], key: string, nowMs: number): readonly string[] {
  const others = kept.filter(([other]) => other !== key);
  const rank = ([, at, expires]: KeptReplay): number => expires <= nowMs ? -1 : at;
  others.sort((left, right) => rank(left) - rank(right) || (left[0] < right[0] ? -1 : 1));
  return others.slice(0, Math.max(0, others.length - (SCOPE_REPLAYS_MAX - 1))).map(([old]) => old);
}

/** The answer kept for exactly this snapshot; null if there is none or it has expired. */
export function* getReplay(
  transaction: ReadTransaction,
  plan: Pick<ReplayPlan, "place" | "epoch" | "snapshot" | "key"> & { readonly atMs: number },
): Operation<Json | null> {
  const { place, epoch, key, atMs } = plan;
  const { row: scope, snapshot } = yield* requireCurrent(transaction, place, plan.snapshot, { atMs, epoch });
  const row = yield* transaction.get(SELECT_REPLAY, scope.id, key);
  if (row === undefined) return null;
  const replay = toReplay(row);
  if (!replay.isIntact) {
    throw new IntegrityError("The checksum of a cached response does not match", {
      details: { table: "replays" },
    });
  }
  if (replay.snapshot !== snapshot.id || replay.expires <= atMs) return null;
  return JSON.parse(replay.payload) as Json;
}
