/**
 * Ranks the chunks of an index without reading all postings. The algorithm is MaxScore (Turtle and Flood, "Query
 * evaluation: strategies and optimizations", 1995): it reads the rarest terms first, until the unread postings cannot lift
 * any chunk above the next one in order. It includes the scores that neighbouring messages lend. The order is exactly the
 * same as if every chunk were scored, and is computed only as far as the caller iterates.
 */

import { compareCodePoints } from "../canonical/text.ts";
import type { Operation, ReadTransaction } from "../engine/operation.ts";
import { INDEXED_TURNS_PER_READ, POSTINGS_BEFORE_LOOK, SETTLED_PER_READ } from "../limits.ts";
import { LexicalScorer } from "./bm25.ts";
import type { FoundChunk } from "./evidence_source.ts";
import type { Pace } from "../pace.ts";
import type { RankingRules } from "./ranking.ts";
import type { SessionView } from "../index/scope_view.ts";
import { type Bound, Bounds, LENDING_DISTANCES } from "./score_bounds.ts";
import { ChunkReader } from "./chunk_reader.ts";
import { Heap } from "./heap.ts";
import { type LoadedDocument, neighbour } from "./loaded_turn.ts";
import { type FoundPosting, LoadedTurns, type PageStart, type SearchCache } from "./search_cache.ts";
import { PostingReader } from "./posting_reader.ts";
import type { Corpus, FoundTerm, Query } from "./index_query.ts";
import { isWanted } from "./search_filter.ts";
import type { SearchSettings } from "./search_settings.ts";

/** Next best chunks whose turns are read together with a chunk, because the caller will probably ask for them. */
const READ_AHEAD = 4;

/** The relative cost of the steps of a search: microseconds, as measured on one machine. */
const COST = { turn: 10, posting: 0.3, candidate: 1, settled: 70 } as const;

/** The input of a ranking. */
interface RankingTask {
  readonly view: SessionView;
  readonly query: Query;
  readonly corpus: Corpus;
  readonly cache: SearchCache;
  readonly rules: RankingRules;
  readonly settings: SearchSettings;
  readonly pace: Pace;
}

/** Iterates over chunks, best first; ties are ordered by chunk id. */
export class PrunedRanking implements AsyncIterable<FoundChunk> {
  readonly #task: RankingTask;
  readonly #bounds: Bounds;
  readonly #turns: LoadedTurns;
  readonly #reader: PostingReader;
  readonly #chunks: ChunkReader;
  /** Terms whose postings are not read yet, the most frequent first. */
  readonly #unread: FoundTerm[];
  readonly #open = new Heap(isBetter);
  #postings = 0;
  /** The number of documents that were settled one by one since postings were last read. */
  #settled = 0;

  /** Creates a ranking; reads nothing yet. */
  constructor(task: RankingTask) {
    this.#task = task;
    const { query, corpus: { statistics, shortened }, rules, settings } = task;
    const frequencies = statistics.documentFrequencies;
    const found = query.found.filter(({ index }) => (frequencies[index] ?? 0) > 0);
    this.#unread = found.toSorted((left, right) =>
      frequencies[right.index]! - frequencies[left.index]! || right.index - left.index
    );
    const scorer = new LexicalScorer(statistics, settings, rules.absentTerms);
    this.#reader = new PostingReader(task);
    this.#chunks = new ChunkReader(task);
    this.#bounds = new Bounds(scorer, rules, query.lent, found.map(({ index }) => index));
    this.#turns = new LoadedTurns(query, {
      cache: task.cache,
      shortened,
      onLoad: (turn) => this.#bounds.measure(turn),
    });
  }

  /** Computes the order as far as the caller iterates. */
  async *[Symbol.asyncIterator](): AsyncGenerator<FoundChunk, void, undefined> {
    for (let tied = await this.next(); tied.length > 0; tied = await this.next()) yield* tied;
  }

  /** An upper bound of every score. */
  get most(): number {
    return this.#bounds.unseen;
  }

  /**
   * Returns the next chunks with the same score, in order; none at the end. The minimum score may rise between two calls:
   * then some chunks below it are not returned.
   */
  async next(): Promise<readonly FoundChunk[]> {
    const { pace, settings: { minimumScore } } = this.#task;
    for (;;) {
      if (pace.mustYield()) await pace.rest();
      const { best } = this.#open;
      const unseen = this.#bounds.areAllRead ? -1 : this.#bounds.unseen;
      if (best === undefined || best.most <= Math.max(unseen, minimumScore)) {
        if (unseen <= minimumScore) return [];
        await this.#extend();
      } else if (!best.isExact) {
        await (this.#isReadingCheaper() ? this.#extend() : this.#settle());
      } else {
        return await this.#takeTied(best.most);
      }
    }
  }

  /** Reads the postings of the rarest unread terms: of at least one, and about as many as were read so far. */
  async #extend(): Promise<void> {
    const terms: FoundTerm[] = [];
    let postings = 0;
    while (this.#unread.length > 0) {
      postings += this.#postingsOf(this.#unread.at(-1)!);
      if (terms.length > 0 && postings > Math.max(POSTINGS_BEFORE_LOOK, this.#postings)) break;
      terms.push(this.#unread.pop()!);
    }
    const found = await this.#reader.postingsOf(terms);
    await this.#loadTurns(found);
    for (const { term, turn, counts } of found) this.#turns.get(turn)?.take(term, counts);
    for (const { index } of terms) this.#bounds.markRead(index);
    this.#postings += found.length;
    this.#settled = 0;
    await this.#reopen();
  }

  /**
   * Whether settling has cost as much as reading the next term would. If scores are close together, thousands of
   * documents would be settled one by one. With this rule the cost is at most twice that of the better choice.
   */
  #isReadingCheaper(): boolean {
    const next = this.#unread.at(-1);
    if (next === undefined) return false;
    const { query: { index } } = this.#task;
    const postings = this.#postingsOf(next);
    const newTurns = Math.min(index.turns - this.#turns.count, postings);
    const reading = newTurns * COST.turn + postings * COST.posting + this.#open.size * COST.candidate;
    return this.#settled * COST.settled >= reading;
  }

  /** At most how many postings of a term there are here: statistics may be of other sessions too. */
  #postingsOf({ index, documents }: FoundTerm): number {
    return Math.min(documents, this.#task.corpus.statistics.documentFrequencies[index]!);
  }

  /** Loads the turns of postings and their neighbours: one by one, or all turns if that is less work. */
  async #loadTurns(found: readonly FoundPosting[]): Promise<void> {
    const { view, pace, query: { index, expiredTurns } } = this.#task;
    const ids = new Set(found.map(({ turn }) => turn));
    for (const id of expiredTurns) ids.delete(id);
    const missing = [...ids].filter((id) => this.#turns.get(id) === undefined).sort((a, b) => a - b);
    if (missing.length * 4 > index.turns) return await this.#loadAll();
    const touched = [...this.#task.corpus.shortened.map(({ id }) => id), ...ids];
    for (let from = 0; from < touched.length; from += INDEXED_TURNS_PER_READ) {
      if (pace.mustYield()) await pace.rest();
      const some = touched.slice(from, from + INDEXED_TURNS_PER_READ);
      await view.read((transaction) => this.#loadSome(transaction, some));
    }
  }

  *#loadSome(transaction: ReadTransaction, ids: readonly number[]): Operation<void> {
    for (const id of ids) {
      if (this.#task.rules.dialogue) yield* this.#turns.loadAround(transaction, id);
      else yield* this.#turns.load(transaction, id);
    }
  }

  async #loadAll(): Promise<void> {
    const { view, pace } = this.#task;
    let start: PageStart | null = { after: 0, before: null };
    while (start !== null) {
      if (pace.mustYield()) await pace.rest();
      const from: PageStart = start;
      start = await view.read((transaction) => this.#turns.loadPage(transaction, from));
    }
  }

  /** Rebuilds the heap from all loaded documents. */
  async #reopen(): Promise<void> {
    const { pace, query: { filter }, rules: { dialogue }, settings: { minimumScore } } = this.#task;
    const turns = [...this.#turns.all()];
    for (const turn of turns) {
      if (pace.mustYield()) await pace.rest();
      this.#bounds.measure(turn);
    }
    const open: Bound[] = [];
    for (const { messages } of turns) {
      if (pace.mustYield()) await pace.rest();
      for (const message of messages) {
        const around = dialogue ? this.#bounds.around(message) : undefined;
        for (const document of message.documents) {
          const { isTaken, range: { role } } = document;
          if (isTaken || !isWanted(filter, message.turn.atMs, role)) continue;
          const bound = this.#bounds.of(document, around);
          if (bound.most > minimumScore) open.push(bound);
        }
      }
    }
    this.#open.fill(open);
  }

  /** Computes the exact scores of the best candidates that have only an upper bound. */
  async #settle(): Promise<void> {
    const open: LoadedDocument[] = [];
    for (let { best } = this.#open; best?.isExact === false; { best } = this.#open) {
      open.push(best.document);
      this.#open.pop();
      if (open.length === SETTLED_PER_READ) break;
    }
    this.#settled += open.length;
    await this.#task.view.read((transaction) => this.#settleDocuments(transaction, open));
    for (const document of open) this.#open.push(this.#bounds.of(document));
  }

  *#settleDocuments(transaction: ReadTransaction, documents: readonly LoadedDocument[]): Operation<void> {
    const turns = new Set(documents.map(({ message }) => message.turn));
    for (const { message } of documents) {
      if (this.#task.rules.dialogue) {
        yield* this.#turns.loadBeside(transaction, message.turn);
        for (const distance of LENDING_DISTANCES) {
          const other = neighbour(message, distance);
          if (other) turns.add(other.turn);
        }
      }
    }
    yield* this.#turns.complete(transaction, turns);
    for (const turn of turns) this.#bounds.measure(turn);
  }

  /** Removes and returns the best candidates, which have the same score. */
  async #takeTied(total: number): Promise<readonly FoundChunk[]> {
    const tied: LoadedDocument[] = [];
    for (let { best } = this.#open; best?.isExact && best.most === total; { best } = this.#open) {
      best.document.isTaken = true;
      tied.push(best.document);
      this.#open.pop();
    }
    const ahead = this.#open.near(READ_AHEAD).filter(({ isExact }) => isExact);
    const chunks = await this.#chunks.of(
      tied,
      ahead.map(({ document }) => document),
    );
    return chunks.map((chunk, position) => ({ ...chunk, score: this.#bounds.score(tied[position]!) }))
      .sort((left, right) => compareCodePoints(left.chunk.chunkId, right.chunk.chunkId));
  }
}

/** Orders by upper bound; of equal ones, those that are not exact come first. */
function isBetter(left: Bound, right: Bound): boolean {
  return left.most > right.most || (left.most === right.most && !left.isExact && right.isExact);
}
