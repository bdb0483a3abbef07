/** How each table that can hold content is rewritten: a new one in key order, in place of the old. */

import {
  CREATE_MESSAGE_IDS,
  CREATE_MESSAGE_IDS_BY_TURN,
  CREATE_PINS,
  CREATE_PINS_BY_SOURCE,
  CREATE_REPLAYS,
  CREATE_SCOPES,
  CREATE_SCOPES_BY_DUE,
  CREATE_SCOPES_BY_HASH,
  CREATE_SUMMARIES,
  CREATE_TURNS,
  CREATE_TURNS_BY_EXPIRY,
  CREATE_TURNS_BY_SCOPE,
  CREATE_TURNS_BY_TURN_ID,
} from "./conversation_tables.ts";
import {
  CREATE_INDEX_TERMS,
  CREATE_INDEX_TERMS_BY_TERM,
  CREATE_INDEXED_TURNS,
  CREATE_INDEXED_TURNS_BY_TURN,
  CREATE_POSTINGS,
} from "./index_tables.ts";
import { CREATE_RECORDS, CREATE_RECORDS_BY_EXPIRY } from "./main_schema.ts";

const COPY_RECORDS =
  `INSERT INTO rewritten (tenant, kind, key, revision, created, max_age, expires, value_checksum,
  checksum, body) SELECT tenant, kind, key, revision, created, max_age, expires, value_checksum,
  checksum, body FROM records ORDER BY tenant, kind, key`;

const COPY_SCOPES =
  `INSERT INTO rewritten (id, scope_hash, tenant, session, revision, turns, turn_bytes, pins,
  operations, next_due, checksum) SELECT id, scope_hash, tenant, session, revision, turns, turn_bytes,
  pins, operations, next_due, checksum FROM scopes ORDER BY id`;

const COPY_TURNS =
  `INSERT INTO rewritten (id, scope, turn_id, revision, bytes, expires, expires_at, payload_checksum,
  checksum, payload) SELECT id, scope, turn_id, revision, bytes, expires, expires_at,
  payload_checksum, checksum, payload FROM turns ORDER BY id`;

const COPY_MESSAGE_IDS =
  `INSERT INTO rewritten (scope, message_id, turn) SELECT scope, message_id, turn FROM message_ids
  ORDER BY scope, message_id`;

const COPY_PINS =
  `INSERT INTO rewritten (scope, key, revision, effective, expires, source_turn, payload_checksum,
  checksum, payload) SELECT scope, key, revision, effective, expires, source_turn, payload_checksum,
  checksum, payload FROM pins ORDER BY scope, key`;

const COPY_SUMMARIES =
  `INSERT INTO rewritten (scope, created, expires, payload_checksum, checksum, payload) SELECT scope,
  created, expires, payload_checksum, checksum, payload FROM summaries ORDER BY scope`;

const COPY_REPLAYS =
  `INSERT INTO rewritten (scope, key, snapshot, at, expires, payload_checksum, checksum, payload)
  SELECT scope, key, snapshot, at, expires, payload_checksum, checksum, payload FROM replays ORDER BY
  scope, key`;

const COPY_INDEXED_TURNS =
  `INSERT INTO rewritten (index_id, turn, source, chunks, documents, total_length, postings, checksum,
  lists_checksum, chunk_list, term_list) SELECT index_id, turn, source, chunks, documents,
  total_length, postings, checksum, lists_checksum, chunk_list, term_list FROM indexed_turns
  ORDER BY index_id, turn`;

const COPY_INDEX_TERMS =
  `INSERT INTO rewritten (index_id, number, term, documents, checksum) SELECT index_id, number, term,
  documents, checksum FROM index_terms ORDER BY index_id, number`;

const COPY_POSTINGS =
  `INSERT INTO rewritten (index_id, block, term, turn, turns, posting_list) SELECT index_id, block, term,
  turn, turns, posting_list FROM postings ORDER BY index_id, block, term, turn`;

/** The statements that rewrite a table, in order. The new one has a name of its own until the old one is gone. */
function rewrite(
  name: string,
  create: string,
  copy: string,
  indexes: readonly string[],
): [string, readonly string[]] {
  return [name, [
    create.replace(`CREATE TABLE ${name} (`, "CREATE TABLE rewritten ("),
    copy,
    `DROP TABLE ${name}`,
    `ALTER TABLE rewritten RENAME TO ${name}`,
    ...indexes,
  ]];
}

/** By table. */
export const REWRITES: ReadonlyMap<string, readonly string[]> = new Map([
  rewrite("records", CREATE_RECORDS, COPY_RECORDS, [CREATE_RECORDS_BY_EXPIRY]),
  rewrite("scopes", CREATE_SCOPES, COPY_SCOPES, [CREATE_SCOPES_BY_HASH, CREATE_SCOPES_BY_DUE]),
  rewrite("turns", CREATE_TURNS, COPY_TURNS, [
    CREATE_TURNS_BY_SCOPE,
    CREATE_TURNS_BY_TURN_ID,
    CREATE_TURNS_BY_EXPIRY,
  ]),
  rewrite("message_ids", CREATE_MESSAGE_IDS, COPY_MESSAGE_IDS, [CREATE_MESSAGE_IDS_BY_TURN]),
  rewrite("pins", CREATE_PINS, COPY_PINS, [CREATE_PINS_BY_SOURCE]),
  rewrite("summaries", CREATE_SUMMARIES, COPY_SUMMARIES, []),
  rewrite("replays", CREATE_REPLAYS, COPY_REPLAYS, []),
  rewrite("indexed_turns", CREATE_INDEXED_TURNS, COPY_INDEXED_TURNS, [CREATE_INDEXED_TURNS_BY_TURN]),
  rewrite("index_terms", CREATE_INDEX_TERMS, COPY_INDEX_TERMS, [CREATE_INDEX_TERMS_BY_TERM]),
  rewrite("postings", CREATE_POSTINGS, COPY_POSTINGS, []),
]);
