/** The values that statements bind and return, on every engine. */

/**
 * A value that is bound or read. Integers beyond 2^53 are never used by this module.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { nodeSqlite, type SqlValue } from "@holdfast/memory";
 *
 * const connection = nodeSqlite.open(":memory:", { readOnly: false });
 * const values: readonly SqlValue[] = [null, 1.5, "pears", new Uint8Array([7])];
 * assert.deepEqual(connection.prepare("SELECT $1, $2, $3, $4").get(values), values);
 * connection.close();
 * ```
 */
export type SqlValue = null | number | bigint | string | Uint8Array;

/**
 * One row, in the order of the columns listed.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { nodeSqlite, type Row } from "@holdfast/memory";
 *
 * const connection = nodeSqlite.open(":memory:", { readOnly: false });
 * const rows: readonly Row[] = connection.prepare("VALUES (1, 'pears'), (2, 'plums')").all([]);
 * assert.deepEqual(rows, [[1, "pears"], [2, "plums"]]);
 * connection.close();
 * ```
 */
export type Row = readonly SqlValue[];
