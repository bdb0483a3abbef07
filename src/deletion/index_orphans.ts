/** Rows of the indexes that hang from nothing: what a deletion would have left behind. */

/** By table. */
export const INDEX_ORPHANS: readonly (readonly [table: string, sql: string])[] = [
  ["chunk_indexes", `SELECT count(*) FROM chunk_indexes WHERE scope NOT IN (SELECT id FROM scopes)`],
  [
    "unindexed_turns",
    `SELECT count(*) FROM unindexed_turns WHERE turn NOT IN (SELECT id FROM turns)
    OR index_id NOT IN (SELECT id FROM chunk_indexes)`,
  ],
  [
    "indexed_turns",
    `SELECT count(*) FROM indexed_turns WHERE turn NOT IN (SELECT id FROM turns)
    OR index_id NOT IN (SELECT id FROM chunk_indexes)`,
  ],
  [
    "index_terms",
    `SELECT count(*) FROM index_terms WHERE NOT EXISTS (SELECT 1 FROM postings
    WHERE postings.index_id = index_terms.index_id AND postings.term = index_terms.number)`,
  ],
  [
    "postings",
    `SELECT count(*) FROM postings WHERE NOT EXISTS (SELECT 1 FROM indexed_turns
    WHERE indexed_turns.index_id = postings.index_id AND indexed_turns.turn = postings.turn)`,
  ],
];
