/** The deletion ledger's tables: hashes, counts and a chain; no text that a caller stored. Also which copies are being made. */

import {
  BYTES,
  defineTable,
  INTEGER,
  INTEGER_OR_NULL,
  type TableShape,
  TEXT,
  TEXT_OR_NULL,
} from "./descriptor.ts";

const LEDGER_META = defineTable({
  name: "meta",
  columns: {
    id: INTEGER,
    lineage: TEXT,
    generation: INTEGER,
    epoch: TEXT_OR_NULL,
    count: INTEGER,
    head: TEXT,
    probe: INTEGER,
    announced: INTEGER_OR_NULL,
    checksum: INTEGER,
  },
  key: ["id"],
  onlyRow: 1,
  isBackedUp: true,
});

/** Files that a process began to make, by their names until then. No backup holds them: they are about this machine. */
const WORKS = defineTable({
  name: "works",
  columns: { path: TEXT, checksum: INTEGER },
  key: ["path"],
  isClustered: true,
  checksumOver: ["path"],
  isBackedUp: false,
});

const EVENTS = defineTable({
  name: "events",
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
  },
  key: ["sequence"],
  isBackedUp: true,
});

/** All of them, in the order in which they are created. */
export const LEDGER_TABLES: readonly TableShape[] = [LEDGER_META, WORKS, EVENTS];
