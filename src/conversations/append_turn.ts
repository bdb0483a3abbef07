/** Appending a turn: the scope is made where there is none; messages that are there already may be skipped. */

import type { Message } from "../contracts/message.ts";
import { deletedMessages } from "../deletion/deleted_messages.ts";
import { itemHashOf } from "../deletion/scope_hashes.ts";
import { tombstoneOf } from "../deletion/tombstones.ts";
import type { Operation, WriteTransaction } from "../engine/operation.ts";
import { ensureScope } from "../scopes/ensure_scope.ts";
import { requireUpkept } from "../scopes/present_scope.ts";
import { recallOperation } from "../tables/operation_ids.ts";
import { type ScopeRow, writeScope } from "../tables/scopes.ts";
import { putTurnInto, type PutTurnPlan, readTurnHead } from "./put_turn.ts";
import { turnOfMessage } from "./put_turn.ts";
import { rememberScopeOperation } from "./remember_scope_operation.ts";

/** An append, validated and encoded. */
export interface AppendPlan extends PutTurnPlan {
  /** Whether messages that are there already, or were deleted, are left out. */
  readonly skipsDuplicates: boolean;
}

/** What an append did. */
interface AppendResult {
  /** The scope's revision. */
  readonly revision: number;
  /** The turn; null if nothing was stored. */
  readonly turnId: string | null;
  /** The ids of messages that were left out. */
  readonly skipped: readonly string[];
}

/** Appends a turn. */
export function* appendTurn(
  transaction: WriteTransaction,
  plan: AppendPlan,
  generation: number,
): Operation<AppendResult> {
  const row = yield* ensureScope(transaction, plan.place, generation);
  const { operation, skipsDuplicates, turnId } = plan;
  const recalled = operation === null ? null : yield* recallOperation(transaction, operation);
  if (!skipsDuplicates) {
    return { revision: recalled ?? (yield* putTurnInto(transaction, row, plan)), turnId, skipped: [] };
  }
  requireUpkept(transaction, row);
  const kept = recalled === null
    ? yield* newMessages(transaction, row, plan)
    : yield* messagesOfTurn(transaction, row, plan);
  const skipped = plan.messages.filter((message) => !kept.includes(message)).map(({ messageId }) =>
    messageId
  );
  const result = { turnId: kept.length === 0 ? null : turnId, skipped };
  if (recalled !== null) return { revision: recalled, ...result };
  if (kept.length > 0) {
    const changed = { ...plan, messages: kept, ...plan.changed({ messages: kept }) };
    return { revision: yield* putTurnInto(transaction, row, changed), ...result };
  }
  if (operation !== null) {
    yield* rememberScopeOperation(transaction, row, operation, row.revision);
    yield* writeScope(transaction, row);
  }
  return { revision: row.revision, ...result };
}

/** Messages whose ids are neither in the scope nor of messages that were deleted from it. */
function* newMessages(
  transaction: WriteTransaction,
  row: ScopeRow,
  { place, turnId, messages }: AppendPlan,
): Operation<readonly Message[]> {
  const absent: Message[] = [];
  for (const message of messages) {
    if ((yield* turnOfMessage(transaction, row, message.messageId)) === null) absent.push(message);
  }
  const deleted = new Set(yield* deletedMessages(transaction, place, { turnId, messages: absent }));
  return absent.filter((_, index) => !deleted.has(index));
}

/** The messages that a repeated call stored: those of its turn, and all that are gone, if the turn is gone. */
function* messagesOfTurn(
  transaction: WriteTransaction,
  row: ScopeRow,
  { place, messages, turnId }: AppendPlan,
): Operation<readonly Message[]> {
  const turn = yield* readTurnHead(transaction, row, turnId);
  const keyHash = itemHashOf(place.hashKey, "turn", place.scope, turnId);
  const { reserved, floor } = yield* tombstoneOf(transaction, place.scopeHash, keyHash);
  if (turn === null && !reserved && floor === 0) return [];
  const stored: Message[] = [];
  for (const message of messages) {
    if ((yield* turnOfMessage(transaction, row, message.messageId)) === (turn?.id ?? null)) {
      stored.push(message);
    }
  }
  return stored;
}
