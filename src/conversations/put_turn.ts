/** Putting a turn: a new one at the end, or a revision in its place; what derived from the old one goes. */

import { checksumOf } from "../canonical/checksum.ts";
import type { Message } from "../contracts/message.ts";
import type { TimedTurn } from "../contracts/turn.ts";
import { unpackTurn } from "../contracts/stored/unpack.ts";
import { changedScope, changedTurn, eraseMessageIds } from "../deletion/cascade.ts";
import { deletedMessages } from "../deletion/deleted_messages.ts";
import { noteUnindexed } from "../deletion/erase_index.ts";
import { itemHashOf } from "../deletion/scope_hashes.ts";
import { bytesOf, noteExpiry, noteWriting, readScope, type ScopeRow, writeScope } from "../tables/scopes.ts";
import { type Tombstone, tombstoneOf } from "../deletion/tombstones.ts";
import { clockBehind, hasPassed } from "../engine/effective_time.ts";
import { known, type Operation, together, type WriteTransaction } from "../engine/operation.ts";
import { answerOf, findOperation, type OperationKey } from "../tables/operation_ids.ts";
import { ConflictError, ContractError, IntegrityError } from "../errors.ts";
import type { GivenMedia } from "../media/given_media.ts";
import { findMedia, type FoundMedia, writeMedia } from "../media/turn_media.ts";
import { CLOCK_BEHIND_MS_MAX } from "../limits.ts";
import type { Place } from "../scopes/place.ts";
import { absence, changeOf, requireRevision, requireUpkept } from "../scopes/present_scope.ts";
import { makeRoomForOperation, rememberScopeOperation } from "./remember_scope_operation.ts";
import {
  insertMessageIds,
  insertTurn,
  requirePayload,
  SELECT_TURN_HEAD,
  SELECT_TURN_OF_MESSAGE,
  toTurnHead,
  type TurnHead,
  updateTurn,
} from "../tables/turns.ts";

/** How large a scope may become. */
export interface ScopeLimits {
  readonly turns: number;
  readonly bytes: number;
  /** Of all media of one turn. */
  readonly mediaBytes: number;
}

/** A deadline, as milliseconds and as it was given. */
export interface Deadline {
  readonly expiryMs: number;
  readonly text: string;
  /** The option that it was given in; absent where it is a field of what is put. */
  readonly option?: "ttl" | "expiresAt";
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
  /** Bytes that came with the messages. */
  readonly media: GivenMedia;
  /** About how many bytes are written. */
  readonly groupBytes: number;
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

/** Puts a turn; returns the scope's new revision. */
export function* putTurn(transaction: WriteTransaction, plan: PutTurnPlan): Operation<number> {
  const before = yield* readBefore(transaction, plan);
  if (before.row === null) throw yield* absence(transaction, plan.place);
  return yield* putTurnInto(transaction, before.row, plan, before);
}

/** What a put reads first: everything that can be found by a hash. */
export interface Before {
  readonly row: ScopeRow | null;
  /** The first answer to the operation. */
  readonly recalled: number | null;
  /** What remains of an earlier turn with the id; null where it was not read. */
  readonly tombstone: Tombstone | null;
  /** What is still to be written of a scope that the call creates. */
  readonly creation?: Operation<unknown>;
}

/** Reads it. */
export function* readBefore(
  transaction: WriteTransaction,
  { place, turnId, revision, operation }: PutTurnPlan,
): Operation<Before> {
  const [row, remembered, tombstone] = yield* together([
    readScope(transaction, place.scopeHash),
    findOperation(transaction, operation),
    // A later revision mostly follows a turn that is there.
    revision === 1 ? readTombstone(transaction, place, turnId) : known(null),
  ]);
  // Where there is no scope, what is remembered is of one that was erased, and goes with the rest of it.
  const recalled = row === null ? null : answerOf(transaction, operation, remembered);
  return { row, recalled, tombstone };
}

/** What remains of an earlier turn with an id. */
export function readTombstone(
  transaction: WriteTransaction,
  { hashKey, scope, scopeHash }: Place,
  turnId: string,
): Operation<Tombstone> {
  return tombstoneOf(transaction, scopeHash, itemHashOf(hashKey, "turn", scope, turnId));
}

/** Puts a turn, unless the call is a repetition. */
export function* putTurnInto(
  transaction: WriteTransaction,
  row: ScopeRow,
  given: PutTurnPlan,
  { recalled, tombstone, creation = known(undefined) }: Before,
): Operation<number> {
  if (recalled !== null) return recalled;
  requireUpkept(transaction, row);
  if (given.expectedRevision !== null) requireRevision(row, given.expectedRevision);
  const { operation, place } = given;
  const [old, owners, deleted, media] = yield* together([
    readTurnHead(transaction, row, given.turnId),
    messageOwners(transaction, row, given.messages),
    deletedMessages(transaction, place, given),
    findMedia(transaction, row, given),
    makeRoomForOperation(transaction, row, operation),
    creation,
    noteWriting(transaction, row),
  ]);
  const plan = yield* completed(transaction, given, row, { old, tombstone });
  requireFuture(transaction, plan.expiry, { action: "put turn", field: "expiresAt" });
  requireCapacity(row, plan, { old, media });
  requireOwnMessageIds(plan, { owners, deleted }, old);
  if (old === null) {
    // What is written of a new turn depends on no reply, and writeTurn() changes the row before it yields.
    yield* together([
      writeTurn(transaction, row, plan, { old, media }),
      rememberScopeOperation(transaction, row, operation, row.revision + 1),
      writeScope(transaction, row),
    ]);
    return row.revision;
  }
  yield* writeTurn(transaction, row, plan, { old, media });
  yield* together([
    rememberScopeOperation(transaction, row, operation, row.revision),
    writeScope(transaction, row),
  ]);
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
  { old, tombstone }: { readonly old: TurnHead | null; readonly tombstone: Tombstone | null },
): Operation<PutTurnPlan> {
  const before = old?.revision ?? (yield* lastRevision(transaction, plan, tombstone));
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

/** The last revision of a turn that is not there any more; 0 if there never was one. */
function* lastRevision(
  transaction: WriteTransaction,
  { place, turnId }: PutTurnPlan,
  tombstone: Tombstone | null,
): Operation<number> {
  const { reserved, floor } = tombstone ?? (yield* readTombstone(transaction, place, turnId));
  if (reserved) throw new ConflictError("DELETED", "Cannot put turn: its id is permanently reserved");
  return floor;
}

/** A deadline that has passed would erase what is being put; one that a wrong clock set would come too early. */
export function requireFuture(
  transaction: WriteTransaction,
  expiry: Deadline | null | "keep",
  { action, field: own }: { readonly action: string; readonly field: string },
): void {
  if (expiry === null || expiry === "keep") return;
  const field = expiry.option ?? own;
  const { behindMs } = transaction.time();
  if (field === "ttl" && behindMs > CLOCK_BEHIND_MS_MAX) throw clockBehind(behindMs, { action, field });
  if (!hasPassed(transaction.time(), expiry.expiryMs, { action, field })) return;
  throw new ContractError(field, `${field} must lie in the future`);
}

/** Requires that the scope stays within its limits. */
export function requireCapacity(
  row: ScopeRow,
  { bytes, limits }: Pick<PutTurnPlan, "bytes" | "limits">,
  { old, media: { addedBytes } }: { readonly old: TurnHead | null; readonly media: FoundMedia },
): void {
  const turns = row.turns + (old === null ? 1 : 0);
  const total = bytesOf(row) + addedBytes + bytes - (old?.bytes ?? 0);
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

/** A message id that another turn has would make every context of the scope fail; a deleted one stays deleted. */
function requireOwnMessageIds(
  { messagesField }: PutTurnPlan,
  { owners, deleted: [deleted] }: {
    readonly owners: readonly (number | null)[];
    readonly deleted: readonly number[];
  },
  old: TurnHead | null,
): void {
  const taken = owners.findIndex((owner) => owner !== null && owner !== old?.id);
  if (taken !== -1) {
    const field = `${messagesField}[${taken}].messageId`;
    throw new ContractError(field, `${field} must be unique in its scope`);
  }
  if (deleted === undefined) return;
  const field = `${messagesField}[${deleted}].messageId`;
  throw new ConflictError("DELETED", `Cannot put turn: ${field} is of a message that was deleted`, {
    details: { field },
  });
}

/** For each message the row of the turn of the scope that has its id; null where none has. */
export function* messageOwners(
  transaction: WriteTransaction,
  row: ScopeRow,
  messages: readonly Message[],
): Operation<readonly (number | null)[]> {
  const keys = messages.map(({ messageId }) => [row.id, messageId]);
  const found = yield* transaction.getEach(SELECT_TURN_OF_MESSAGE, keys);
  return found.map((owner) => (owner?.[0] ?? null) as number | null);
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

/** What is written of a turn. */
type WrittenTurn = Pick<
  PutTurnPlan,
  "place" | "turnId" | "revision" | "messages" | "media" | "payload" | "bytes" | "expiry"
>;

/**
 * Writes a turn, once everything is validated; the caller writes the scope's row. For a new turn, the row is changed
 * before anything is yielded, and everything is written at once.
 */
export function* writeTurn(
  transaction: WriteTransaction,
  row: ScopeRow,
  plan: WrittenTurn,
  { old, media }: { readonly old: TurnHead | null; readonly media: FoundMedia },
): Operation<void> {
  const change = changeOf(transaction, plan.place, row);
  const id = old?.id ?? transaction.nextId("turns");
  const turn = { id, scope: row.id, ...planHead(plan, old), payload: plan.payload };
  const messageIds = plan.messages.map(({ messageId }) => messageId);
  const insertIds = insertMessageIds(transaction, { scope: row.id, turn: id, messageIds });
  row.turnBytes += turn.bytes - (old?.bytes ?? 0);
  noteExpiry(row, turn.expires);
  if (old === null) {
    row.turns++;
    yield* together([
      changedScope(change),
      insertTurn(transaction, turn),
      insertIds,
      writeMedia(change, id, media, { media: plan.media, isRevision: false }),
    ]);
    return;
  }
  transaction.markDirty("turns");
  yield* together([
    updateTurn(transaction, turn),
    eraseMessageIds(change, id),
    changedTurn(change, id),
    writeMedia(change, id, media, { media: plan.media, isRevision: true }),
  ]);
  yield* together([insertIds, noteUnindexed(transaction, row.id, id)]);
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
    expires: kept ? old?.expires ?? null : deadline?.expiryMs ?? null,
    expiresAt: kept ? old?.expiresAt ?? null : deadline?.text ?? null,
    payloadChecksum: checksumOf(plan.payload),
  };
}
