/** Plans of the statements on the index of conversations. */

import type { Plans } from "./plans.ts";

/** See the module's documentation. */
export const INDEX_PLANS: Plans = {
  "index/index_batch.ts": {
    SELECT_NEW_TURNS: "SEARCH turns USING COVERING INDEX turns_by_scope (scope=? AND rowid>?)",
    SELECT_SOURCE: "SEARCH turns USING INTEGER PRIMARY KEY (rowid=?)",
    SELECT_UNINDEXED: "SEARCH unindexed_turns USING PRIMARY KEY (index_id=?)",
  },
  "index/check_index.ts": {
    COUNT_CHANGED: "SEARCH unindexed_turns USING PRIMARY KEY (index_id=?)",
    COUNT_NEWER: "SEARCH turns USING COVERING INDEX turns_by_scope (scope=? AND rowid>?)",
    SELECT_POSTINGS: "SEARCH postings USING PRIMARY KEY (index_id=? AND (block,term,turn)>(?,?,?))",
    SELECT_TERMS: "SEARCH index_terms USING PRIMARY KEY (index_id=? AND number>?)",
    SELECT_TURNS:
      "SEARCH indexed_turns USING INDEX indexed_turns_by_turn (index_id=? AND turn>?); SEARCH turns USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
  },
  "tables/draining_turns.ts": {
    DELETE_PART: "SEARCH draining_turns USING PRIMARY KEY (index_id=? AND turn=? AND part=?)",
    DELETE_PARTS_OF_INDEX: "SEARCH draining_turns USING PRIMARY KEY (index_id=?)",
    DELETE_PARTS_OF_TURN: "SEARCH draining_turns USING PRIMARY KEY (index_id=? AND turn=?)",
    SELECT_PARTS: "SEARCH draining_turns USING PRIMARY KEY (index_id=? AND (turn,part)>(?,?))",
    SELECT_PARTS_OF_TURN: "SEARCH draining_turns USING PRIMARY KEY (index_id=? AND turn=?)",
    SELECT_SOURCES_OF_PARTS: "SEARCH draining_turns USING PRIMARY KEY (index_id=? AND turn=?)",
    SELECT_STALE_PART:
      "SEARCH draining_turns USING PRIMARY KEY (index_id=?); SEARCH turns USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
    "DRAINING_TURNS.insert": "",
  },
  "tables/tenant_sessions.ts": {
    SELECT_SESSION:
      "SEARCH scopes USING INDEX scopes_by_hash (scope_hash=?); SEARCH chunk_indexes USING INDEX chunk_indexes_by_scope (scope=?) LEFT-JOIN",
    SELECT_SESSIONS:
      "SEARCH scopes USING INDEX scopes_by_tenant (tenant=? AND rowid>?); SEARCH chunk_indexes USING INDEX chunk_indexes_by_scope (scope=?) LEFT-JOIN",
    SELECT_TERM_OF_SESSIONS:
      "SEARCH scopes USING COVERING INDEX scopes_by_tenant (tenant=? AND rowid>? AND rowid<?); SEARCH chunk_indexes USING INDEX chunk_indexes_by_scope (scope=?); SEARCH index_terms USING INDEX index_terms_by_term (index_id=? AND term=?)",
  },
  "search/search_cache.ts": {
    SELECT_TURNS_AFTER:
      "SEARCH indexed_turns USING INDEX indexed_turns_by_turn (index_id=? AND turn>? AND turn<?)",
    SELECT_TURNS_BEFORE: "SEARCH indexed_turns USING INDEX indexed_turns_by_turn (index_id=? AND turn<?)",
  },
  "search/posting_reader.ts": {
    SELECT_POSTINGS:
      "SEARCH postings USING PRIMARY KEY (index_id=? AND block=? AND term=? AND turn>? AND turn<?)",
  },
  "search/index_query.ts": {
    SELECT_HEAD: "SEARCH indexed_turns USING INDEX indexed_turns_by_turn (index_id=? AND turn=?)",
    SELECT_HEADS_FROM: "SEARCH indexed_turns USING INDEX indexed_turns_by_turn (index_id=? AND turn>?)",
    SELECT_OLDEST_TURN: "SEARCH indexed_turns USING COVERING INDEX indexed_turns_by_turn (index_id=?)",
    SELECT_POSTINGS_FROM:
      "SEARCH postings USING PRIMARY KEY (index_id=? AND block=? AND term=? AND turn>?); SCALAR SUBQUERY 1; SEARCH postings USING PRIMARY KEY (index_id=? AND block=? AND term=? AND turn<?)",
  },
  "index/index_state.ts": {
    DELETE_POSTINGS_UP_TO: "SEARCH postings USING PRIMARY KEY (index_id=? AND block=? AND term<?)",
    DELETE_TERMS_UP_TO: "SEARCH index_terms USING PRIMARY KEY (index_id=? AND number<?)",
    DELETE_TURNS_UP_TO: "SEARCH indexed_turns USING INDEX indexed_turns_by_turn (index_id=? AND turn<?)",
    SELECT_FIRST_BLOCK: "SEARCH postings USING PRIMARY KEY (index_id=?)",
    SELECT_INDEXES_AFTER: "SEARCH chunk_indexes USING INTEGER PRIMARY KEY (rowid>?)",
    SELECT_LAST_POSTING:
      "CO-ROUTINE (subquery-1); SEARCH postings USING PRIMARY KEY (index_id=? AND block=?); SEARCH (subquery-1)",
    SELECT_LAST_TERM:
      "CO-ROUTINE (subquery-1); SEARCH index_terms USING PRIMARY KEY (index_id=?); SEARCH (subquery-1)",
    SELECT_LAST_TURN:
      "CO-ROUTINE (subquery-1); SEARCH indexed_turns USING COVERING INDEX indexed_turns_by_turn (index_id=?); SEARCH (subquery-1)",
  },
};
