/** Main's tables: live state, and a copy of every deletion that was applied to it. */

import {
  BYTES,
  BYTES_OR_NULL,
  defineTable,
  INTEGER,
  INTEGER_OR_NULL,
  type TableShape,
  TEXT,
  TEXT_OR_NULL,
} from "./descriptor.ts";
import { INDEX_TABLES } from "./index_tables.ts";
import { JOURNAL_TABLES } from "./journal_tables.ts";
import { MEDIA_TABLES } from "./media_tables.ts";

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
    lastScope: INTEGER,
    lastTurn: INTEGER,
    lastIndex: INTEGER,
    lastJournal: INTEGER,
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
    version: INTEGER,
    born: INTEGER,
    subject: BYTES_OR_NULL,
    names: TEXT_OR_NULL,
    valueChecksum: INTEGER,
    checksum: INTEGER,
    body: TEXT,
  },
  key: ["tenant", "kind", "key"],
  content: "body",
  isClustered: true,
  indexes: [
    { name: "expiry", columns: ["tenant", "expires"], where: "expires" },
    { name: "revision", columns: ["tenant", "kind", "revision"] },
    { name: "subject", columns: ["subject"], where: "subject" },
  ],
  checksumOver: [
    ...[
      "tenant",
      "kind",
      "key",
      "revision",
      "created",
      "maxAge",
      "expires",
      "version",
      "born",
      "subject",
      "names",
      "valueChecksum",
    ] as const,
  ],
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

export const DELETIONS = defineTable({
  name: "deletions",
  columns: {
    sequence: INTEGER,
    batch: INTEGER,
    kind: TEXT,
    scopeHash: BYTES,
    keyHash: BYTES,
    reserved: INTEGER,
    floor: INTEGER,
    at: INTEGER,
    counts: TEXT,
    head: TEXT,
    hashes: BYTES,
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
    "reserved",
    "floor",
    "at",
    "counts",
    "head",
    "hashes",
  ],
  isBackedUp: true,
});

export const FLOORS = defineTable({
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
    journals: INTEGER,
    journalBytes: INTEGER,
    mediaBytes: INTEGER,
    operations: INTEGER,
    nextExpiry: INTEGER_OR_NULL,
    born: INTEGER,
    created: INTEGER,
    updated: INTEGER,
    recent: INTEGER,
    subject: BYTES_OR_NULL,
    checksum: INTEGER,
  },
  key: ["id"],
  fixed: ["scopeHash", "tenant", "session", "born", "created", "recent", "subject"],
  indexes: [
    { name: "hash", columns: ["scopeHash"], isUnique: true },
    { name: "tenant", columns: ["tenant"] },
    { name: "session", columns: ["tenant", "session"] },
    { name: "recent", columns: ["tenant", "recent"] },
    { name: "subject", columns: ["subject", "recent"], where: "subject" },
    { name: "expiry", columns: ["nextExpiry"], where: "nextExpiry" },
  ],
  checksumOver: [
    ...["id", "scopeHash", "tenant", "session", "revision"] as const,
    ...["turns", "turnBytes", "pins", "journals", "journalBytes"] as const,
    ...["mediaBytes", "operations", "nextExpiry"] as const,
    ...["born", "created", "updated", "recent", "subject"] as const,
  ],
  isBackedUp: true,
  rewrittenBy: ["id"],
});

// Scopes that were erased with their tenant or subject, and whose contents are still to be erased: by the id that the row had.
const DRAINING_SCOPES = defineTable({
  name: "draining_scopes",
  columns: { scope: INTEGER, scopeHash: BYTES, event: INTEGER },
  key: ["scope"],
  indexes: [{ name: "hash", columns: ["scopeHash"] }, { name: "event", columns: ["event"] }],
  isBackedUp: true,
});

// What a caller says of a session, apart from its row, which every append writes.
export const DESCRIPTIONS = defineTable({
  name: "descriptions",
  columns: { scope: INTEGER, payloadChecksum: INTEGER, checksum: INTEGER, payload: TEXT },
  key: ["scope"],
  content: "payload",
  checksumOver: ["scope", "payloadChecksum"],
  isBackedUp: true,
  rewrittenBy: ["scope"],
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

/** All of them, in the order in which they are created and copied. */
export const MAIN_TABLES: readonly TableShape[] = [
  ...[MAIN_META, RECORDS, OPERATIONS, DELETIONS, FLOORS, DIRTY, SCOPES, DRAINING_SCOPES, DESCRIPTIONS, TURNS],
  ...[MESSAGE_IDS, PINS, SUMMARIES, COVERED_TURNS, REPLAYS],
  ...MEDIA_TABLES,
  ...JOURNAL_TABLES,
  ...INDEX_TABLES,
];
