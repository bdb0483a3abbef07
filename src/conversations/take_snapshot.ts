/** Taking a snapshot: what a scope is at one moment, read without its history. */

import { checksumOf } from "../canonical/checksum.ts";
import { toHex } from "../canonical/keyed_hash.ts";
import { sha256Hex } from "../canonical/sha256.ts";
import { instantFromMs } from "../canonical/time.ts";
import type { TimedPin } from "../contracts/pin.ts";
import { unpackPin, unpackSummary } from "../contracts/unpack.ts";
import type { ScopeRow } from "../deletion/scope_row.ts";
import type { Operation, ReadTransaction } from "../engine/operation.ts";
import type { Row } from "../engine/sqlite/driver.ts";
import { IntegrityError } from "../errors.ts";
import type { Place } from "./place.ts";
import { requireScope } from "./present_scope.ts";
import { makeSnapshot, requireSame, type Snapshot } from "./snapshot.ts";
import type { Moment, StoreAccess } from "./store_access.ts";

/** A snapshot with what has to be left out of it: things that are due and not erased yet. */
export interface Reading {
  readonly snapshot: Snapshot;
  readonly row: ScopeRow;
  /** Ids of turns (rows) that are due. */
  readonly dueTurns: ReadonlySet<number>;
}

/** The last millisecond that can be written: a deadline may lie beyond it, by its offset or its microseconds. */
export const LATEST_MS = 253_402_300_799_999;

/** What a snapshot is made of, and its id: whether it still holds can be told without making it again. */
interface ScopeState {
  readonly id: string;
  readonly row: ScopeRow;
  /** Ids of turns (rows) that are due. */
  readonly dueTurns: ReadonlySet<number>;
  readonly pins: readonly StoredPin[];
  /** The summary's payload, while it counts. */
  readonly summary: string | null;
}

const NOTHING_DUE: ReadonlyMap<number, string> = new Map();

/** Reads the scope's row, its pins and its summary; turns only if some are due. */
export function* readScopeState(
  transaction: ReadTransaction,
  place: Place,
  { atMs, epoch }: Moment,
): Operation<ScopeState> {
  const row = yield* requireScope(transaction, place);
  const isDue = row.nextDue !== null && row.nextDue <= atMs;
  const dueTurns = isDue ? yield* selectDueTurns(transaction, row, atMs) : NOTHING_DUE;
  const pins = yield* readPins(transaction, row, atMs, dueTurns);
  const summary = yield* readSummary(transaction, row, atMs, dueTurns);
  const due = [...pins.due, ...summary.due, ...Array.from(dueTurns.values(), (turnId) => `turn ${turnId}`)];
  const parts = [
    epoch,
    row.tenant,
    row.session,
    row.revision,
    pins.active.map((pin) => pin.payload),
    summary.payload,
    due,
  ];
  return {
    id: idOf(JSON.stringify(parts)),
    row,
    dueTurns: new Set(dueTurns.keys()),
    pins: pins.active,
    summary: summary.payload,
  };
}

let newest = { parts: "", id: "" };

/** The id of what counts. Checking one snapshot again and again is the rule, so the newest one is not hashed again. */
function idOf(parts: string): string {
  if (parts !== newest.parts) newest = { parts, id: sha256Hex(parts) };
  return newest.id;
}

/** Takes a snapshot. */
export function* takeSnapshot(
  transaction: ReadTransaction,
  place: Place,
  moment: Moment,
): Operation<Reading> {
  const { id, row, dueTurns, pins, summary } = yield* readScopeState(transaction, place, moment);
  const snapshot = makeSnapshot({
    scope: place.scope,
    revision: row.revision,
    id,
    turnCount: row.turns - dueTurns.size,
    pins: pins.map(unpackStored),
    summary: summary === null ? null : unpackSummary(summary),
    at: instantFromMs(moment.atMs).text,
    nextDueAt: row.nextDue === null ? null : instantFromMs(Math.min(row.nextDue, LATEST_MS)).text,
  });
  return { snapshot, row, dueTurns };
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
    nextDueAt: null,
  });
}

function unpackStored({ key, revision, payload }: StoredPin): TimedPin {
  const pin = unpackPin(payload);
  if (pin.key === key && pin.revision === revision) return pin;
  throw damaged("pins", "A pin's payload is not the one of its row");
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

/** An active pin, as it is stored. */
interface StoredPin {
  readonly key: string;
  readonly revision: number;
  readonly payload: string;
}

const SELECT_PINS =
  `SELECT key, revision, effective, expires, source_turn, payload_checksum, checksum, payload
  FROM pins WHERE scope = $1 ORDER BY key`;

/** The active pins, and the keys of those that are due or cite what is due. */
function* readPins(
  transaction: ReadTransaction,
  scope: ScopeRow,
  atMs: number,
  dueTurns: ReadonlyMap<number, string>,
): Operation<{ readonly active: readonly StoredPin[]; readonly due: readonly string[] }> {
  const active: StoredPin[] = [];
  const due: string[] = [];
  if (scope.pins === 0) return { active, due };
  for (const row of yield* transaction.all(SELECT_PINS, scope.id)) {
    const [key, revision, effective, expires, sourceTurn] = row as [
      string,
      number,
      number,
      number | null,
      number | null,
    ];
    const payload = requirePinRow(scope, row);
    if ((expires !== null && expires <= atMs) || (sourceTurn !== null && dueTurns.has(sourceTurn))) {
      due.push(`pin ${key}`);
    } else if (effective <= atMs) {
      active.push({ key, revision, payload });
    }
  }
  return { active, due };
}

/** Judges a pin's row by its checksums; gives the payload. */
export function requirePinRow(scope: Pick<ScopeRow, "id">, row: Row): string {
  const [key, revision, effective, expires, sourceTurn, payloadChecksum, checksum, payload] = row;
  const sum = checksumOf(scope.id, key!, revision!, effective!, expires!, sourceTurn!, payloadChecksum!);
  if (sum !== checksum || typeof payload !== "string" || checksumOf(payload) !== payloadChecksum) {
    throw damaged("pins", "The checksum of a pin does not match");
  }
  return payload;
}

const SELECT_SUMMARY =
  `SELECT created, expires, payload_checksum, checksum, payload FROM summaries WHERE scope = $1`;

const SELECT_FIRST_COVERED = `SELECT turn FROM covered_turns WHERE scope = $1 AND turn = $2`;

/** The summary's payload, while it counts; else its mark among what is due. */
function* readSummary(
  transaction: ReadTransaction,
  scope: ScopeRow,
  atMs: number,
  dueTurns: ReadonlyMap<number, string>,
): Operation<{ readonly payload: string | null; readonly due: readonly string[] }> {
  const row = yield* transaction.get(SELECT_SUMMARY, scope.id);
  if (row === undefined) return { payload: null, due: [] };
  const payload = requireSummaryRow(scope, row);
  const [created, expires] = row as [number, number | null];
  if (expires !== null && expires <= atMs) return { payload: null, due: ["summary"] };
  for (const turn of dueTurns.keys()) {
    const covered = yield* transaction.get(SELECT_FIRST_COVERED, scope.id, turn);
    if (covered !== undefined) return { payload: null, due: ["summary"] };
  }
  return { payload: created <= atMs ? payload : null, due: [] };
}

/** Judges a summary's row by its checksums; gives the payload. */
export function requireSummaryRow(scope: Pick<ScopeRow, "id">, row: Row): string {
  const [created, expires, payloadChecksum, checksum, payload] = row;
  const sum = checksumOf(scope.id, created!, expires!, payloadChecksum!);
  if (sum !== checksum || typeof payload !== "string" || checksumOf(payload) !== payloadChecksum) {
    throw damaged("summaries", "The checksum of a summary does not match");
  }
  return payload;
}

function damaged(table: string, message: string): IntegrityError {
  return new IntegrityError(message, { details: { table } });
}

/** Requires that a snapshot is still current; gives what it left out. Only the id decides. */
export function* requireCurrent(
  transaction: ReadTransaction,
  place: Place,
  snapshot: Snapshot,
  moment: Moment,
): Operation<Reading> {
  const { id, row, dueTurns } = yield* readScopeState(transaction, place, moment);
  requireSame({ id, revision: row.revision }, snapshot);
  return { snapshot, row, dueTurns };
}
