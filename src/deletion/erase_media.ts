/** Erasing media: the bytes go with the last turn of the scope that refers to them. */

import { toHex } from "../canonical/keyed_hash.ts";
import { type Operation, together } from "../engine/operation.ts";
import {
  DELETE_PIECES,
  DELETE_REFS_OF_TURN,
  SELECT_REF,
  SELECT_REFS_OF_TURN,
  toMediaRef,
} from "../tables/media.ts";
import type { Change, ContentsChange } from "./cascade.ts";

/**
 * Erases what a turn refers to, except media that it keeps, by hash in hex. The reference itself goes in any case; what is
 * kept gets a new one. The caller writes the scope's row.
 */
export function* eraseMediaOfTurn(
  change: Change,
  turn: number,
  kept: ReadonlySet<string> = new Set(),
): Operation<void> {
  const { transaction, row, erased } = change;
  const rows = yield* transaction.all(SELECT_REFS_OF_TURN, turn);
  if (rows.length === 0) return;
  yield* transaction.run(DELETE_REFS_OF_TURN, turn);
  transaction.markDirty("media_refs");
  const lost = rows.map(toMediaRef).filter(({ hash }) => !kept.has(toHex(hash)));
  const others = yield* transaction.getEach(SELECT_REF, lost.map(({ hash }) => [row.id, hash]));
  const orphans = lost.filter((_, index) => others[index] === undefined);
  if (orphans.length === 0) return;
  yield* transaction.runEach(DELETE_PIECES, orphans.map(({ hash }) => [row.id, hash]));
  transaction.markDirty("media_pieces");
  erased.media += orphans.length;
  row.mediaBytes -= orphans.reduce((sum, { bytes }) => sum + bytes, 0);
}

const COUNT_MEDIA = `SELECT count(DISTINCT hash) FROM media_refs WHERE scope = $1`;
const DELETE_PIECES_OF_SCOPE = `DELETE FROM media_pieces WHERE scope = $1`;
const DELETE_REFS_OF_SCOPE = `DELETE FROM media_refs WHERE scope = $1`;

/** Erases all media of a scope. */
export function* eraseMediaOfScope({ transaction, row, erased }: ContentsChange): Operation<void> {
  const [count, pieces, refs] = yield* together([
    transaction.get(COUNT_MEDIA, row.id),
    transaction.run(DELETE_PIECES_OF_SCOPE, row.id),
    transaction.run(DELETE_REFS_OF_SCOPE, row.id),
  ]);
  if (pieces > 0) transaction.markDirty("media_pieces");
  if (refs > 0) transaction.markDirty("media_refs");
  erased.media += count![0] as number;
}
