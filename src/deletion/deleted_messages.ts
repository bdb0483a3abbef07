/** Messages that went with a deleted turn: their ids stay known as hashes, so that no client brings one back. */

import type { Message } from "../contracts/message.ts";
import type { Scope } from "../contracts/scope.ts";
import type { Operation, ReadTransaction, WriteTransaction } from "../engine/operation.ts";
import { itemHashOf } from "./scope_hashes.ts";
import { floorOf, isReserved, raiseFloor } from "./tombstones.ts";

/** Ids that the store chose: of the turn that they name, and the message's place in it. */
const CHOSEN = /^(.+):[0-9]+$/s;

const SELECT_MESSAGE_IDS = `SELECT message_id FROM message_ids WHERE turn = $1`;

/** The hashes of the ids that a caller gave to a turn's messages; those that the store chose go with the turn's own id. */
export function* hashesOfMessages(
  transaction: ReadTransaction,
  hashKey: Uint8Array,
  scope: Scope,
  { id, turnId }: { readonly id: number; readonly turnId: string },
): Operation<readonly Uint8Array[]> {
  const ids = (yield* transaction.all(SELECT_MESSAGE_IDS, id)).map(([messageId]) => messageId as string)
    .sort();
  return ids.filter((messageId) => CHOSEN.exec(messageId)?.[1] !== turnId)
    .map((messageId) => itemHashOf(hashKey, "message", scope, messageId));
}

/** Keeps messages from coming back. A floor stands for each: a message has no revisions, and is there or was deleted. */
export function* reserveMessages(
  transaction: WriteTransaction,
  scopeHash: Uint8Array,
  hashes: readonly Uint8Array[],
): Operation<void> {
  for (const hash of hashes) yield* raiseFloor(transaction, scopeHash, hash, 1);
}

const SELECT_ANY_FLOOR = `SELECT 1 FROM floors WHERE scope_hash = $1 LIMIT 1`;

/** Which of the messages of a turn that is to be put were deleted with another turn, by their places in the list. */
export function* deletedMessages(
  transaction: ReadTransaction,
  { scope, scopeHash, hashKey }: {
    readonly scope: Scope;
    readonly scopeHash: Uint8Array;
    readonly hashKey: Uint8Array;
  },
  { turnId: own, messages }: {
    readonly turnId: string;
    readonly messages: readonly Pick<Message, "messageId">[];
  },
): Operation<readonly number[]> {
  const anyFloor = (yield* transaction.get(SELECT_ANY_FLOOR, scopeHash)) !== undefined;
  const deleted: number[] = [];
  for (const [index, { messageId }] of messages.entries()) {
    const turnId = CHOSEN.exec(messageId)?.[1];
    if (turnId === own) continue;
    const hash = itemHashOf(hashKey, "message", scope, messageId);
    if (anyFloor && (yield* floorOf(transaction, scopeHash, hash)) > 0) {
      deleted.push(index);
      continue;
    }
    if (turnId === undefined) continue;
    if (yield* isReserved(transaction, itemHashOf(hashKey, "turn", scope, turnId))) deleted.push(index);
  }
  return deleted;
}
