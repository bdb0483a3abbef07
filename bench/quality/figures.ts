/** Computes the quality of rankings: recall and mean reciprocal rank. */

/** The ranks at which recall is measured. */
export const RANKS = [1, 5, 10] as const;

/** Figures over questions, each from 0 to 1. */
export interface Figures {
  readonly questions: number;
  /** For each rank: the share of the evidence among the first turns up to that rank, averaged over questions. */
  readonly recall: Readonly<Record<(typeof RANKS)[number], number>>;
  /** The mean reciprocal rank of the first turn that is evidence; 0 for a question without one. */
  readonly mrr: number;
}

/** The evidence of a question, and the turns that were found for it, best first. */
export interface Ranking {
  readonly evidence: readonly string[];
  readonly found: readonly string[];
}

/** Computes the figures of some questions; NaN for none. */
export function figuresOf(rankings: readonly Ranking[]): Figures {
  const recallAt = (rank: number): number => average(rankings.map((ranking) => recallOf(ranking, rank)));
  return {
    questions: rankings.length,
    recall: { 1: recallAt(1), 5: recallAt(5), 10: recallAt(10) },
    mrr: average(rankings.map(reciprocalRank)),
  };
}

function recallOf({ evidence, found }: Ranking, rank: number): number {
  const first = new Set(found.slice(0, rank));
  return evidence.filter((id) => first.has(id)).length / evidence.length;
}

function reciprocalRank({ evidence, found }: Ranking): number {
  const rank = found.findIndex((id) => evidence.includes(id)) + 1;
  return rank === 0 ? 0 : 1 / rank;
}

function average(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
