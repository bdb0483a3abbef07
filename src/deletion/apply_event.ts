/** Applies an event of another process (or of a time before a restore) to a conversation: its target is found by hash. */

import { equalBytes } from "../canonical/keyed_hash.ts";
import type { Operation, RecordedEvent, WriteTransaction } from "../engine/operation.ts";
import { type Change, changedScope, erasePin, eraseScope, eraseTurn, nothingErased } from "./cascade.ts";
import { itemHashOf } from "./hashes.ts";
import { readScopeAnyhow, writeScope } from "./scope_row.ts";

/** Erases whatever incarnation is found, unconditionally: the order of sequences has decided already. */
export function* applyDeletion(
  transaction: WriteTransaction,
  event: RecordedEvent,
  hashKey: Uint8Array,
): Operation<void> {
  const found = yield* readScopeAnyhow(transaction, event.scopeHash);
  if (found === null) return;
  const { row, sound } = found;
  const change = { transaction, row, hashKey, erased: nothingErased() };
  if (event.kind === "scope") {
    yield* eraseScope(change);
    return;
  }
  if (event.kind === "turn") yield* applyToTurn(change, event);
  else yield* applyToPin(change, event);
  // A damaged row is left as it is: a fresh checksum would hide the damage, and a refusal would stop every tenant.
  if (sound) yield* writeScope(transaction, row);
}

const SELECT_TURN_IDS = `SELECT id, turn_id, bytes FROM turns WHERE scope = $1`;

function* applyToTurn(change: Change, event: RecordedEvent): Operation<void> {
  const scope = { tenantId: change.row.tenant, sessionId: change.row.session };
  for (const [id, turnId, bytes] of yield* change.transaction.all(SELECT_TURN_IDS, change.row.id)) {
    if (!equalBytes(itemHashOf(change.hashKey, "turn", scope, turnId as string), event.keyHash)) continue;
    yield* eraseTurn(change, { id: id as number, bytes: bytes as number });
    return;
  }
  yield* changedScope(change);
}

const SELECT_PIN_KEYS = `SELECT key FROM pins WHERE scope = $1`;

function* applyToPin(change: Change, event: RecordedEvent): Operation<void> {
  const scope = { tenantId: change.row.tenant, sessionId: change.row.session };
  for (const [key] of yield* change.transaction.all(SELECT_PIN_KEYS, change.row.id)) {
    if (!equalBytes(itemHashOf(change.hashKey, "pin", scope, key as string), event.keyHash)) continue;
    yield* erasePin(change, key as string);
    return;
  }
  yield* changedScope(change);
}
