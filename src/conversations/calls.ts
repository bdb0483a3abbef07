/** What the calls of a conversation run once they are validated, in one place: it is loaded by the first of them. */

export { receiptOf } from "./deletion_receipt.ts";
export { deleteItem } from "./delete_item.ts";
export { Damage } from "../engine/damage.ts";
export { ensureScope } from "../scopes/ensure_scope.ts";
export { readRevision, requireScope } from "../scopes/present_scope.ts";
export { putPin } from "./put_pin.ts";
export { putSummary } from "./put_summary.ts";
export { appendTurn } from "./append_turn.ts";
export { putTurn } from "./put_turn.ts";
export { filledIn, readMedia } from "../media/media_calls.ts";
export { readTurn, readTurnPage, rowsOfTurns } from "./read_turns.ts";
export { getReplay, putReplay } from "./replay.ts";
export { takeSnapshot } from "../scopes/take_snapshot.ts";
export { readScope } from "../tables/scopes.ts";
export { drainScope } from "../deletion/drain_indexes.ts";
export { expireScope } from "../deletion/expiry.ts";
