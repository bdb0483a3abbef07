/** Applies a recorded deletion in main, by its kind. */

import { applyDeletion } from "./deletion/apply_deletion.ts";
import type { Operation, RecordedEvent, WriteTransaction } from "./engine/operation.ts";
import { applyForget } from "./records/forget.ts";

/** Erases what a recorded event deleted. */
export function applyEvent(
  transaction: WriteTransaction,
  event: RecordedEvent,
  hashKey: Uint8Array,
): Operation<void> {
  return event.kind === "record"
    ? applyForget(transaction, event, hashKey)
    : applyDeletion(transaction, event, hashKey);
}
