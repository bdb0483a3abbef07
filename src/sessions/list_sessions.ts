/** Lists a tenant's sessions with what is said of them, a page at a time. */

import { instantFromMs } from "../canonical/time.ts";
import type { DamagedRow } from "../contracts/damaged.ts";
import type { Session, SessionPage } from "../contracts/options/session_options.ts";
import { Damage } from "../engine/damage.ts";
import type { Operation, ReadTransaction } from "../engine/operation.ts";
import type { Row } from "../engine/values.ts";
import {
  type Description,
  descriptionOf,
  SELECT_RECENT_SESSIONS,
  SELECT_RECENT_SESSIONS_OF_SUBJECT,
  SELECT_SESSIONS_BY_ID,
  toDescription,
} from "../tables/descriptions.ts";
import { bytesOf, type ScopeRow, toScopeRow, toScopeUnchecked } from "../tables/scopes.ts";
import { nameOf } from "../tables/subjects.ts";
import type { ValidatedList } from "./validate_sessions.ts";

/** Lists one page. */
export function* listSessions(transaction: ReadTransaction, list: ValidatedList): Operation<SessionPage> {
  const rows = yield* readRows(transaction, list);
  const { hashKey } = yield* transaction.facts();
  const skipped: DamagedRow[] = [];
  const damage = new Damage(list.damaged, skipped);
  const page = rows.slice(0, list.limit);
  const items = page.map((row) => damage.read(() => toSession(hashKey, row))).filter((item) =>
    item !== undefined
  );
  const last = rows.length > list.limit ? toScopeUnchecked(page.at(-1)!).row : null;
  return { items, next: last === null ? null : cursorOf(list, last), skipped };
}

function readRows(
  transaction: ReadTransaction,
  { tenantId, order, from, limit, subject }: ValidatedList,
): Operation<readonly Row[]> {
  if (order === "id") {
    return transaction.all(SELECT_SESSIONS_BY_ID, tenantId, from.sessionId, limit + 1, subject);
  }
  return subject === null
    ? transaction.all(SELECT_RECENT_SESSIONS, tenantId, from.recent, from.row, limit + 1)
    : transaction.all(SELECT_RECENT_SESSIONS_OF_SUBJECT, subject, from.recent, from.row, limit + 1);
}

function toSession(hashKey: Uint8Array, row: Row): Session {
  const scope = toScopeRow(row);
  return sessionOf(hashKey, scope, toDescription(scope, descriptionOf(row)));
}

/** A session as callers see it. */
export function sessionOf(
  hashKey: Uint8Array,
  row: ScopeRow,
  { title, metadata, names }: Description,
): Session {
  return {
    ...{ sessionId: row.session, title, metadata, subject: nameOf(hashKey, { ...row, names }) },
    createdAt: instantFromMs(row.created).text,
    updatedAt: instantFromMs(row.updated).text,
    revision: row.revision,
    turns: row.turns,
    bytes: bytesOf(row),
  };
}

function cursorOf({ order }: ValidatedList, { session, recent, id }: ScopeRow): string {
  return order === "id" ? `id:${session}` : `recent:${recent}:${id}`;
}
