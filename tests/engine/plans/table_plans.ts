/** Plans of the statements on whole rows, and of those that more than one operation needs. */

import type { Plans } from "./plans.ts";

/** See the module's documentation. */
export const TABLE_PLANS: Plans = {
  "tables/chunk_indexes.ts": {
    DELETE_INDEX: "SEARCH chunk_indexes USING INTEGER PRIMARY KEY (rowid=?)",
    SELECT_INDEXES: "SEARCH chunk_indexes USING INDEX chunk_indexes_by_scope (scope=?)",
    "CHUNK_INDEXES.update": "SEARCH chunk_indexes USING INTEGER PRIMARY KEY (rowid=?)",
    "CHUNK_INDEXES.insert": "",
  },
  "tables/index_terms.ts": {
    SELECT_TERM: "SEARCH index_terms USING INDEX index_terms_by_term (index_id=? AND term=?)",
    "INDEX_TERMS.insert": "",
    "INDEX_TERMS.update": "SEARCH index_terms USING PRIMARY KEY (index_id=? AND number=?)",
  },
  "tables/indexed_turns.ts": {
    DELETE_UNINDEXED_OF_INDEX: "SEARCH unindexed_turns USING PRIMARY KEY (index_id=?)",
    DELETE_UNINDEXED_TURN: "SEARCH unindexed_turns USING PRIMARY KEY (index_id=? AND turn=?)",
    SELECT_IS_INDEXED:
      "SEARCH indexed_turns USING COVERING INDEX indexed_turns_by_turn (index_id=? AND turn=?)",
    SELECT_TURN_OF_INDEX: "SEARCH indexed_turns USING INDEX indexed_turns_by_turn (index_id=? AND turn=?)",
    "INDEXED_TURNS.insert": "",
  },
  "tables/operation_ids.ts": {
    COUNT_OPERATIONS: "SEARCH operations USING COVERING INDEX operations_by_time (scope_hash=?)",
    DELETE_OLDEST_OPERATIONS:
      "SEARCH operations USING PRIMARY KEY (scope_hash=? AND operation_hash=?); LIST SUBQUERY 2; SEARCH operations USING COVERING INDEX operations_by_time (scope_hash=?)",
    DELETE_OLD_OPERATIONS:
      "SEARCH operations USING PRIMARY KEY (scope_hash=? AND operation_hash=?); LIST SUBQUERY 2; SEARCH operations USING COVERING INDEX operations_by_time (scope_hash=? AND at<?)",
    SELECT_OPERATION: "SEARCH operations USING PRIMARY KEY (scope_hash=? AND operation_hash=?)",
    SELECT_OPERATIONS_AFTER: "SEARCH operations USING PRIMARY KEY ((scope_hash,operation_hash)>(?,?))",
    "OPERATIONS.upsert": "",
  },
  "tables/pins.ts": {
    SELECT_PIN_KEYS: "SEARCH pins USING PRIMARY KEY (scope=?)",
    SELECT_PIN_REVISION: "SEARCH pins USING PRIMARY KEY (scope=? AND key=?)",
    SELECT_PINS_BY_HASH:
      "SEARCH pins USING PRIMARY KEY (scope=?); SCALAR SUBQUERY 1; SEARCH scopes USING COVERING INDEX scopes_by_hash (scope_hash=?)",
    SELECT_PINS: "SEARCH pins USING PRIMARY KEY (scope=?)",
    SELECT_PIN: "SEARCH pins USING PRIMARY KEY (scope=? AND key=?)",
    "PINS.upsert": "",
  },
  "tables/postings.ts": {
    DELETE_ROW: "SEARCH postings USING PRIMARY KEY (index_id=? AND block=? AND term=? AND turn=?)",
    SELECT_ROW_OF_TURN: "SEARCH postings USING PRIMARY KEY (index_id=? AND block=? AND term=? AND turn<?)",
    UPDATE_ROW: "SEARCH postings USING PRIMARY KEY (index_id=? AND block=? AND term=? AND turn=?)",
    "POSTINGS.insert": "",
  },
  "tables/records.ts": {
    SELECT_NEXT_TENANT: "SEARCH records USING COVERING INDEX records_by_revision (tenant>?)",
    DELETE_RECORD: "SEARCH records USING PRIMARY KEY (tenant=? AND kind=? AND key=?)",
    SELECT_VALUE: "SEARCH records USING PRIMARY KEY (tenant=? AND kind=? AND key=?)",
  },
  "tables/record_rows.ts": {
    UPDATE_LABEL: "SEARCH records USING PRIMARY KEY (tenant=? AND kind=? AND key=?)",
    SELECT_RECORDS_AFTER: "SEARCH records USING PRIMARY KEY ((tenant,kind,key)>(?,?,?))",
    "RECORDS.upsert": "",
  },
  "tables/replays.ts": {
    SELECT_REPLAY: "SEARCH replays USING PRIMARY KEY (scope=? AND key=?)",
    SELECT_REPLAYS: "SEARCH replays USING PRIMARY KEY (scope=?)",
    "REPLAYS.upsert": "",
  },
  "tables/scopes.ts": {
    UPDATE_SUBJECT: "SEARCH scopes USING INTEGER PRIMARY KEY (rowid=?)",
    UPDATE_TIMES: "SEARCH scopes USING INTEGER PRIMARY KEY (rowid=?)",
    UPDATE_RECENT: "SEARCH scopes USING INTEGER PRIMARY KEY (rowid=?)",
    SELECT_MOST_RECENT: "SEARCH scopes USING COVERING INDEX scopes_by_recent (tenant=?)",
    SELECT_SCOPE: "SEARCH scopes USING INDEX scopes_by_hash (scope_hash=?)",
    SELECT_SCOPE_BY_ROW: "SEARCH scopes USING INTEGER PRIMARY KEY (rowid=?)",
    SELECT_SCOPES_AFTER: "SEARCH scopes USING INTEGER PRIMARY KEY (rowid>?)",
    "SCOPES.update": "SEARCH scopes USING INTEGER PRIMARY KEY (rowid=?)",
    "SCOPES.insert": "",
  },
  "tables/summaries.ts": {
    SELECT_COVERED: "SEARCH covered_turns USING PRIMARY KEY (scope=? AND turn=?)",
    SELECT_SCOPE_AND_SUMMARY: "SEARCH scopes USING INDEX scopes_by_hash (scope_hash=?); " +
      "SEARCH summaries USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
    SELECT_SUMMARY: "SEARCH summaries USING INTEGER PRIMARY KEY (rowid=?)",
    "SELECT_COVERED_TURN_IDS":
      "SEARCH covered_turns USING PRIMARY KEY (scope=?); SEARCH turns USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
    "SUMMARIES.insert": "",
    "COVERED_TURNS.insert": "",
  },
  "tables/turns.ts": {
    DELETE_MESSAGE_IDS: "SEARCH message_ids USING COVERING INDEX message_ids_by_turn (turn=?)",
    DELETE_TURN: "SEARCH turns USING INTEGER PRIMARY KEY (rowid=?)",
    SELECT_TURN_OF_MESSAGE: "SEARCH message_ids USING PRIMARY KEY (scope=? AND message_id=?)",
    SELECT_TURN: "SEARCH turns USING INDEX turns_by_turn_id (scope=? AND turn_id=?)",
    SELECT_TURN_HEAD: "SEARCH turns USING INDEX turns_by_turn_id (scope=? AND turn_id=?)",
    SELECT_TURN_BY_ROW: "SEARCH turns USING INTEGER PRIMARY KEY (rowid=?)",
    SELECT_TURNS_AFTER: "SEARCH turns USING INDEX turns_by_scope (scope=? AND rowid>?)",
    SELECT_TURNS_BEFORE: "SEARCH turns USING INDEX turns_by_scope (scope=? AND rowid<?)",
    "TURNS.insert": "",
    "MESSAGE_IDS.insert": "",
    "TURNS.update": "SEARCH turns USING INTEGER PRIMARY KEY (rowid=?)",
  },
};
