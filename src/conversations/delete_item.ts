/** Deleting a scope, a turn or a pin, with a place in the ledger: for ever, or a pin so that its key can be used again. */

import {
  type Change,
  changedScope,
  type Erased,
  erasePin,
  eraseScope,
  eraseTurn,
} from "../deletion/cascade.ts";
import { hashesOfMessages, reserveMessages } from "../deletion/deleted_messages.ts";
import { itemHashOf } from "../deletion/scope_hashes.ts";
import { type ScopeRow, SELECT_SCOPE, toScopeUnchecked, writeScope } from "../tables/scopes.ts";
import {
  type EventPlace,
  type Operation,
  type RecordedEvent,
  together,
  type WriteTransaction,
} from "../engine/operation.ts";
import type { Row } from "../engine/values.ts";
import { type OperationKey, recallOperation } from "../tables/operation_ids.ts";
import { ConflictError, IntegrityError } from "../errors.ts";
import type { Place } from "../scopes/place.ts";
import { absence, changeOf, requireRevision, requireUpkept } from "../scopes/present_scope.ts";
import { makeRoomForOperation, rememberScopeOperation } from "./remember_scope_operation.ts";
import { SELECT_PIN_REVISION } from "../tables/pins.ts";

/** A deletion, validated. */
export interface DeletePlan {
  readonly place: Place;
  readonly kind: "scope" | "turn" | "pin";
  readonly key: string;
  /** Whether the identifier can never be used again; false only for a pin. */
  readonly reserved: boolean;
  /** The scope's revision; null takes whatever it is. */
  readonly expectedRevision: number | null;
  readonly operation: OperationKey | null;
}

/** A deletion that was made now, or one that had been made before. */
export type Deleted =
  | {
    readonly when: "now";
    readonly place: EventPlace;
    readonly erased: Erased;
    readonly isDraining: boolean;
  }
  | { readonly when: "before"; readonly event: RecordedEvent; readonly already: boolean };

/** Deletes, unless it was deleted before. */
export function* deleteItem(transaction: WriteTransaction, plan: DeletePlan): Operation<Deleted> {
  const { place, kind, key } = plan;
  const keyHash = kind === "scope" ? place.scopeHash : itemHashOf(place.hashKey, kind, place.scope, key);
  const [before, found] = yield* together([
    findDeletion(transaction, plan, keyHash),
    transaction.get(SELECT_SCOPE, place.scopeHash),
  ]);
  if (before !== null) return before;
  const row = yield* requireDeletable(transaction, plan, found);
  const change = changeOf(transaction, place, row);
  const { floor, messages } = yield* erase(change, plan);
  const { erased } = change;
  const counts = { ...erased };
  const eventPlace = transaction.record({
    kind,
    scopeHash: place.scopeHash,
    keyHash,
    reserved: plan.reserved,
    floor,
    counts,
    ...messages.length === 0 ? {} : { hashes: messages },
  });
  return { when: "now", place: eventPlace, erased, isDraining: change.isDraining ?? false };
}

/**
 * An earlier deletion of the same thing, or the same call of one that reserves nothing. The operation id must not stand for
 * anything else.
 */
function* findDeletion(
  transaction: WriteTransaction,
  { operation, reserved }: DeletePlan,
  keyHash: Uint8Array,
): Operation<Deleted | null> {
  const [recalled, events] = yield* together([
    recallOperation(transaction, operation),
    transaction.eventsOf(keyHash),
  ]);
  const deletion = events.find((event) => event.reserved);
  if (reserved) {
    return deletion === undefined ? null : { when: "before", event: deletion, already: recalled === null };
  }
  const same = recalled === null ? undefined : events.find((event) => event.floor === recalled);
  if (same !== undefined) return { when: "before", event: same, already: false };
  if (deletion === undefined) return null;
  throw new ConflictError("DELETED", "Cannot unpin: the key was deleted for ever");
}

/**
 * The scope's row. If it is damaged, its items cannot be changed and expired content cannot be erased, but the
 * scope from being deleted.
 */
function* requireDeletable(
  transaction: WriteTransaction,
  plan: DeletePlan,
  scope: Row | undefined,
): Operation<ScopeRow> {
  if (scope === undefined) throw yield* absence(transaction, plan.place);
  const found = toScopeUnchecked(scope);
  if (plan.kind !== "scope" && !found.isIntact) {
    throw new IntegrityError("The checksum of a scope's row does not match", {
      details: { table: "scopes" },
    });
  }
  if (found.isIntact) requireUpkept(transaction, found.row);
  if (plan.expectedRevision !== null) requireRevision(found.row, plan.expectedRevision);
  return found.row;
}

/** What an event says of what was erased. */
interface Covered {
  /** The revision that is covered; 0 if there was nothing. */
  readonly floor: number;
  /** The hashes of the message ids that are kept from coming back. */
  readonly messages: readonly Uint8Array[];
}

function* erase(change: Change, plan: DeletePlan): Operation<Covered> {
  const { transaction, row } = change;
  if (plan.kind === "scope") {
    yield* eraseScope(change);
    return { floor: row.revision, messages: [] };
  }
  const covered = plan.kind === "turn"
    ? yield* eraseTurnById(change, plan)
    : { floor: yield* erasePinByKey(change, plan), messages: [] };
  yield* makeRoomForOperation(transaction, row, plan.operation);
  yield* together([
    rememberScopeOperation(transaction, row, plan.operation, plan.reserved ? 1 : covered.floor),
    writeScope(transaction, row),
  ]);
  return covered;
}

const SELECT_TURN = `SELECT id, bytes, revision FROM turns WHERE scope = $1 AND turn_id = $2`;

function* eraseTurnById(change: Change, { place, key: turnId }: DeletePlan): Operation<Covered> {
  const { transaction, row } = change;
  const [found, messages] = yield* together([
    transaction.get(SELECT_TURN, row.id, turnId),
    hashesOfMessages(transaction, place.hashKey, place.scope, { row: row.id, turnId }),
  ]);
  if (found === undefined) {
    yield* changedScope(change);
    return { floor: 0, messages: [] };
  }
  const [id, bytes, floor] = found as [number, number, number];
  yield* together([
    reserveMessages(transaction, place.scopeHash, messages),
    eraseTurn(change, { id, bytes }),
  ]);
  return { floor, messages };
}

function* erasePinByKey(change: Change, { key, reserved }: DeletePlan): Operation<number> {
  const found = yield* change.transaction.get(SELECT_PIN_REVISION, change.row.id, key);
  if (found === undefined) {
    if (!reserved) throw new ConflictError("MISSING", "Cannot unpin: there is no pin with this key");
    yield* changedScope(change);
    return 0;
  }
  yield* erasePin(change, key);
  return found[0] as number;
}
