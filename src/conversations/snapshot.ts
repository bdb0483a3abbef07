/** A snapshot: what a scope is at one moment, read without its history. */

import { checksumOf } from "../canonical/checksum.ts";
import { sha256Hex } from "../canonical/sha256.ts";
import { instantFromMs } from "../canonical/time.ts";
import { Discreet, type Exportable, type ExportedFields } from "../contracts/discreet.ts";
import type { TimedPin } from "../contracts/pin.ts";
import type { Scope } from "../contracts/scope.ts";
import type { Summary } from "../contracts/summary.ts";
import { unpackPin, unpackSummary } from "../contracts/unpack.ts";
import type { ScopeRow } from "../deletion/scope_row.ts";
import type { Operation, ReadTransaction } from "../engine/operation.ts";
import type { Row } from "../engine/sqlite/driver.ts";
import { ConflictError, ContractError, IntegrityError } from "../errors.ts";
import { type Place, requireScope } from "./place.ts";

/** What a scope is at one moment. Printed, it shows ids and counts. */
export interface Snapshot extends Exportable {
  /** Whose. */
  readonly scope: Scope;
  /** Moves with every change of the scope. */
  readonly revision: number;
  /** Opaque; equal ids mean that nothing that counts has changed. */
  readonly id: string;
  /** How many turns there are. */
  readonly turnCount: number;
  /** The active pins, by key in code point order. */
  readonly pins: readonly TimedPin[];
  /** The summary, while it counts. */
  readonly summary: Summary | null;
  /** When: the store's time, as ISO text. */
  readonly at: string;
  /** No later than the first time at which something of the scope expires, as ISO text; null if nothing ever does. */
  readonly nextDueAt: string | null;
}

type SnapshotFields = Omit<Snapshot, "export">;

class SnapshotValue extends Discreet implements Snapshot {
  readonly scope: Scope;
  readonly revision: number;
  readonly id: string;
  readonly turnCount: number;
  readonly pins: readonly TimedPin[];
  readonly summary: Summary | null;
  readonly at: string;
  readonly nextDueAt: string | null;
  readonly #taken = true;

  constructor(fields: SnapshotFields) {
    super();
    this.scope = fields.scope;
    this.revision = fields.revision;
    this.id = fields.id;
    this.turnCount = fields.turnCount;
    this.pins = Object.freeze(fields.pins);
    this.summary = fields.summary;
    this.at = fields.at;
    this.nextDueAt = fields.nextDueAt;
    Object.freeze(this);
  }

  static is(value: unknown): value is SnapshotValue {
    return typeof value === "object" && value !== null && #taken in value;
  }

  protected override noun(): string {
    return "Snapshot";
  }

  protected override outline(): ExportedFields {
    const { scope, revision, id, turnCount, pins, summary, at, nextDueAt } = this;
    return {
      scope: { ...scope },
      revision,
      id,
      turnCount,
      pins: pins.length,
      summary: summary !== null,
      at,
      nextDueAt,
    };
  }

  override export(options: { readonly includeContent?: boolean } = {}): ExportedFields {
    const outline = super.export({ ...options, includeContent: false });
    if (options.includeContent === undefined || options.includeContent === false) return outline;
    if (options.includeContent !== true) {
      throw new ContractError("includeContent", "includeContent must be a boolean");
    }
    return {
      ...outline,
      pins: this.pins.map((pin) => pin.export(options)),
      summary: this.summary?.export(options) ?? null,
    };
  }
}

/** Requires a snapshot that a store gave, of this scope. */
export function requireSnapshot(value: unknown, scope: Scope): Snapshot {
  if (!SnapshotValue.is(value)) {
    throw new ContractError("snapshot", "Expected snapshot to come from this store");
  }
  if (value.scope.tenantId !== scope.tenantId || value.scope.sessionId !== scope.sessionId) {
    throw new ContractError("snapshot", "Expected snapshot to be of this conversation's scope");
  }
  return value;
}

/** A snapshot with what has to be left out of it: things that are due and not erased yet. */
export interface Reading {
  readonly snapshot: Snapshot;
  readonly row: ScopeRow;
  /** Ids of turns (rows) that are due. */
  readonly dueTurns: ReadonlySet<number>;
}

/** The last millisecond that can be written: a deadline may lie beyond it, by its offset or its microseconds. */
const LATEST_MS = 253_402_300_799_999;

/** Takes a snapshot: the scope's row, its pins and its summary; turns only if some are due. */
export function* takeSnapshot(
  transaction: ReadTransaction,
  place: Place,
  moment: { readonly atMs: number; readonly epoch: string },
): Operation<Reading> {
  const { atMs, epoch } = moment;
  const row = yield* requireScope(transaction, place);
  const isDue = row.nextDue !== null && row.nextDue <= atMs;
  const dueTurns = isDue ? yield* selectDueTurns(transaction, row, atMs) : new Map<number, string>();
  const pins = yield* readPins(transaction, row, atMs, dueTurns);
  const summary = yield* readSummary(transaction, row, atMs, dueTurns);
  const due = [...pins.due, ...summary.due, ...[...dueTurns.values()].map((turnId) => `turn ${turnId}`)];
  const parts = [
    epoch,
    row.tenant,
    row.session,
    row.revision,
    pins.active.map((pin) => pin.payload),
    summary.payload,
    due,
  ];
  const snapshot = new SnapshotValue({
    scope: place.scope,
    revision: row.revision,
    id: sha256Hex(JSON.stringify(parts)),
    turnCount: row.turns - dueTurns.size,
    pins: pins.active.map((pin) => pin.pin),
    summary: summary.payload === null ? null : unpackSummary(summary.payload),
    at: instantFromMs(atMs).text,
    nextDueAt: row.nextDue === null ? null : instantFromMs(Math.min(row.nextDue, LATEST_MS)).text,
  });
  return { snapshot, row, dueTurns: new Set(dueTurns.keys()) };
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

interface StoredPin {
  readonly pin: TimedPin;
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
      const pin = unpackPin(payload);
      if (pin.key !== key || pin.revision !== revision) {
        throw damaged("pins", "A pin's payload is not the one of its row");
      }
      active.push({ pin, payload });
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

/** Requires that a snapshot is still current; gives it anew. Only the id decides. */
export function* requireCurrent(
  transaction: ReadTransaction,
  place: Place,
  snapshot: Snapshot,
  moment: { readonly atMs: number; readonly epoch: string },
): Operation<Reading> {
  const reading = yield* takeSnapshot(transaction, place, moment);
  requireSame(reading.snapshot, snapshot);
  return reading;
}

/** Requires that a snapshot is the one that there is now. */
export function requireSame(now: Snapshot, snapshot: Snapshot): void {
  if (now.id === snapshot.id) return;
  throw new ConflictError("SNAPSHOT", "The snapshot is stale; take a fresh one", {
    currentRevision: now.revision,
  });
}
