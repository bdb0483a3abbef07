import { checksumOf } from "../../../canonical/checksum.ts";
import { getRow, type LastIds, type Operation } from "../../../engine/operation.ts";
import type { Row, SqlValue } from "../../../engine/values.ts";
import { IntegrityError } from "../../../errors.ts";
import { CLOCK_MS_MAX, META_COUNT_MAX } from "../../../limits.ts";
import type { Connection } from "./connection.ts";

/** Main's one row about itself. */
export interface MainMeta {
  /** Which ledger and main belong together: 32 hex digits. */
  lineage: string;
  /** How often the lineage was restored. */
  generation: number;
  /** Which main the ledger takes for live: 32 hex digits. */
  epoch: string;
  /** In a restored main that is not live yet: the generation it was made from. */
  pendingFrom: number | null;
  /** How many events of the ledger were applied. */
  applied: number;
  /** The ledger's head at that event. */
  appliedHead: string;
  /** Up to which event the chain was verified. */
  verified: number;
  /** The newest revision of the store-wide counter. */
  counter: number;
  /** The newest row id that each table was given. */
  lastIds: LastIds;
  /** The highest time seen, in milliseconds since the Unix epoch. */
  clockMark: number;
  /** How often the mark was lowered on purpose. */
  clockEpoch: number;
  /** The key of all keyed hashes: 32 random bytes. */
  hashKey: Uint8Array;
  /** Marks the newest commit, so that one that was reported as failed can be recognized. */
  probe: number;
  /** How often tables were rewritten. */
  scrubs: number;
  /** How small the file was when pages were last given back; null if they never were. */
  shrunkBytes: number | null;
}

const SELECT_META =
  `SELECT lineage, generation, epoch, pending_from, applied, applied_head, verified, counter,
  last_scope, last_turn, last_index, clock_mark, clock_epoch, hash_key, probe, scrubs, shrunk_bytes, checksum FROM meta WHERE id = 1`;

const INSERT_META =
  `INSERT INTO meta (id, lineage, generation, epoch, pending_from, applied, applied_head, verified,
  counter, last_scope, last_turn, last_index, clock_mark, clock_epoch, hash_key, probe, scrubs, shrunk_bytes, checksum)
  VALUES (1, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`;

const UPDATE_META =
  `UPDATE meta SET generation = $1, epoch = $2, pending_from = $3, applied = $4, applied_head = $5,
  verified = $6, counter = $7, last_scope = $8, last_turn = $9, last_index = $10, clock_mark = $11, clock_epoch = $12,
  probe = $13, scrubs = $14, shrunk_bytes = $15, checksum = $16
  WHERE id = 1`;

const HASH_KEY_BYTES = 32;

function columnsOf(meta: MainMeta): readonly SqlValue[] {
  return [
    meta.lineage,
    meta.generation,
    meta.epoch,
    meta.pendingFrom,
    meta.applied,
    meta.appliedHead,
    meta.verified,
    meta.counter,
    meta.lastIds.scopes,
    meta.lastIds.turns,
    meta.lastIds.chunk_indexes,
    meta.clockMark,
    meta.clockEpoch,
    meta.hashKey,
    meta.probe,
    meta.scrubs,
    meta.shrunkBytes,
  ];
}

/** Reads and validates main's meta row. */
export function readMainMeta(main: Connection): MainMeta {
  return toMainMeta(main.get(SELECT_META));
}

/** The same as an operation. */
export function* selectMainMeta(): Operation<MainMeta> {
  return toMainMeta(yield* getRow(SELECT_META));
}

function toMainMeta(row: Row | undefined): MainMeta {
  if (row === undefined) throw new IntegrityError("Cannot use store: its meta row is missing");
  if (checksumOf(...row.slice(0, 17)) !== row[17]) {
    throw new IntegrityError("Cannot use store: the checksum of its meta row does not match", {
      details: { table: "meta" },
    });
  }
  const meta = {
    lineage: row[0] as string,
    generation: row[1] as number,
    epoch: row[2] as string,
    pendingFrom: row[3] as number | null,
    applied: row[4] as number,
    appliedHead: row[5] as string,
    verified: row[6] as number,
    counter: row[7] as number,
    lastIds: { scopes: row[8] as number, turns: row[9] as number, chunk_indexes: row[10] as number },
    clockMark: row[11] as number,
    clockEpoch: row[12] as number,
    hashKey: row[13] as Uint8Array,
    probe: row[14] as number,
    scrubs: row[15] as number,
    shrunkBytes: row[16] as number | null,
  };
  if (isPossible(meta)) return meta;
  throw new IntegrityError("Cannot use store: its meta row holds what no store writes", {
    details: { table: "meta" },
  });
}

/** A checksum finds damage; a file that somebody made has the right one and may still say anything. */
function isPossible(meta: MainMeta): boolean {
  const { generation, pendingFrom, applied, verified, clockMark, clockEpoch, probe, scrubs, shrunkBytes } =
    meta;
  return isIdentity(meta.lineage) && isIdentity(meta.epoch) && isHead(meta.appliedHead) &&
    meta.hashKey.length === HASH_KEY_BYTES && isCount(generation) && isCount(pendingFrom ?? 0) &&
    isCount(applied) && isCount(verified) && meta.counter >= 0 &&
    Object.values(meta.lastIds).every((id) => id >= 0) && clockMark >= 0 &&
    clockMark <= CLOCK_MS_MAX && isCount(clockEpoch) && isCount(probe) && isCount(scrubs) &&
    isCount(shrunkBytes ?? 0);
}

/** Writes the first meta row. */
export function insertMainMeta(main: Connection, meta: MainMeta): void {
  main.run(INSERT_META, ...columnsOf(meta), checksumOf(...columnsOf(meta)));
}

/** Writes what changes in a meta row: everything but lineage and hash key. */
export function updateMainMeta(main: Connection, meta: MainMeta): void {
  const changed = main.run(
    UPDATE_META,
    meta.generation,
    meta.epoch,
    meta.pendingFrom,
    meta.applied,
    meta.appliedHead,
    meta.verified,
    meta.counter,
    meta.lastIds.scopes,
    meta.lastIds.turns,
    meta.lastIds.chunk_indexes,
    meta.clockMark,
    meta.clockEpoch,
    meta.probe,
    meta.scrubs,
    meta.shrunkBytes,
    checksumOf(...columnsOf(meta)),
  );
  if (changed !== 1) throw new IntegrityError("Cannot use store: its meta row is missing");
}

const IDENTITY_DIGITS = 32;
const HEAD_DIGITS = 64;

/** Whether it can be a lineage or an epoch. A meta row is read with every read: no more is looked at than could do harm. */
export function isIdentity(value: string): boolean {
  return value.length === IDENTITY_DIGITS;
}

/** Whether it can be a place's hash in the chain. */
export function isHead(value: string): boolean {
  return value.length === HEAD_DIGITS;
}

/** Whether it is a number that can still be counted up. */
export function isCount(value: number): boolean {
  return value >= 0 && value <= META_COUNT_MAX;
}
