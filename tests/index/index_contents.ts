/** Reads the tables of an index, without the numbers that depend on the order of events. */

import type { SqlValue } from "../../src/engine/values.ts";
import { decodePostings } from "../../src/tables/posting_list.ts";

/** Runs one statement on the file, without the store. */
export type Sql = (sql: string, ...parameters: SqlValue[]) => readonly (readonly SqlValue[])[];

/** The contents of an index. */
export interface IndexContents {
  readonly totals: readonly SqlValue[];
  readonly turns: readonly unknown[];
  readonly terms: readonly unknown[];
  readonly postings: readonly unknown[];
}

/** Reads the contents of every index, by its key. */
export function indexContents(sql: Sql): Readonly<Record<string, IndexContents>> {
  const contents: Record<string, IndexContents> = {};
  const turnIds = new Map(sql(`SELECT id, turn_id FROM turns`).map(([id, turnId]) => [id, turnId]));
  const indexes = sql(
    `SELECT id, index_key, turns, chunks, documents, total_length FROM chunk_indexes ORDER BY index_key`,
  );
  for (const [id, key, ...totals] of indexes) {
    contents[String(key)] = {
      totals,
      turns: sql(
        `SELECT turn_id, chunks, documents, total_length, chunk_list FROM indexed_turns JOIN turns ON id = turn
        WHERE index_id = $1 ORDER BY turn_id`,
        id!,
      ),
      terms: sql(`SELECT term, documents FROM index_terms WHERE index_id = $1 ORDER BY term`, id!),
      postings: sql(
        `SELECT index_terms.term, number, turn, turns, posting_list FROM postings
        JOIN index_terms ON index_terms.index_id = postings.index_id AND number = postings.term
        WHERE postings.index_id = $1`,
        id!,
      ).flatMap(([term, number, ...row]) => {
        const postings = decodePostings({ indexId: id as number, term: number as number }, row);
        return postings.map(({ turn, counts }) => [term, turnIds.get(turn), counts]);
      }).sort((left, right) => String(left.slice(0, 2)) < String(right.slice(0, 2)) ? -1 : 1),
    };
  }
  return contents;
}

/** Counts the rows of each table of indexes. */
export function countIndexRows(sql: Sql): Readonly<Record<string, SqlValue>> {
  return {
    chunk_indexes: sql(`SELECT count(*) FROM chunk_indexes`)[0]![0]!,
    unindexed_turns: sql(`SELECT count(*) FROM unindexed_turns`)[0]![0]!,
    indexed_turns: sql(`SELECT count(*) FROM indexed_turns`)[0]![0]!,
    index_terms: sql(`SELECT count(*) FROM index_terms`)[0]![0]!,
    postings: sql(`SELECT coalesce(sum(turns), 0) FROM postings`)[0]![0]!,
  };
}

/** No rows at all. */
export const NO_ROWS = {
  chunk_indexes: 0,
  unindexed_turns: 0,
  indexed_turns: 0,
  index_terms: 0,
  postings: 0,
};
