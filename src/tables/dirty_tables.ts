/** Tables that lost or replaced content: SQLite leaves copies in pages that it rebalanced, and only a rewrite gets rid of those. */

import type { Operation, ReadTransaction, WriteTransaction } from "../engine/operation.ts";
import { rewriteStatements } from "./schema/dialects.ts";
import { MAIN_TABLES } from "./schema/main_tables.ts";

const SELECT_DIRTY = `SELECT name FROM dirty ORDER BY name`;

/** The tables that are due for a rewrite. */
export function* selectDirty(transaction: ReadTransaction): Operation<readonly string[]> {
  return (yield* transaction.all(SELECT_DIRTY)).map(([name]) => name as string);
}

const DELETE_DIRTY = `DELETE FROM dirty WHERE name = $1`;

/** Rewrites one of them: a new table in key order, in place of the old. */
export function* rewriteTable(transaction: WriteTransaction, name: string): Operation<void> {
  const table = MAIN_TABLES.find((each) => each.name === name);
  const statements = table === undefined ? [] : rewriteStatements(table);
  for (const statement of statements) yield* transaction.run(statement);
  yield* transaction.run(DELETE_DIRTY, name);
}
