/** How each table of main that a backup holds is copied, page by page in key order. */

import type { SqlValue } from "../../engine/values.ts";

/** How one table is copied. */
export interface TableCopy {
  readonly name: string;
  /** A page of rows after a key; the key's columns come first, and the limit is the last parameter. */
  readonly select: string;
  /** Less than any key. */
  readonly start: readonly SqlValue[];
  readonly insert: string;
  readonly count: string;
}

const NO_BYTES = new Uint8Array();

const MAIN_META: TableCopy = {
  name: "meta",
  select:
    `SELECT id, lineage, generation, epoch, pending_from, applied, applied_head, verified, counter, clock_mark,
    clock_epoch, hash_key, probe, scrubs, shrunk_bytes, checksum FROM meta WHERE id > $1 ORDER BY id LIMIT $2`,
  start: [0],
  insert:
    `INSERT INTO meta (id, lineage, generation, epoch, pending_from, applied, applied_head, verified, counter,
    clock_mark, clock_epoch, hash_key, probe, scrubs, shrunk_bytes, checksum)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
  count: `SELECT count(*) FROM meta`,
};

const RECORDS: TableCopy = {
  name: "records",
  select:
    `SELECT tenant, kind, key, revision, created, max_age, expires, value_checksum, checksum, body FROM records
    WHERE (tenant, kind, key) > ($1, $2, $3) ORDER BY tenant, kind, key LIMIT $4`,
  start: ["", "", ""],
  insert:
    `INSERT INTO records (tenant, kind, key, revision, created, max_age, expires, value_checksum, checksum, body)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
  count: `SELECT count(*) FROM records`,
};

const OPERATIONS: TableCopy = {
  name: "operations",
  select: `SELECT scope_hash, operation_hash, input_hash, result, at, checksum FROM operations
    WHERE (scope_hash, operation_hash) > ($1, $2) ORDER BY scope_hash, operation_hash LIMIT $3`,
  start: [NO_BYTES, NO_BYTES],
  insert: `INSERT INTO operations (scope_hash, operation_hash, input_hash, result, at, checksum)
    VALUES ($1, $2, $3, $4, $5, $6)`,
  count: `SELECT count(*) FROM operations`,
};

const DELETIONS: TableCopy = {
  name: "deletions",
  select: `SELECT sequence, batch, kind, scope_hash, key_hash, burned, floor, at, counts, head, checksum
    FROM deletions WHERE sequence > $1 ORDER BY sequence LIMIT $2`,
  start: [0],
  insert:
    `INSERT INTO deletions (sequence, batch, kind, scope_hash, key_hash, burned, floor, at, counts, head,
    checksum) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
  count: `SELECT count(*) FROM deletions`,
};

const FLOORS: TableCopy = {
  name: "floors",
  select: `SELECT scope_hash, key_hash, floor, checksum FROM floors WHERE (scope_hash, key_hash) > ($1, $2)
    ORDER BY scope_hash, key_hash LIMIT $3`,
  start: [NO_BYTES, NO_BYTES],
  insert: `INSERT INTO floors (scope_hash, key_hash, floor, checksum) VALUES ($1, $2, $3, $4)`,
  count: `SELECT count(*) FROM floors`,
};

const SCOPES: TableCopy = {
  name: "scopes",
  select: `SELECT id, scope_hash, tenant, session, revision, turns, turn_bytes, pins, operations, next_due,
    checksum FROM scopes WHERE id > $1 ORDER BY id LIMIT $2`,
  start: [0],
  insert: `INSERT INTO scopes (id, scope_hash, tenant, session, revision, turns, turn_bytes, pins, operations,
    next_due, checksum) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
  count: `SELECT count(*) FROM scopes`,
};

const TURNS: TableCopy = {
  name: "turns",
  select:
    `SELECT id, scope, turn_id, revision, bytes, expires, expires_at, payload_checksum, checksum, payload
    FROM turns WHERE id > $1 ORDER BY id LIMIT $2`,
  start: [0],
  insert:
    `INSERT INTO turns (id, scope, turn_id, revision, bytes, expires, expires_at, payload_checksum, checksum,
    payload) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
  count: `SELECT count(*) FROM turns`,
};

const MESSAGE_IDS: TableCopy = {
  name: "message_ids",
  select: `SELECT scope, message_id, turn FROM message_ids WHERE (scope, message_id) > ($1, $2)
    ORDER BY scope, message_id LIMIT $3`,
  start: [0, ""],
  insert: `INSERT INTO message_ids (scope, message_id, turn) VALUES ($1, $2, $3)`,
  count: `SELECT count(*) FROM message_ids`,
};

const PINS: TableCopy = {
  name: "pins",
  select: `SELECT scope, key, revision, effective, expires, source_turn, payload_checksum, checksum, payload
    FROM pins WHERE (scope, key) > ($1, $2) ORDER BY scope, key LIMIT $3`,
  start: [0, ""],
  insert:
    `INSERT INTO pins (scope, key, revision, effective, expires, source_turn, payload_checksum, checksum,
    payload) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
  count: `SELECT count(*) FROM pins`,
};

const SUMMARIES: TableCopy = {
  name: "summaries",
  select: `SELECT scope, created, expires, payload_checksum, checksum, payload FROM summaries WHERE scope > $1
    ORDER BY scope LIMIT $2`,
  start: [0],
  insert: `INSERT INTO summaries (scope, created, expires, payload_checksum, checksum, payload)
    VALUES ($1, $2, $3, $4, $5, $6)`,
  count: `SELECT count(*) FROM summaries`,
};

const COVERED_TURNS: TableCopy = {
  name: "covered_turns",
  select:
    `SELECT scope, turn FROM covered_turns WHERE (scope, turn) > ($1, $2) ORDER BY scope, turn LIMIT $3`,
  start: [0, 0],
  insert: `INSERT INTO covered_turns (scope, turn) VALUES ($1, $2)`,
  count: `SELECT count(*) FROM covered_turns`,
};

/** What a backup holds: everything but what can be made again, indexes and replays. */
export const MAIN_COPIES: readonly TableCopy[] = [
  MAIN_META,
  RECORDS,
  OPERATIONS,
  DELETIONS,
  FLOORS,
  SCOPES,
  TURNS,
  MESSAGE_IDS,
  PINS,
  SUMMARIES,
  COVERED_TURNS,
];

const LEDGER_META: TableCopy = {
  name: "meta",
  select:
    `SELECT id, lineage, generation, epoch, count, head, probe, announced, checksum FROM meta WHERE id > $1
    ORDER BY id LIMIT $2`,
  start: [0],
  insert: `INSERT INTO meta (id, lineage, generation, epoch, count, head, probe, announced, checksum)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
  count: `SELECT count(*) FROM meta`,
};

const EVENTS: TableCopy = {
  name: "events",
  select: `SELECT sequence, batch, kind, scope_hash, key_hash, burned, floor, at, counts, head FROM events
    WHERE sequence > $1 ORDER BY sequence LIMIT $2`,
  start: [0],
  insert: `INSERT INTO events (sequence, batch, kind, scope_hash, key_hash, burned, floor, at, counts, head)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
  count: `SELECT count(*) FROM events`,
};

/** What an exported ledger holds: all of it. */
export const LEDGER_COPIES: readonly TableCopy[] = [LEDGER_META, EVENTS];
