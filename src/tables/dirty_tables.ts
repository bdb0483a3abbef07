/** Dirty tables: those that lost or replaced content since they were last rewritten. */

import type { Operation, ReadTransaction } from "../engine/operation.ts";

const SELECT_DIRTY = `SELECT name FROM dirty ORDER BY name`;

/** Reads which tables are dirty. */
export function* selectDirty(transaction: ReadTransaction): Operation<readonly string[]> {
  return (yield* transaction.all(SELECT_DIRTY)).map(([name]) => name as string);
}
