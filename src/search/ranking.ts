/** Ranks documents by lexical scores and by the scores that neighbouring messages lend. */

import { compareCodePoints } from "../canonical/text.ts";
import type { Chunk } from "../contracts/chunk.ts";
import {
  type AbsentTerms,
  type CorpusStatistics,
  type DocumentCounts,
  type LexicalParameters,
  LexicalScorer,
  matchesAny,
} from "./bm25.ts";
import type { RankedChunk, Score } from "./evidence_source.ts";
import { lentCounts, lentScore, ownScore, type Surroundings } from "./neighbours.ts";

/** The ranking rules of a profile. */
export interface RankingRules {
  /** The score for a term that a document does not have. */
  readonly absentTerms: AbsentTerms;
  /** Whether messages lend a part of their scores to their neighbours, and questions keep less of their own. */
  readonly dialogue: boolean;
}

/** The ranking parameters that a caller configures. */
export interface RankingParameters extends LexicalParameters {
  /** Only chunks with a higher score are returned. */
  readonly minimumScore: number;
}

/** For each term of a question, whether messages lend for it. */
interface LentTerms {
  readonly lent: readonly boolean[];
}

/** A document to be ranked. */
export interface RankedDocument {
  readonly counts: DocumentCounts;
  /** Whether its text ends with a question. */
  readonly asks: boolean;
  /** Creates the chunk; called only for documents that are returned or tied. */
  chunk(): Chunk;
}

/** The documents of one message, in the order of its text. */
export type MessageDocuments = readonly RankedDocument[];

/** Computes the statistics of documents, for a question of `terms` terms. */
export function statisticsOf(documents: Iterable<DocumentCounts>, terms: number): CorpusStatistics {
  const documentFrequencies = new Array<number>(terms).fill(0);
  let count = 0;
  let totalLength = 0;
  for (const { length, frequencies } of documents) {
    count++;
    totalLength += length;
    for (let index = 0; index < terms; index++) {
      if ((frequencies[index] ?? 0) > 0) documentFrequencies[index] = (documentFrequencies[index] ?? 0) + 1;
    }
  }
  return { documents: count, totalLength, documentFrequencies };
}

/**
 * Yields the documents of a history that score above the minimum: best first, ties by chunk id. A document without any
 * term of the question is left out, unless its neighbours lend it a score. `messages` are in the order of the history.
 */
export function* rankMessages(
  messages: readonly MessageDocuments[],
  statistics: CorpusStatistics,
  rules: RankingRules & RankingParameters & LentTerms,
): Generator<RankedChunk, void, undefined> {
  const scorer = new LexicalScorer(statistics, rules, rules.absentTerms);
  const lexical = messages.map((documents) => documents.map(({ counts }) => lexicalScore(scorer, counts)));
  const best = rules.dialogue ? messages.map((documents) => mostLent(scorer, documents, rules.lent)) : [];
  const scored: { readonly document: RankedDocument; readonly score: Score }[] = [];
  for (const [position, documents] of messages.entries()) {
    for (const [index, document] of documents.entries()) {
      const found = lexical[position]?.[index] ?? 0;
      const own = rules.dialogue ? ownScore(found, document.asks) : found;
      const isAsked = messages[position - 1]?.at(-1)?.asks ?? false;
      const place = { index, count: documents.length };
      const lent = rules.dialogue ? lentScore(around(best, position, isAsked), place) : 0;
      const total = own + lent;
      if (total > rules.minimumScore) {
        scored.push({ document, score: { total, lexical: own, neighbours: lent } });
      }
    }
  }
  yield* ordered(scored);
}

/** Returns the lexical score of a document; 0 if it has no term of the question. */
function lexicalScore(scorer: LexicalScorer, counts: DocumentCounts): number {
  return matchesAny(counts) ? scorer.score(counts) : 0;
}

/** Returns the best score of a message for the terms that are lent. */
function mostLent(scorer: LexicalScorer, documents: MessageDocuments, lent: readonly boolean[]): number {
  const scores = documents.map(({ counts }) => lexicalScore(scorer, lentCounts(counts, lent)));
  return scores.reduce((most, score) => Math.max(most, score), 0);
}

function around(best: readonly number[], position: number, isAsked: boolean): Surroundings {
  return {
    beforeLast: best[position - 2] ?? 0,
    before: best[position - 1] ?? 0,
    isAsked,
    after: best[position + 1] ?? 0,
    afterNext: best[position + 2] ?? 0,
  };
}

/** Yields chunks by score, then by chunk id. Chunks are created for one run of equal scores at a time. */
function* ordered(
  scored: { readonly document: RankedDocument; readonly score: Score }[],
): Generator<RankedChunk, void, undefined> {
  scored.sort((left, right) => right.score.total - left.score.total);
  let from = 0;
  while (from < scored.length) {
    const total = scored[from]?.score.total;
    let to = from + 1;
    while (to < scored.length && scored[to]?.score.total === total) to++;
    const tied = scored.slice(from, to).map(({ document, score }) => ({ chunk: document.chunk(), score }));
    yield* tied.sort((left, right) => compareCodePoints(left.chunk.chunkId, right.chunk.chunkId));
    from = to;
  }
}
