/** Main's tables of the indexes that conversations are searched by. */

import { BYTES, defineTable, INTEGER, type TableShape, TEXT } from "./descriptor.ts";

// One row for each index of a scope. `born` is never given out twice, so that a reader can tell an index from another
// that came in its place. Every turn up to `indexed_to` is indexed or noted in `unindexed_turns`.
export const CHUNK_INDEXES = defineTable({
  name: "chunk_indexes",
  columns: {
    id: INTEGER,
    scope: INTEGER,
    indexKey: TEXT,
    born: INTEGER,
    used: INTEGER,
    retired: INTEGER,
    indexedTo: INTEGER,
    turns: INTEGER,
    chunks: INTEGER,
    documents: INTEGER,
    totalLength: INTEGER,
    terms: INTEGER,
    blockTurns: INTEGER,
    draining: INTEGER,
    blockList: BYTES,
    checksum: INTEGER,
  },
  key: ["id"],
  fixed: ["scope", "indexKey", "born"],
  indexes: [{ name: "scope", columns: ["scope"] }],
  checksumOver: [
    ...["id", "scope", "indexKey", "born", "used", "retired", "indexedTo", "turns", "chunks"] as const,
    ...["documents", "totalLength", "terms", "blockTurns", "draining", "blockList"] as const,
  ],
  isBackedUp: false,
});

const UNINDEXED_TURNS = defineTable({
  name: "unindexed_turns",
  columns: { indexId: INTEGER, turn: INTEGER },
  key: ["indexId", "turn"],
  isClustered: true,
  isBackedUp: false,
});

// The lists hold ranges and numbers of terms; the list of terms lets a deletion do without the text. Rows of a kilobyte
// and more, which dense scripts make, would each spill over to a page of their own in a table without row ids.
export const INDEXED_TURNS = defineTable({
  name: "indexed_turns",
  columns: {
    indexId: INTEGER,
    turn: INTEGER,
    source: INTEGER,
    chunks: INTEGER,
    documents: INTEGER,
    totalLength: INTEGER,
    postings: INTEGER,
    checksum: INTEGER,
    listsChecksum: INTEGER,
    chunkList: BYTES,
    termList: BYTES,
  },
  key: [],
  indexes: [{ name: "turn", columns: ["indexId", "turn"], isUnique: true }],
  checksumOver: ["indexId", "turn", "source", "chunks", "documents", "totalLength", "postings"],
  isBackedUp: false,
  rewrittenBy: ["indexId", "turn"],
});

// Which postings there are of turns that are added or erased in parts, a transaction each: `postings` of them a part.
export const DRAINING_TURNS = defineTable({
  name: "draining_turns",
  columns: {
    indexId: INTEGER,
    turn: INTEGER,
    part: INTEGER,
    source: INTEGER,
    postings: INTEGER,
    checksum: INTEGER,
    termList: BYTES,
  },
  key: ["indexId", "turn", "part"],
  isClustered: true,
  checksumOver: ["indexId", "turn", "part", "source", "postings", "termList"],
  isBackedUp: false,
  rewrittenBy: ["indexId", "turn", "part"],
});

// A number is never given to another term of the same index, so that a stale list can name no other term.
export const INDEX_TERMS = defineTable({
  name: "index_terms",
  columns: { indexId: INTEGER, number: INTEGER, term: TEXT, documents: INTEGER, checksum: INTEGER },
  key: ["indexId", "number"],
  fixed: ["term"],
  isClustered: true,
  indexes: [{ name: "term", columns: ["indexId", "term"], isUnique: true }],
  checksumOver: ["indexId", "number", "term", "documents"],
  isBackedUp: false,
  rewrittenBy: ["indexId", "number"],
});

// A block is a run of some thousand turns. Clustered by term alone, a batch would touch as many pages as it has terms,
// all over the table: 32 turns wrote 13 MB of log at 10 000 turns. A search looks once into each block for each term.
// A row has the postings of some turns, from `turn` on: a row for each was seven times the size of Chinese text.
export const POSTINGS = defineTable({
  name: "postings",
  columns: {
    indexId: INTEGER,
    block: INTEGER,
    term: INTEGER,
    turn: INTEGER,
    turns: INTEGER,
    postingList: BYTES,
  },
  key: ["indexId", "block", "term", "turn"],
  isClustered: true,
  isBackedUp: false,
  rewrittenBy: ["indexId", "block", "term", "turn"],
});

/** All of them, in the order in which they are created. */
export const INDEX_TABLES: readonly TableShape[] = [
  CHUNK_INDEXES,
  UNINDEXED_TURNS,
  INDEXED_TURNS,
  DRAINING_TURNS,
  INDEX_TERMS,
  POSTINGS,
];
