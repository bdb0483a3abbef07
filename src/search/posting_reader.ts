/** Reads the postings of the terms of a question, block by block, in reads of limited size. */

import { blockOf } from "../tables/chunk_indexes.ts";
import type { Operation, ReadTransaction } from "../engine/operation.ts";
import { POSTINGS_PER_READ, POSTINGS_PER_ROW_MAX } from "../limits.ts";
import type { Pace } from "../pace.ts";
import { decodePostings } from "../tables/posting_list.ts";
import type { SessionView } from "../index/scope_view.ts";
import type { FoundPosting, SearchCache } from "./search_cache.ts";
import type { Corpus, FoundTerm, Query } from "./index_query.ts";

/** The search that postings are read for. */
interface PostingTask {
  readonly view: SessionView;
  readonly query: Query;
  readonly corpus: Corpus;
  readonly cache: SearchCache;
  readonly pace: Pace;
}

/** The position at which the next read continues. */
interface Cursor {
  /** The position among the terms that are read. */
  readonly term: number;
  readonly block: number;
  /** The first turn of the last row that was read. */
  readonly after: number;
}

interface Page {
  readonly found: readonly FoundPosting[];
  readonly next: Cursor | null;
}

const SELECT_POSTINGS =
  `SELECT turn, turns, posting_list FROM postings WHERE index_id = $1 AND block = $2 AND term = $3 AND turn > $4
  AND turn < $5 ORDER BY turn LIMIT $6`;

/** Reads postings of an index, and caches them for other windows. */
export class PostingReader {
  readonly #task: PostingTask;

  /** Creates a reader for a search. */
  constructor(task: PostingTask) {
    this.#task = task;
  }

  /** Returns all postings of some terms outside the window. Postings that a smaller window read are reused. */
  async postingsOf(terms: readonly FoundTerm[]): Promise<readonly FoundPosting[]> {
    const { cache: { postings }, query: { boundary } } = this.#task;
    const isKnown = ({ index }: FoundTerm): boolean => (postings.get(index)?.below ?? 0) >= boundary;
    const unknown = terms.filter((term) => !isKnown(term));
    for (const { index } of unknown) postings.set(index, { below: boundary, found: [] });
    const read = unknown.length === 0 ? [] : await this.#readPostings(unknown);
    const byTerm = Map.groupBy(read, ({ term }) => term);
    for (const [term, found] of byTerm) postings.set(term, { below: boundary, found });
    return terms.flatMap(({ index }) =>
      (postings.get(index)?.found ?? []).filter(({ turn }) => turn < boundary)
    );
  }

  /** Reads all postings of some terms, page by page. */
  async #readPostings(terms: readonly FoundTerm[]): Promise<readonly FoundPosting[]> {
    const { view, pace } = this.#task;
    const found: FoundPosting[] = [];
    let from: Cursor | null = { term: 0, block: this.#task.corpus.firstBlock, after: 0 };
    while (from !== null) {
      if (pace.mustYield()) await pace.rest();
      const cursor: Cursor = from;
      const page: Page = await view.read((transaction) => this.#readPage(transaction, terms, cursor));
      for (const posting of page.found) found.push(posting);
      from = page.next;
    }
    return found;
  }

  *#readPage(transaction: ReadTransaction, terms: readonly FoundTerm[], from: Cursor): Operation<Page> {
    const { query: { index, boundary }, corpus: { firstBlock } } = this.#task;
    const found: FoundPosting[] = [];
    const lastBlock = blockOf(index, boundary);
    let { term, block, after } = from;
    for (; term < terms.length; term++, block = firstBlock) {
      const { index: position, number } = terms[term]!;
      for (; block <= lastBlock; block++, after = 0) {
        const limit = Math.ceil((POSTINGS_PER_READ - found.length) / POSTINGS_PER_ROW_MAX);
        const rows = yield* transaction.all(
          SELECT_POSTINGS,
          index.id,
          block,
          number,
          after,
          boundary,
          limit,
        );
        for (const row of rows) {
          for (const { turn, counts } of decodePostings({ indexId: index.id, term: number }, row)) {
            if (turn < boundary) found.push({ term: position, turn, counts });
          }
        }
        if (rows.length === limit) return { found, next: { term, block, after: rows.at(-1)![0] as number } };
      }
    }
    return { found, next: null };
  }
}
