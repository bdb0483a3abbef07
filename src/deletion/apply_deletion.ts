/** Applies an event that another process recorded, or that a backup lacks, to a conversation: finds its target by hash. */

import { toHex } from "../canonical/keyed_hash.ts";
import type { Operation, RecordedEvent, WriteTransaction } from "../engine/operation.ts";
import {
  type Change,
  changedScope,
  type ErasableTurn,
  eraseByScopeHash,
  erasePin,
  eraseScope,
  eraseTurn,
  nothingErased,
} from "./cascade.ts";
import { eraseEntriesFrom, eraseJournal } from "./erase_journals.ts";
import { reserveMessages } from "./deleted_messages.ts";
import { targetsOf } from "./event_targets.ts";
import { itemHashOf } from "./scope_hashes.ts";
import { SELECT_JOURNALS, toJournalUnchecked, writeJournal } from "../tables/journals.ts";
import { readScopeUnchecked, writeScope } from "../tables/scopes.ts";
import { SELECT_PIN_KEYS } from "../tables/pins.ts";

/** Erases the target whatever its revision: the order of events decides. */
export function* applyDeletion(
  transaction: WriteTransaction,
  event: RecordedEvent,
  hashKey: Uint8Array,
): Operation<void> {
  // Also where the scope or turn is not there: it may be made again, and a client may send the message again.
  yield* reserveMessages(transaction, event.scopeHash, event.hashes ?? []);
  const found = yield* readScopeUnchecked(transaction, event.scopeHash);
  if (found === null) {
    if (event.kind === "scope") yield* eraseByScopeHash(transaction, event.scopeHash);
    return;
  }
  const { row, isIntact } = found;
  const change = { transaction, row, hashKey, erased: nothingErased() };
  if (event.kind === "scope") {
    yield* eraseScope(change);
    return;
  }
  if (event.kind === "turn") yield* applyToTurn(change, event);
  else if (event.kind === "journal") yield* applyToJournal(change, event);
  else yield* applyToPin(change, event);
  // A damaged row is left as it is: a fresh checksum would hide the damage, and a refusal would stop every tenant.
  if (isIntact) yield* writeScope(transaction, row);
}

const SELECT_TURN_IDS = `SELECT id, turn_id, bytes FROM turns WHERE scope = $1`;

function* applyToTurn(change: Change, event: RecordedEvent): Operation<void> {
  const { transaction, row, hashKey } = change;
  const scope = { tenantId: row.tenant, sessionId: row.session };
  const turns = yield* targetsOf(
    transaction,
    `turns ${row.id}`,
    function* (): Operation<Map<string, ErasableTurn>> {
      const rows = yield* transaction.all(SELECT_TURN_IDS, row.id);
      return new Map(rows.map(([id, turnId, bytes]) => [
        toHex(itemHashOf(hashKey, "turn", scope, turnId as string)),
        { id: id as number, bytes: bytes as number },
      ]));
    },
  );
  const key = toHex(event.keyHash);
  const turn = turns.get(key);
  if (turn === undefined) {
    yield* changedScope(change);
  } else {
    turns.delete(key);
    yield* eraseTurn(change, turn);
  }
}

function* applyToPin(change: Change, event: RecordedEvent): Operation<void> {
  const { transaction, row, hashKey } = change;
  const scope = { tenantId: row.tenant, sessionId: row.session };
  const pins = yield* targetsOf(transaction, `pins ${row.id}`, function* (): Operation<Map<string, string>> {
    const rows = yield* transaction.all(SELECT_PIN_KEYS, row.id);
    return new Map(
      rows.map(([key]) => [toHex(itemHashOf(hashKey, "pin", scope, key as string)), key as string]),
    );
  });
  const pin = pins.get(toHex(event.keyHash));
  if (pin === undefined) yield* changedScope(change);
  else yield* erasePin(change, pin);
}

/** A journal that was deleted goes with its row; one that was cleared keeps it, and its revision moves on. */
function* applyToJournal(change: Change, event: RecordedEvent): Operation<void> {
  const { transaction, row, hashKey } = change;
  const scope = { tenantId: row.tenant, sessionId: row.session };
  const key = toHex(event.keyHash);
  // Few of them, and a row changes with each event: they are read again.
  for (const found of yield* transaction.all(SELECT_JOURNALS, row.id)) {
    const { row: journal, isIntact } = toJournalUnchecked(found);
    if (toHex(itemHashOf(hashKey, "journal", scope, journal.part)) !== key) continue;
    if (event.reserved) yield* eraseJournal(change, journal);
    else {
      yield* eraseEntriesFrom(change, journal, 0);
      if (isIntact) yield* writeJournal(transaction, journal);
    }
  }
}
