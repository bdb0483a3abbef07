/** Pins: their rows, validated where they are read, and the statements that more than one operation needs. */

import { checksumOf } from "../canonical/checksum.ts";
import { damagedRow, type ScopeRow } from "./scopes.ts";
import type { Damage } from "../engine/damage.ts";
import type { Operation, WriteTransaction } from "../engine/operation.ts";
import type { Row, SqlValue } from "../engine/values.ts";
import type { Fields } from "./schema/descriptor.ts";
import { PINS } from "./schema/main_tables.ts";

/** A pin's row. */
type PinFields = Fields<typeof PINS.columns>;

/** A pin as it is stored, at some time. */
export interface StoredPin extends Pick<PinFields, "key" | "revision" | "effective" | "payload"> {
  /** Whether it, or the turn that it cites, has expired: then it no longer counts, though it is not erased yet. */
  readonly isExpired: boolean;
}

/** The pins of a scope, by key. Parameter: the scope's row. */
export const SELECT_PINS = `${PINS.select} WHERE scope = $1 ORDER BY key`;

/** The pins of a scope, by key. Parameter: the hash of the scope. */
export const SELECT_PINS_BY_HASH = `${PINS.select}
  WHERE scope = (SELECT id FROM scopes WHERE scope_hash = $1) ORDER BY key`;

/** One pin. Parameters: the scope's row, the key. */
export const SELECT_PIN = `${PINS.select} WHERE scope = $1 AND key = $2`;

/** Decodes the pins of a scope; damaged ones are left out, where the call skips damage. */
export function toStoredPins(
  scope: ScopeRow,
  rows: readonly Row[],
  atMs: number,
  expiredTurns: { has(turn: number): boolean },
  damage: Damage,
): readonly StoredPin[] {
  const pins = rows.map((row) => damage.read(() => toStoredPin(scope, row, atMs, expiredTurns)));
  return pins.filter((pin) => pin !== undefined);
}

function toStoredPin(
  scope: ScopeRow,
  row: Row,
  atMs: number,
  expiredTurns: { has(turn: number): boolean },
): StoredPin {
  const { key, revision, effective, expires, sourceTurn, payload } = requirePin(scope, row);
  const isExpired = (expires !== null && expires <= atMs) ||
    (sourceTurn !== null && expiredTurns.has(sourceTurn));
  return { key, revision, effective, payload, isExpired };
}

/** A pin's row as it is, whether or not it is intact. */
export function toPinFields(row: Row): PinFields {
  return PINS.toFields(row);
}

/** Requires that a pin's row is intact, its payload included. */
export function requirePin(scope: Pick<ScopeRow, "tenant" | "session">, row: Row): PinFields {
  const pin = PINS.toFields(row);
  const { key, payload, payloadChecksum } = pin;
  if (PINS.isIntact(pin) && typeof payload === "string" && checksumOf(payload) === payloadChecksum) {
    return pin;
  }
  throw damagedRow("The checksum of a pin does not match", "pins", scope, { key });
}

/** A pin's row without its checksums, which are computed. */
export type PinRow = Omit<PinFields, "payloadChecksum" | "checksum">;

/** Writes a pin, in place of an earlier one with its key. */
export function* upsertPin(transaction: WriteTransaction, pin: PinRow): Operation<void> {
  yield* transaction.run(PINS.upsert, ...pinValues(pin));
}

/** Whether two pins are the same in every column. */
export function isSamePin(left: PinRow, right: PinRow): boolean {
  const values = pinValues(right);
  return pinValues(left).every((value, place) => value === values[place]);
}

function pinValues(pin: PinRow): SqlValue[] {
  return PINS.toValues({ ...pin, payloadChecksum: checksumOf(pin.payload) });
}

/** Parameters: the scope's row, the pin's key. */
export const SELECT_PIN_REVISION = `SELECT revision FROM pins WHERE scope = $1 AND key = $2`;

/** Parameter: the scope's row. */
export const SELECT_PIN_KEYS = `SELECT key, revision FROM pins WHERE scope = $1`;
