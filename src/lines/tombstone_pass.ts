/** Whether what an import brings was deleted here: nothing that was is brought back. */

import { tombstoneOf } from "../deletion/tombstones.ts";
import type { Operation, ReadTransaction } from "../engine/operation.ts";

/** Where lines come from. */
export interface Origin {
  /** How many deletions had been applied there; null where they come from another store, which counts its own. */
  readonly sequence: number | null;
}

/**
 * A turn or pin is refused where its identifier was deleted for ever, where its revision is no newer than one that is
 * gone, and, for lines of this same store, where anything happened to its identifier since they were written.
 */
export function* isItemRefused(
  transaction: ReadTransaction,
  { scopeHash, keyHash }: { readonly scopeHash: Uint8Array; readonly keyHash: Uint8Array },
  revision: number,
  origin: Origin,
): Operation<boolean> {
  const { reserved, floor } = yield* tombstoneOf(transaction, scopeHash, keyHash);
  if (reserved || revision <= floor) return true;
  return yield* happenedSince(transaction, keyHash, origin);
}

/**
 * A record is refused likewise. Revisions of records are numbers of one store, so that those of another tell nothing
 * here: of a record that was ever forgotten here, another store's is refused.
 */
export function* isRecordRefused(
  transaction: ReadTransaction,
  keyHash: Uint8Array,
  revision: number,
  { sequence }: Origin,
): Operation<boolean> {
  const events = yield* transaction.eventsOf(keyHash);
  if (sequence === null) return events.length > 0;
  return events.some((event) => event.reserved || revision <= event.floor || event.sequence > sequence);
}

function* happenedSince(
  transaction: ReadTransaction,
  keyHash: Uint8Array,
  { sequence }: Origin,
): Operation<boolean> {
  if (sequence === null) return false;
  return (yield* transaction.eventsOf(keyHash)).some((event) => event.sequence > sequence);
}
