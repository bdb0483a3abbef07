-- main

CREATE TABLE meta (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  lineage TEXT NOT NULL,
  generation INTEGER NOT NULL,
  epoch TEXT NOT NULL,
  pending_from INTEGER,
  applied INTEGER NOT NULL,
  applied_head TEXT NOT NULL,
  verified INTEGER NOT NULL,
  counter INTEGER NOT NULL,
  last_scope INTEGER NOT NULL,
  last_turn INTEGER NOT NULL,
  last_index INTEGER NOT NULL,
  last_journal INTEGER NOT NULL,
  clock_mark INTEGER NOT NULL,
  clock_epoch INTEGER NOT NULL,
  hash_key BLOB NOT NULL,
  probe INTEGER NOT NULL,
  scrubs INTEGER NOT NULL,
  shrunk_bytes INTEGER,
  checksum INTEGER NOT NULL
) STRICT;

CREATE TABLE records (
  tenant TEXT NOT NULL,
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  revision INTEGER NOT NULL,
  created INTEGER NOT NULL,
  max_age INTEGER,
  expires INTEGER,
  version INTEGER NOT NULL,
  born INTEGER NOT NULL,
  subject BLOB,
  names TEXT,
  value_checksum INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (tenant, kind, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX records_by_expiry ON records (tenant, expires) WHERE expires IS NOT NULL;

CREATE INDEX records_by_revision ON records (tenant, kind, revision);

CREATE INDEX records_by_subject ON records (subject) WHERE subject IS NOT NULL;

CREATE TABLE operations (
  scope_hash BLOB NOT NULL,
  operation_hash BLOB NOT NULL,
  input_hash BLOB NOT NULL,
  result INTEGER NOT NULL,
  at INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (scope_hash, operation_hash)
) STRICT, WITHOUT ROWID;

CREATE INDEX operations_by_time ON operations (scope_hash, at);

CREATE TABLE deletions (
  sequence INTEGER PRIMARY KEY,
  batch INTEGER NOT NULL,
  kind TEXT NOT NULL,
  scope_hash BLOB NOT NULL,
  key_hash BLOB NOT NULL,
  reserved INTEGER NOT NULL,
  floor INTEGER NOT NULL,
  at INTEGER NOT NULL,
  counts TEXT NOT NULL,
  head TEXT NOT NULL,
  hashes BLOB NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;

CREATE INDEX deletions_by_key ON deletions (key_hash);

CREATE TABLE floors (
  scope_hash BLOB NOT NULL,
  key_hash BLOB NOT NULL,
  floor INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (scope_hash, key_hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE dirty (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

CREATE TABLE scopes (
  id INTEGER PRIMARY KEY,
  scope_hash BLOB NOT NULL,
  tenant TEXT NOT NULL,
  session TEXT NOT NULL,
  revision INTEGER NOT NULL,
  turns INTEGER NOT NULL,
  turn_bytes INTEGER NOT NULL,
  pins INTEGER NOT NULL,
  journals INTEGER NOT NULL,
  journal_bytes INTEGER NOT NULL,
  media_bytes INTEGER NOT NULL,
  operations INTEGER NOT NULL,
  next_expiry INTEGER,
  born INTEGER NOT NULL,
  created INTEGER NOT NULL,
  updated INTEGER NOT NULL,
  recent INTEGER NOT NULL,
  subject BLOB,
  checksum INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX scopes_by_hash ON scopes (scope_hash);

CREATE INDEX scopes_by_tenant ON scopes (tenant);

CREATE INDEX scopes_by_session ON scopes (tenant, session);

CREATE INDEX scopes_by_recent ON scopes (tenant, recent);

CREATE INDEX scopes_by_subject ON scopes (subject, recent) WHERE subject IS NOT NULL;

CREATE INDEX scopes_by_expiry ON scopes (next_expiry) WHERE next_expiry IS NOT NULL;

CREATE TABLE draining_scopes (
  scope INTEGER PRIMARY KEY,
  scope_hash BLOB NOT NULL,
  event INTEGER NOT NULL
) STRICT;

CREATE INDEX draining_scopes_by_hash ON draining_scopes (scope_hash);

CREATE INDEX draining_scopes_by_event ON draining_scopes (event);

CREATE TABLE descriptions (
  scope INTEGER PRIMARY KEY,
  payload_checksum INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  payload TEXT NOT NULL
) STRICT;

CREATE TABLE turns (
  id INTEGER PRIMARY KEY,
  scope INTEGER NOT NULL,
  turn_id TEXT NOT NULL,
  revision INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  expires INTEGER,
  expires_at TEXT,
  payload_checksum INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  payload TEXT NOT NULL
) STRICT;

CREATE INDEX turns_by_scope ON turns (scope);

CREATE UNIQUE INDEX turns_by_turn_id ON turns (scope, turn_id);

CREATE INDEX turns_by_expiry ON turns (scope, expires) WHERE expires IS NOT NULL;

CREATE TABLE message_ids (
  scope INTEGER NOT NULL,
  message_id TEXT NOT NULL,
  turn INTEGER NOT NULL,
  PRIMARY KEY (scope, message_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX message_ids_by_turn ON message_ids (turn);

CREATE TABLE pins (
  scope INTEGER NOT NULL,
  key TEXT NOT NULL,
  revision INTEGER NOT NULL,
  effective INTEGER NOT NULL,
  expires INTEGER,
  source_turn INTEGER,
  payload_checksum INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  payload TEXT NOT NULL,
  PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX pins_by_source ON pins (source_turn) WHERE source_turn IS NOT NULL;

CREATE TABLE summaries (
  scope INTEGER PRIMARY KEY,
  created INTEGER NOT NULL,
  expires INTEGER,
  payload_checksum INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  payload TEXT NOT NULL
) STRICT;

CREATE TABLE covered_turns (
  scope INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  PRIMARY KEY (scope, turn)
) STRICT, WITHOUT ROWID;

CREATE TABLE replays (
  scope INTEGER NOT NULL,
  key TEXT NOT NULL,
  snapshot TEXT NOT NULL,
  at INTEGER NOT NULL,
  expires INTEGER NOT NULL,
  payload_checksum INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  payload TEXT NOT NULL,
  PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE media_pieces (
  scope INTEGER NOT NULL,
  hash BLOB NOT NULL,
  piece INTEGER NOT NULL,
  payload BLOB NOT NULL,
  PRIMARY KEY (scope, hash, piece)
) STRICT;

CREATE TABLE media_refs (
  scope INTEGER NOT NULL,
  hash BLOB NOT NULL,
  turn INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (scope, hash, turn)
) STRICT, WITHOUT ROWID;

CREATE INDEX media_refs_by_turn ON media_refs (turn);

CREATE TABLE journals (
  id INTEGER PRIMARY KEY,
  scope INTEGER NOT NULL,
  part TEXT NOT NULL,
  revision INTEGER NOT NULL,
  rewritten INTEGER NOT NULL,
  entries INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  last INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX journals_by_part ON journals (scope, part);

CREATE TABLE journal_entries (
  journal INTEGER NOT NULL,
  place INTEGER NOT NULL,
  uuid TEXT,
  revision INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  payload_checksum INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  payload TEXT NOT NULL,
  PRIMARY KEY (journal, place)
) STRICT;

CREATE UNIQUE INDEX journal_entries_by_uuid ON journal_entries (journal, uuid) WHERE uuid IS NOT NULL;

CREATE TABLE chunk_indexes (
  id INTEGER PRIMARY KEY,
  scope INTEGER NOT NULL,
  index_key TEXT NOT NULL,
  born INTEGER NOT NULL,
  used INTEGER NOT NULL,
  retired INTEGER NOT NULL,
  indexed_to INTEGER NOT NULL,
  turns INTEGER NOT NULL,
  chunks INTEGER NOT NULL,
  documents INTEGER NOT NULL,
  total_length INTEGER NOT NULL,
  terms INTEGER NOT NULL,
  block_turns INTEGER NOT NULL,
  draining INTEGER NOT NULL,
  block_list BLOB NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;

CREATE INDEX chunk_indexes_by_scope ON chunk_indexes (scope);

CREATE TABLE unindexed_turns (
  index_id INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  PRIMARY KEY (index_id, turn)
) STRICT, WITHOUT ROWID;

CREATE TABLE indexed_turns (
  index_id INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  source INTEGER NOT NULL,
  chunks INTEGER NOT NULL,
  documents INTEGER NOT NULL,
  total_length INTEGER NOT NULL,
  postings INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  lists_checksum INTEGER NOT NULL,
  chunk_list BLOB NOT NULL,
  term_list BLOB NOT NULL
) STRICT;

CREATE UNIQUE INDEX indexed_turns_by_turn ON indexed_turns (index_id, turn);

CREATE TABLE draining_turns (
  index_id INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  part INTEGER NOT NULL,
  source INTEGER NOT NULL,
  postings INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  term_list BLOB NOT NULL,
  PRIMARY KEY (index_id, turn, part)
) STRICT, WITHOUT ROWID;

CREATE TABLE index_terms (
  index_id INTEGER NOT NULL,
  number INTEGER NOT NULL,
  term TEXT NOT NULL,
  documents INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (index_id, number)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX index_terms_by_term ON index_terms (index_id, term);

CREATE TABLE postings (
  index_id INTEGER NOT NULL,
  block INTEGER NOT NULL,
  term INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  turns INTEGER NOT NULL,
  posting_list BLOB NOT NULL,
  PRIMARY KEY (index_id, block, term, turn)
) STRICT, WITHOUT ROWID;

-- ledger

CREATE TABLE meta (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  lineage TEXT NOT NULL,
  generation INTEGER NOT NULL,
  epoch TEXT,
  count INTEGER NOT NULL,
  head TEXT NOT NULL,
  probe INTEGER NOT NULL,
  announced INTEGER,
  checksum INTEGER NOT NULL
) STRICT;

CREATE TABLE works (
  path TEXT PRIMARY KEY,
  checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  sequence INTEGER PRIMARY KEY,
  batch INTEGER NOT NULL,
  kind TEXT NOT NULL,
  scope_hash BLOB NOT NULL,
  key_hash BLOB NOT NULL,
  reserved INTEGER NOT NULL,
  floor INTEGER NOT NULL,
  at INTEGER NOT NULL,
  counts TEXT NOT NULL,
  head TEXT NOT NULL,
  hashes BLOB NOT NULL
) STRICT;
