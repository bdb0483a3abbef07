/** Taking a snapshot: what a scope is at one moment, read without its history. */

import { toHex } from "../canonical/keyed_hash.ts";
import { sha256Hex } from "../canonical/sha256.ts";
import { instantFromMs } from "../canonical/time.ts";
import type { TimedPin } from "../contracts/pin.ts";
import { unpackPin, unpackSummary } from "../contracts/stored/unpack.ts";
import { damagedRow, type ScopeRow } from "../tables/scopes.ts";
import { NOTHING_SKIPPED } from "../engine/damage.ts";
import type { Operation, ReadTransaction } from "../engine/operation.ts";
import { readPins, type StoredPin } from "../tables/pins.ts";
import type { Place } from "./place.ts";
import { requireScope } from "./present_scope.ts";
import { makeSnapshot, requireSame, type Snapshot } from "../contracts/snapshot.ts";
import type { Moment, StoreAccess } from "./store_access.ts";
import { readSummary } from "../tables/summaries.ts";

/** A snapshot with what has to be left out of it: things that are due and not erased yet. */
export interface Reading {
  readonly snapshot: Snapshot;
  readonly row: ScopeRow;
  /** Ids of turns (rows) that are due. */
  readonly expiredTurns: ReadonlySet<number>;
}

/** The last millisecond that can be written: a deadline may lie beyond it, by its offset or its microseconds. */
export const LATEST_MS = 253_402_300_799_999;

/** What a snapshot is made of, and its id: whether it still holds can be told without making it again. */
interface ScopeState {
  readonly id: string;
  readonly row: ScopeRow;
  /** Ids of turns (rows) that are due. */
  readonly expiredTurns: ReadonlySet<number>;
  /** The active ones. */
  readonly pins: readonly StoredPin[];
  /** The summary's payload, while it counts. */
  readonly summary: string | null;
}

const NOTHING_DUE: ReadonlyMap<number, string> = new Map();

/** Reads the scope's row, its pins and its summary; turns only if some are due. */
export function* readScopeState(
  transaction: ReadTransaction,
  place: Place,
  { atMs, epoch, damage = NOTHING_SKIPPED }: Moment,
): Operation<ScopeState> {
  const row = yield* requireScope(transaction, place);
  const isDue = row.nextExpiry !== null && row.nextExpiry <= atMs;
  const expiredTurns = isDue ? yield* selectDueTurns(transaction, row, atMs) : NOTHING_DUE;
  const stored = row.pins === 0 ? [] : yield* readPins(transaction, row, atMs, expiredTurns, damage);
  const pins = stored.filter(({ isDue, effective }) => !isDue && effective <= atMs);
  const found = yield* readSummary(transaction, row, atMs, expiredTurns, damage);
  const summary = found === null || found.isDue || found.created > atMs ? null : found.payload;
  const due = [
    ...stored.filter(({ isDue }) => isDue).map(({ key }) => `pin ${key}`),
    ...(found?.isDue ? ["summary"] : []),
    ...Array.from(expiredTurns.values(), (turnId) => `turn ${turnId}`),
  ];
  const payloads = pins.map(({ payload }) => payload);
  return {
    id: idOf([epoch, row.tenant, row.session, row.revision], { pins: payloads, summary, due }),
    row,
    expiredTurns: new Set(expiredTurns.keys()),
    pins,
    summary,
  };
}

type Part = string | number | null;

let newest: { readonly parts: readonly Part[]; readonly id: string } = { parts: [], id: "" };

/** The id of what counts. Checking one snapshot again and again is the rule, so the newest one is not hashed again. */
function idOf(
  scope: readonly [epoch: string, tenant: string, session: string, revision: number],
  { pins, summary, due }: {
    readonly pins: readonly string[];
    readonly summary: string | null;
    readonly due: readonly string[];
  },
): string {
  const parts = [...scope, pins.length, summary, ...pins, ...due];
  if (parts.length !== newest.parts.length || parts.some((part, index) => part !== newest.parts[index])) {
    newest = { parts, id: sha256Hex(JSON.stringify([...scope, pins, summary, due])) };
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

/** What stands for a scope that is not there: of revision 0, and current for no call. */
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

const SELECT_DUE_TURNS = `SELECT id, turn_id FROM turns WHERE scope = $1 AND expires <= $2 ORDER BY id`;

function* selectDueTurns(
  transaction: ReadTransaction,
  row: ScopeRow,
  atMs: number,
): Operation<ReadonlyMap<number, string>> {
  const rows = yield* transaction.all(SELECT_DUE_TURNS, row.id, atMs);
  return new Map(rows.map(([id, turnId]) => [id as number, turnId as string]));
}

/** Requires that a snapshot is still current; gives what it left out. Only the id decides. */
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
