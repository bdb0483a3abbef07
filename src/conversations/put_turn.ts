/** Putting a turn: a new one at the end, or a revision in its place; what derived from the old one goes. */

import { checksumOf } from "../canonical/checksum.ts";
import type { Message } from "../contracts/message.ts";
import type { TimedTurn } from "../contracts/turn.ts";
import { unpackTurn } from "../contracts/stored/unpack.ts";
import { changedScope, changedTurn, eraseMessageIds } from "../deletion/cascade.ts";
import { deletedMessages } from "../deletion/deleted_messages.ts";
import { noteUnindexed } from "../deletion/erase_index.ts";
import { itemHashOf } from "../deletion/scope_hashes.ts";
import { noteExpiry, type ScopeRow, writeScope } from "../tables/scopes.ts";
import { tombstoneOf } from "../deletion/tombstones.ts";
import { hasPassed } from "../engine/effective_time.ts";
import type { Operation, WriteTransaction } from "../engine/operation.ts";
import { type OperationKey, recallOperation } from "../tables/operation_ids.ts";
import { ConflictError, ContractError, IntegrityError } from "../errors.ts";
import type { Place } from "../scopes/place.ts";
import { changeOf, requireRevision, requireScope, requireUpkept } from "../scopes/present_scope.ts";
import { rememberScopeOperation } from "./remember_scope_operation.ts";
import {
  insertMessageIds,
  insertTurn,
  requirePayload,
  SELECT_TURN_HEAD,
  toTurnHead,
  type TurnHead,
  updateTurn,
} from "../tables/turns.ts";

/** How large a scope may become. */
export interface ScopeLimits {
  readonly turns: number;
  readonly bytes: number;
}

/** A deadline, as milliseconds and as it was given. */
export interface Deadline {
  readonly dueMs: number;
  readonly text: string;
}

/** A turn as it is stored. */
export interface EncodedTurn {
  readonly payload: string;
  /** UTF-8 bytes of the payload. */
  readonly bytes: number;
}

/** What is only known once the store was read. */
type Change = Partial<Pick<TimedTurn, "revision" | "timestamp" | "messages">>;

/** A put, validated and encoded. */
export interface PutTurnPlan extends EncodedTurn {
  readonly place: Place;
  readonly turnId: string;
  readonly revision: number;
  /** Whether the revision was left out: it is then the next one. */
  readonly isRevisionOpen: boolean;
  /** Whether the time was left out: a revision then keeps the turn's. */
  readonly isTimeOpen: boolean;
  readonly messages: readonly Message[];
  /** The path of the messages in the arguments, for errors. */
  readonly messagesField: string;
  /** Encodes the turn with a change. */
  readonly changed: (change: Change) => EncodedTurn;
  /** Null clears it, `"keep"` leaves what is there. */
  readonly expiry: Deadline | null | "keep";
  /** The scope's revision; null takes whatever it is. */
  readonly expectedRevision: number | null;
  readonly operation: OperationKey | null;
  readonly limits: ScopeLimits;
}

/** Puts a turn; gives the scope's new revision. */
export function* putTurn(transaction: WriteTransaction, plan: PutTurnPlan): Operation<number> {
  const row = yield* requireScope(transaction, plan.place);
  if (plan.operation !== null) {
    const recalled = yield* recallOperation(transaction, plan.operation);
    if (recalled !== null) return recalled;
  }
  return yield* putTurnInto(transaction, row, plan);
}

/** Puts a turn, once it is known that the call is no repetition. */
export function* putTurnInto(
  transaction: WriteTransaction,
  row: ScopeRow,
  given: PutTurnPlan,
): Operation<number> {
  requireUpkept(transaction, row);
  if (given.expectedRevision !== null) requireRevision(row, given.expectedRevision);
  const old = yield* readTurnHead(transaction, row, given.turnId);
  const plan = yield* completed(transaction, given, row, old);
  requireFuture(transaction, plan.expiry, { action: "put turn", field: "expiresAt" });
  requireCapacity(row, plan, old);
  yield* requireOwnMessageIds(transaction, row, plan, old);
  yield* writeTurn(transaction, row, plan, old);
  if (plan.operation !== null) yield* rememberScopeOperation(transaction, row, plan.operation, row.revision);
  yield* writeScope(transaction, row);
  return row.revision;
}

/** A turn's row without its payload; null if there is none. */
export function* readTurnHead(
  transaction: WriteTransaction,
  scope: ScopeRow,
  turnId: string,
): Operation<TurnHead | null> {
  const row = yield* transaction.get(SELECT_TURN_HEAD, scope.id, turnId);
  return row === undefined ? null : toTurnHead(scope, row);
}

/** The plan with what was left out: the next revision, and the time of the turn that is revised. */
function* completed(
  transaction: WriteTransaction,
  plan: PutTurnPlan,
  row: ScopeRow,
  old: TurnHead | null,
): Operation<PutTurnPlan> {
  const before = yield* revisionBefore(transaction, plan, old);
  if (!plan.isRevisionOpen && plan.revision !== before + 1) {
    throw new ConflictError(
      "REVISION",
      `Cannot put turn: its revision must be ${before + 1}, received ${plan.revision}`,
      { currentRevision: before },
    );
  }
  const revision = before + 1;
  const timestamp = plan.isTimeOpen && old !== null ? yield* readTime(transaction, row, old) : null;
  if (revision === plan.revision && timestamp === null) return plan;
  return { ...plan, revision, ...plan.changed({ revision, ...(timestamp === null ? {} : { timestamp }) }) };
}

function* revisionBefore(
  transaction: WriteTransaction,
  { place, turnId }: PutTurnPlan,
  old: TurnHead | null,
): Operation<number> {
  if (old !== null) return old.revision;
  const keyHash = itemHashOf(place.hashKey, "turn", place.scope, turnId);
  const { reserved, floor } = yield* tombstoneOf(transaction, place.scopeHash, keyHash);
  if (reserved) throw new ConflictError("DELETED", "Cannot put turn: its id was deleted for ever");
  return floor;
}

/** A deadline that has passed would erase what is being put. */
export function requireFuture(
  transaction: WriteTransaction,
  expiry: Deadline | null | "keep",
  given: { readonly action: string; readonly field: string },
): void {
  if (expiry === null || expiry === "keep" || !hasPassed(transaction.time(), expiry.dueMs, given)) return;
  throw new ContractError(given.field, `${given.field} must lie in the future`);
}

/** Requires that the scope stays within its limits. */
export function requireCapacity(
  row: ScopeRow,
  { bytes, limits }: Pick<PutTurnPlan, "bytes" | "limits">,
  old: TurnHead | null,
): void {
  const turns = row.turns + (old === null ? 1 : 0);
  const total = row.turnBytes + bytes - (old?.bytes ?? 0);
  if (turns <= limits.turns && total <= limits.bytes) return;
  const option = turns > limits.turns ? "turnsPerScope" : "bytesPerScope";
  throw new ConflictError(
    "CAPACITY",
    `Cannot put turn: the scope would exceed its limits; limits.${option} of openMemory raises this one`,
    {
      details: {
        turns,
        turnsMax: limits.turns,
        bytes: total,
        bytesMax: limits.bytes,
        option: `limits.${option}`,
      },
    },
  );
}

/** A message id that another turn has would make every context of the scope fail; one that was deleted stays so. */
function* requireOwnMessageIds(
  transaction: WriteTransaction,
  row: ScopeRow,
  { place, turnId, messages, messagesField }: PutTurnPlan,
  old: TurnHead | null,
): Operation<void> {
  const taken = yield* takenMessageId(transaction, row, messages, old);
  if (taken !== null) {
    const field = `${messagesField}[${taken}].messageId`;
    throw new ContractError(field, `${field} must be unique in its scope`);
  }
  const [deleted] = yield* deletedMessages(transaction, place, { turnId, messages });
  if (deleted === undefined) return;
  const field = `${messagesField}[${deleted}].messageId`;
  throw new ConflictError("DELETED", `Cannot put turn: ${field} is of a message that was deleted`, {
    details: { field },
  });
}

/** The first message whose id another turn of the scope has; null if there is none. */
export function* takenMessageId(
  transaction: WriteTransaction,
  row: ScopeRow,
  messages: readonly Message[],
  old: TurnHead | null,
): Operation<number | null> {
  for (const [index, { messageId }] of messages.entries()) {
    const turn = yield* turnOfMessage(transaction, row, messageId);
    if (turn !== null && turn !== old?.id) return index;
  }
  return null;
}

const SELECT_MESSAGE_ID = `SELECT turn FROM message_ids WHERE scope = $1 AND message_id = $2`;

/** The row of the turn that has a message; null if the scope has no such message. */
export function* turnOfMessage(
  transaction: WriteTransaction,
  row: ScopeRow,
  messageId: string,
): Operation<number | null> {
  return ((yield* transaction.get(SELECT_MESSAGE_ID, row.id, messageId))?.[0] ?? null) as number | null;
}

const SELECT_PAYLOAD = `SELECT payload FROM turns WHERE id = $1`;

/** The time of a turn that is revised; null where it cannot be read, because its payload is damaged. */
function* readTime(transaction: WriteTransaction, scope: ScopeRow, old: TurnHead): Operation<string | null> {
  const row = yield* transaction.get(SELECT_PAYLOAD, old.id);
  try {
    return unpackTurn(requirePayload(scope, old, row?.[0])).timestamp;
  } catch (error) {
    if (error instanceof IntegrityError) return null;
    throw error;
  }
}

const SELECT_NEXT_TURN_ID = `SELECT coalesce(max(id), 0) + 1 FROM turns`;

/** What is written of a turn. */
type WrittenTurn = Pick<
  PutTurnPlan,
  "place" | "turnId" | "revision" | "messages" | "payload" | "bytes" | "expiry"
>;

/** Writes a turn, once everything is validated; the caller writes the scope's row. */
export function* writeTurn(
  transaction: WriteTransaction,
  row: ScopeRow,
  plan: WrittenTurn,
  old: TurnHead | null,
): Operation<void> {
  const change = changeOf(transaction, plan.place, row);
  const id = old?.id ?? (yield* transaction.get(SELECT_NEXT_TURN_ID))![0] as number;
  const turn = { id, scope: row.id, ...planHead(plan, old), payload: plan.payload };
  if (old === null) {
    yield* insertTurn(transaction, turn);
    row.turns++;
    yield* changedScope(change);
  } else {
    yield* updateTurn(transaction, turn);
    transaction.markDirty("turns");
    yield* eraseMessageIds(change, id);
    yield* changedTurn(change, id);
  }
  const messageIds = plan.messages.map(({ messageId }) => messageId);
  yield* insertMessageIds(transaction, { scope: row.id, turn: id, messageIds });
  yield* noteUnindexed(transaction, row.id, id);
  row.turnBytes += turn.bytes - (old?.bytes ?? 0);
  noteExpiry(row, turn.expires);
}

function planHead(
  plan: WrittenTurn,
  old: TurnHead | null,
): Omit<TurnHead, "id" | "scope" | "checksum"> {
  const kept = plan.expiry === "keep";
  const deadline = kept || plan.expiry === null ? null : plan.expiry as Deadline;
  return {
    turnId: plan.turnId,
    revision: plan.revision,
    bytes: plan.bytes,
    expires: kept ? old?.expires ?? null : deadline?.dueMs ?? null,
    expiresAt: kept ? old?.expiresAt ?? null : deadline?.text ?? null,
    payloadChecksum: checksumOf(plan.payload),
  };
}
