import { checksumOf } from "../../../canonical/checksum.ts";
import { getRow, type LastIds, type Operation } from "../../../engine/operation.ts";
import type { Row, SqlValue } from "../../../engine/values.ts";
import { IntegrityError } from "../../../errors.ts";
import { CLOCK_MS_MAX, META_COUNT_MAX } from "../../../limits.ts";
import type { Connection } from "./connection.ts";

/** Main's one row about itself. */
export interface MainMeta {
  /** Identifies the store: 32 hex digits, the same in ledger and main. */
  lineage: string;
  /** Number of restores of this lineage. */
  generation: number;
  /** Identifies this main: 32 hex digits; the main is live if the ledger has the same epoch. */
  epoch: string;
  /** In a restored main that is not live yet: the generation it was made from. */
  pendingFrom: number | null;
  /** Number of the ledger's events that were applied. */
  applied: number;
  /** The ledger's head at that event. */
  appliedHead: string;
  /** Sequence of the event up to which the chain was verified. */
  verified: number;
  /** The newest revision of the store-wide counter. */
  counter: number;
  /** The newest row id that each table was given. */
  lastIds: LastIds;
  /** The highest time seen, in milliseconds since the Unix epoch. */
  clockMark: number;
  /** How often the highest time was lowered deliberately. */
  clockEpoch: number;
  /** The key of all keyed hashes: 32 random bytes. */
  hashKey: Uint8Array;
  /** Random mark of the newest commit, by which a commit that was reported as failed is recognized. */
  probe: number;
  /** Number of table rewrites. */
  scrubs: number;
  /** Smallest size in bytes after free pages were returned to the file system; null if they never were. */
  shrunkBytes: number | null;
}

const SELECT_META =
  `SELECT lineage, generation, epoch, pending_from, applied, applied_head, verified, counter,
  last_scope, last_turn, last_index, last_journal, clock_mark, clock_epoch, hash_key, probe, scrubs, shrunk_bytes,
  checksum FROM meta WHERE id = 1`;

const INSERT_META =
  `INSERT INTO meta (id, lineage, generation, epoch, pending_from, applied, applied_head, verified,
  counter, last_scope, last_turn, last_index, last_journal, clock_mark, clock_epoch, hash_key, probe, scrubs, shrunk_bytes,
  checksum) VALUES (1, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`;

const UPDATE_META =
  `UPDATE meta SET generation = $1, epoch = $2, pending_from = $3, applied = $4, applied_head = $5,
  verified = $6, counter = $7, last_scope = $8, last_turn = $9, last_index = $10, last_journal = $11,
  clock_mark = $12, clock_epoch = $13, probe = $14, scrubs = $15, shrunk_bytes = $16, checksum = $17
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
    meta.lastIds.journals,
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

/** Reads and validates main's meta row, as an operation. */
export function* selectMainMeta(): Operation<MainMeta> {
  return toMainMeta(yield* getRow(SELECT_META));
}

function toMainMeta(row: Row | undefined): MainMeta {
  if (row === undefined) throw new IntegrityError("Cannot use store: its meta row is missing");
  if (checksumOf(...row.slice(0, 18)) !== row[18]) {
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
    lastIds: {
      scopes: row[8] as number,
      turns: row[9] as number,
      chunk_indexes: row[10] as number,
      journals: row[11] as number,
    },
    clockMark: row[12] as number,
    clockEpoch: row[13] as number,
    hashKey: row[14] as Uint8Array,
    probe: row[15] as number,
    scrubs: row[16] as number,
    shrunkBytes: row[17] as number | null,
  };
  if (isPossible(meta)) return meta;
  throw new IntegrityError("Cannot use store: its meta row has impossible values", {
    details: { table: "meta" },
  });
}

/** Whether the values are possible. A checksum reveals damage, but a forged file can have a correct one. */
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

/** Updates the meta row: everything but the lineage and the hash key, which never change. */
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
    meta.lastIds.journals,
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

/**
 * Whether a value can be a lineage or an epoch.
 *
 * The meta row is validated with every read, so only what could do harm is checked.
 */
export function isIdentity(value: string): boolean {
  return value.length === IDENTITY_DIGITS;
}

/** Whether a value can be a head of the hash chain. */
export function isHead(value: string): boolean {
  return value.length === HEAD_DIGITS;
}

/** Whether a value is a count that can still be incremented. */
export function isCount(value: number): boolean {
  return value >= 0 && value <= META_COUNT_MAX;
}
