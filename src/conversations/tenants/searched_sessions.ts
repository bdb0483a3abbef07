/** Reads the sessions of a tenant for a search: their indexes, what of the question each has, and what has expired. */

import type { Damage } from "../../engine/damage.ts";
import type { Operation, ReadTransaction } from "../../engine/operation.ts";
import { together } from "../../engine/operation.ts";
import { IntegrityError } from "../../errors.ts";
import { SESSION_TERMS_PER_READ, SESSIONS_PER_READ } from "../../limits.ts";
import { type IndexKind, isComplete } from "../../index/index_state.ts";
import type { Place } from "../../scopes/place.ts";
import { selectExpiredTurns } from "../../scopes/take_snapshot.ts";
import { findTerms, type FoundTerm, toFoundTerm, withoutDraining } from "../../search/index_query.ts";
import {
  type IndexedSession,
  SELECT_SESSION,
  SELECT_SESSIONS,
  SELECT_TERM_OF_SESSIONS,
  toIndexedSession,
} from "../../tables/tenant_sessions.ts";

/** A session of the tenant. */
export interface SearchedSession extends IndexedSession {
  readonly place: Place;
  /** The rows of turns that have expired or are skipped. */
  readonly expiredTurns: ReadonlySet<number>;
  /** The rows of turns that are being added to its index or erased from it. */
  readonly draining: ReadonlySet<number>;
  /** The terms of the question that its index has. */
  readonly found: readonly FoundTerm[];
  /** Whether every turn is indexed. */
  readonly isReady: boolean;
  readonly damage: Damage;
}

/** What sessions are read for. */
export interface SessionReading {
  readonly kind: IndexKind;
  readonly terms: readonly string[];
  readonly hashKey: Uint8Array;
  /** Makes what notes the damage of a session. */
  readonly newDamage: () => Damage;
}

/** A page of sessions, and the row after which the next one begins; null at the end. */
interface SessionPage {
  readonly sessions: readonly SearchedSession[];
  readonly after: number | null;
}

/** Reads a page of a tenant's sessions. The more terms, the fewer sessions, so that a read takes some milliseconds. */
export function* readSessions(
  transaction: ReadTransaction,
  reading: SessionReading,
  { tenantId, after }: { readonly tenantId: string; readonly after: number },
): Operation<SessionPage> {
  const { kind, terms } = reading;
  const limit = Math.min(SESSIONS_PER_READ, Math.ceil(SESSION_TERMS_PER_READ / terms.length));
  const rows = yield* transaction.all(SELECT_SESSIONS, kind.key, tenantId, after, limit);
  const last = rows.at(-1)?.[0] as number | undefined;
  if (last === undefined) return { sessions: [], after: null };
  const found = yield* foundBy(transaction, reading, { tenantId, after, last });
  const sessions = yield* together(rows.flatMap((row) => {
    const damage = reading.newDamage();
    const session = damage.read(() => toIndexedSession(row));
    if (session === undefined) return [];
    const terms = found.get(session.index?.id ?? -1) ?? [];
    return [toSearched(transaction, reading, session, { found: terms, damage })];
  }));
  return { sessions, after: rows.length < limit ? null : last };
}

/** Reads one session, by its hash; null if there is none. */
export function* readSession(
  transaction: ReadTransaction,
  reading: SessionReading,
  { scopeHash }: Place,
  damage: Damage,
): Operation<SearchedSession | null> {
  const row = yield* transaction.get(SELECT_SESSION, reading.kind.key, scopeHash);
  const session = row === undefined ? undefined : damage.read(() => toIndexedSession(row));
  if (session === undefined) return null;
  const { index } = session;
  const found = index === null ? [] : yield* findTerms(transaction, index, reading.terms);
  return yield* toSearched(transaction, reading, session, { found, damage });
}

/** Finds the terms of the question in many indexes at once: index → its terms. */
function* foundBy(
  transaction: ReadTransaction,
  { kind, terms }: SessionReading,
  { tenantId, after, last }: { readonly tenantId: string; readonly after: number; readonly last: number },
): Operation<ReadonlyMap<number, readonly FoundTerm[]>> {
  const rows = yield* together(
    terms.map((term) => transaction.all(SELECT_TERM_OF_SESSIONS, kind.key, tenantId, term, after, last)),
  );
  const found = new Map<number, FoundTerm[]>();
  for (const [position, term] of terms.entries()) {
    for (const [index, ...columns] of rows[position]!) {
      const one = toFoundTerm({ index: index as number, term, position }, columns);
      const others = found.get(index as number);
      if (others === undefined) found.set(index as number, [one]);
      else others.push(one);
    }
  }
  return found;
}

function* toSearched(
  transaction: ReadTransaction,
  { hashKey }: SessionReading,
  { row, index }: IndexedSession,
  { found, damage }: Pick<SearchedSession, "found" | "damage">,
): Operation<SearchedSession> {
  if (index !== null && index.scope !== row.id) {
    throw new IntegrityError("The index is of another scope", { details: { table: "chunk_indexes" } });
  }
  const atMs = transaction.time().effectiveMs;
  const expired = row.nextExpiry !== null && row.nextExpiry <= atMs
    ? (yield* selectExpiredTurns(transaction, row, atMs)).keys()
    : [];
  const expiredTurns = new Set(expired).union(damage.turns);
  const isReady = yield* isComplete(transaction, { row, expiredTurns }, index);
  const scope = { tenantId: row.tenant, sessionId: row.session };
  const place = { scope, hashKey, scopeHash: row.scopeHash };
  const searched = index === null
    ? { found, draining: new Set<number>() }
    : yield* withoutDraining(transaction, index, found);
  return { row, index, place, expiredTurns, ...searched, isReady, damage };
}
