/** Plans of the statements of the engine: files, ledger, operation ids, checks, restores. */

import type { Plans } from "./plans.ts";

/** See the module's documentation. */
export const ENGINE_PLANS: Plans = {
  "tables/dirty_tables.ts": {
    SELECT_DIRTY: { plan: "SCAN dirty", because: "has a row for each table at most" },
  },
  "engines/sqlite/database/agreement.ts": {
    SELECT_COPIES: "SEARCH deletions USING INTEGER PRIMARY KEY (rowid>?)",
  },
  "engines/sqlite/database/applied_events.ts": {
    COUNT_DELETIONS_BEFORE_FIRST: "SEARCH deletions USING INTEGER PRIMARY KEY (rowid<?)",
    SELECT_DELETIONS_AFTER: "SEARCH deletions USING INTEGER PRIMARY KEY (rowid>?)",
    SELECT_EVENT: "SEARCH deletions USING INTEGER PRIMARY KEY (rowid=?)",
    SELECT_EVENTS: "SEARCH deletions USING INDEX deletions_by_key (key_hash=?)",
    SELECT_HEAD: "SEARCH deletions USING INTEGER PRIMARY KEY (rowid=?)",
  },
  "engines/sqlite/database/assert_schema.ts": {
    SELECT_SCHEMA: {
      plan: "SCAN sqlite_schema; USE TEMP B-TREE FOR ORDER BY",
      because: "the schema has some forty rows",
    },
  },
  "engines/sqlite/write/catch_up.ts": {
    INSERT_DIRTY: "",
  },
  "engines/sqlite/database/ledger_works.ts": {
    DELETE_WORK: "SEARCH works USING PRIMARY KEY (path=?)",
    INSERT_WORK: "",
    SELECT_WORK: "SEARCH works USING PRIMARY KEY (path=?)",
    SELECT_WORKS: "SEARCH works USING PRIMARY KEY (path>?)",
  },
  "engines/sqlite/write/scrubbing.ts": {
    DELETE_DIRTY: "SEARCH dirty USING PRIMARY KEY (name=?)",
  },
  "engines/sqlite/read/check_store.ts": {
    COUNT_UNRESERVED_MESSAGES: {
      plan:
        "CO-ROUTINE deleted; SETUP; SCAN deletions; RECURSIVE STEP; SCAN deleted; SCAN deleted; CORRELATED SCALAR SUBQUERY 3; SEARCH floors USING PRIMARY KEY (scope_hash=? AND key_hash=?); CORRELATED SCALAR SUBQUERY 4; SEARCH deletions USING INDEX deletions_by_key (key_hash=?)",
      because: "a check looks at every row",
    },
    COUNT_BEFORE_FIRST: "SEARCH events USING INTEGER PRIMARY KEY (rowid<?)",
    COUNT_OPERATIONS: {
      plan:
        "SCAN CONSTANT ROW; SCALAR SUBQUERY 1; SEARCH operations USING COVERING INDEX operations_by_time (scope_hash>?); SCALAR SUBQUERY 2; SEARCH operations USING PRIMARY KEY (scope_hash>?)",
      because: "a check compares a whole table with its index",
    },
    COUNT_RECORDS: {
      plan:
        "SCAN CONSTANT ROW; SCALAR SUBQUERY 1; SCAN records USING COVERING INDEX records_by_expiry; SCALAR SUBQUERY 2; SEARCH records USING PRIMARY KEY (tenant>?)",
      because: "a check compares a whole table with its index",
    },
    SELECT_LAST_DELETION: "SEARCH deletions",
  },
  "engines/sqlite/database/database.ts": {
    COUNT_WITHOUT_PAGES: { plan: "SCAN sqlite_schema", because: "the schema has some forty rows" },
  },
  "engines/sqlite/write/deletions.ts": {
    INSERT_DELETION: "",
  },
  "engines/sqlite/database/file_facts.ts": {
    SELECT_LINEAGE: "SEARCH meta USING INTEGER PRIMARY KEY (rowid=?)",
  },
  "engines/sqlite/database/ledger.ts": {
    INSERT_EVENT: "",
    INSERT_META: "",
    SELECT_EVENTS: "SEARCH events USING INTEGER PRIMARY KEY (rowid>?)",
    SELECT_HEAD: "SEARCH events USING INTEGER PRIMARY KEY (rowid=?)",
    SELECT_META: "SEARCH meta USING INTEGER PRIMARY KEY (rowid=?)",
    UPDATE_ANNOUNCED: "SEARCH meta USING INTEGER PRIMARY KEY (rowid=?)",
    UPDATE_META: "SEARCH meta USING INTEGER PRIMARY KEY (rowid=?)",
  },
  "engines/sqlite/database/main_meta.ts": {
    INSERT_META: "",
    SELECT_META: "SEARCH meta USING INTEGER PRIMARY KEY (rowid=?)",
    UPDATE_META: "SEARCH meta USING INTEGER PRIMARY KEY (rowid=?)",
  },
  "engines/sqlite/restore/prepare_restored.ts": {
    COUNT_ROWS: {
      plan:
        "SCAN CONSTANT ROW; SCALAR SUBQUERY 1; SCAN records USING COVERING INDEX records_by_revision; SCALAR SUBQUERY 2; SCAN scopes USING COVERING INDEX scopes_by_tenant; SCALAR SUBQUERY 3; SCAN turns USING COVERING INDEX turns_by_scope; SCALAR SUBQUERY 4; SCAN pins; SCALAR SUBQUERY 5; SCAN journal_entries USING COVERING INDEX sqlite_autoindex_journal_entries_1",
      because: "counts a whole copy",
    },
  },
  "engines/sqlite/database/settings.ts": {
    COUNT_SCHEMA: { plan: "SCAN sqlite_master", because: "the schema has some forty rows" },
    SELECT_VERSION: { plan: "SCAN CONSTANT ROW", because: "reads no table" },
  },
  "engines/sqlite/sqlite_engine.ts": {
    SELECT_NOTHING: { plan: "SCAN CONSTANT ROW", because: "reads no table" },
  },
};
