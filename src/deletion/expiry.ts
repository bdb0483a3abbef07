/** Expiry: erases turns and pins as events that keep their revision, and summaries and cached responses without one. */

import {
  type Change,
  changedScope,
  type Erased,
  erasePin,
  eraseSummary,
  eraseTurn,
  nothingErased,
} from "./cascade.ts";
import { itemHashOf } from "./scope_hashes.ts";
import { readScope, type ScopeRow, writeScope } from "../tables/scopes.ts";
import {
  type Operation,
  type ReadTransaction,
  together,
  type WriteTransaction,
} from "../engine/operation.ts";
import { CLOCK_BEHIND_MS_MAX, EXPIRED_PER_GROUP_MAX, TERMS_PER_STEP } from "../limits.ts";

/** The result of one round of expiry. */
interface Upkept {
  readonly erased: Erased;
  /** Whether more has expired. */
  readonly more: boolean;
  /** Whether postings of a long turn are left in an index. */
  readonly isDraining: boolean;
}

/** Erases what has expired in a scope, up to a limit. Does nothing while the clock is behind. */
export function* expireScope(
  transaction: WriteTransaction,
  scopeHash: Uint8Array,
  hashKey: Uint8Array,
): Operation<Upkept> {
  const erased = nothingErased();
  const { effectiveMs, behindMs } = transaction.time();
  const row = yield* readScope(transaction, scopeHash);
  if (
    row === null || row.nextExpiry === null || row.nextExpiry > effectiveMs || behindMs > CLOCK_BEHIND_MS_MAX
  ) {
    return { erased, more: false, isDraining: false };
  }
  const change: Change = { transaction, row, hashKey, erased };
  const turns = yield* expireTurns(change, effectiveMs);
  const pins = turns < EXPIRED_PER_GROUP_MAX ? yield* expirePins(change, effectiveMs) : 0;
  const more = turns + pins >= EXPIRED_PER_GROUP_MAX;
  yield* together([expireSummary(change, effectiveMs), expireReplays(change, effectiveMs)]);
  row.nextExpiry = yield* firstExpiry(transaction, row);
  yield* writeScope(transaction, row);
  return { erased, more, isDraining: change.isDraining ?? false };
}

const SELECT_EXPIRED_TURNS =
  `SELECT id, turn_id, bytes, revision FROM turns WHERE scope = $1 AND expires <= $2
  ORDER BY expires, id LIMIT $3`;

/** Returns how many turns it erased; the most that a group may, if there may be more. */
function* expireTurns(change: Change, nowMs: number): Operation<number> {
  const { transaction, row, hashKey } = change;
  const expired = yield* transaction.all(SELECT_EXPIRED_TURNS, row.id, nowMs, EXPIRED_PER_GROUP_MAX);
  for (const [id, turnId, bytes, revision] of expired as unknown as [number, string, number, number][]) {
    const before = { ...change.erased };
    yield* eraseTurn(change, { id, bytes });
    record(change, "turn", turnId, revision, before, hashKey);
    // The words of a few turns may take as long as two hundred turns.
    if (change.erased.postings > TERMS_PER_STEP) return EXPIRED_PER_GROUP_MAX;
  }
  return expired.length;
}

const SELECT_EXPIRED_PINS = `SELECT key, revision FROM pins WHERE scope = $1 AND expires <= $2 ORDER BY key`;

function* expirePins(change: Change, nowMs: number): Operation<number> {
  const { transaction, row, hashKey } = change;
  const expired = yield* transaction.all(SELECT_EXPIRED_PINS, row.id, nowMs);
  for (const [key, revision] of expired as unknown as [string, number][]) {
    const before = { ...change.erased };
    yield* erasePin(change, key);
    record(change, "pin", key, revision, before, hashKey);
  }
  return expired.length;
}

/** Records an expiry: the identifier may be used again, with the next revision. */
function record(
  { transaction, row, erased }: Change,
  kind: "turn" | "pin",
  key: string,
  revision: number,
  before: Erased,
  hashKey: Uint8Array,
): void {
  const scope = { tenantId: row.tenant, sessionId: row.session };
  const counts = Object.fromEntries(
    Object.entries(erased).map(([name, count]) => [name, count - before[name as keyof Erased]]),
  );
  const keyHash = itemHashOf(hashKey, kind, scope, key);
  transaction.record({ kind, scopeHash: row.scopeHash, keyHash, reserved: false, floor: revision, counts });
}

const SELECT_EXPIRED_SUMMARY = `SELECT scope FROM summaries WHERE scope = $1 AND expires <= $2`;

function* expireSummary(change: Change, nowMs: number): Operation<void> {
  if ((yield* change.transaction.get(SELECT_EXPIRED_SUMMARY, change.row.id, nowMs)) === undefined) return;
  yield* eraseSummary(change);
  yield* changedScope(change);
}

const DELETE_EXPIRED_REPLAYS = `DELETE FROM replays WHERE scope = $1 AND expires <= $2`;

function* expireReplays({ transaction, row, erased }: Change, nowMs: number): Operation<void> {
  const removed = yield* transaction.run(DELETE_EXPIRED_REPLAYS, row.id, nowMs);
  if (removed > 0) transaction.markDirty("replays");
  erased.replay += removed;
}

const SELECT_FIRST_EXPIRY_OF_TURN = `SELECT min(expires) FROM turns WHERE scope = $1 AND expires IS NOT NULL`;
const SELECT_FIRST_EXPIRY_OF_PIN = `SELECT min(expires) FROM pins WHERE scope = $1`;
const SELECT_FIRST_EXPIRY_OF_SUMMARY = `SELECT expires FROM summaries WHERE scope = $1`;
const SELECT_FIRST_EXPIRY_OF_REPLAY = `SELECT min(expires) FROM replays WHERE scope = $1`;

function* firstExpiry(transaction: ReadTransaction, row: ScopeRow): Operation<number | null> {
  const found = yield* together([
    transaction.get(SELECT_FIRST_EXPIRY_OF_TURN, row.id),
    transaction.get(SELECT_FIRST_EXPIRY_OF_PIN, row.id),
    transaction.get(SELECT_FIRST_EXPIRY_OF_SUMMARY, row.id),
    transaction.get(SELECT_FIRST_EXPIRY_OF_REPLAY, row.id),
  ]);
  const times = found.map((first) => first?.[0] ?? null).filter((first) => first !== null);
  return times.length === 0 ? null : Math.min(...times as number[]);
}

/** A scope in which something may have expired. */
export interface ExpiringScope {
  readonly id: number;
  readonly nextExpiry: number;
  readonly scopeHash: Uint8Array;
}

const SELECT_EXPIRED_SCOPES = `SELECT id, next_expiry, scope_hash FROM scopes WHERE next_expiry <= $1
  AND (next_expiry, id) > ($2, $3) ORDER BY next_expiry, id LIMIT $4`;

/** Reads scopes in which something may have expired, the longest overdue first, after one of them. */
export function* selectExpiredScopes(
  transaction: ReadTransaction,
  nowMs: number,
  { after, limit }: { readonly after: ExpiringScope | null; readonly limit: number },
): Operation<readonly ExpiringScope[]> {
  const [nextExpiry, id] = after === null ? [Number.MIN_SAFE_INTEGER, 0] : [after.nextExpiry, after.id];
  const rows = yield* transaction.all(SELECT_EXPIRED_SCOPES, nowMs, nextExpiry, id, limit);
  return rows.map(([id, nextExpiry, scopeHash]) => ({ id, nextExpiry, scopeHash }) as ExpiringScope);
}
