/** Plans of the statements that remove damaged rows from a copy. */

import type { Plans } from "./plans.ts";

const STRAYS = "looks for rows that hang from nothing, which no key leads to";

/** See the module's documentation. */
export const MEND_PLANS: Plans = {
  "conversations/mend_scopes.ts": {
    COUNT_ROWS: {
      plan:
        "SCAN CONSTANT ROW; SCALAR SUBQUERY 1; SEARCH turns USING COVERING INDEX turns_by_scope (scope=?); " +
        "SCALAR SUBQUERY 2; SEARCH turns USING INDEX turns_by_scope (scope=?); SCALAR SUBQUERY 3; " +
        "SEARCH pins USING PRIMARY KEY (scope=?); SCALAR SUBQUERY 4; " +
        "SEARCH operations USING COVERING INDEX operations_by_time (scope_hash=?); SCALAR SUBQUERY 5; SEARCH journals USING COVERING INDEX journals_by_part (scope=?); SCALAR SUBQUERY 6; SEARCH journals USING INDEX journals_by_part (scope=?); " +
        "SCALAR SUBQUERY 8; CO-ROUTINE media; SEARCH media_refs USING PRIMARY KEY (scope=?); USE TEMP B-TREE FOR DISTINCT; SCAN media",
      because: "one row of four counts of one scope",
    },
    INSERT_MESSAGE_ID: "",
    SELECT_MESSAGE_IDS: "SEARCH message_ids USING COVERING INDEX message_ids_by_turn (turn=?)",
    SELECT_NEXT_EXPIRY: "CO-ROUTINE (subquery-3); COMPOUND QUERY; LEFT-MOST SUBQUERY; " +
      "SEARCH turns USING INDEX turns_by_scope (scope=?); UNION ALL; SEARCH pins USING PRIMARY KEY (scope=?); " +
      "UNION ALL; SEARCH summaries USING INTEGER PRIMARY KEY (rowid=?); SEARCH (subquery-3)",
    SELECT_NEXT_SCOPE: "SEARCH scopes USING INTEGER PRIMARY KEY (rowid>?)",
    SELECT_SOURCE: "SEARCH turns USING INTEGER PRIMARY KEY (rowid=?)",
    UPDATE_NAMES: "SEARCH scopes USING INTEGER PRIMARY KEY (rowid=?)",
  },
  "conversations/mend_strays.ts": {
    "DELETE FROM descriptions WHERE scope NOT IN (SELECT id FROM scopes)": {
      plan: "SCAN descriptions; USING ROWID SEARCH ON TABLE scopes FOR IN-OPERATOR",
      because: "a work file is mended once",
    },
    "DELETE FROM covered_turns WHERE scope NOT IN (SELECT id FROM scopes)": {
      plan: "SCAN covered_turns; USING ROWID SEARCH ON TABLE scopes FOR IN-OPERATOR",
      because: STRAYS,
    },
    "DELETE FROM media_pieces WHERE scope NOT IN (SELECT id FROM scopes)": {
      plan: "SCAN media_pieces; USING ROWID SEARCH ON TABLE scopes FOR IN-OPERATOR",
      because: STRAYS,
    },
    "DELETE FROM media_refs WHERE turn NOT IN (SELECT id FROM turns)": {
      plan:
        "SCAN media_refs USING INDEX media_refs_by_turn; USING ROWID SEARCH ON TABLE turns FOR IN-OPERATOR",
      because: STRAYS,
    },
    "DELETE FROM message_ids WHERE turn NOT IN (SELECT id FROM turns)": {
      plan:
        "SCAN message_ids USING COVERING INDEX message_ids_by_turn; USING ROWID SEARCH ON TABLE turns FOR IN-OPERATOR",
      because: STRAYS,
    },
    "DELETE FROM pins WHERE scope NOT IN (SELECT id FROM scopes)": {
      plan: "SCAN pins; USING ROWID SEARCH ON TABLE scopes FOR IN-OPERATOR",
      because: STRAYS,
    },
    "DELETE FROM summaries WHERE scope NOT IN (SELECT id FROM scopes)": {
      plan: "SCAN summaries; USING ROWID SEARCH ON TABLE scopes FOR IN-OPERATOR",
      because: STRAYS,
    },
    SELECT_STRAY_TURNS: {
      plan: "SCAN turns; USING ROWID SEARCH ON TABLE scopes FOR IN-OPERATOR",
      because: STRAYS,
    },
  },
  "records/mend_records.ts": {
    DELETE_OPERATION: "SEARCH operations USING PRIMARY KEY (scope_hash=? AND operation_hash=?)",
  },
};
