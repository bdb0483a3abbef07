/** Main's tables of conversations. */

export const CREATE_SCOPES = `CREATE TABLE scopes (
  id INTEGER PRIMARY KEY,
  scope_hash BLOB NOT NULL,
  tenant TEXT NOT NULL,
  session TEXT NOT NULL,
  revision INTEGER NOT NULL,
  turns INTEGER NOT NULL,
  turn_bytes INTEGER NOT NULL,
  pins INTEGER NOT NULL,
  operations INTEGER NOT NULL,
  next_due INTEGER,
  checksum INTEGER NOT NULL
) STRICT`;

export const CREATE_SCOPES_BY_HASH = `CREATE UNIQUE INDEX scopes_by_hash ON scopes (scope_hash)`;

export const CREATE_SCOPES_BY_DUE =
  `CREATE INDEX scopes_by_due ON scopes (next_due) WHERE next_due IS NOT NULL`;

// A turn's id grows with each new turn, so that the order of ids within a scope is the order in which turns came.
export const CREATE_TURNS = `CREATE TABLE turns (
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
) STRICT`;

export const CREATE_TURNS_BY_SCOPE = `CREATE INDEX turns_by_scope ON turns (scope)`;

export const CREATE_TURNS_BY_TURN_ID = `CREATE UNIQUE INDEX turns_by_turn_id ON turns (scope, turn_id)`;

export const CREATE_TURNS_BY_EXPIRY =
  `CREATE INDEX turns_by_expiry ON turns (scope, expires) WHERE expires IS NOT NULL`;

export const CREATE_MESSAGE_IDS = `CREATE TABLE message_ids (
  scope INTEGER NOT NULL,
  message_id TEXT NOT NULL,
  turn INTEGER NOT NULL,
  PRIMARY KEY (scope, message_id)
) STRICT, WITHOUT ROWID`;

export const CREATE_MESSAGE_IDS_BY_TURN = `CREATE INDEX message_ids_by_turn ON message_ids (turn)`;

export const CREATE_PINS = `CREATE TABLE pins (
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
) STRICT, WITHOUT ROWID`;

export const CREATE_PINS_BY_SOURCE =
  `CREATE INDEX pins_by_source ON pins (source_turn) WHERE source_turn IS NOT NULL`;

export const CREATE_SUMMARIES = `CREATE TABLE summaries (
  scope INTEGER PRIMARY KEY,
  created INTEGER NOT NULL,
  expires INTEGER,
  payload_checksum INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  payload TEXT NOT NULL
) STRICT`;

const CREATE_COVERED_TURNS = `CREATE TABLE covered_turns (
  scope INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  PRIMARY KEY (scope, turn)
) STRICT, WITHOUT ROWID`;

export const CREATE_REPLAYS = `CREATE TABLE replays (
  scope INTEGER NOT NULL,
  key TEXT NOT NULL,
  snapshot TEXT NOT NULL,
  at INTEGER NOT NULL,
  expires INTEGER NOT NULL,
  payload_checksum INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  payload TEXT NOT NULL,
  PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID`;

/** Creates them, with their indexes. */
export const CREATE_CONVERSATION_TABLES: readonly string[] = [
  CREATE_SCOPES,
  CREATE_SCOPES_BY_HASH,
  CREATE_SCOPES_BY_DUE,
  CREATE_TURNS,
  CREATE_TURNS_BY_SCOPE,
  CREATE_TURNS_BY_TURN_ID,
  CREATE_TURNS_BY_EXPIRY,
  CREATE_MESSAGE_IDS,
  CREATE_MESSAGE_IDS_BY_TURN,
  CREATE_PINS,
  CREATE_PINS_BY_SOURCE,
  CREATE_SUMMARIES,
  CREATE_COVERED_TURNS,
  CREATE_REPLAYS,
];
