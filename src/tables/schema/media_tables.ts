/** Main's tables of media: the bytes of files, images and recordings, once for each scope that has them. */

import { BYTES, defineTable, INTEGER, type TableShape } from "./descriptor.ts";

// Not clustered: a piece fills pages of its own. No checksum: the hash of the whole covers every piece and its place.
export const MEDIA_PIECES = defineTable({
  name: "media_pieces",
  columns: { scope: INTEGER, hash: BYTES, piece: INTEGER, payload: BYTES },
  key: ["scope", "hash", "piece"],
  content: "payload",
  isBackedUp: true,
  rewrittenBy: ["scope", "hash", "piece"],
});

export const MEDIA_REFS = defineTable({
  name: "media_refs",
  columns: { scope: INTEGER, hash: BYTES, turn: INTEGER, bytes: INTEGER, checksum: INTEGER },
  key: ["scope", "hash", "turn"],
  isClustered: true,
  indexes: [{ name: "turn", columns: ["turn"] }],
  checksumOver: ["scope", "hash", "turn", "bytes"],
  isBackedUp: true,
  rewrittenBy: ["scope", "hash", "turn"],
});

/** Both of them, in the order in which they are created and copied. */
export const MEDIA_TABLES: readonly TableShape[] = [MEDIA_PIECES, MEDIA_REFS];
