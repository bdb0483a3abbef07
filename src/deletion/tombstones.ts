/** Tombstones: what the events say of an identifier that is not there. */

import { checksumOf } from "../canonical/checksum.ts";
import { decodeCounts } from "../engine/chain.ts";
import type { Operation, ReadTransaction, WriteTransaction } from "../engine/operation.ts";
import type { Row } from "../engine/values.ts";
import { IntegrityError } from "../errors.ts";

/** What remains of something that was deleted, expired, or lost with its source. */
interface Tombstone {
  /** Whether the identifier may never be used again. */
  readonly burned: boolean;
  /** The highest revision that is gone; the next one is one more. 0 where there was none. */
  readonly floor: number;
}

/** An applied event, as main holds it. */
export interface AppliedEvent {
  readonly sequence: number;
  readonly kind: string;
  readonly burned: boolean;
  readonly floor: number;
  readonly at: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly head: string;
}

const SELECT_DELETIONS =
  `SELECT sequence, batch, kind, scope_hash, key_hash, burned, floor, at, counts, head, checksum
  FROM deletions WHERE key_hash = $1 ORDER BY sequence`;

/** Every event of an identifier, oldest first; asked in the transaction that would use it. */
export function* eventsOf(
  transaction: ReadTransaction,
  keyHash: Uint8Array,
): Operation<readonly AppliedEvent[]> {
  return (yield* transaction.all(SELECT_DELETIONS, keyHash)).map(toAppliedEvent);
}

function toAppliedEvent(row: Row): AppliedEvent {
  if (checksumOf(...row.slice(0, 10)) !== row[10]) {
    throw new IntegrityError("Cannot use store: the checksum of a deletion does not match", {
      details: { table: "deletions" },
    });
  }
  const [sequence, , kind, , , burned, floor, at, counts, head] = row;
  return {
    sequence: sequence as number,
    kind: kind as string,
    burned: burned === 1,
    floor: floor as number,
    at: at as number,
    counts: decodeCounts(counts as string),
    head: head as string,
  };
}

/** Whether an identifier was deleted for ever. */
export function* isBurned(transaction: ReadTransaction, keyHash: Uint8Array): Operation<boolean> {
  return (yield* eventsOf(transaction, keyHash)).some((event) => event.burned);
}

const SELECT_FLOOR =
  `SELECT scope_hash, key_hash, floor, checksum FROM floors WHERE scope_hash = $1 AND key_hash = $2`;

/** What remains of a turn or pin. */
export function* tombstoneOf(
  transaction: ReadTransaction,
  scopeHash: Uint8Array,
  keyHash: Uint8Array,
): Operation<Tombstone> {
  const events = yield* eventsOf(transaction, keyHash);
  const row = yield* transaction.get(SELECT_FLOOR, scopeHash, keyHash);
  const floors = [...events.map((event) => event.floor), row === undefined ? 0 : toFloor(row)];
  return { burned: events.some((event) => event.burned), floor: Math.max(0, ...floors) };
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
