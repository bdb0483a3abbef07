/** Main's tables, in the order in which they are created and copied. */

import {
  BYTES,
  defineTable,
  INTEGER,
  INTEGER_OR_NULL,
  type TableShape,
  TEXT,
  TEXT_OR_NULL,
} from "./descriptor.ts";

const MAIN_META = defineTable({
  name: "meta",
  columns: {
    id: INTEGER,
    lineage: TEXT,
    generation: INTEGER,
    epoch: TEXT,
    pendingFrom: INTEGER_OR_NULL,
    applied: INTEGER,
    appliedHead: TEXT,
    verified: INTEGER,
    counter: INTEGER,
    clockMark: INTEGER,
    clockEpoch: INTEGER,
    hashKey: BYTES,
    probe: INTEGER,
    scrubs: INTEGER,
    shrunkBytes: INTEGER_OR_NULL,
    checksum: INTEGER,
  },
  key: ["id"],
  onlyRow: 1,
  isBackedUp: true,
});

// Small rows are read and written with one descent of one tree; the body comes last, so that what spills over to other pages is only ever the body.
export const RECORDS = defineTable({
  name: "records",
  columns: {
    tenant: TEXT,
    kind: TEXT,
    key: TEXT,
    revision: INTEGER,
    created: INTEGER,
    maxAge: INTEGER_OR_NULL,
    expires: INTEGER_OR_NULL,
    valueChecksum: INTEGER,
    checksum: INTEGER,
    body: TEXT,
  },
  key: ["tenant", "kind", "key"],
  fixed: ["created"],
  content: "body",
  isClustered: true,
  indexes: [{ name: "expiry", columns: ["tenant", "expires"], where: "expires" }],
  checksumOver: ["tenant", "kind", "key", "revision", "created", "maxAge", "expires", "valueChecksum"],
  isBackedUp: true,
  rewrittenBy: ["tenant", "kind", "key"],
});

export const OPERATIONS = defineTable({
  name: "operations",
  columns: {
    scopeHash: BYTES,
    operationHash: BYTES,
    inputHash: BYTES,
    result: INTEGER,
    at: INTEGER,
    checksum: INTEGER,
  },
  key: ["scopeHash", "operationHash"],
  isClustered: true,
  indexes: [{ name: "time", columns: ["scopeHash", "at"] }],
  checksumOver: ["scopeHash", "operationHash", "inputHash", "result", "at"],
  isBackedUp: true,
});

const DELETIONS = defineTable({
  name: "deletions",
  columns: {
    sequence: INTEGER,
    batch: INTEGER,
    kind: TEXT,
    scopeHash: BYTES,
    keyHash: BYTES,
    burned: INTEGER,
    floor: INTEGER,
    at: INTEGER,
    counts: TEXT,
    head: TEXT,
    checksum: INTEGER,
  },
  key: ["sequence"],
  indexes: [{ name: "key", columns: ["keyHash"] }],
  checksumOver: [
    "sequence",
    "batch",
    "kind",
    "scopeHash",
    "keyHash",
    "burned",
    "floor",
    "at",
    "counts",
    "head",
  ],
  isBackedUp: true,
});

const FLOORS = defineTable({
  name: "floors",
  columns: { scopeHash: BYTES, keyHash: BYTES, floor: INTEGER, checksum: INTEGER },
  key: ["scopeHash", "keyHash"],
  isClustered: true,
  checksumOver: ["scopeHash", "keyHash", "floor"],
  isBackedUp: true,
});

const DIRTY = defineTable({
  name: "dirty",
  columns: { name: TEXT },
  key: ["name"],
  isClustered: true,
  isBackedUp: false,
});

export const SCOPES = defineTable({
  name: "scopes",
  columns: {
    id: INTEGER,
    scopeHash: BYTES,
    tenant: TEXT,
    session: TEXT,
    revision: INTEGER,
    turns: INTEGER,
    turnBytes: INTEGER,
    pins: INTEGER,
    operations: INTEGER,
    nextDue: INTEGER_OR_NULL,
    checksum: INTEGER,
  },
  key: ["id"],
  fixed: ["scopeHash", "tenant", "session"],
  indexes: [
    { name: "hash", columns: ["scopeHash"], isUnique: true },
    { name: "due", columns: ["nextDue"], where: "nextDue" },
  ],
  checksumOver: [
    ...["id", "scopeHash", "tenant", "session", "revision"] as const,
    ...["turns", "turnBytes", "pins", "operations", "nextDue"] as const,
  ],
  isBackedUp: true,
  rewrittenBy: ["id"],
});

// A turn's id grows with each new turn, so that the order of ids within a scope is the order in which turns came.
export const TURNS = defineTable({
  name: "turns",
  columns: {
    id: INTEGER,
    scope: INTEGER,
    turnId: TEXT,
    revision: INTEGER,
    bytes: INTEGER,
    expires: INTEGER_OR_NULL,
    expiresAt: TEXT_OR_NULL,
    payloadChecksum: INTEGER,
    checksum: INTEGER,
    payload: TEXT,
  },
  key: ["id"],
  fixed: ["scope", "turnId"],
  content: "payload",
  indexes: [
    { name: "scope", columns: ["scope"] },
    { name: "turn_id", columns: ["scope", "turnId"], isUnique: true },
    { name: "expiry", columns: ["scope", "expires"], where: "expires" },
  ],
  checksumOver: ["scope", "turnId", "revision", "bytes", "expires", "expiresAt", "payloadChecksum"],
  isBackedUp: true,
  rewrittenBy: ["id"],
});

export const MESSAGE_IDS = defineTable({
  name: "message_ids",
  columns: { scope: INTEGER, messageId: TEXT, turn: INTEGER },
  key: ["scope", "messageId"],
  isClustered: true,
  indexes: [{ name: "turn", columns: ["turn"] }],
  isBackedUp: true,
  rewrittenBy: ["scope", "messageId"],
});

export const PINS = defineTable({
  name: "pins",
  columns: {
    scope: INTEGER,
    key: TEXT,
    revision: INTEGER,
    effective: INTEGER,
    expires: INTEGER_OR_NULL,
    sourceTurn: INTEGER_OR_NULL,
    payloadChecksum: INTEGER,
    checksum: INTEGER,
    payload: TEXT,
  },
  key: ["scope", "key"],
  content: "payload",
  isClustered: true,
  indexes: [{ name: "source", columns: ["sourceTurn"], where: "sourceTurn" }],
  checksumOver: ["scope", "key", "revision", "effective", "expires", "sourceTurn", "payloadChecksum"],
  isBackedUp: true,
  rewrittenBy: ["scope", "key"],
});

export const SUMMARIES = defineTable({
  name: "summaries",
  columns: {
    scope: INTEGER,
    created: INTEGER,
    expires: INTEGER_OR_NULL,
    payloadChecksum: INTEGER,
    checksum: INTEGER,
    payload: TEXT,
  },
  key: ["scope"],
  content: "payload",
  checksumOver: ["scope", "created", "expires", "payloadChecksum"],
  isBackedUp: true,
  rewrittenBy: ["scope"],
});

export const COVERED_TURNS = defineTable({
  name: "covered_turns",
  columns: { scope: INTEGER, turn: INTEGER },
  key: ["scope", "turn"],
  isClustered: true,
  isBackedUp: true,
});

export const REPLAYS = defineTable({
  name: "replays",
  columns: {
    scope: INTEGER,
    key: TEXT,
    snapshot: TEXT,
    at: INTEGER,
    expires: INTEGER,
    payloadChecksum: INTEGER,
    checksum: INTEGER,
    payload: TEXT,
  },
  key: ["scope", "key"],
  content: "payload",
  isClustered: true,
  checksumOver: ["scope", "key", "snapshot", "at", "expires", "payloadChecksum"],
  isBackedUp: false,
  rewrittenBy: ["scope", "key"],
});

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
    blockList: BYTES,
    checksum: INTEGER,
  },
  key: ["id"],
  fixed: ["scope", "indexKey", "born"],
  indexes: [{ name: "scope", columns: ["scope"] }],
  checksumOver: [
    ...["id", "scope", "indexKey", "born", "used", "retired", "indexedTo", "turns", "chunks"] as const,
    ...["documents", "totalLength", "terms", "blockTurns", "blockList"] as const,
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

/** All of them. */
export const MAIN_TABLES: readonly TableShape[] = [
  ...[MAIN_META, RECORDS, OPERATIONS, DELETIONS, FLOORS, DIRTY, SCOPES, TURNS, MESSAGE_IDS, PINS, SUMMARIES],
  ...[COVERED_TURNS, REPLAYS, CHUNK_INDEXES, UNINDEXED_TURNS, INDEXED_TURNS, INDEX_TERMS, POSTINGS],
];
