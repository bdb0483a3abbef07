/** Finds evidence in the index of a scope. */

import type { Operation } from "../engine/operation.ts";
import type { Analyzer } from "../index/analysis/analyzer.ts";
import type { EvidenceSource, FoundChunk, WindowView } from "./evidence_source.ts";
import { lentTerms } from "./neighbours.ts";
import type { Pace } from "../pace.ts";
import type { RankingRules } from "./ranking.ts";
import type { StoredTurns } from "./stored_turns.ts";
import type { View } from "../index/scope_view.ts";
import { SearchCache } from "./search_cache.ts";
import {
  type Corpus,
  findTerms,
  type Query,
  readCorpus,
  type ShortenedTurn,
  type WithoutDraining,
  withoutDraining,
} from "./index_query.ts";
import { NO_FILTER, type SearchFilter } from "./search_filter.ts";
import { PrunedRanking } from "./pruned_ranking.ts";
import type { SearchSettings } from "./search_settings.ts";

/** The options of a search in an index. */
interface IndexEvidenceOptions {
  readonly view: View;
  /** The turns that the window was planned from. */
  readonly turns: StoredTurns;
  readonly analyzer: Analyzer;
  readonly rules: RankingRules;
  readonly settings: SearchSettings;
  readonly pace: Pace;
  /** What is left out; nothing by default. */
  readonly filter?: SearchFilter;
}

interface Prepared {
  readonly query: Query;
  readonly corpus: Corpus;
}

/** Searches the index of a view. */
export class IndexEvidence implements EvidenceSource {
  readonly #options: IndexEvidenceOptions;
  readonly #cache = new SearchCache();
  #found: WithoutDraining | null = null;

  /** Creates a search of a view. */
  constructor(options: IndexEvidenceOptions) {
    this.#options = options;
  }

  /** Ranks the chunks outside the window. Every call must have the same question. */
  async rank(
    terms: readonly string[],
    window: WindowView,
  ): Promise<Iterable<FoundChunk> | AsyncIterable<FoundChunk>> {
    const { view, turns, rules, settings, pace, filter = NO_FILTER } = this.#options;
    const index = view.indexToSearch();
    const known = this.#found;
    if (index === null) return [];
    const boundary = turns.boundary(window.size);
    const shortened = shortenedOf(turns, window);
    const { query, corpus } = await view.read(function* (transaction): Operation<Prepared> {
      const { found, draining } = known ??
        (yield* withoutDraining(transaction, index, yield* findTerms(transaction, index, terms)));
      const query = {
        index,
        terms: terms.length,
        lent: lentTerms(terms),
        found,
        boundary,
        expiredTurns: draining.size === 0 ? view.expiredTurns : view.expiredTurns.union(draining),
        draining,
        filter,
        shortened,
      };
      return { query, corpus: yield* readCorpus(transaction, query) };
    });
    this.#found = query;
    if (corpus.statistics.documents === 0) return [];
    return new PrunedRanking({ view, query, corpus, cache: this.#cache, rules, settings, pace });
  }
}

/** Returns the shortened turns of the window, oldest first. */
function shortenedOf(turns: StoredTurns, { size, shortened }: WindowView): readonly ShortenedTurn[] {
  if (shortened.size === 0) return [];
  return turns.newest(size).toReversed().flatMap((stored): readonly ShortenedTurn[] => {
    const visible = shortened.get(stored.turn.turnId);
    return visible === undefined ? [] : [{ stored, visible }];
  });
}
