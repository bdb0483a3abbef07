/** Plans of the statements on media. */

import type { Plans } from "./plans.ts";

/** See the module's documentation. */
export const MEDIA_PLANS: Plans = {
  "deletion/erase_media.ts": {
    COUNT_MEDIA: "SEARCH media_refs USING PRIMARY KEY (scope=?)",
    DELETE_PIECES_OF_SCOPE: "SEARCH media_pieces USING INDEX sqlite_autoindex_media_pieces_1 (scope=?)",
    DELETE_REFS_OF_SCOPE: "SEARCH media_refs USING PRIMARY KEY (scope=?)",
  },
  "media/check_media.ts": {
    COUNT_PIECES: "SEARCH media_pieces USING COVERING INDEX sqlite_autoindex_media_pieces_1 (scope=?)",
  },
  "media/mend_media.ts": {
    DELETE_UNCITED:
      "SEARCH media_pieces USING COVERING INDEX sqlite_autoindex_media_pieces_1 (scope=?); LIST SUBQUERY 1; SEARCH media_refs USING PRIMARY KEY (scope=?); CREATE BLOOM FILTER",
  },
  "tables/media.ts": {
    "MEDIA_PIECES.insert": "",
    "MEDIA_REFS.insert": "",
    DELETE_PIECES: "SEARCH media_pieces USING INDEX sqlite_autoindex_media_pieces_1 (scope=? AND hash=?)",
    DELETE_REFS_OF_TURN: "SEARCH media_refs USING INDEX media_refs_by_turn (turn=?)",
    SELECT_LIVE_REF:
      "SEARCH media_refs USING PRIMARY KEY (scope=? AND hash=?); SEARCH turns USING INTEGER PRIMARY KEY (rowid=?)",
    SELECT_PIECES:
      "SEARCH media_pieces USING INDEX sqlite_autoindex_media_pieces_1 (scope=? AND hash=? AND piece>?)",
    SELECT_REF: "SEARCH media_refs USING PRIMARY KEY (scope=? AND hash=?)",
    SELECT_REFS_OF_SCOPE: "SEARCH media_refs USING PRIMARY KEY (scope=?)",
    SELECT_REFS_OF_TURN: "SEARCH media_refs USING INDEX media_refs_by_turn (turn=?)",
  },
};
