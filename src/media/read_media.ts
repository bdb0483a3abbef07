/** Reading the bytes of media, a few pieces at a time; they are checked by their hash. */

import { fromHex, toHex } from "../canonical/keyed_hash.ts";
import type { Operation, ReadTransaction } from "../engine/operation.ts";
import { MEDIA_PIECES_PER_READ } from "../limits.ts";
import type { Place } from "../scopes/place.ts";
import { requireScope } from "../scopes/present_scope.ts";
import {
  isIntactRef,
  joinPieces,
  pieceOf,
  piecesOf,
  SELECT_LIVE_REF,
  SELECT_PIECES,
  SELECT_REF,
  toMediaRef,
} from "../tables/media.ts";
import { damagedRow, type ScopeRow } from "../tables/scopes.ts";

/** Media that a turn refers to. */
export interface StoredMedia {
  readonly row: Pick<ScopeRow, "id" | "tenant" | "session">;
  readonly hash: Uint8Array;
  readonly bytes: number;
  /** The id of a turn that refers to it, for errors. */
  readonly turnId: string;
}

/** Finds media by its reference; null where no turn refers to it, or only expired ones do. */
export function* locateMedia(
  transaction: ReadTransaction,
  place: Place,
  { ref, atMs }: { readonly ref: string; readonly atMs: number },
): Operation<{ readonly row: ScopeRow; readonly media: StoredMedia | null }> {
  const row = yield* requireScope(transaction, place);
  const hash = fromHex(ref);
  const found = yield* transaction.get(SELECT_LIVE_REF, row.id, hash, atMs);
  if (found === undefined) return { row, media: null };
  const media = toMediaRef(found);
  const turnId = found.at(-1) as string;
  if (!isIntactRef(media)) {
    throw damagedRow("The checksum of a reference to media does not match", "media_refs", row, { turnId });
  }
  return { row, media: { row, hash, bytes: media.bytes, turnId } };
}

/** Runs a read. */
type Read = <T>(factory: (transaction: ReadTransaction) => Operation<T>) => Promise<T>;

/**
 * Reads media whole, and verifies it; null where it is gone by now.
 *
 * @throws {IntegrityError} if it is damaged; `details` names the turn
 */
export async function loadMedia(read: Read, media: StoredMedia): Promise<Uint8Array | null> {
  const { row, hash, bytes, turnId } = media;
  const pieces: Uint8Array[] = [];
  for (let count = piecesOf(bytes); pieces.length < count;) {
    const from = pieces.length;
    const limit = Math.min(MEDIA_PIECES_PER_READ, count - from);
    const page = await read((transaction) => transaction.all(SELECT_PIECES, row.id, hash, from, limit));
    pieces.push(...page.map(pieceOf));
    if (page.length < limit) count = pieces.length;
  }
  const whole = joinPieces(pieces, { ref: toHex(hash), bytes });
  if (whole !== null) return whole;
  const isThere = await read((transaction) => transaction.get(SELECT_REF, row.id, hash)) !== undefined;
  if (isThere) {
    throw damagedRow("The bytes of media do not match their hash", "media_pieces", row, { turnId });
  }
  return null;
}

/** The same within one transaction, for checks; null also where it is damaged. */
export function* readWhole(
  transaction: ReadTransaction,
  { row, hash, bytes }: Omit<StoredMedia, "turnId" | "row"> & { readonly row: Pick<ScopeRow, "id"> },
): Operation<Uint8Array | null> {
  const rows = yield* transaction.all(SELECT_PIECES, row.id, hash, 0, piecesOf(bytes) + 1);
  return joinPieces(rows.map(pieceOf), { ref: toHex(hash), bytes });
}
