/** How good a ranking is. */

/** The ranks at which recall is measured. */
export const RANKS = [1, 5, 10] as const;

/** Figures over questions: each from 0 to 1. */
export interface Figures {
  readonly questions: number;
  /** For each rank: the part of a question's evidence among that many turns, averaged over questions. */
  readonly recall: Readonly<Record<(typeof RANKS)[number], number>>;
  /** One divided by the rank of the first turn that is evidence, or 0 if none was found; averaged over questions. */
  readonly mrr: number;
}

/** A question's evidence, and the turns that were found for it, best first. */
export interface Ranking {
  readonly evidence: readonly string[];
  readonly found: readonly string[];
}

/** The figures of some questions; NaN for none. */
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
