/** Messages that went with a deleted turn: their ids stay known as hashes, so that no client brings one back. */

import type { Message } from "../contracts/message.ts";
import type { Scope } from "../contracts/scope.ts";
import {
  type Operation,
  type ReadTransaction,
  together,
  type WriteTransaction,
} from "../engine/operation.ts";
import { itemHashOf } from "./scope_hashes.ts";
import { floorsOf, isReserved, raiseFloors } from "./tombstones.ts";

/** Ids that the store chose: of the turn that they name, and the message's place in it. */
const CHOSEN = /^(.+):[0-9]+$/s;

const SELECT_MESSAGE_IDS = `SELECT message_id FROM message_ids
  WHERE turn = (SELECT id FROM turns WHERE scope = $1 AND turn_id = $2)`;

/** The hashes of the ids that a caller gave to a turn's messages; those that the store chose go with the turn's own id. */
export function* hashesOfMessages(
  transaction: ReadTransaction,
  hashKey: Uint8Array,
  scope: Scope,
  { row, turnId }: { readonly row: number; readonly turnId: string },
): Operation<readonly Uint8Array[]> {
  const found = yield* transaction.all(SELECT_MESSAGE_IDS, row, turnId);
  const ids = found.map(([messageId]) => messageId as string).sort();
  return ids.filter((messageId) => CHOSEN.exec(messageId)?.[1] !== turnId)
    .map((messageId) => itemHashOf(hashKey, "message", scope, messageId));
}

/** Keeps messages from coming back. A floor stands for each: a message has no revisions, and is there or was deleted. */
export function* reserveMessages(
  transaction: WriteTransaction,
  scopeHash: Uint8Array,
  hashes: readonly Uint8Array[],
): Operation<void> {
  yield* raiseFloors(transaction, scopeHash, hashes.map((keyHash) => ({ keyHash, revision: 1 })));
}

const SELECT_ANY_FLOOR = `SELECT 1 FROM floors WHERE scope_hash = $1 LIMIT 1`;

/** Whose messages are put. */
interface MessagePlace {
  readonly scope: Scope;
  readonly scopeHash: Uint8Array;
  readonly hashKey: Uint8Array;
}

/** Which of the messages of a turn that is to be put were deleted with another turn, by their places in the list. */
export function* deletedMessages(
  transaction: ReadTransaction,
  place: MessagePlace,
  { turnId: own, messages }: {
    readonly turnId: string;
    readonly messages: readonly Pick<Message, "messageId">[];
  },
): Operation<readonly number[]> {
  const ids = messages.map(({ messageId }) => messageId);
  const [given, chosen] = yield* together([
    reservedMessages(transaction, place, ids.map((id) => CHOSEN.exec(id)?.[1] === own ? null : id)),
    together(ids.map((id) => hasDeletedTurn(transaction, place, CHOSEN.exec(id)?.[1] ?? own, own))),
  ]);
  return ids.flatMap((_, index) => given[index] || chosen[index] ? [index] : []);
}

/** Whether each id is one that a caller gave to a message that was deleted; null stands for an id that cannot be. */
function* reservedMessages(
  transaction: ReadTransaction,
  { scope, scopeHash, hashKey }: MessagePlace,
  ids: readonly (string | null)[],
): Operation<readonly boolean[]> {
  if (ids.every((id) => id === null)) return [];
  if ((yield* transaction.get(SELECT_ANY_FLOOR, scopeHash)) === undefined) return [];
  // A scope's own hash stands for what has no floor.
  const hashes = ids.map((id) => id === null ? scopeHash : itemHashOf(hashKey, "message", scope, id));
  const floors = yield* floorsOf(transaction, scopeHash, hashes);
  return floors.map((floor, index) => ids[index] !== null && floor > 0);
}

/** Whether the turn whose message the store named was deleted. */
function* hasDeletedTurn(
  transaction: ReadTransaction,
  { scope, hashKey }: MessagePlace,
  turnId: string,
  own: string,
): Operation<boolean> {
  return turnId !== own && (yield* isReserved(transaction, itemHashOf(hashKey, "turn", scope, turnId)));
}
