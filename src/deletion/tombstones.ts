/** Tombstones: what events and minimum revisions record of an identifier that has no row. */

import { checksumOf } from "../canonical/checksum.ts";
import {
  type Operation,
  type ReadTransaction,
  together,
  type WriteTransaction,
} from "../engine/operation.ts";
import type { Row } from "../engine/values.ts";
import { IntegrityError } from "../errors.ts";

/** The remains of something that was deleted, has expired, or was lost with its source. */
export interface Tombstone {
  /** Whether the identifier may never be used again. */
  readonly reserved: boolean;
  /** The highest revision that was erased; the next one is one more. 0 if there was none. */
  readonly floor: number;
}

/** Whether an identifier is permanently reserved. */
export function* isReserved(transaction: ReadTransaction, keyHash: Uint8Array): Operation<boolean> {
  return (yield* transaction.eventsOf(keyHash)).some((event) => event.reserved);
}

const SELECT_FLOOR =
  `SELECT scope_hash, key_hash, floor, checksum FROM floors WHERE scope_hash = $1 AND key_hash = $2`;

/** Reads the tombstone of a turn or pin. */
export function* tombstoneOf(
  transaction: ReadTransaction,
  scopeHash: Uint8Array,
  keyHash: Uint8Array,
): Operation<Tombstone> {
  const [events, kept] = yield* together([
    transaction.eventsOf(keyHash),
    floorsOf(transaction, scopeHash, [keyHash]),
  ]);
  const floors = [...events.map((event) => event.floor), ...kept];
  return { reserved: events.some((event) => event.reserved), floor: Math.max(0, ...floors) };
}

/** The floors that main keeps where no event does; 0 where there is none. */
export function* floorsOf(
  transaction: ReadTransaction,
  scopeHash: Uint8Array,
  keyHashes: readonly Uint8Array[],
): Operation<readonly number[]> {
  const rows = yield* transaction.getEach(SELECT_FLOOR, keyHashes.map((keyHash) => [scopeHash, keyHash]));
  return rows.map((row) => row === undefined ? 0 : toFloor(row));
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

/** Remembers the revision of a turn or pin that is lost without an event. */
export function* raiseFloor(
  transaction: WriteTransaction,
  scopeHash: Uint8Array,
  keyHash: Uint8Array,
  revision: number,
): Operation<void> {
  yield* raiseFloors(transaction, scopeHash, [{ keyHash, revision }]);
}

/** Remembers the revisions of several turns or pins of a scope. */
export function* raiseFloors(
  transaction: WriteTransaction,
  scopeHash: Uint8Array,
  lost: readonly { readonly keyHash: Uint8Array; readonly revision: number }[],
): Operation<void> {
  const rows = lost.map(({ keyHash, revision }) => [
    scopeHash,
    keyHash,
    revision,
    checksumOf(scopeHash, keyHash, revision),
  ]);
  yield* transaction.runEach(UPSERT_FLOOR, rows);
}
