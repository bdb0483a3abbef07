/** The sessions of a tenant with their indexes, as a search of all of them reads them. */

import type { Row } from "../engine/values.ts";
import { type IndexRow, toIndexRow } from "./chunk_indexes.ts";
import { CHUNK_INDEXES } from "./schema/index_tables.ts";
import { SCOPES } from "./schema/main_tables.ts";
import { type ScopeRow, toScopeRow } from "./scopes.ts";

/** Sessions of a tenant, each with its index of a kind. Parameters: the kind, the tenant, the row to begin after, how many. */
export const SELECT_SESSIONS = `SELECT ${SCOPES.qualified}, ${CHUNK_INDEXES.qualified} FROM scopes
  LEFT JOIN chunk_indexes ON chunk_indexes.scope = scopes.id AND chunk_indexes.index_key = $1 AND chunk_indexes.retired = 0
  WHERE scopes.tenant = $2 AND scopes.id > $3 ORDER BY scopes.id LIMIT $4`;

/** One session with its index of a kind. Parameters: the kind, the hash of the scope. */
export const SELECT_SESSION = `SELECT ${SCOPES.qualified}, ${CHUNK_INDEXES.qualified} FROM scopes
  LEFT JOIN chunk_indexes ON chunk_indexes.scope = scopes.id AND chunk_indexes.index_key = $1 AND chunk_indexes.retired = 0
  WHERE scopes.scope_hash = $2`;

/** A session with its index of a kind; null if it has none. */
export interface IndexedSession {
  readonly row: ScopeRow;
  readonly index: IndexRow | null;
}

/** Decodes a session with its index. */
export function toIndexedSession(row: Row): IndexedSession {
  const columns = row.slice(SCOPES.columnNames.length);
  return { row: toScopeRow(row), index: columns[0] === null ? null : toIndexRow(columns) };
}

/**
 * A term in the indexes of a tenant's sessions. Parameters: the kind, the tenant, the term, the scope's row to begin
 * after, the last one.
 */
export const SELECT_TERM_OF_SESSIONS =
  `SELECT index_terms.index_id, index_terms.number, index_terms.documents, index_terms.checksum FROM scopes
  JOIN chunk_indexes ON chunk_indexes.scope = scopes.id AND chunk_indexes.index_key = $1 AND chunk_indexes.retired = 0
  JOIN index_terms ON index_terms.index_id = chunk_indexes.id AND index_terms.term = $3
  WHERE scopes.tenant = $2 AND scopes.id > $4 AND scopes.id <= $5`;
