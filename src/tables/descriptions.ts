/** What callers say of their sessions: rows, validated where they are read. */

import { canonicalJson, type CanonicalObject } from "../canonical/canonical_json.ts";
import { checksumOf } from "../canonical/checksum.ts";
import type { Metadata } from "../contracts/message.ts";
import type { Damage } from "../engine/damage.ts";
import type { Operation, ReadTransaction, WriteTransaction } from "../engine/operation.ts";
import type { Row } from "../engine/values.ts";
import { DESCRIPTIONS, SCOPES } from "./schema/main_tables.ts";
import { damagedRow, type ScopeRow } from "./scopes.ts";

/** What is said of a session; null where nothing is. */
export interface Description {
  readonly title: string | null;
  readonly metadata: Metadata | null;
  /** What the person whose session it is may be called; see `subjects.ts`. */
  readonly names: readonly string[];
}

/** What is said of a session of which nothing is said. */
export const NO_DESCRIPTION: Description = Object.freeze({ title: null, metadata: null, names: [] });

/** What is said of a session. Parameter: the scope's row. */
export const SELECT_DESCRIPTION = `${DESCRIPTIONS.select} WHERE scope = $1`;

/** Sessions of a tenant, the last one written to first. Parameters: the tenant, the place and row to begin after, how many. */
export const SELECT_RECENT_SESSIONS = `SELECT ${SCOPES.qualified}, ${DESCRIPTIONS.qualified} FROM scopes
  LEFT JOIN descriptions ON descriptions.scope = scopes.id
  WHERE scopes.tenant = $1 AND (scopes.recent, scopes.id) < ($2, $3)
  ORDER BY scopes.recent DESC, scopes.id DESC LIMIT $4`;

/** The same of one person. Parameters: the hash of the subject, and so on. */
export const SELECT_RECENT_SESSIONS_OF_SUBJECT =
  `SELECT ${SCOPES.qualified}, ${DESCRIPTIONS.qualified} FROM scopes
  LEFT JOIN descriptions ON descriptions.scope = scopes.id
  WHERE scopes.subject = $1 AND (scopes.recent, scopes.id) < ($2, $3)
  ORDER BY scopes.recent DESC, scopes.id DESC LIMIT $4`;

/** Sessions of a tenant by id. Parameters: the tenant, the id to begin after, how many, the hash of the subject or null for any. */
export const SELECT_SESSIONS_BY_ID = `SELECT ${SCOPES.qualified}, ${DESCRIPTIONS.qualified} FROM scopes
  LEFT JOIN descriptions ON descriptions.scope = scopes.id WHERE scopes.tenant = $1 AND scopes.session > $2
  AND ($4 IS NULL OR scopes.subject = $4) ORDER BY scopes.session LIMIT $3`;

/** The columns of what is said, in such a row; undefined if nothing is. */
export function descriptionOf(row: Row): Row | undefined {
  const start = SCOPES.columnNames.length;
  return row[start] === null ? undefined : row.slice(start);
}

/** Reads what is said of a session; a damaged row that is skipped counts as none. */
export function* readDescription(
  transaction: ReadTransaction,
  scope: ScopeRow,
  damage: Damage,
): Operation<Description> {
  const row = yield* transaction.get(SELECT_DESCRIPTION, scope.id);
  return damage.read(() => toDescription(scope, row)) ?? NO_DESCRIPTION;
}

/** Requires that the row is intact; undefined stands for no row. */
export function toDescription(
  scope: Pick<ScopeRow, "tenant" | "session">,
  row: Row | undefined,
): Description {
  if (row === undefined) return NO_DESCRIPTION;
  const fields = DESCRIPTIONS.toFields(row);
  const { payload, payloadChecksum } = fields;
  if (
    DESCRIPTIONS.isIntact(fields) && typeof payload === "string" && checksumOf(payload) === payloadChecksum
  ) {
    return { ...NO_DESCRIPTION, ...JSON.parse(payload) as Partial<Description> };
  }
  throw damagedRow("The checksum of what is said of a session does not match", "descriptions", scope);
}

/** What is said of a session as canonical JSON, without what is not said. */
function encodeDescription({ title, metadata, names }: Description): string {
  const said = {
    ...title === null ? {} : { title },
    ...metadata === null ? {} : { metadata },
    ...names.length === 0 ? {} : { names },
  };
  return canonicalJson(said as CanonicalObject, "description");
}

/** Whether two sessions have the same title and metadata; their subjects are not compared. */
export function isSameDescription(left: Description, right: Description): boolean {
  const [one, other] = [left, right].map((each) => encodeDescription({ ...each, names: [] }));
  return one === other;
}

/** Parameter: the scope's row. */
export const DELETE_DESCRIPTION = `DELETE FROM descriptions WHERE scope = $1`;

/** Writes what is said of a session, in place of what was said before; the first time, nothing has to be scrubbed. */
export function* writeDescription(
  transaction: WriteTransaction,
  scope: number,
  description: Description,
  isFirst = false,
): Operation<void> {
  const payload = encodeDescription(description);
  if (!isFirst) transaction.markDirty("descriptions");
  if (payload === "{}") {
    yield* transaction.run(DELETE_DESCRIPTION, scope);
    return;
  }
  const row = { scope, payloadChecksum: checksumOf(payload), payload };
  yield* transaction.run(DESCRIPTIONS.upsert, ...DESCRIPTIONS.toValues(row));
}
