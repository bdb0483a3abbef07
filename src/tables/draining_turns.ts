/**
 * Turns of which an index has postings, but which it does not have: a long turn is added and erased in several parts, a
 * transaction each. Its parts say which postings there are, so that a search can leave them out.
 */

import type { Operation, ReadTransaction, WriteTransaction } from "../engine/operation.ts";
import type { Row } from "../engine/values.ts";
import { IntegrityError } from "../errors.ts";
import { decodeTerms, encodeTerms, type IndexedTerm } from "./indexed_turns.ts";
import { DRAINING_TURNS } from "./schema/index_tables.ts";

/** A part of a turn. */
export interface DrainingPart {
  readonly indexId: number;
  /** The turn's row. */
  readonly turn: number;
  /** From 0: parts are added in order, and erased from the last. */
  readonly part: number;
  /** The checksum of the turn's payload. */
  readonly source: number;
  /** The terms whose postings are there, by number. */
  readonly terms: readonly IndexedTerm[];
}

/** Parts of an index, in order. Parameters: the index, the turn's row and the part to begin after, how many. */
export const SELECT_PARTS = `${DRAINING_TURNS.select} WHERE index_id = $1 AND (turn, part) > ($2, $3)
  ORDER BY turn, part LIMIT $4`;

/** All parts of a turn, in order. Parameters: the index, the turn's row. */
const SELECT_PARTS_OF_TURN = `${DRAINING_TURNS.select} WHERE index_id = $1 AND turn = $2 ORDER BY part`;

/** Whose parts they are, in order. Parameters: the index, the turn's row. */
export const SELECT_SOURCES_OF_PARTS =
  `SELECT source FROM draining_turns WHERE index_id = $1 AND turn = $2 ORDER BY part`;

/** The last part of a turn that was erased or has changed. Parameter: the index. */
export const SELECT_STALE_PART =
  `SELECT ${DRAINING_TURNS.qualified} FROM draining_turns LEFT JOIN turns ON turns.id = draining_turns.turn
  WHERE draining_turns.index_id = $1 AND coalesce(turns.payload_checksum <> draining_turns.source, 1)
  ORDER BY draining_turns.turn DESC, draining_turns.part DESC LIMIT 1`;

/** Parameters: the index, the turn's row, the part. */
export const DELETE_PART = `DELETE FROM draining_turns WHERE index_id = $1 AND turn = $2 AND part = $3`;

/** Parameters: the index, the turn's row. */
export const DELETE_PARTS_OF_TURN = `DELETE FROM draining_turns WHERE index_id = $1 AND turn = $2`;

/** Parameter: the index. */
export const DELETE_PARTS_OF_INDEX = `DELETE FROM draining_turns WHERE index_id = $1`;

/** Decodes a part; null if it is damaged. */
export function toIntactPart(row: Row): DrainingPart | null {
  const fields = DRAINING_TURNS.toFields(row);
  if (!DRAINING_TURNS.isIntact(fields)) return null;
  const { indexId, turn, part, source, termList } = fields;
  return { indexId, turn, part, source, terms: [...decodeTerms(termList)] };
}

function toPart(row: Row): DrainingPart {
  const part = toIntactPart(row);
  if (part !== null) return part;
  throw new IntegrityError("The checksum of a part of a turn does not match", {
    details: { table: "draining_turns" },
  });
}

/** Reads all parts of an index. */
export function* readParts(transaction: ReadTransaction, index: number): Operation<readonly DrainingPart[]> {
  return (yield* transaction.all(SELECT_PARTS, index, 0, -1, Number.MAX_SAFE_INTEGER)).map(toPart);
}

/** Reads the parts of a turn, in order. */
export function* readPartsOfTurn(
  transaction: ReadTransaction,
  index: number,
  turn: number,
): Operation<readonly DrainingPart[]> {
  return (yield* transaction.all(SELECT_PARTS_OF_TURN, index, turn)).map(toPart);
}

/** Writes parts. Their terms must be in order. */
export function* insertParts(
  transaction: WriteTransaction,
  parts: readonly DrainingPart[],
): Operation<void> {
  const rows = parts.map(({ terms, ...part }) =>
    DRAINING_TURNS.toValues({ ...part, postings: terms.length, termList: encodeTerms(terms) })
  );
  yield* transaction.runEach(DRAINING_TURNS.insert, rows);
}
