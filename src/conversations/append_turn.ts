/** Appending a turn: the scope is made where there is none; messages that are there already may be skipped. */

import type { Message } from "../contracts/message.ts";
import { deletedMessages } from "../deletion/deleted_messages.ts";
import { known, type Operation, together, type WriteTransaction } from "../engine/operation.ts";
import { hashOfSubject, hashOfSubjectOrNull, isSameSubject } from "../tables/subjects.ts";
import { ConflictError } from "../errors.ts";
import { planScope } from "../scopes/ensure_scope.ts";
import { requireUpkept } from "../scopes/present_scope.ts";
import { NO_DESCRIPTION, writeDescription } from "../tables/descriptions.ts";
import { insertScope, type ScopeRow, writeScope } from "../tables/scopes.ts";
import {
  type Before,
  messageOwners,
  putTurnInto,
  type PutTurnPlan,
  readBefore,
  readTombstone,
  readTurnHead,
} from "./put_turn.ts";
import { makeRoomForOperation, rememberScopeOperation } from "./remember_scope_operation.ts";

/** An append, validated and encoded. */
export interface AppendPlan extends PutTurnPlan {
  /** Whether messages that are there already, or were deleted, are left out. */
  readonly skipsDuplicates: boolean;
  /** The person whose session it is; null where the caller does not say. */
  readonly subject: string | null;
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

/** Appends a turn, and creates the scope if there is none. */
export function* appendTurn(
  transaction: WriteTransaction,
  plan: AppendPlan,
  generation: number,
): Operation<AppendResult> {
  const found = yield* readBefore(transaction, plan);
  if (found.row !== null && found.recalled === null) requireSameSubject(found.row, plan);
  const { row, creation } = found.row === null
    ? yield* creationOf(transaction, plan, generation)
    : { row: found.row, creation: known(undefined) };
  if (plan.skipsDuplicates) {
    yield* creation;
    return yield* appendNew(transaction, row, plan, found);
  }
  const revision = yield* putTurnInto(transaction, row, plan, { ...found, creation });
  return { revision, turnId: plan.turnId, skipped: [] };
}

/** The row of a scope that is not there, and what has to be written to create it, with its subject if the call says one. */
function* creationOf(
  transaction: WriteTransaction,
  { place, subject }: AppendPlan,
  generation: number,
): Operation<{ readonly row: ScopeRow; readonly creation: Operation<unknown> }> {
  const hash = hashOfSubjectOrNull(place.hashKey, place.scope.tenantId, subject);
  const row = yield* planScope(transaction, place, generation, hash);
  const insert = insertScope(transaction, row);
  if (subject === null) return { row, creation: insert };
  const describe = writeDescription(transaction, row.id, { ...NO_DESCRIPTION, names: [subject] }, true);
  return { row, creation: together([insert, describe]) };
}

/** A session has one subject for good, unless `describe` changes it: that is an event of the ledger. */
function requireSameSubject(row: ScopeRow, { place, subject }: AppendPlan): void {
  if (subject === null) return;
  const hash = hashOfSubject(place.hashKey, place.scope.tenantId, subject);
  if (isSameSubject(row.subject, hash)) return;
  throw new ConflictError(
    "SUBJECT",
    "Cannot append: the session has another subject, or none; describe changes it",
  );
}

/** Appends those messages that are new. */
function* appendNew(
  transaction: WriteTransaction,
  row: ScopeRow,
  plan: AppendPlan,
  before: Before,
): Operation<AppendResult> {
  requireUpkept(transaction, row);
  const { recalled } = before;
  const kept = recalled === null
    ? yield* newMessages(transaction, row, plan)
    : yield* messagesOfTurn(transaction, row, plan);
  const result = {
    turnId: kept.length === 0 ? null : plan.turnId,
    skipped: plan.messages.filter((message) => !kept.includes(message)).map(({ messageId }) => messageId),
  };
  if (recalled !== null) return { revision: recalled, ...result };
  if (kept.length > 0) {
    const changed = { ...plan, messages: kept, ...plan.changed({ messages: kept }) };
    return { revision: yield* putTurnInto(transaction, row, changed, before), ...result };
  }
  if (plan.operation !== null) {
    yield* makeRoomForOperation(transaction, row, plan.operation);
    yield* together([
      rememberScopeOperation(transaction, row, plan.operation, row.revision),
      writeScope(transaction, row),
    ]);
  }
  return { revision: row.revision, ...result };
}

/** The messages whose ids neither the scope has nor a deleted message had. */
function* newMessages(
  transaction: WriteTransaction,
  row: ScopeRow,
  { place, turnId, messages }: AppendPlan,
): Operation<readonly Message[]> {
  const [owners, deleted] = yield* together([
    messageOwners(transaction, row, messages),
    deletedMessages(transaction, place, { turnId, messages }),
  ]);
  return messages.filter((_, index) => owners[index] === null && !deleted.includes(index));
}

/** The messages that a repeated call stored: those of its turn, and all that are gone, if the turn is gone. */
function* messagesOfTurn(
  transaction: WriteTransaction,
  row: ScopeRow,
  { place, messages, turnId }: AppendPlan,
): Operation<readonly Message[]> {
  const [turn, { reserved, floor }, owners] = yield* together([
    readTurnHead(transaction, row, turnId),
    readTombstone(transaction, place, turnId),
    messageOwners(transaction, row, messages),
  ]);
  if (turn === null && !reserved && floor === 0) return [];
  return messages.filter((_, index) => owners[index] === (turn?.id ?? null));
}
