/** Main's tables of the indexes that conversations are searched by. */

// One row for each index of a scope. `born` is never given out twice, so that a reader can tell an index from another
// that came in its place. Every turn up to `indexed_to` is indexed or noted in `unindexed_turns`.
const CREATE_CHUNK_INDEXES = `CREATE TABLE chunk_indexes (
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
  block_list BLOB NOT NULL,
  checksum INTEGER NOT NULL
) STRICT`;

const CREATE_CHUNK_INDEXES_BY_SCOPE = `CREATE INDEX chunk_indexes_by_scope ON chunk_indexes (scope)`;

const CREATE_UNINDEXED_TURNS = `CREATE TABLE unindexed_turns (
  index_id INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  PRIMARY KEY (index_id, turn)
) STRICT, WITHOUT ROWID`;

// The lists hold ranges and numbers of terms; the list of terms lets a deletion do without the text. Rows of a kilobyte
// and more, which dense scripts make, would each spill over to a page of their own in a table without row ids.
export const CREATE_INDEXED_TURNS = `CREATE TABLE indexed_turns (
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
) STRICT`;

export const CREATE_INDEXED_TURNS_BY_TURN =
  `CREATE UNIQUE INDEX indexed_turns_by_turn ON indexed_turns (index_id, turn)`;

// A number is never given to another term of the same index, so that a stale list can name no other term.
export const CREATE_INDEX_TERMS = `CREATE TABLE index_terms (
  index_id INTEGER NOT NULL,
  number INTEGER NOT NULL,
  term TEXT NOT NULL,
  documents INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (index_id, number)
) STRICT, WITHOUT ROWID`;

export const CREATE_INDEX_TERMS_BY_TERM =
  `CREATE UNIQUE INDEX index_terms_by_term ON index_terms (index_id, term)`;

// A block is a run of some thousand turns. Clustered by term alone, a batch would touch as many pages as it has terms,
// all over the table: 32 turns wrote 13 MB of log at 10 000 turns. A search looks once into each block for each term.
// A row has the postings of some turns, from `turn` on: a row for each was seven times the size of Chinese text.
export const CREATE_POSTINGS = `CREATE TABLE postings (
  index_id INTEGER NOT NULL,
  block INTEGER NOT NULL,
  term INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  turns INTEGER NOT NULL,
  posting_list BLOB NOT NULL,
  PRIMARY KEY (index_id, block, term, turn)
) STRICT, WITHOUT ROWID`;

/** Creates them, with their indexes. */
export const CREATE_INDEX_TABLES: readonly string[] = [
  CREATE_CHUNK_INDEXES,
  CREATE_CHUNK_INDEXES_BY_SCOPE,
  CREATE_UNINDEXED_TURNS,
  CREATE_INDEXED_TURNS,
  CREATE_INDEXED_TURNS_BY_TURN,
  CREATE_INDEX_TERMS,
  CREATE_INDEX_TERMS_BY_TERM,
  CREATE_POSTINGS,
];
