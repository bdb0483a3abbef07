/** The terms of an index: their rows, and the statements that more than one operation needs. */

import { checksumOf } from "../canonical/checksum.ts";
import type { Operation, WriteTransaction } from "../engine/operation.ts";
import type { Fields } from "./schema/descriptor.ts";
import { INDEX_TERMS } from "./schema/index_tables.ts";

/** A term without its checksum. */
type Term = Omit<Fields<typeof INDEX_TERMS.columns>, "checksum">;

/** A term by its text, as every search and every batch looks for it. Parameters: the index, the term. */
export const SELECT_TERM = `SELECT number, documents, checksum FROM index_terms
  WHERE index_id = $1 AND term = $2`;

/** The checksum over a term's row. */
export function termChecksum(index: number, number: number, term: string, documents: number): number {
  return checksumOf(index, number, term, documents);
}

/** Writes a new term; returns how many rows changed. */
export function insertTerm(transaction: WriteTransaction, term: Term): Operation<number> {
  return transaction.run(INDEX_TERMS.insert, ...INDEX_TERMS.toValues(term));
}

/** Writes how many documents a term has; returns how many rows changed. */
export function updateTerm(transaction: WriteTransaction, term: Term): Operation<number> {
  return transaction.run(INDEX_TERMS.update, ...INDEX_TERMS.toUpdate(term));
}
