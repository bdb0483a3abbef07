/** A pin's row, judged where it enters. */

import { checksumOf } from "../canonical/checksum.ts";
import { damagedRow, type ScopeRow } from "./scopes.ts";
import type { Damage } from "../engine/damage.ts";
import type { Operation, ReadTransaction } from "../engine/operation.ts";
import type { Row } from "../engine/values.ts";

/** A pin as it is stored, at some time. */
export interface StoredPin {
  readonly key: string;
  readonly revision: number;
  /** Milliseconds: from when it is active. */
  readonly effective: number;
  readonly payload: string;
  /** Whether it has expired, or cites a turn that has: then it counts no more, though it is not erased yet. */
  readonly isDue: boolean;
}

const SELECT_PINS =
  `SELECT key, revision, effective, expires, source_turn, payload_checksum, checksum, payload
  FROM pins WHERE scope = $1 ORDER BY key`;

/** The pins of a scope, by key. */
export function* readPins(
  transaction: ReadTransaction,
  scope: ScopeRow,
  atMs: number,
  dueTurns: { has(turn: number): boolean },
  damage: Damage,
): Operation<readonly StoredPin[]> {
  const rows = yield* transaction.all(SELECT_PINS, scope.id);
  const pins = rows.map((row) => damage.read(() => toStoredPin(scope, row, atMs, dueTurns)));
  return pins.filter((pin) => pin !== undefined);
}

function toStoredPin(
  scope: ScopeRow,
  row: Row,
  atMs: number,
  dueTurns: { has(turn: number): boolean },
): StoredPin {
  const payload = requirePinRow(scope, row);
  const [key, revision, effective, expires, sourceTurn] = row as [
    string,
    number,
    number,
    number | null,
    number | null,
  ];
  const isDue = (expires !== null && expires <= atMs) || (sourceTurn !== null && dueTurns.has(sourceTurn));
  return { key, revision, effective, payload, isDue };
}

/** Judges a pin's row by its checksums; gives the payload. */
export function requirePinRow(scope: Pick<ScopeRow, "id" | "tenant" | "session">, row: Row): string {
  const [key, revision, effective, expires, sourceTurn, payloadChecksum, checksum, payload] = row;
  const sum = checksumOf(scope.id, key!, revision!, effective!, expires!, sourceTurn!, payloadChecksum!);
  if (sum !== checksum || typeof payload !== "string" || checksumOf(payload) !== payloadChecksum) {
    throw damagedRow("The checksum of a pin does not match", "pins", scope, { key: key as string });
  }
  return payload;
}
