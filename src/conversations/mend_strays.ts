/** Takes rows out of a copy that hang from nothing: what they belonged to is damaged, or their place is. */

import { itemHashOf, scopeHashOf } from "../deletion/scope_hashes.ts";
import { raiseFloor } from "../deletion/tombstones.ts";
import type { Operation, WriteTransaction } from "../engine/operation.ts";
import { type Mending, parsedTurn } from "./mend_scopes.ts";
import { DELETE_TURN } from "../tables/turns.ts";

const SELECT_STRAY_TURNS =
  `SELECT id, turn_id, payload FROM turns WHERE scope NOT IN (SELECT id FROM scopes) ORDER BY id`;

/** By table. */
const DELETE_STRAYS: readonly (readonly [table: string, sql: string])[] = [
  ["descriptions", `DELETE FROM descriptions WHERE scope NOT IN (SELECT id FROM scopes)`],
  ["message_ids", `DELETE FROM message_ids WHERE turn NOT IN (SELECT id FROM turns)`],
  ["media_refs", `DELETE FROM media_refs WHERE turn NOT IN (SELECT id FROM turns)`],
  ["media_pieces", `DELETE FROM media_pieces WHERE scope NOT IN (SELECT id FROM scopes)`],
  ["pins", `DELETE FROM pins WHERE scope NOT IN (SELECT id FROM scopes)`],
  ["summaries", `DELETE FROM summaries WHERE scope NOT IN (SELECT id FROM scopes)`],
  ["covered_turns", `DELETE FROM covered_turns WHERE scope NOT IN (SELECT id FROM scopes)`],
];

/** What is rewritten where it is missing, or can be derived. */
const DERIVED: ReadonlySet<string> = new Set(["message_ids", "covered_turns", "media_refs"]);

/** Takes them out; before the scopes are mended, whose pins may cite such turns. */
export function* mendStrays(transaction: WriteTransaction, { hashKey, damage }: Mending): Operation<void> {
  for (const [id, turnId, payload] of yield* transaction.all(SELECT_STRAY_TURNS)) {
    const turn = parsedTurn(payload);
    if (turn === null) damage.noteRow({ table: "turns", turnId: turnId as string });
    else {
      const { scope, revision } = turn;
      damage.noteRow({ table: "turns", ...scope, turnId: turn.turnId });
      const keyHash = itemHashOf(hashKey, "turn", scope, turn.turnId);
      yield* raiseFloor(transaction, scopeHashOf(hashKey, scope), keyHash, revision);
    }
    yield* transaction.run(DELETE_TURN, id!);
    transaction.markDirty("turns");
  }
  for (const [table, sql] of DELETE_STRAYS) {
    if ((yield* transaction.run(sql)) === 0) continue;
    transaction.markDirty(table);
    if (!DERIVED.has(table)) damage.noteRow({ table });
  }
}
