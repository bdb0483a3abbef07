/** Plans of the statements on conversations, except those on their index. */

import type { Plans } from "./plans.ts";

/** See the module's documentation. */
export const CONVERSATION_PLANS: Plans = {
  "conversations/stored_summary.ts": {
    COUNT_TURNS_UP_TO: "SEARCH turns USING COVERING INDEX turns_by_scope (scope=? AND rowid<?)",
    SELECT_NEWEST_COVERED: "SEARCH covered_turns USING PRIMARY KEY (scope=?)",
  },
  "index/scope_view.ts": {
    SELECT_INDEX: "SEARCH chunk_indexes USING INTEGER PRIMARY KEY (rowid=?)",
  },
  "conversations/check_conversations.ts": {
    "SELECT count(*) FROM scopes WHERE id < 1": "SEARCH scopes USING INTEGER PRIMARY KEY (rowid<?)",
    "SELECT count(*) FROM turns WHERE id < 1": "SEARCH turns USING INTEGER PRIMARY KEY (rowid<?)",
    SELECT_FLOORS: { plan: "SCAN floors", because: "a check looks at every row" },
    SELECT_MESSAGE_IDS: {
      plan:
        "SEARCH message_ids USING COVERING INDEX message_ids_by_turn (turn=?); USE TEMP B-TREE FOR ORDER BY",
      because: "one turn has few messages",
    },
    SELECT_INDEX_CHECKSUMS: "SEARCH chunk_indexes USING INDEX chunk_indexes_by_scope (scope=?)",
    SELECT_SCOPE_IDS: "SEARCH scopes USING INTEGER PRIMARY KEY (rowid>?)",
  },
  "conversations/delete_item.ts": {
    SELECT_TURN: "SEARCH turns USING INDEX turns_by_turn_id (scope=? AND turn_id=?)",
  },
  "conversations/put_turn.ts": {
    SELECT_PAYLOAD: "SEARCH turns USING INTEGER PRIMARY KEY (rowid=?)",
  },
  "conversations/read_turns.ts": {
    SELECT_NEWEST_TURNS: "SEARCH turns USING COVERING INDEX turns_by_scope (scope=? AND rowid<?)",
    SELECT_TURN_AT: "SEARCH turns USING COVERING INDEX turns_by_scope (scope=?)",
    SELECT_TURN_BEFORE: "SEARCH turns USING COVERING INDEX turns_by_scope (scope=? AND rowid<?)",
    SELECT_TURN_ROW: "SEARCH turns USING COVERING INDEX turns_by_turn_id (scope=? AND turn_id=?)",
  },
  "conversations/replay.ts": {
    DELETE_REPLAY: "SEARCH replays USING PRIMARY KEY (scope=? AND key=?)",
    SELECT_REPLAY_KEYS: "SEARCH replays USING PRIMARY KEY (scope=?)",
  },
  "scopes/restored_scopes.ts": {
    DELETE_COVERED_TURNS: "",
    DELETE_INDEXED_TURNS: "",
    DELETE_INDEXES: "",
    DELETE_POSTINGS: "",
    DELETE_REPLAYS: "",
    DELETE_SUMMARIES: "",
    DELETE_TERMS: "",
    DELETE_UNINDEXED_TURNS: "",
  },
  "scopes/take_snapshot.ts": {
    SELECT_EXPIRED_TURNS: {
      plan: "SEARCH turns USING INDEX turns_by_expiry (scope=? AND expires<?); USE TEMP B-TREE FOR ORDER BY",
      because: "sorts what has expired in one scope and is not erased yet",
    },
  },
  "deletion/expiry.ts": {
    DELETE_EXPIRED_REPLAYS: "SEARCH replays USING PRIMARY KEY (scope=?)",
    SELECT_EXPIRED_PINS: "SEARCH pins USING PRIMARY KEY (scope=?)",
    SELECT_EXPIRED_SCOPES: "SEARCH scopes USING INDEX scopes_by_expiry (next_expiry>? AND next_expiry<?)",
    SELECT_EXPIRED_SUMMARY: "SEARCH summaries USING INTEGER PRIMARY KEY (rowid=?)",
    SELECT_EXPIRED_TURNS: "SEARCH turns USING INDEX turns_by_expiry (scope=? AND expires<?)",
    SELECT_FIRST_EXPIRY_OF_PIN: "SEARCH pins USING PRIMARY KEY (scope=?)",
    SELECT_FIRST_EXPIRY_OF_REPLAY: "SEARCH replays USING PRIMARY KEY (scope=?)",
    SELECT_FIRST_EXPIRY_OF_SUMMARY: "SEARCH summaries USING INTEGER PRIMARY KEY (rowid=?)",
    SELECT_FIRST_EXPIRY_OF_TURN: "SEARCH turns USING COVERING INDEX turns_by_expiry (scope=? AND expires>?)",
  },
};
