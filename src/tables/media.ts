/** Media: references from turns to bytes, and the bytes in pieces, as rows. */

import { sha256Hex } from "../canonical/sha256.ts";
import type { Operation, WriteTransaction } from "../engine/operation.ts";
import type { Row } from "../engine/values.ts";
import { MEDIA_PIECE_BYTES } from "../limits.ts";
import type { Fields } from "./schema/descriptor.ts";
import { MEDIA_PIECES, MEDIA_REFS } from "./schema/media_tables.ts";

/** That a turn refers to media of its scope. */
type MediaRef = Fields<typeof MEDIA_REFS.columns>;

/** The references of a turn. Parameter: the turn's row. */
export const SELECT_REFS_OF_TURN = `${MEDIA_REFS.select} WHERE turn = $1`;

/** The references of a scope. Parameter: the scope's row. */
export const SELECT_REFS_OF_SCOPE = `${MEDIA_REFS.select} WHERE scope = $1 ORDER BY hash, turn`;

/** Parameter: the turn's row. */
export const DELETE_REFS_OF_TURN = `DELETE FROM media_refs WHERE turn = $1`;

/** One reference to media, whichever turn it is of. Parameters: the scope's row, the hash. */
export const SELECT_REF = `${MEDIA_REFS.select} WHERE scope = $1 AND hash = $2 LIMIT 1`;

/** A reference of a turn that has not expired, and the turn's id. Parameters: the scope's row, the hash, milliseconds. */
export const SELECT_LIVE_REF =
  `SELECT ${MEDIA_REFS.qualified}, turns.turn_id FROM media_refs JOIN turns ON turns.id = media_refs.turn
  WHERE media_refs.scope = $1 AND media_refs.hash = $2 AND (turns.expires IS NULL OR turns.expires > $3) LIMIT 1`;

/** Pieces in order. Parameters: the scope's row, the hash, the piece to begin with, how many. */
export const SELECT_PIECES = `${MEDIA_PIECES.select} WHERE scope = $1 AND hash = $2 AND piece >= $3
  ORDER BY piece LIMIT $4`;

/** Parameters: the scope's row, the hash. */
export const DELETE_PIECES = `DELETE FROM media_pieces WHERE scope = $1 AND hash = $2`;

/** Decodes a reference; whether it is intact says {@linkcode isIntactRef}. */
export function toMediaRef(row: Row): MediaRef {
  return MEDIA_REFS.toFields(row);
}

/** Whether a reference has its checksum. */
export function isIntactRef(ref: MediaRef): boolean {
  return MEDIA_REFS.isIntact(ref) && ref.hash.length === 32;
}

/** The bytes of a piece. */
export function pieceOf(row: Row): Uint8Array {
  return MEDIA_PIECES.toFields(row).payload;
}

/** How many pieces so many bytes have: at least one, so that media without bytes is there as well. */
export function piecesOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / MEDIA_PIECE_BYTES));
}

/** The pieces of media, in order. */
export function splitIntoPieces(data: Uint8Array): readonly Uint8Array[] {
  return Array.from(
    { length: piecesOf(data.length) },
    (_, piece) => data.subarray(piece * MEDIA_PIECE_BYTES, (piece + 1) * MEDIA_PIECE_BYTES),
  );
}

/** Puts pieces together; null unless there are so many bytes, with this hash in hex. */
export function joinPieces(
  pieces: readonly Uint8Array[],
  { ref, bytes }: { readonly ref: string; readonly bytes: number },
): Uint8Array | null {
  if (pieces.reduce((sum, { length }) => sum + length, 0) !== bytes) return null;
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return sha256Hex(whole) === ref ? whole : null;
}

/** Writes the pieces of media. */
export function* insertPieces(
  transaction: WriteTransaction,
  { scope, hash, data }: { readonly scope: number; readonly hash: Uint8Array; readonly data: Uint8Array },
): Operation<void> {
  const rows = splitIntoPieces(data).map((payload, piece) =>
    MEDIA_PIECES.toValues({ scope, hash, piece, payload })
  );
  yield* transaction.runEach(MEDIA_PIECES.insert, rows);
}

/** Writes references of a turn. */
export function* insertRefs(
  transaction: WriteTransaction,
  refs: readonly Omit<MediaRef, "checksum">[],
): Operation<void> {
  yield* transaction.runEach(MEDIA_REFS.insert, refs.map((ref) => MEDIA_REFS.toValues(ref)));
}
