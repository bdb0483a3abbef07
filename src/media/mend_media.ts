/** Puts right, in a copy, what turns refer to; a turn whose media is damaged cannot stay. */

import { fromHex, toHex } from "../canonical/keyed_hash.ts";
import type { TimedTurn } from "../contracts/turn.ts";
import type { Operation, WriteTransaction } from "../engine/operation.ts";
import {
  DELETE_REFS_OF_TURN,
  insertRefs,
  isIntactRef,
  SELECT_REFS_OF_TURN,
  toMediaRef,
} from "../tables/media.ts";
import type { ScopeRow } from "../tables/scopes.ts";
import { citedMedia } from "./given_media.ts";
import { readWhole } from "./read_media.ts";

/** Media of a scope that was looked at, by its reference: whether it is whole. */
export type SeenMedia = Map<string, boolean>;

/** Writes a turn's references as its messages have them. Returns false if media that they refer to is not whole. */
export function* mendMediaOfTurn(
  transaction: WriteTransaction,
  row: ScopeRow,
  { id, turn }: { readonly id: number; readonly turn: TimedTurn },
  seen: SeenMedia,
): Operation<boolean> {
  const cited = citedMedia(turn.messages);
  const noted = (yield* transaction.all(SELECT_REFS_OF_TURN, id)).map(toMediaRef);
  const refs = new Map(noted.filter(isIntactRef).map(({ hash, bytes }) => [toHex(hash), bytes]));
  const areRight = noted.length === cited.length && cited.every(({ ref, bytes }) => refs.get(ref) === bytes);
  if (!areRight) {
    yield* transaction.run(DELETE_REFS_OF_TURN, id);
    yield* insertRefs(
      transaction,
      cited.map(({ ref, bytes }) => ({ scope: row.id, hash: fromHex(ref), turn: id, bytes })),
    );
  }
  for (const { ref, bytes } of cited) {
    const media = { row, hash: fromHex(ref), bytes };
    if (!seen.has(ref)) seen.set(ref, (yield* readWhole(transaction, media)) !== null);
    if (seen.get(ref) === false) return false;
  }
  return true;
}

const DELETE_UNCITED = `DELETE FROM media_pieces WHERE scope = $1
  AND hash NOT IN (SELECT hash FROM media_refs WHERE scope = $1)`;

/** Takes out pieces that no turn of a scope refers to. */
export function* mendPieces(transaction: WriteTransaction, row: ScopeRow): Operation<void> {
  if ((yield* transaction.run(DELETE_UNCITED, row.id)) > 0) transaction.markDirty("media_pieces");
}
