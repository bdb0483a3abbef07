/** Tombstones: identifiers that were deleted for ever. */

import { checksumOf } from "../canonical/checksum.ts";
import type { Operation, ReadTransaction } from "../engine/operation.ts";
import { IntegrityError } from "../errors.ts";

const SELECT_BURNED =
  `SELECT sequence, batch, kind, scope_hash, key_hash, burned, floor, at, counts, head, checksum
  FROM deletions WHERE key_hash = $1 AND burned = 1 ORDER BY sequence LIMIT 1`;

/** Whether an identifier was deleted for ever; asked in the transaction that would use it. */
export function* isBurned(transaction: ReadTransaction, keyHash: Uint8Array): Operation<boolean> {
  const row = yield* transaction.get(SELECT_BURNED, keyHash);
  if (row === undefined) return false;
  if (checksumOf(...row.slice(0, 10)) !== row[10]) {
    throw new IntegrityError("Cannot use store: the checksum of a deletion does not match", {
      details: { table: "deletions" },
    });
  }
  return true;
}
