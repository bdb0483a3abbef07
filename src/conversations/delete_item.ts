/** Deleting a scope, a turn or a pin: for ever, with a place in the ledger. */

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
import { IntegrityError } from "../errors.ts";
import type { Place } from "../scopes/place.ts";
import { absence, changeOf, requireRevision, requireUpkept } from "../scopes/present_scope.ts";
import { makeRoomForOperation, rememberScopeOperation } from "./remember_scope_operation.ts";
import { SELECT_PIN_REVISION } from "../tables/pins.ts";

/** A deletion, validated. */
export interface DeletePlan {
  readonly place: Place;
  readonly kind: "scope" | "turn" | "pin";
  readonly key: string;
  readonly expectedRevision: number;
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
    reserved: true,
    floor,
    counts,
    ...messages.length === 0 ? {} : { messages },
  });
  return { when: "now", place: eventPlace, erased, isDraining: change.isDraining ?? false };
}

/** An earlier deletion of the same thing. The operation id must not stand for anything else. */
function* findDeletion(
  transaction: WriteTransaction,
  { operation }: DeletePlan,
  keyHash: Uint8Array,
): Operation<Deleted | null> {
  const [recalled, events] = yield* together([
    recallOperation(transaction, operation),
    transaction.eventsOf(keyHash),
  ]);
  const event = events.find(({ reserved }) => reserved);
  return event === undefined ? null : { when: "before", event, already: recalled === null };
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
  requireRevision(found.row, plan.expectedRevision);
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
    : { floor: yield* erasePinByKey(change, plan.key), messages: [] };
  yield* makeRoomForOperation(transaction, row, plan.operation);
  yield* together([
    rememberScopeOperation(transaction, row, plan.operation, 1),
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

function* erasePinByKey(change: Change, key: string): Operation<number> {
  const found = yield* change.transaction.get(SELECT_PIN_REVISION, change.row.id, key);
  if (found === undefined) {
    yield* changedScope(change);
    return 0;
  }
  yield* erasePin(change, key);
  return found[0] as number;
}
