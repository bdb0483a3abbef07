/** The terms of an index: their rows, and the statements that more than one operation needs. */

import { checksumOf } from "../canonical/checksum.ts";
import type { Operation, WriteTransaction } from "../engine/operation.ts";
import type { Fields } from "./schema/descriptor.ts";
import { INDEX_TERMS } from "./schema/index_tables.ts";

/** A term without its checksum. */
export type Term = Omit<Fields<typeof INDEX_TERMS.columns>, "checksum">;

/** A term by its text, as every search and every batch looks for it. Parameters: the index, the term. */
export const SELECT_TERM = `SELECT number, documents, checksum FROM index_terms
  WHERE index_id = $1 AND term = $2`;

/** The checksum over a term's row. */
export function termChecksum(index: number, number: number, term: string, documents: number): number {
  return checksumOf(index, number, term, documents);
}

/** Writes new terms; returns how many rows changed for each. */
export function insertTerms(
  transaction: WriteTransaction,
  terms: readonly Term[],
): Operation<readonly number[]> {
  return transaction.runEach(INDEX_TERMS.insert, terms.map((term) => INDEX_TERMS.toValues(term)));
}

/** Writes how many documents terms have; returns how many rows changed for each. */
export function updateTerms(
  transaction: WriteTransaction,
  terms: readonly Term[],
): Operation<readonly number[]> {
  return transaction.runEach(INDEX_TERMS.update, terms.map((term) => INDEX_TERMS.toUpdate(term)));
}
