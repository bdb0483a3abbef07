/** Plans of the statements on journals and their entries. */

import type { Plans } from "./plans.ts";

/** See the module's documentation. */
export const JOURNAL_PLANS: Plans = {
  "deletion/erase_journals.ts": {
    DELETE_ENTRIES_FROM:
      "SEARCH journal_entries USING INDEX sqlite_autoindex_journal_entries_1 (journal=? AND place>?)",
    DELETE_ENTRIES_OF_SCOPE:
      "SEARCH journal_entries USING COVERING INDEX sqlite_autoindex_journal_entries_1 (journal=?); LIST SUBQUERY 1; SEARCH journals USING COVERING INDEX journals_by_part (scope=?)",
    DELETE_JOURNAL: "SEARCH journals USING INTEGER PRIMARY KEY (rowid=?)",
    DELETE_JOURNALS_OF_SCOPE: "SEARCH journals USING INDEX journals_by_part (scope=?)",
    SUM_BYTES_FROM:
      "SEARCH journal_entries USING INDEX sqlite_autoindex_journal_entries_1 (journal=? AND place>?)",
  },
  "journals/mend_journals.ts": {
    DELETE_ENTRY:
      "SEARCH journal_entries USING INDEX sqlite_autoindex_journal_entries_1 (journal=? AND place=?)",
    DELETE_STRAY_ENTRIES: {
      plan: "SCAN journal_entries; USING ROWID SEARCH ON TABLE journals FOR IN-OPERATOR",
      because: "mends a whole copy",
    },
    DELETE_STRAY_JOURNALS: {
      plan: "SCAN journals; USING ROWID SEARCH ON TABLE scopes FOR IN-OPERATOR",
      because: "mends a whole copy",
    },
    SUM_ENTRIES: "SEARCH journal_entries USING INDEX sqlite_autoindex_journal_entries_1 (journal=?)",
  },
  "tables/journal_entries.ts": {
    "JOURNAL_ENTRIES.insert": "",
    SELECT_ENTRIES:
      "SEARCH journal_entries USING INDEX sqlite_autoindex_journal_entries_1 (journal=? AND place>? AND place<?)",
    SELECT_ENTRY:
      "SEARCH journal_entries USING INDEX sqlite_autoindex_journal_entries_1 (journal=? AND place=?)",
    SELECT_ENTRY_BY_UUID: "SEARCH journal_entries USING INDEX journal_entries_by_uuid (journal=? AND uuid=?)",
    SELECT_PLACE_BEFORE:
      "SEARCH journal_entries USING COVERING INDEX sqlite_autoindex_journal_entries_1 (journal=? AND place<?)",
  },
  "tables/journals.ts": {
    "JOURNALS.insert": "",
    "JOURNALS.update": "SEARCH journals USING INTEGER PRIMARY KEY (rowid=?)",
    SELECT_JOURNAL: "SEARCH journals USING INDEX journals_by_part (scope=? AND part=?)",
    SELECT_JOURNALS: "SEARCH journals USING INDEX journals_by_part (scope=?)",
    SELECT_JOURNALS_AFTER: "SEARCH journals USING INTEGER PRIMARY KEY (rowid>?)",
    SELECT_JOURNAL_BY_ROW: "SEARCH journals USING INTEGER PRIMARY KEY (rowid=?)",
    SELECT_JOURNAL_OF_HASH:
      "SEARCH journals USING INDEX journals_by_part (scope=? AND part=?); SCALAR SUBQUERY 1; SEARCH scopes USING COVERING INDEX scopes_by_hash (scope_hash=?)",
    SUM_JOURNALS: "SEARCH journals USING INDEX journals_by_part (scope=?)",
  },
};
