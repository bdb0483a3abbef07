/** A scope's row: its revision and running totals, so that no call has to read the history for them. */

import { checksumOf } from "../canonical/checksum.ts";
import type { Peeking } from "../engine/engine.ts";
import type { Operation, ReadTransaction, WriteTransaction } from "../engine/operation.ts";
import type { Row, SqlValue } from "../engine/values.ts";
import { IntegrityError } from "../errors.ts";

/** A scope's row. Operations change a copy and write it once at their end. */
export interface ScopeRow {
  readonly id: number;
  readonly scopeHash: Uint8Array;
  readonly tenant: string;
  readonly session: string;
  revision: number;
  turns: number;
  /** UTF-8 bytes of all turns' payloads. */
  turnBytes: number;
  pins: number;
  /** Remembered operations. */
  operations: number;
  /** No later than the first time at which something is due, in milliseconds; null if nothing ever is. */
  nextDue: number | null;
}

const SELECT_SCOPE =
  `SELECT id, scope_hash, tenant, session, revision, turns, turn_bytes, pins, operations, next_due,
  checksum FROM scopes WHERE scope_hash = $1`;

/** A scope's row; null if there is no such scope. */
export function* readScope(transaction: Peeking, scopeHash: Uint8Array): Operation<ScopeRow | null> {
  const row = yield* transaction.get(SELECT_SCOPE, scopeHash);
  return row === undefined ? null : toScopeRow(row);
}

/** A scope's row as it is, and whether it is sound: deletion goes on where reading would have to stop. */
export function* readScopeAnyhow(
  transaction: ReadTransaction,
  scopeHash: Uint8Array,
): Operation<{ readonly row: ScopeRow; readonly sound: boolean } | null> {
  const row = yield* transaction.get(SELECT_SCOPE, scopeHash);
  return row === undefined ? null : { row: columnsToRow(row), sound: isSound(row) };
}

/** Judges the columns `id` to `checksum`. */
export function toScopeRow(row: Row): ScopeRow {
  if (isSound(row)) return columnsToRow(row);
  throw damagedRow("Cannot read scope: the checksum of its row does not match", "scopes", columnsToRow(row));
}

/** The error for a damaged row of a scope; it names the row by its labels. */
export function damagedRow(
  message: string,
  table: string,
  { tenant, session }: Pick<ScopeRow, "tenant" | "session">,
  { cause, ...item }: { readonly turnId?: string; readonly key?: string; readonly cause?: unknown } = {},
): IntegrityError {
  return new IntegrityError(message, {
    details: { table, tenantId: tenant, sessionId: session, ...item },
    cause,
  });
}

function isSound(row: Row): boolean {
  return checksumOf(...row.slice(0, 10)) === row[10];
}

function columnsToRow(row: Row): ScopeRow {
  const [id, scopeHash, tenant, session, revision, turns, turnBytes, pins, operations, nextDue] = row;
  return {
    id,
    scopeHash,
    tenant,
    session,
    revision,
    turns,
    turnBytes,
    pins,
    operations,
    nextDue,
  } as ScopeRow;
}

function columnsOf(row: ScopeRow): readonly SqlValue[] {
  const { id, scopeHash, tenant, session, revision, turns, turnBytes, pins, operations, nextDue } = row;
  return [id, scopeHash, tenant, session, revision, turns, turnBytes, pins, operations, nextDue];
}

const UPDATE_SCOPE =
  `UPDATE scopes SET revision = $1, turns = $2, turn_bytes = $3, pins = $4, operations = $5,
  next_due = $6, checksum = $7 WHERE id = $8`;

/** Writes a changed row. */
export function* writeScope(transaction: WriteTransaction, row: ScopeRow): Operation<void> {
  const { id, revision, turns, turnBytes, pins, operations, nextDue } = row;
  const checksum = checksumOf(...columnsOf(row));
  const changed = yield* transaction.run(
    UPDATE_SCOPE,
    revision,
    turns,
    turnBytes,
    pins,
    operations,
    nextDue,
    checksum,
    id,
  );
  if (changed !== 1) throw new IntegrityError("Cannot write scope: the file did not take the write");
}

const SELECT_NEXT_SCOPE_ID = `SELECT coalesce(max(id), 0) + 1 FROM scopes`;

const INSERT_SCOPE =
  `INSERT INTO scopes (id, scope_hash, tenant, session, revision, turns, turn_bytes, pins, operations,
  next_due, checksum) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`;

/** Makes a scope's row. */
export function* insertScope(
  transaction: WriteTransaction,
  scope: Pick<ScopeRow, "scopeHash" | "tenant" | "session" | "revision">,
): Operation<ScopeRow> {
  const id = (yield* transaction.get(SELECT_NEXT_SCOPE_ID))![0] as number;
  const row = { ...scope, id, turns: 0, turnBytes: 0, pins: 0, operations: 0, nextDue: null };
  const columns = columnsOf(row);
  yield* transaction.run(INSERT_SCOPE, ...columns, checksumOf(...columns));
  return row;
}

/** Notes that something becomes due. */
export function noteDue(row: ScopeRow, dueMs: number | null): void {
  if (dueMs !== null && (row.nextDue === null || dueMs < row.nextDue)) row.nextDue = dueMs;
}
