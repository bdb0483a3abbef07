/** Ranks the chunks of many sessions by the statistics of them all. Each session is ranked by itself, when it is its turn. */

import type { Damage } from "../engine/damage.ts";
import { type ReadStore, SessionView } from "../index/scope_view.ts";
import type { Pace } from "../pace.ts";
import type { IndexRow } from "../tables/chunk_indexes.ts";
import type { ScopeRow } from "../tables/scopes.ts";
import type { CorpusStatistics } from "./bm25.ts";
import type { FoundChunk } from "./evidence_source.ts";
import { type FoundTerm, type Query, readCorpus } from "./index_query.ts";
import { lentTerms } from "./neighbours.ts";
import { PrunedRanking } from "./pruned_ranking.ts";
import type { RankingRules } from "./ranking.ts";
import { SearchCache } from "./search_cache.ts";
import type { SearchFilter } from "./search_filter.ts";
import type { SearchSettings } from "./search_settings.ts";

/** A session as it was read. */
interface Session {
  readonly place: ConstructorParameters<typeof SessionView>[0]["place"];
  readonly row: ScopeRow;
  readonly index: IndexRow | null;
  readonly expiredTurns: ReadonlySet<number>;
  readonly draining: ReadonlySet<number>;
  readonly found: readonly FoundTerm[];
  readonly damage: Damage;
}

/** What sessions are ranked by. */
interface RankingsTask {
  readonly terms: readonly string[];
  readonly rules: RankingRules;
  readonly settings: SearchSettings;
  readonly filter: SearchFilter;
  readonly pace: Pace;
  readonly read: ReadStore;
  /** The score that a chunk must exceed to matter, as far as the search has come. */
  readonly leastWanted: () => number;
}

/** A session that has terms of the question. */
export class RankedSession<S extends Session> {
  readonly of: S;
  readonly #ranking: PrunedRanking;
  readonly #onEnd: (session: RankedSession<S>) => void;
  #next: FoundChunk[] = [];

  /** Creates a session; reads nothing yet. */
  constructor(of: S, ranking: PrunedRanking, onEnd: (session: RankedSession<S>) => void) {
    this.of = of;
    this.#ranking = ranking;
    this.#onEnd = onEnd;
  }

  /** An upper bound of the scores of its chunks, before the first is read. */
  get most(): number {
    return this.#ranking.most;
  }

  /** Returns the next chunk, best first; null if no further one matters. */
  async next(): Promise<FoundChunk | null> {
    if (this.#next.length === 0) this.#next = [...await this.#ranking.next()];
    const next = this.#next.shift();
    if (next === undefined) this.#onEnd(this);
    return next ?? null;
  }
}

/** The sessions of one search. */
export class SessionRankings<S extends Session> {
  readonly #task: RankingsTask;
  readonly #ended = new Set<RankedSession<S>>();
  #statistics: CorpusStatistics = { documents: 0, totalLength: 0, documentFrequencies: [] };

  /** Creates the rankings of a question; reads nothing yet. */
  constructor(task: RankingsTask) {
    this.#task = task;
  }

  /** Sums the statistics of sessions, and returns those that have terms of the question. */
  async open(sessions: readonly S[]): Promise<readonly RankedSession<S>[]> {
    const { terms, pace } = this.#task;
    const totals = { documents: 0, totalLength: 0, documentFrequencies: terms.map(() => 0) };
    for (const session of sessions) {
      if (pace.mustYield()) await pace.rest();
      const { documents, totalLength, frequencies } = await this.#countsOf(session);
      totals.documents += documents;
      totals.totalLength += totalLength;
      for (const [term, count] of frequencies) totals.documentFrequencies[term]! += count;
    }
    this.#statistics = totals;
    return sessions.map((session) => this.#ranked(session)).filter((session) => session !== null);
  }

  /** Opens a session that was read again; null if it has no term of the question. Statistics stay as they were. */
  openAgain(session: S): RankedSession<S> | null {
    return this.#ranked(session);
  }

  /** Removes and returns the sessions without a further chunk that matters. */
  ended(): readonly RankedSession<S>[] {
    const ended = [...this.#ended];
    this.#ended.clear();
    return ended;
  }

  async #countsOf(session: S): Promise<Counts> {
    const { index, found, expiredTurns } = session;
    if (index === null) return { documents: 0, totalLength: 0, frequencies: [] };
    if (expiredTurns.size === 0) {
      const { documents, totalLength } = index;
      return { documents, totalLength, frequencies: found.map(({ index, documents }) => [index, documents]) };
    }
    const query = this.#query(session, index);
    const { statistics } = await this.#task.read((transaction) => readCorpus(transaction, query));
    return { ...statistics, frequencies: [...statistics.documentFrequencies.entries()] };
  }

  #query({ found, expiredTurns, draining }: S, index: IndexRow): Query {
    const { terms, filter } = this.#task;
    return {
      index,
      terms: terms.length,
      lent: lentTerms(terms),
      found,
      boundary: Number.MAX_SAFE_INTEGER,
      expiredTurns: expiredTurns.union(draining),
      draining,
      filter,
      shortened: [],
    };
  }

  #ranked(session: S): RankedSession<S> | null {
    const { index, found, place, damage } = session;
    if (index === null || found.length === 0 || this.#statistics.documents === 0) return null;
    const { read, rules, settings, pace, leastWanted } = this.#task;
    const view = new SessionView({ place, reading: session, index, isIndexed: true, read, damage });
    const ranking = new PrunedRanking({
      ...{ view, rules, pace },
      query: this.#query(session, index),
      corpus: { statistics: this.#statistics, shortened: [], firstBlock: 0 },
      cache: new SearchCache(),
      settings: {
        ...settings,
        get minimumScore(): number {
          return Math.max(settings.minimumScore, leastWanted());
        },
      },
    });
    return new RankedSession(session, ranking, (ended) => this.#ended.add(ended));
  }
}

/** What a session adds to the statistics. */
interface Counts {
  readonly documents: number;
  readonly totalLength: number;
  readonly frequencies: readonly (readonly [term: number, count: number])[];
}
