/** Plans of the statements that copy tables whole, into backups or to scrub them. */

import type { Plans } from "./plans.ts";

/** See the module's documentation. */
export const COPY_PLANS: Plans = {
  "tables/schema/dialects.ts": {
    "rewrite descriptions": { plan: "SCAN descriptions", because: "a copy or a rewrite of the table" },
    "SELECT count(*) FROM descriptions": {
      plan: "SCAN descriptions",
      because: "a copy or a rewrite of the table",
    },
    "INSERT INTO descriptions …": "",
    "SELECT … FROM descriptions WHERE scope > $1 ORDER BY scope LIMIT $2":
      "SEARCH descriptions USING INTEGER PRIMARY KEY (rowid>?)",
    "SELECT count(*) FROM draining_scopes": {
      plan: "SCAN draining_scopes USING COVERING INDEX draining_scopes_by_event",
      because: "a copy or a rewrite of the table",
    },
    "INSERT INTO draining_scopes …": "",
    "SELECT … FROM draining_scopes WHERE scope > $1 ORDER BY scope LIMIT $2":
      "SEARCH draining_scopes USING INTEGER PRIMARY KEY (rowid>?)",
    "INSERT INTO covered_turns …": "",
    "INSERT INTO deletions …": "",
    "INSERT INTO events …": "",
    "INSERT INTO floors …": "",
    "INSERT INTO journal_entries …": "",
    "INSERT INTO journals …": "",
    "INSERT INTO media_pieces …": "",
    "INSERT INTO media_refs …": "",
    "INSERT INTO message_ids …": "",
    "INSERT INTO meta …": "",
    "INSERT INTO operations …": "",
    "INSERT INTO pins …": "",
    "INSERT INTO records …": "",
    "INSERT INTO scopes …": "",
    "INSERT INTO summaries …": "",
    "INSERT INTO turns …": "",
    "SELECT count(*) FROM covered_turns": { plan: "SCAN covered_turns", because: "counts a whole copy" },
    "SELECT count(*) FROM deletions": {
      plan: "SCAN deletions USING COVERING INDEX deletions_by_key",
      because: "counts a whole copy",
    },
    "SELECT count(*) FROM events": { plan: "SCAN events", because: "counts a whole copy" },
    "SELECT count(*) FROM floors": { plan: "SCAN floors", because: "counts a whole copy" },
    "SELECT count(*) FROM journal_entries": {
      plan: "SCAN journal_entries USING COVERING INDEX sqlite_autoindex_journal_entries_1",
      because: "counts a whole copy",
    },
    "SELECT count(*) FROM journals": {
      plan: "SCAN journals USING COVERING INDEX journals_by_part",
      because: "counts a whole copy",
    },
    "SELECT count(*) FROM media_pieces": {
      plan: "SCAN media_pieces USING COVERING INDEX sqlite_autoindex_media_pieces_1",
      because: "counts a whole copy",
    },
    "SELECT count(*) FROM media_refs": {
      plan: "SCAN media_refs USING COVERING INDEX media_refs_by_turn",
      because: "counts a whole copy",
    },
    "SELECT count(*) FROM message_ids": { plan: "SCAN message_ids", because: "counts a whole copy" },
    "SELECT count(*) FROM meta": { plan: "SCAN meta", because: "counts a whole copy" },
    "SELECT count(*) FROM operations": {
      plan: "SCAN operations USING COVERING INDEX operations_by_time",
      because: "counts a whole copy",
    },
    "SELECT count(*) FROM pins": { plan: "SCAN pins", because: "counts a whole copy" },
    "SELECT count(*) FROM records": {
      plan: "SCAN records USING COVERING INDEX records_by_revision",
      because: "counts a whole copy",
    },
    "SELECT count(*) FROM scopes": {
      plan: "SCAN scopes USING COVERING INDEX scopes_by_tenant",
      because: "counts a whole copy",
    },
    "SELECT count(*) FROM summaries": { plan: "SCAN summaries", because: "counts a whole copy" },
    "SELECT count(*) FROM turns": {
      plan: "SCAN turns USING COVERING INDEX turns_by_scope",
      because: "counts a whole copy",
    },
    "SELECT … FROM covered_turns WHERE (scope, turn) > ($1, $2) ORDER BY scope, turn LIMIT $3":
      "SEARCH covered_turns USING PRIMARY KEY ((scope,turn)>(?,?))",
    "SELECT … FROM deletions WHERE sequence > $1 ORDER BY sequence LIMIT $2":
      "SEARCH deletions USING INTEGER PRIMARY KEY (rowid>?)",
    "SELECT … FROM events WHERE sequence > $1 ORDER BY sequence LIMIT $2":
      "SEARCH events USING INTEGER PRIMARY KEY (rowid>?)",
    "SELECT … FROM floors WHERE (scope_hash, key_hash) > ($1, $2) ORDER BY scope_hash, key_hash LIMIT $3":
      "SEARCH floors USING PRIMARY KEY ((scope_hash,key_hash)>(?,?))",
    "SELECT … FROM journal_entries WHERE (journal, place) > ($1, $2) ORDER BY journal, place LIMIT $3":
      "SEARCH journal_entries USING INDEX sqlite_autoindex_journal_entries_1 ((journal,place)>(?,?))",
    "SELECT … FROM journals WHERE id > $1 ORDER BY id LIMIT $2":
      "SEARCH journals USING INTEGER PRIMARY KEY (rowid>?)",
    "SELECT … FROM media_pieces WHERE (scope, hash, piece) > ($1, $2, $3) ORDER BY scope, hash, piece LIMIT $4":
      "SEARCH media_pieces USING INDEX sqlite_autoindex_media_pieces_1 ((scope,hash,piece)>(?,?,?))",
    "SELECT … FROM media_refs WHERE (scope, hash, turn) > ($1, $2, $3) ORDER BY scope, hash, turn LIMIT $4":
      "SEARCH media_refs USING PRIMARY KEY ((scope,hash,turn)>(?,?,?))",
    "SELECT … FROM message_ids WHERE (scope, message_id) > ($1, $2) ORDER BY scope, message_id LIMIT $3":
      "SEARCH message_ids USING PRIMARY KEY ((scope,message_id)>(?,?))",
    "SELECT … FROM meta WHERE id > $1 ORDER BY id LIMIT $2":
      "SEARCH meta USING INTEGER PRIMARY KEY (rowid>?)",
    "SELECT … FROM operations WHERE (scope_hash, operation_hash) > ($1, $2) ORDER BY scope_hash, operation_hash LIMIT $3":
      "SEARCH operations USING PRIMARY KEY ((scope_hash,operation_hash)>(?,?))",
    "SELECT … FROM pins WHERE (scope, key) > ($1, $2) ORDER BY scope, key LIMIT $3":
      "SEARCH pins USING PRIMARY KEY ((scope,key)>(?,?))",
    "SELECT … FROM records WHERE (tenant, kind, key) > ($1, $2, $3) ORDER BY tenant, kind, key LIMIT $4":
      "SEARCH records USING PRIMARY KEY ((tenant,kind,key)>(?,?,?))",
    "SELECT … FROM scopes WHERE id > $1 ORDER BY id LIMIT $2":
      "SEARCH scopes USING INTEGER PRIMARY KEY (rowid>?)",
    "SELECT … FROM summaries WHERE scope > $1 ORDER BY scope LIMIT $2":
      "SEARCH summaries USING INTEGER PRIMARY KEY (rowid>?)",
    "SELECT … FROM turns WHERE id > $1 ORDER BY id LIMIT $2":
      "SEARCH turns USING INTEGER PRIMARY KEY (rowid>?)",
    "rewrite indexed_turns": {
      plan: "SCAN indexed_turns USING INDEX indexed_turns_by_turn",
      because: "rewrites the whole table",
    },
    "rewrite draining_turns": { plan: "SCAN draining_turns", because: "rewrites the whole table" },
    "rewrite index_terms": { plan: "SCAN index_terms", because: "rewrites the whole table" },
    "rewrite journal_entries": {
      plan: "SCAN journal_entries USING INDEX sqlite_autoindex_journal_entries_1",
      because: "rewrites the whole table",
    },
    "rewrite journals": { plan: "SCAN journals", because: "rewrites the whole table" },
    "rewrite media_pieces": {
      plan: "SCAN media_pieces USING INDEX sqlite_autoindex_media_pieces_1",
      because: "rewrites the whole table",
    },
    "rewrite media_refs": { plan: "SCAN media_refs", because: "rewrites the whole table" },
    "rewrite message_ids": { plan: "SCAN message_ids", because: "rewrites the whole table" },
    "rewrite pins": { plan: "SCAN pins", because: "rewrites the whole table" },
    "rewrite postings": { plan: "SCAN postings", because: "rewrites the whole table" },
    "rewrite records": { plan: "SCAN records", because: "rewrites the whole table" },
    "rewrite replays": { plan: "SCAN replays", because: "rewrites the whole table" },
    "rewrite scopes": { plan: "SCAN scopes", because: "rewrites the whole table" },
    "rewrite summaries": { plan: "SCAN summaries", because: "rewrites the whole table" },
    "rewrite turns": { plan: "SCAN turns", because: "rewrites the whole table" },
  },
};
