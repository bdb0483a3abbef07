/** Snapshots: the state of a scope at one moment, read without its history. */

import { toHex } from "../canonical/keyed_hash.ts";
import { sha256Hex } from "../canonical/sha256.ts";
import { instantFromMs } from "../canonical/time.ts";
import type { TimedPin } from "../contracts/pin.ts";
import { unpackPin, unpackSummary } from "../contracts/stored/unpack.ts";
import { damagedRow, type ScopeRow, toScopeRow } from "../tables/scopes.ts";
import { NOTHING_SKIPPED } from "../engine/damage.ts";
import { type Operation, type ReadTransaction, together } from "../engine/operation.ts";
import type { Row } from "../engine/values.ts";
import { SELECT_PINS_BY_HASH, type StoredPin, toStoredPins } from "../tables/pins.ts";
import type { Place } from "./place.ts";
import { absence } from "./present_scope.ts";
import { makeSnapshot, requireSame, type Snapshot } from "../contracts/snapshot.ts";
import type { Moment, StoreAccess } from "./store_access.ts";
import { SELECT_SCOPE_AND_SUMMARY, summaryOf, toStoredSummary } from "../tables/summaries.ts";

/** A snapshot, with the expired turns that are not erased yet and have to be left out. */
export interface Reading {
  readonly snapshot: Snapshot;
  readonly row: ScopeRow;
  /** Row ids of expired turns. */
  readonly expiredTurns: ReadonlySet<number>;
}

/** The last millisecond that can be written: a deadline may lie beyond it, by its offset or its microseconds. */
export const LATEST_MS = 253_402_300_799_999;

/** The contents of a snapshot, and its id, which alone shows whether a snapshot is current. */
interface ScopeState {
  readonly id: string;
  readonly row: ScopeRow;
  /** Row ids of expired turns. */
  readonly expiredTurns: ReadonlySet<number>;
  /** The active pins. */
  readonly pins: readonly StoredPin[];
  /** The payload of the summary, unless it has expired. */
  readonly summary: string | null;
}

const NOTHING_EXPIRED: ReadonlyMap<number, string> = new Map();

/** The rows from which a snapshot is taken. */
interface ScopeRows {
  readonly row: ScopeRow;
  readonly pins: readonly Row[];
  readonly summary: Row | undefined;
}

/** Reads the scope's row, its pins and its summary at once; null if there is no such scope. */
export function* readScopeRows(
  transaction: ReadTransaction,
  { scopeHash }: Place,
): Operation<ScopeRows | null> {
  const [found, pins] = yield* together([
    transaction.get(SELECT_SCOPE_AND_SUMMARY, scopeHash),
    transaction.all(SELECT_PINS_BY_HASH, scopeHash),
  ]);
  return found === undefined ? null : { row: toScopeRow(found), pins, summary: summaryOf(found) };
}

/** Reads the contents of a snapshot. */
export function* readScopeState(
  transaction: ReadTransaction,
  place: Place,
  moment: Moment,
): Operation<ScopeState> {
  const rows = yield* readScopeRows(transaction, place);
  if (rows === null) throw yield* absence(transaction, place);
  return yield* toScopeState(transaction, rows, moment);
}

/** Decodes the contents of a snapshot; reads turns only if something may have expired. */
export function* toScopeState(
  transaction: ReadTransaction,
  { row, ...rows }: ScopeRows,
  { atMs, epoch, damage = NOTHING_SKIPPED }: Moment,
): Operation<ScopeState> {
  const isExpired = row.nextExpiry !== null && row.nextExpiry <= atMs;
  const expiredTurns = isExpired ? yield* selectExpiredTurns(transaction, row, atMs) : NOTHING_EXPIRED;
  const stored = toStoredPins(row, rows.pins, atMs, expiredTurns, damage);
  const pins = stored.filter(({ isExpired, effective }) => !isExpired && effective <= atMs);
  const found = yield* toStoredSummary(transaction, row, rows.summary, { atMs, expiredTurns, damage });
  const summary = found === null || found.isExpired || found.created > atMs ? null : found.payload;
  const expired = [
    ...stored.filter(({ isExpired }) => isExpired).map(({ key }) => `pin ${key}`),
    ...(found?.isExpired ? ["summary"] : []),
    ...Array.from(expiredTurns.values(), (turnId) => `turn ${turnId}`),
  ];
  const payloads = pins.map(({ payload }) => payload);
  return {
    id: idOf([epoch, row.tenant, row.session, row.revision], { pins: payloads, summary, expired }),
    row,
    expiredTurns: new Set(expiredTurns.keys()),
    pins,
    summary,
  };
}

type Part = string | number | null;

let newest: { readonly parts: readonly Part[]; readonly id: string } = { parts: [], id: "" };

/** Computes the id. Calls check one snapshot again and again, so the newest id is not hashed again. */
function idOf(
  scope: readonly [epoch: string, tenant: string, session: string, revision: number],
  { pins, summary, expired }: {
    readonly pins: readonly string[];
    readonly summary: string | null;
    readonly expired: readonly string[];
  },
): string {
  const parts = [...scope, pins.length, summary, ...pins, ...expired];
  if (parts.length !== newest.parts.length || parts.some((part, index) => part !== newest.parts[index])) {
    newest = { parts, id: sha256Hex(JSON.stringify([...scope, pins, summary, expired])) };
  }
  return newest.id;
}

/** Takes a snapshot. */
export function* takeSnapshot(
  transaction: ReadTransaction,
  place: Place,
  moment: Moment,
): Operation<Reading> {
  const { id, row, expiredTurns, pins, summary } = yield* readScopeState(transaction, place, moment);
  const snapshot = makeSnapshot({
    scope: place.scope,
    revision: row.revision,
    id,
    turnCount: row.turns - expiredTurns.size,
    pins: pins.map((pin) => unpackStored(row, pin)),
    summary: summary === null ? null : unpackSummary(summary),
    at: instantFromMs(moment.atMs).text,
    nextExpiryAt: row.nextExpiry === null ? null : instantFromMs(Math.min(row.nextExpiry, LATEST_MS)).text,
  });
  return { snapshot, row, expiredTurns };
}

/** The snapshot of a scope that does not exist: of revision 0, and never current. */
export function snapshotOfNothing({ place, engine }: Pick<StoreAccess, "place" | "engine">): Snapshot {
  return makeSnapshot({
    scope: place.scope,
    revision: 0,
    id: sha256Hex(JSON.stringify([engine.epoch, toHex(place.scopeHash)])),
    turnCount: 0,
    pins: [],
    summary: null,
    at: instantFromMs(engine.time().effectiveMs).text,
    nextExpiryAt: null,
  });
}

function unpackStored(scope: ScopeRow, { key, revision, payload }: StoredPin): TimedPin {
  const pin = unpackPin(payload);
  if (pin.key === key && pin.revision === revision) return pin;
  throw damagedRow("A pin's payload is not the one of its row", "pins", scope, { key });
}

const SELECT_EXPIRED_TURNS = `SELECT id, turn_id FROM turns WHERE scope = $1 AND expires <= $2 ORDER BY id`;

/** Finds the turns of a scope that have expired at some time: row → turn id. */
export function* selectExpiredTurns(
  transaction: ReadTransaction,
  row: ScopeRow,
  atMs: number,
): Operation<ReadonlyMap<number, string>> {
  const rows = yield* transaction.all(SELECT_EXPIRED_TURNS, row.id, atMs);
  return new Map(rows.map(([id, turnId]) => [id as number, turnId as string]));
}

/** Requires that a snapshot is still current, by its id alone; returns it with the expired turns. */
export function* requireCurrent(
  transaction: ReadTransaction,
  place: Place,
  snapshot: Snapshot,
  moment: Moment,
): Operation<Reading> {
  const { id, row, expiredTurns } = yield* readScopeState(transaction, place, moment);
  requireSame({ id, revision: row.revision }, snapshot);
  return { snapshot, row, expiredTurns };
}
