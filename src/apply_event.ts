/** Applies a recorded deletion in main, by its kind. */

import { equalBytes } from "./canonical/keyed_hash.ts";
import { applyDeletion } from "./deletion/apply_deletion.ts";
import { applyScopeLabel } from "./deletion/apply_label.ts";
import { applyErase } from "./deletion/erase_owned.ts";
import type { Operation, RecordedEvent, WriteTransaction } from "./engine/operation.ts";
import { applyForget } from "./records/forget.ts";
import { applyRecordLabel } from "./records/label_record.ts";

/** Erases what a recorded event deleted, or says whose it is from then on. */
export function applyEvent(
  transaction: WriteTransaction,
  event: RecordedEvent,
  hashKey: Uint8Array,
): Operation<void> {
  switch (event.kind) {
    case "record":
      return applyForget(transaction, event, hashKey);
    case "erase":
      return applyErase(transaction, event, hashKey);
    case "subject":
      return equalBytes(event.scopeHash, event.keyHash)
        ? applyScopeLabel(transaction, event, hashKey)
        : applyRecordLabel(transaction, event, hashKey);
    default:
      return applyDeletion(transaction, event, hashKey);
  }
}
