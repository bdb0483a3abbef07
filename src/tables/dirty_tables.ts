/** Tables that lost or replaced content, and are due for a rewrite. */

import type { Operation, ReadTransaction } from "../engine/operation.ts";

const SELECT_DIRTY = `SELECT name FROM dirty ORDER BY name`;

/** The tables that are due for a rewrite. */
export function* selectDirty(transaction: ReadTransaction): Operation<readonly string[]> {
  return (yield* transaction.all(SELECT_DIRTY)).map(([name]) => name as string);
}
