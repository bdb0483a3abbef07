/** Plans of the statements on sessions, what is said of them, and erasing them. */

import type { Plans } from "./plans.ts";

/** See the module's documentation. */
export const SESSION_PLANS: Plans = {
  "deletion/draining_scopes.ts": {
    SELECT_DRAINING_SCOPES: {
      plan: "SCAN draining_scopes; USING ROWID SEARCH ON TABLE scopes FOR IN-OPERATOR",
      because: "few: what is still being erased",
    },
    DELETE_DRAINING_SCOPE: "SEARCH draining_scopes USING INTEGER PRIMARY KEY (rowid=?)",
    DELETE_OPERATIONS_OF_ERASED:
      "SEARCH operations USING PRIMARY KEY (scope_hash=?); SCALAR SUBQUERY 1; SEARCH scopes USING COVERING INDEX scopes_by_hash (scope_hash=?)",
    SELECT_DRAINING_BY_HASH:
      "SEARCH draining_scopes USING COVERING INDEX draining_scopes_by_hash (scope_hash=?)",
  },
  "deletion/erase_owned.ts": {
    SUM_SCOPES_OF_TENANT: "SEARCH scopes USING INDEX scopes_by_tenant (tenant=?)",
    DRAIN_SCOPES_OF_TENANT: "SEARCH scopes USING INDEX scopes_by_tenant (tenant=?)",
    DELETE_SCOPES_OF_TENANT: "SEARCH scopes USING INDEX scopes_by_tenant (tenant=?)",
    DELETE_RECORDS_OF_TENANT: "SEARCH records USING PRIMARY KEY (tenant=?)",
    SUM_SCOPES_OF_SUBJECT: "SEARCH scopes USING INDEX scopes_by_subject (subject=?)",
    DRAIN_SCOPES_OF_SUBJECT: "SEARCH scopes USING INDEX scopes_by_subject (subject=?)",
    DELETE_SCOPES_OF_SUBJECT: "SEARCH scopes USING INDEX scopes_by_subject (subject=?)",
    DELETE_RECORDS_OF_SUBJECT: "SEARCH records USING INDEX records_by_subject (subject=?)",
    COUNT_DRAINING: "SEARCH draining_scopes USING COVERING INDEX draining_scopes_by_event (event=?)",
    COUNT_SCOPES_OF_TENANT: "SEARCH scopes USING INDEX scopes_by_tenant (tenant=?)",
    COUNT_RECORDS_OF_TENANT: "SEARCH records USING PRIMARY KEY (tenant=?)",
    COUNT_SCOPES_OF_SUBJECT: "SEARCH scopes USING INDEX scopes_by_subject (subject=?)",
    COUNT_RECORDS_OF_SUBJECT: "SEARCH records USING INDEX records_by_subject (subject=?)",
    SELECT_NEXT_TENANT_OF_SCOPES: "SEARCH scopes USING COVERING INDEX scopes_by_tenant (tenant>?)",
  },
  "open.ts": {
    SELECT_DRAINING_SCOPE: {
      plan: "SCAN draining_scopes USING COVERING INDEX draining_scopes_by_event",
      because: "empty but while a tenant or person is being erased",
    },
  },
  "tables/descriptions.ts": {
    SELECT_DESCRIPTION: "SEARCH descriptions USING INTEGER PRIMARY KEY (rowid=?)",
    SELECT_RECENT_SESSIONS:
      "SEARCH scopes USING INDEX scopes_by_recent (tenant=? AND recent<?); SEARCH descriptions USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
    SELECT_RECENT_SESSIONS_OF_SUBJECT:
      "SEARCH scopes USING INDEX scopes_by_subject (subject=? AND recent<?); SEARCH descriptions USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
    SELECT_SESSIONS_BY_ID:
      "SEARCH scopes USING INDEX scopes_by_session (tenant=? AND session>?); SEARCH descriptions USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
    DELETE_DESCRIPTION: "SEARCH descriptions USING INTEGER PRIMARY KEY (rowid=?)",
    "DESCRIPTIONS.upsert": "",
  },
};
