/** Plans of the statements on records, on lines, and for inspecting a store. */

import type { Plans } from "./plans.ts";

/** See the module's documentation. */
export const RECORD_PLANS: Plans = {
  "inspect.ts": {
    SELECT_RECORD_SIZES: "SEARCH records USING PRIMARY KEY (tenant=? AND (kind,key)>(?,?))",
  },
  "lines/read_scope.ts": {
    SELECT_LAST_TURN: "SEARCH turns USING COVERING INDEX turns_by_scope (scope=?)",
    SELECT_EXPIRED_TURNS: "SEARCH turns USING INDEX turns_by_expiry (scope=? AND expires<?)",
    SELECT_LAST_SCOPE: "SEARCH scopes",
    SELECT_SCOPE_HASHES: "SEARCH scopes USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)",
  },
  "records/forget.ts": {
    SELECT_RECORD_KEYS: "SEARCH records USING COVERING INDEX records_by_revision (tenant=?)",
  },
  "records/list_values.ts": {
    SELECT_VALUES_BY_KEY: "SEARCH records USING PRIMARY KEY (tenant=? AND kind=? AND key>? AND key<?)",
    SELECT_NEWEST_VALUES:
      "SEARCH records USING INDEX records_by_revision (tenant=? AND kind=? AND revision<?)",
  },
  "records/put.ts": {
    SELECT_RECORD_HEAD: "SEARCH records USING PRIMARY KEY (tenant=? AND kind=? AND key=?)",
  },
  "records/read.ts": {
    DELETE_EXPIRED_RECORDS: "SEARCH records USING INDEX records_by_expiry (tenant=? AND expires<?)",
    DELETE_SOME_EXPIRED_RECORDS:
      "SEARCH records USING PRIMARY KEY (tenant=? AND kind=? AND key=?); LIST SUBQUERY 2; SEARCH records USING COVERING INDEX records_by_expiry (tenant=? AND expires<?)",
    SELECT_LIVE_RECORDS: "SEARCH records USING PRIMARY KEY (tenant=? AND (kind,key)>(?,?))",
    SELECT_LIVE_RECORDS_OF_KIND: "SEARCH records USING PRIMARY KEY (tenant=? AND kind=? AND key>?)",
    SELECT_EXPIRED_RECORD: "SEARCH records USING COVERING INDEX records_by_expiry (tenant=? AND expires<?)",
    SELECT_RECORD: "SEARCH records USING PRIMARY KEY (tenant=? AND kind=? AND key=?)",
  },
};
