/** Plans of the statements on deletions and what they erase. */

import type { Plans } from "./plans.ts";

/** See the module's documentation. */
export const DELETION_PLANS: Plans = {
  "deletion/apply_deletion.ts": {
    SELECT_TURN_IDS: "SEARCH turns USING INDEX turns_by_scope (scope=?)",
  },
  "deletion/cascade.ts": {
    DELETE_COVERED_TURNS: "SEARCH covered_turns USING PRIMARY KEY (scope=?)",
    DELETE_FLOORS_OF_SCOPE: "SEARCH floors USING PRIMARY KEY (scope_hash=?)",
    DELETE_MESSAGE_IDS_OF_SCOPE: "SEARCH message_ids USING PRIMARY KEY (scope=?)",
    DELETE_OPERATIONS_OF_SCOPE: "SEARCH operations USING PRIMARY KEY (scope_hash=?)",
    DELETE_PIN: "SEARCH pins USING PRIMARY KEY (scope=? AND key=?)",
    DELETE_PINS_OF_SCOPE: "SEARCH pins USING PRIMARY KEY (scope=?)",
    DELETE_REPLAYS: "SEARCH replays USING PRIMARY KEY (scope=?)",
    DELETE_SCOPE: "SEARCH scopes USING INTEGER PRIMARY KEY (rowid=?)",
    DELETE_SUMMARY: "SEARCH summaries USING INTEGER PRIMARY KEY (rowid=?)",
    DELETE_TURNS_OF_SCOPE: "SEARCH turns USING INDEX turns_by_scope (scope=?)",
    SELECT_PINS_OF_TURN: "SEARCH pins USING INDEX pins_by_source (source_turn=?)",
  },
  "deletion/deleted_messages.ts": {
    SELECT_ANY_FLOOR: "SEARCH floors USING PRIMARY KEY (scope_hash=?)",
    SELECT_MESSAGE_IDS: "SEARCH message_ids USING COVERING INDEX message_ids_by_turn (turn=?); " +
      "SCALAR SUBQUERY 1; SEARCH turns USING COVERING INDEX turns_by_turn_id (scope=? AND turn_id=?)",
  },
  "deletion/erase_index.ts": {
    DELETE_INDEXED_TURN: "SEARCH indexed_turns USING INDEX indexed_turns_by_turn (index_id=? AND turn=?)",
    DELETE_POSTINGS_OF_INDEX: "SEARCH postings USING PRIMARY KEY (index_id=?)",
    DELETE_TERM: "SEARCH index_terms USING PRIMARY KEY (index_id=? AND number=?)",
    DELETE_TERMS_OF_INDEX: "SEARCH index_terms USING PRIMARY KEY (index_id=?)",
    DELETE_TURNS_OF_INDEX: "SEARCH indexed_turns USING INDEX indexed_turns_by_turn (index_id=?)",
    INSERT_UNINDEXED_TURN: "",
    SELECT_INDEXED_TURN: "SEARCH indexed_turns USING INDEX indexed_turns_by_turn (index_id=? AND turn=?)",
    SELECT_TERMS: "SEARCH index_terms USING PRIMARY KEY (index_id=? AND number=?)",
    SUM_CHUNKS: "SEARCH indexed_turns USING INDEX indexed_turns_by_turn (index_id=?)",
    SUM_POSTINGS: "SEARCH postings USING PRIMARY KEY (index_id=?)",
  },
  "deletion/drain_indexes.ts": {
    SELECT_DRAINING: "SEARCH chunk_indexes USING INTEGER PRIMARY KEY (rowid>?)",
  },
  "deletion/orphans.ts": {
    "SELECT count(*) FROM chunk_indexes WHERE scope NOT IN (SELECT id FROM scopes UNION ALL SELECT scope FROM draining_scopes)":
      {
        plan:
          "SCAN chunk_indexes USING COVERING INDEX chunk_indexes_by_scope; LIST SUBQUERY 2; COMPOUND QUERY; LEFT-MOST SUBQUERY; SCAN scopes USING COVERING INDEX scopes_by_tenant; CREATE BLOOM FILTER; UNION ALL; SCAN draining_scopes USING COVERING INDEX draining_scopes_by_event; CREATE BLOOM FILTER",
        because: "looks at every row, once",
      },
    "SELECT count(*) FROM replays WHERE scope NOT IN (SELECT id FROM scopes UNION ALL SELECT scope FROM draining_scopes)":
      {
        plan:
          "SCAN replays; LIST SUBQUERY 2; COMPOUND QUERY; LEFT-MOST SUBQUERY; SCAN scopes USING COVERING INDEX scopes_by_tenant; CREATE BLOOM FILTER; UNION ALL; SCAN draining_scopes USING COVERING INDEX draining_scopes_by_event; CREATE BLOOM FILTER",
        because: "looks at every row, once",
      },
    "SELECT count(*) FROM journals WHERE scope NOT IN (SELECT id FROM scopes UNION ALL SELECT scope FROM draining_scopes)":
      {
        plan:
          "SCAN journals USING COVERING INDEX journals_by_part; LIST SUBQUERY 2; COMPOUND QUERY; LEFT-MOST SUBQUERY; SCAN scopes USING COVERING INDEX scopes_by_tenant; CREATE BLOOM FILTER; UNION ALL; SCAN draining_scopes USING COVERING INDEX draining_scopes_by_event; CREATE BLOOM FILTER",
        because: "looks at every row, once",
      },
    "SELECT count(*) FROM summaries WHERE scope NOT IN (SELECT id FROM scopes UNION ALL SELECT scope FROM draining_scopes)":
      {
        plan:
          "SCAN summaries; LIST SUBQUERY 2; COMPOUND QUERY; LEFT-MOST SUBQUERY; SCAN scopes USING COVERING INDEX scopes_by_tenant; CREATE BLOOM FILTER; UNION ALL; SCAN draining_scopes USING COVERING INDEX draining_scopes_by_event; CREATE BLOOM FILTER",
        because: "looks at every row, once",
      },
    "SELECT count(*) FROM pins WHERE scope NOT IN (SELECT id FROM scopes UNION ALL SELECT scope FROM draining_scopes)":
      {
        plan:
          "SCAN pins; LIST SUBQUERY 2; COMPOUND QUERY; LEFT-MOST SUBQUERY; SCAN scopes USING COVERING INDEX scopes_by_tenant; CREATE BLOOM FILTER; UNION ALL; SCAN draining_scopes USING COVERING INDEX draining_scopes_by_event; CREATE BLOOM FILTER",
        because: "looks at every row, once",
      },
    "SELECT count(*) FROM descriptions WHERE scope NOT IN (SELECT id FROM scopes UNION ALL SELECT scope FROM draining_scopes)":
      {
        plan:
          "SCAN descriptions; LIST SUBQUERY 2; COMPOUND QUERY; LEFT-MOST SUBQUERY; SCAN scopes USING COVERING INDEX scopes_by_tenant; CREATE BLOOM FILTER; UNION ALL; SCAN draining_scopes USING COVERING INDEX draining_scopes_by_event; CREATE BLOOM FILTER",
        because: "looks at every row, once",
      },
    "SELECT count(*) FROM turns WHERE scope NOT IN (SELECT id FROM scopes UNION ALL SELECT scope FROM draining_scopes)":
      {
        plan:
          "SCAN turns USING COVERING INDEX turns_by_scope; LIST SUBQUERY 2; COMPOUND QUERY; LEFT-MOST SUBQUERY; SCAN scopes USING COVERING INDEX scopes_by_tenant; CREATE BLOOM FILTER; UNION ALL; SCAN draining_scopes USING COVERING INDEX draining_scopes_by_event; CREATE BLOOM FILTER",
        because: "looks at every row, once",
      },
    "SELECT count(*) FROM covered_turns WHERE turn NOT IN (SELECT id FROM turns)": {
      plan: "SCAN covered_turns; USING ROWID SEARCH ON TABLE turns FOR IN-OPERATOR",
      because: "looks everywhere for what a deletion left",
    },
    "SELECT count(*) FROM message_ids WHERE turn NOT IN (SELECT id FROM turns)": {
      plan:
        "SCAN message_ids USING COVERING INDEX message_ids_by_turn; USING ROWID SEARCH ON TABLE turns FOR IN-OPERATOR",
      because: "looks everywhere for what a deletion left",
    },
    "SELECT count(*) FROM media_pieces WHERE (scope, hash) NOT IN (SELECT scope, hash FROM media_refs)": {
      plan:
        "SCAN media_pieces USING COVERING INDEX sqlite_autoindex_media_pieces_1; USING INDEX sqlite_autoindex_media_refs_1 FOR IN-OPERATOR",
      because: "looks everywhere for what a deletion left",
    },
    "SELECT count(*) FROM media_refs WHERE turn NOT IN (SELECT id FROM turns)": {
      plan:
        "SCAN media_refs USING COVERING INDEX media_refs_by_turn; USING ROWID SEARCH ON TABLE turns FOR IN-OPERATOR",
      because: "looks everywhere for what a deletion left",
    },
    "SELECT count(*) FROM journal_entries WHERE journal NOT IN (SELECT id FROM journals)": {
      plan:
        "SCAN journal_entries USING COVERING INDEX sqlite_autoindex_journal_entries_1; USING ROWID SEARCH ON TABLE journals FOR IN-OPERATOR",
      because: "looks everywhere for what a deletion left",
    },
    "SELECT count(*) FROM chunk_indexes WHERE retired = 0 AND (SELECT coalesce(sum(turns), 0) FROM postings WHERE index_id = chunk_indexes.id) <> (SELECT coalesce(sum(postings), 0) FROM indexed_turns WHERE index_id = chunk_indexes.id) + (SELECT coalesce(sum(postings), 0) FROM draining_turns WHERE index_id = chunk_indexes.id)":
      {
        plan:
          "SCAN chunk_indexes; CORRELATED SCALAR SUBQUERY 1; SEARCH postings USING PRIMARY KEY (index_id=?); CORRELATED SCALAR SUBQUERY 2; SEARCH indexed_turns USING INDEX indexed_turns_by_turn (index_id=?); CORRELATED SCALAR SUBQUERY 3; SEARCH draining_turns USING PRIMARY KEY (index_id=?)",
        because: "looks everywhere for what a deletion left",
      },
    "SELECT count(*) FROM index_terms WHERE (index_id, number) NOT IN (SELECT index_id, term FROM postings)":
      {
        plan:
          "SCAN index_terms USING COVERING INDEX index_terms_by_term; LIST SUBQUERY 1; SCAN postings; CREATE BLOOM FILTER",
        because: "looks everywhere for what a deletion left",
      },
    "SELECT count(*) FROM indexed_turns WHERE turn NOT IN (SELECT id FROM turns) OR index_id NOT IN (SELECT id FROM chunk_indexes)":
      {
        plan:
          "SCAN indexed_turns USING COVERING INDEX indexed_turns_by_turn; USING ROWID SEARCH ON TABLE turns FOR IN-OPERATOR; USING ROWID SEARCH ON TABLE chunk_indexes FOR IN-OPERATOR",
        because: "looks everywhere for what a deletion left",
      },
    "SELECT count(*) FROM postings WHERE NOT EXISTS (SELECT 1 FROM indexed_turns WHERE indexed_turns.index_id = postings.index_id AND indexed_turns.turn = postings.turn) AND NOT EXISTS (SELECT 1 FROM draining_turns WHERE draining_turns.index_id = postings.index_id AND draining_turns.turn = postings.turn)":
      {
        plan:
          "SCAN postings; CORRELATED SCALAR SUBQUERY 1; SEARCH indexed_turns USING COVERING INDEX indexed_turns_by_turn (index_id=? AND turn=?); CORRELATED SCALAR SUBQUERY 2; SEARCH draining_turns USING PRIMARY KEY (index_id=? AND turn=?)",
        because: "looks everywhere for what a deletion left",
      },
    "SELECT count(*) FROM draining_turns WHERE index_id NOT IN (SELECT id FROM chunk_indexes)": {
      plan: "SCAN draining_turns; USING ROWID SEARCH ON TABLE chunk_indexes FOR IN-OPERATOR",
      because: "looks everywhere for what a deletion left",
    },
    "SELECT count(*) FROM unindexed_turns WHERE turn NOT IN (SELECT id FROM turns) OR index_id NOT IN (SELECT id FROM chunk_indexes)":
      {
        plan:
          "SCAN unindexed_turns; USING ROWID SEARCH ON TABLE turns FOR IN-OPERATOR; USING ROWID SEARCH ON TABLE chunk_indexes FOR IN-OPERATOR",
        because: "looks everywhere for what a deletion left",
      },
  },
  "deletion/tombstones.ts": {
    SELECT_FLOOR: "SEARCH floors USING PRIMARY KEY (scope_hash=? AND key_hash=?)",
    UPSERT_FLOOR: "",
  },
  "deletion/verify_receipt.ts": {
    SUM_STALE_POSTINGS:
      "SEARCH chunk_indexes USING COVERING INDEX chunk_indexes_by_scope (scope=?); SEARCH draining_turns USING PRIMARY KEY (index_id=?); SEARCH turns USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
    COUNT_ENTRIES_UP_TO: "SEARCH journal_entries USING INDEX sqlite_autoindex_journal_entries_1 (journal=?)",
    COUNT_FLOORS: "SEARCH floors USING PRIMARY KEY (scope_hash=?)",
    COUNT_PINS_WITHOUT_SOURCE:
      "SEARCH pins USING COVERING INDEX pins_by_source (source_turn>?); USING ROWID SEARCH ON TABLE turns FOR IN-OPERATOR",
    COUNT_SCOPES: "SEARCH scopes USING COVERING INDEX scopes_by_hash (scope_hash=?)",
    SELECT_TURN_IDS: "SEARCH turns USING COVERING INDEX turns_by_turn_id (scope=?)",
  },
};
