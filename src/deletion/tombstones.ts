/** Tombstones: what the events say of an identifier that is not there. */

import { checksumOf } from "../canonical/checksum.ts";
import type { Operation, ReadTransaction, WriteTransaction } from "../engine/operation.ts";
import type { Row } from "../engine/values.ts";
import { IntegrityError } from "../errors.ts";

/** What remains of something that was deleted, expired, or lost with its source. */
interface Tombstone {
  /** Whether the identifier may never be used again. */
  readonly reserved: boolean;
  /** The highest revision that is gone; the next one is one more. 0 where there was none. */
  readonly floor: number;
}

/** Whether an identifier was deleted for ever. */
export function* isReserved(transaction: ReadTransaction, keyHash: Uint8Array): Operation<boolean> {
  return (yield* transaction.eventsOf(keyHash)).some((event) => event.reserved);
}

const SELECT_FLOOR =
  `SELECT scope_hash, key_hash, floor, checksum FROM floors WHERE scope_hash = $1 AND key_hash = $2`;

/** What remains of a turn or pin. */
export function* tombstoneOf(
  transaction: ReadTransaction,
  scopeHash: Uint8Array,
  keyHash: Uint8Array,
): Operation<Tombstone> {
  const events = yield* transaction.eventsOf(keyHash);
  const floors = [...events.map((event) => event.floor), yield* floorOf(transaction, scopeHash, keyHash)];
  return { reserved: events.some((event) => event.reserved), floor: Math.max(0, ...floors) };
}

/** The floor that main keeps where no event does; 0 where there is none. */
export function* floorOf(
  transaction: ReadTransaction,
  scopeHash: Uint8Array,
  keyHash: Uint8Array,
): Operation<number> {
  const row = yield* transaction.get(SELECT_FLOOR, scopeHash, keyHash);
  return row === undefined ? 0 : toFloor(row);
}

function toFloor(row: Row): number {
  const [scopeHash, keyHash, floor, checksum] = row;
  if (checksumOf(scopeHash!, keyHash!, floor!) !== checksum) {
    throw new IntegrityError("Cannot use store: the checksum of a floor does not match", {
      details: { table: "floors" },
    });
  }
  return floor as number;
}

const UPSERT_FLOOR = `INSERT INTO floors (scope_hash, key_hash, floor, checksum) VALUES ($1, $2, $3, $4)
  ON CONFLICT (scope_hash, key_hash) DO UPDATE SET floor = excluded.floor, checksum = excluded.checksum
  WHERE excluded.floor > floor`;

/** Remembers the revision of a pin that is lost with its source: no event does. */
export function* raiseFloor(
  transaction: WriteTransaction,
  scopeHash: Uint8Array,
  keyHash: Uint8Array,
  floor: number,
): Operation<void> {
  yield* transaction.run(UPSERT_FLOOR, scopeHash, keyHash, floor, checksumOf(scopeHash, keyHash, floor));
}
