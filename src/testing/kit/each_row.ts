/** Tables of cases inside one test. */

import { inspect } from "node:util";

/** Runs a body for every row, in order; a failure tells which row it was: a row's first cell, or the row itself. */
export async function forEachRow<Row>(
  rows: readonly Row[],
  body: (row: Row) => Promise<void>,
): Promise<void> {
  for (const row of rows) {
    try {
      await body(row);
    } catch (failure) {
      if (failure instanceof Error) failure.message = `in the row ${nameOf(row)}: ${failure.message}`;
      throw failure;
    }
  }
}

function nameOf(row: unknown): string {
  return Array.isArray(row) && typeof row[0] === "string" ? row[0] : inspect(row);
}
