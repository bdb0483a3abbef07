/**
 * Orphans: rows whose parent does not exist, which an incomplete deletion would leave. A scope that was erased and whose
 * contents are still being erased counts as one that exists.
 */

/** Statements that count them, by table. */
export const ORPHANS: readonly (readonly [table: string, sql: string])[] = [
  [
    "turns",
    `SELECT count(*) FROM turns WHERE scope NOT IN (SELECT id FROM scopes
    UNION ALL SELECT scope FROM draining_scopes)`,
  ],
  [
    "descriptions",
    `SELECT count(*) FROM descriptions WHERE scope NOT IN (SELECT id FROM scopes
    UNION ALL SELECT scope FROM draining_scopes)`,
  ],
  ["message_ids", `SELECT count(*) FROM message_ids WHERE turn NOT IN (SELECT id FROM turns)`],
  [
    "pins",
    `SELECT count(*) FROM pins WHERE scope NOT IN (SELECT id FROM scopes
    UNION ALL SELECT scope FROM draining_scopes)`,
  ],
  [
    "summaries",
    `SELECT count(*) FROM summaries WHERE scope NOT IN (SELECT id FROM scopes
    UNION ALL SELECT scope FROM draining_scopes)`,
  ],
  ["covered_turns", `SELECT count(*) FROM covered_turns WHERE turn NOT IN (SELECT id FROM turns)`],
  ["media_refs", `SELECT count(*) FROM media_refs WHERE turn NOT IN (SELECT id FROM turns)`],
  [
    "media_pieces",
    `SELECT count(*) FROM media_pieces WHERE (scope, hash) NOT IN (SELECT scope, hash FROM media_refs)`,
  ],
  [
    "journals",
    `SELECT count(*) FROM journals WHERE scope NOT IN (SELECT id FROM scopes
    UNION ALL SELECT scope FROM draining_scopes)`,
  ],
  ["journal_entries", `SELECT count(*) FROM journal_entries WHERE journal NOT IN (SELECT id FROM journals)`],
  [
    "replays",
    `SELECT count(*) FROM replays WHERE scope NOT IN (SELECT id FROM scopes
    UNION ALL SELECT scope FROM draining_scopes)`,
  ],
  [
    "chunk_indexes",
    `SELECT count(*) FROM chunk_indexes WHERE scope NOT IN (SELECT id FROM scopes
    UNION ALL SELECT scope FROM draining_scopes)`,
  ],
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
    "draining_turns",
    `SELECT count(*) FROM draining_turns WHERE index_id NOT IN (SELECT id FROM chunk_indexes)`,
  ],
  [
    "index_terms",
    `SELECT count(*) FROM index_terms WHERE (index_id, number) NOT IN (SELECT index_id, term FROM postings)`,
  ],
  [
    "postings",
    `SELECT count(*) FROM postings WHERE NOT EXISTS (SELECT 1 FROM indexed_turns
    WHERE indexed_turns.index_id = postings.index_id AND indexed_turns.turn = postings.turn)
    AND NOT EXISTS (SELECT 1 FROM draining_turns
    WHERE draining_turns.index_id = postings.index_id AND draining_turns.turn = postings.turn)`,
  ],
  // A row has the postings of several turns, and its key names only the first: the totals show whether another is an orphan.
  [
    "postings",
    `SELECT count(*) FROM chunk_indexes WHERE retired = 0 AND
    (SELECT coalesce(sum(turns), 0) FROM postings WHERE index_id = chunk_indexes.id) <>
    (SELECT coalesce(sum(postings), 0) FROM indexed_turns WHERE index_id = chunk_indexes.id) +
    (SELECT coalesce(sum(postings), 0) FROM draining_turns WHERE index_id = chunk_indexes.id)`,
  ],
];
