/** Scopes: their rows, with revision and running totals, so that no call has to read the history for them. */

import type { Peeking } from "../engine/engine.ts";
import type { Operation, ReadTransaction, WriteTransaction } from "../engine/operation.ts";
import type { Row } from "../engine/values.ts";
import { IntegrityError } from "../errors.ts";
import { SCOPES } from "./schema/main_tables.ts";

/** A scope's row. Operations change a copy and write it once at the end. */
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
  journals: number;
  /** UTF-8 bytes of all entries of all journals, their uuids included. */
  journalBytes: number;
  /** Bytes of media, each counted once. */
  mediaBytes: number;
  /** Remembered operations. */
  operations: number;
  /** No later than the first time at which something in the scope expires, in milliseconds; null if nothing does. */
  nextExpiry: number | null;
  /** How many deletions the ledger had when the scope was created, or got its subject: a later erasure covers it. */
  born: number;
  /** When it was created, in milliseconds. */
  created: number;
  /** When a caller last wrote a turn, a pin or an entry, in milliseconds. */
  updated: number;
  /** The higher, the more recently a caller wrote to it, among the sessions of its tenant. */
  recent: number;
  /** The hash of the person whose session it is; null if it has no subject. */
  subject: Uint8Array | null;
}

/** One scope. Parameter: its hash. */
export const SELECT_SCOPE = `${SCOPES.select} WHERE scope_hash = $1`;

/** One scope. Parameter: its row. */
export const SELECT_SCOPE_BY_ROW = `${SCOPES.select} WHERE id = $1`;

/** Scopes in the order in which they were created. Parameters: the row to begin after, how many. */
export const SELECT_SCOPES_AFTER = `${SCOPES.select} WHERE id > $1 ORDER BY id LIMIT $2`;

/** Reads a scope's row; null if there is no such scope. */
export function* readScope(transaction: Peeking, scopeHash: Uint8Array): Operation<ScopeRow | null> {
  const row = yield* transaction.get(SELECT_SCOPE, scopeHash);
  return row === undefined ? null : toScopeRow(row);
}

/** A scope's row as it is, and whether it is intact. */
interface UncheckedScope {
  readonly row: ScopeRow;
  readonly isIntact: boolean;
}

/** Reads a scope's row as it is, since a deletion does not stop at damage; null if there is no such scope. */
export function* readScopeUnchecked(
  transaction: ReadTransaction,
  scopeHash: Uint8Array,
): Operation<UncheckedScope | null> {
  const row = yield* transaction.get(SELECT_SCOPE, scopeHash);
  return row === undefined ? null : toScopeUnchecked(row);
}

/** Decodes a scope's row as it is. */
export function toScopeUnchecked(row: Row): UncheckedScope {
  const scope = SCOPES.toFields(row);
  return { row: scope, isIntact: SCOPES.isIntact(scope) };
}

/** Requires that a scope's row is intact. */
export function toScopeRow(row: Row): ScopeRow {
  const scope = SCOPES.toFields(row);
  if (SCOPES.isIntact(scope)) return scope;
  throw damagedRow("Cannot read scope: the checksum of its row does not match", "scopes", scope);
}

/** Makes the error for a damaged row of a scope; its details name the row. */
export function damagedRow(
  message: string,
  table: string,
  { tenant, session }: Pick<ScopeRow, "tenant" | "session">,
  { cause, ...item }: {
    readonly turnId?: string;
    readonly key?: string;
    readonly part?: string;
    readonly place?: number;
    readonly cause?: unknown;
  } = {},
): IntegrityError {
  return new IntegrityError(message, {
    details: { table, tenantId: tenant, sessionId: session, ...item },
    cause,
  });
}

/** Writes a changed row. */
export function* writeScope(transaction: WriteTransaction, row: ScopeRow): Operation<void> {
  const changed = yield* transaction.run(SCOPES.update, ...SCOPES.toUpdate(row));
  if (changed !== 1) throw new IntegrityError("Cannot write scope: the file did not take the write");
}

/** The row of a scope that is created now. */
export function newScope(
  transaction: WriteTransaction,
  scope: Pick<ScopeRow, "scopeHash" | "tenant" | "session" | "revision" | "subject">,
  newest: MostRecent | null,
): ScopeRow {
  const { effectiveMs } = transaction.time();
  return {
    ...scope,
    id: transaction.nextId("scopes"),
    ...{ turns: 0, turnBytes: 0, pins: 0, journals: 0, journalBytes: 0, mediaBytes: 0, operations: 0 },
    nextExpiry: null,
    born: transaction.deletions(),
    created: effectiveMs,
    updated: effectiveMs,
    recent: recentAfter(newest),
  };
}

/** Inserts the row of a scope. */
export function* insertScope(transaction: WriteTransaction, row: ScopeRow): Operation<void> {
  yield* transaction.run(SCOPES.insert, ...SCOPES.toValues(row));
}

const SELECT_MOST_RECENT =
  `SELECT id, recent FROM scopes WHERE tenant = $1 ORDER BY recent DESC, id DESC LIMIT 1`;

/** The session of a tenant that was written to last. */
interface MostRecent {
  readonly id: number;
  readonly recent: number;
}

/** Reads which session of a tenant was written to last; null if it has none. */
export function* readMostRecent(transaction: ReadTransaction, tenant: string): Operation<MostRecent | null> {
  const row = yield* transaction.get(SELECT_MOST_RECENT, tenant);
  return row === undefined ? null : { id: row[0] as number, recent: row[1] as number };
}

function recentAfter(newest: MostRecent | null): number {
  return (newest?.recent ?? 0) + 1;
}

const UPDATE_RECENT = `UPDATE scopes SET recent = $1 WHERE id = $2`;

/** Notes that a caller wrote to the session; the caller of this writes the row. Most often the session is the most recent already, and its index is spared. */
export function* noteWriting(transaction: WriteTransaction, row: ScopeRow): Operation<void> {
  row.updated = transaction.time().effectiveMs;
  const newest = yield* readMostRecent(transaction, row.tenant);
  if (newest?.id === row.id) return;
  row.recent = recentAfter(newest);
  yield* transaction.run(UPDATE_RECENT, row.recent, row.id);
}

const UPDATE_TIMES = `UPDATE scopes SET created = $1, recent = $2 WHERE id = $3`;

/** Gives a session that was just created the times of another store, as far as they are known. */
export function* importTimes(
  transaction: WriteTransaction,
  row: ScopeRow,
  times: { readonly created: number | null; readonly updated: number | null; readonly recent: number | null },
): Operation<void> {
  row.created = times.created ?? row.created;
  row.updated = times.updated ?? row.updated;
  row.recent = times.recent ?? row.recent;
  yield* transaction.run(UPDATE_TIMES, row.created, row.recent, row.id);
  yield* writeScope(transaction, row);
}

const UPDATE_SUBJECT = `UPDATE scopes SET subject = $1, born = $2 WHERE id = $3`;

/** Sets whose session it is, from an event of the ledger on. The caller of this writes the row. */
export function* setSubject(
  transaction: WriteTransaction,
  row: ScopeRow,
  subject: Uint8Array | null,
  event: number,
): Operation<void> {
  row.subject = subject;
  row.born = event;
  yield* transaction.run(UPDATE_SUBJECT, subject, event, row.id);
}

/** Bytes of everything in a scope that its limit covers. */
export function bytesOf(
  { turnBytes, journalBytes, mediaBytes }: Pick<ScopeRow, "turnBytes" | "journalBytes" | "mediaBytes">,
): number {
  return turnBytes + journalBytes + mediaBytes;
}

/** Notes when something in the scope expires. */
export function noteExpiry(row: ScopeRow, expiryMs: number | null): void {
  if (expiryMs !== null && (row.nextExpiry === null || expiryMs < row.nextExpiry)) row.nextExpiry = expiryMs;
}
