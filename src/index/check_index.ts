/** Checks the indexes of a scope: every checksum, and that turns, terms, postings and totals agree. */

import { blockOf, type IndexRow, SELECT_INDEXES, toIndexRow } from "../tables/chunk_indexes.ts";
import { termChecksum } from "../tables/index_terms.ts";
import type { ScopeRow } from "../tables/scopes.ts";
import type { CheckCollector } from "../engine/check_collector.ts";
import type { Row, SqlValue } from "../engine/values.ts";
import { CHECK_ROWS_PER_BATCH } from "../limits.ts";
import { decodeTerms, toIndexedTurn } from "../tables/indexed_turns.ts";
import { SELECT_PARTS, toIntactPart } from "../tables/draining_turns.ts";
import { decodePostings } from "../tables/posting_list.ts";

/** Reads rows for a check, and records rows that cannot be read as problems. */
interface CheckReader {
  readonly collector: CheckCollector;
  all(table: string, sql: string, ...parameters: SqlValue[]): Promise<readonly Row[]>;
  validate(table: string, place: string, validate: () => void): void;
}

/** Checks every index of a scope. */
export async function checkIndexes(reader: CheckReader, scope: ScopeRow, place: string): Promise<void> {
  for (const row of await reader.all("chunk_indexes", SELECT_INDEXES, scope.id)) {
    const validated: IndexRow[] = [];
    reader.validate("chunk_indexes", place, () => validated.push(toIndexRow(row)));
    const [index] = validated;
    // Retired indexes are partly deleted and no longer used: skip them.
    if (index !== undefined && index.retired === 0) await new IndexCheck(reader, index, place).run(scope);
  }
}

class IndexCheck {
  readonly #reader: CheckReader;
  readonly #index: IndexRow;
  readonly #place: string;
  /** Term → its documents and turns, summed over the term lists of the turns. */
  readonly #listed = new Map<number, Tally>();

  constructor(reader: CheckReader, index: IndexRow, place: string) {
    this.#reader = reader;
    this.#index = index;
    this.#place = `${place}/${index.indexKey}`;
  }

  async run(scope: ScopeRow): Promise<void> {
    await this.#checkTurns();
    await this.#checkParts();
    await this.#checkTerms();
    await this.#checkPostings();
    await this.#checkProgress(scope);
  }

  #problem(table: string, problem: string): void {
    this.#reader.collector.problem("main", table, problem, this.#place);
  }

  async #checkTurns(): Promise<void> {
    const totals = { turns: 0, chunks: 0, documents: 0, totalLength: 0 };
    for await (const row of this.#pages("indexed_turns", SELECT_TURNS, [0], [0])) {
      this.#reader.validate("indexed_turns", this.#place, () => {
        const turn = toIndexedTurn(this.#index.id, row);
        totals.turns++;
        totals.chunks += turn.chunks;
        totals.documents += turn.documents;
        totals.totalLength += turn.totalLength;
        if (turn.source !== row[10]) {
          this.#problem("indexed_turns", "A turn has changed since it was indexed");
        }
        if (turn.ranges.length !== turn.chunks) {
          this.#problem("indexed_turns", "A turn has the wrong number of chunks");
        }
        const terms = [...decodeTerms(turn.termList)];
        if (terms.length !== turn.postings) {
          this.#problem("indexed_turns", "A turn has the wrong number of terms");
        }
        for (const { term, documents } of terms) addTo(this.#listed, term, { turn: turn.turn, documents });
      });
    }
    const { turns, chunks, documents, totalLength } = this.#index;
    const wrong = turns !== totals.turns || chunks !== totals.chunks || documents !== totals.documents ||
      totalLength !== totals.totalLength;
    if (wrong) this.#problem("chunk_indexes", "The totals of an index are wrong");
  }

  /** Counts the postings of turns that are being added or erased. */
  async #checkParts(): Promise<void> {
    const turns = new Set<number>();
    for await (const row of this.#pages("draining_turns", SELECT_PARTS, [0, -1], [1, 2])) {
      const part = toIntactPart(row);
      if (part === null) this.#problem("draining_turns", "The checksum of a part of a turn does not match");
      turns.add(row[1] as number);
      for (const { term, documents } of part?.terms ?? []) {
        addTo(this.#listed, term, { turn: row[1] as number, documents });
      }
    }
    if (turns.size !== this.#index.draining) {
      this.#problem("chunk_indexes", "The number of turns that are added or erased is wrong");
    }
  }

  async #checkTerms(): Promise<void> {
    let terms = 0;
    for await (const row of this.#pages("index_terms", SELECT_TERMS, [0], [0])) {
      const [number, term, documents, checksum] = row as [number, string, number, number];
      terms++;
      if (termChecksum(this.#index.id, number, term, documents) !== checksum) {
        this.#problem("index_terms", "The checksum of a term does not match");
      } else if (this.#listed.get(number)?.documents !== documents) {
        this.#problem("index_terms", "A term has the wrong number of documents");
      }
    }
    if (terms !== this.#listed.size) this.#problem("index_terms", "The number of terms is wrong");
  }

  async #checkPostings(): Promise<void> {
    const found = new Map<number, Tally>();
    for await (const row of this.#pages("postings", SELECT_POSTINGS, [-1, 0, 0], [0, 1, 2])) {
      const [block, term] = row as readonly number[] as [number, number];
      this.#reader.validate("postings", this.#place, () => {
        for (const { turn, counts } of decodePostings({ indexId: this.#index.id, term }, row.slice(2))) {
          addTo(found, term, { turn, documents: counts.length });
          if (block !== blockOf(this.#index, turn)) {
            this.#problem("postings", "A posting is in the wrong block");
          }
        }
      });
    }
    const differs = [...this.#listed].some(([term, tally]) => !isSame(tally, found.get(term)));
    if (differs || found.size !== this.#listed.size) {
      this.#problem("postings", "The postings differ from the terms of the turns");
    }
  }

  async #checkProgress(scope: ScopeRow): Promise<void> {
    const { id, indexedTo, turns } = this.#index;
    const changed = (await this.#reader.all("unindexed_turns", COUNT_CHANGED, id))[0]?.[0] as number;
    const newer = (await this.#reader.all("turns", COUNT_NEWER, scope.id, indexedTo))[0]?.[0] as number;
    if (turns + changed + newer !== scope.turns) {
      this.#problem("chunk_indexes", "An index has missed a turn");
    }
  }

  /** Yields all rows of a table, page by page; each page begins after the key of the last row. */
  async *#pages(
    table: string,
    sql: string,
    from: readonly SqlValue[],
    key: readonly number[],
  ): AsyncGenerator<Row, void, undefined> {
    for (let after: readonly SqlValue[] | null = from; after !== null;) {
      const rows: readonly Row[] = await this.#reader.all(
        table,
        sql,
        this.#index.id,
        ...after,
        CHECK_ROWS_PER_BATCH,
      );
      yield* rows;
      await this.#reader.collector.batch(table, rows.length);
      const last = rows.at(-1);
      after = last === undefined || rows.length < CHECK_ROWS_PER_BATCH
        ? null
        : key.map((column) => last[column]!);
    }
  }
}

/** The documents and turns of a term. `mixed` is a hash sum, which another set of as many turns is unlikely to have. */
interface Tally {
  documents: number;
  turns: number;
  mixed: number;
}

function addTo(
  tallies: Map<number, Tally>,
  term: number,
  { turn, documents }: { readonly turn: number; readonly documents: number },
): void {
  let tally = tallies.get(term);
  if (tally === undefined) tallies.set(term, tally = { documents: 0, turns: 0, mixed: 0 });
  tally.documents += documents;
  tally.turns++;
  tally.mixed = (tally.mixed + Math.imul(turn, 0x9e3779b1)) >>> 0;
}

function isSame(left: Tally, right: Tally | undefined): boolean {
  return left.documents === right?.documents && left.turns === right.turns && left.mixed === right.mixed;
}

const SELECT_TURNS = `SELECT indexed_turns.turn, source, chunks, documents, total_length, postings,
  indexed_turns.checksum, lists_checksum, chunk_list, term_list, turns.payload_checksum FROM indexed_turns LEFT JOIN turns
  ON turns.id = indexed_turns.turn WHERE index_id = $1 AND indexed_turns.turn > $2
  ORDER BY indexed_turns.turn LIMIT $3`;

const SELECT_TERMS = `SELECT number, term, documents, checksum FROM index_terms
  WHERE index_id = $1 AND number > $2 ORDER BY number LIMIT $3`;

const SELECT_POSTINGS = `SELECT block, term, turn, turns, posting_list FROM postings
  WHERE index_id = $1 AND (block, term, turn) > ($2, $3, $4) ORDER BY block, term, turn LIMIT $5`;

const COUNT_CHANGED = `SELECT count(*) FROM unindexed_turns WHERE index_id = $1`;

const COUNT_NEWER = `SELECT count(*) FROM turns WHERE scope = $1 AND id > $2`;
