/**
 * How every row is measured: floor and ours in turn, several rounds. What is validated is the median of the ratios of
 * paired rounds. Beside it stand their spread, and the ratio of the means, which leaves out nothing that a median
 * hides: checkpoints, pauses, whatever else comes now and then.
 */

/** One question, answered by a ratio. */
export interface Question {
  /** What is measured. */
  readonly name: string;
  /** What it is compared with. */
  readonly floor: string;
  /** The most that the ratio may be; null for what is only shown. */
  readonly target: number | null;
  /** Runs all rounds. */
  readonly run: (size: Size) => Promise<Answer>;
}

/** How much is done: `small` only shows that the program still runs. */
export type Size = "small" | "full";

/** What the calls of one round came to, each. */
export interface Round {
  readonly median: number;
  readonly mean: number;
}

/** Rounds of both, in pairs. */
export interface Pairs {
  readonly floor: readonly Round[];
  readonly ours: readonly Round[];
}

/** What the rounds gave: microseconds, or bytes. */
export interface Answer extends Pairs {
  readonly unit: "us" | "bytes";
  /** A checksum of the work that both did, so that none of it can be left out. */
  readonly checksum: number;
  /** Why the row cannot be compared here, if it cannot. */
  readonly notComparable?: string;
}

/** How often is measured. */
export interface Effort {
  readonly rounds: number;
  /** Calls of each in a round; one unless told. */
  readonly repetitions?: number;
  /** Rounds before that are not counted. */
  readonly warm?: number;
  /** Made before each pair of calls, without being measured. */
  readonly ready?: (repetition: number) => unknown;
}

/** A call; told how many pairs came before. */
export type Call = (repetition: number) => unknown;

/** Times two calls in turn. */
export function timeInTurn(effort: Effort, floor: Call, ours: Call): Promise<Pairs> {
  return measureInTurn(
    effort,
    (repetition) => timeUs(() => floor(repetition)),
    (repetition) => timeUs(() => ours(repetition)),
  );
}

/** The same, of two calls that say themselves what they came to. */
export async function measureInTurn(
  { rounds, repetitions = 1, warm = 0, ready }: Effort,
  floor: (repetition: number) => Promise<number>,
  ours: (repetition: number) => Promise<number>,
): Promise<Pairs> {
  const pairs = { floor: [] as Round[], ours: [] as Round[] };
  let number = 0;
  for (let round = -warm; round < rounds; round++) {
    const one: number[] = [];
    const two: number[] = [];
    for (let repetition = 0; repetition < repetitions; repetition++) {
      await ready?.(number);
      one.push(await floor(number));
      two.push(await ours(number));
      number++;
    }
    await hearSignals();
    if (round < 0) continue;
    pairs.floor.push(roundOf(one));
    pairs.ours.push(roundOf(two));
  }
  return pairs;
}

/** Whether to stop is told between tasks only, and a round may be one. */
function hearSignals(): Promise<void> {
  return new Promise((heard) => setTimeout(heard));
}

/** What some numbers come to. */
export function roundOf(numbers: readonly number[]): Round {
  return { median: median(numbers), mean: sum(numbers) / numbers.length };
}

/** Divides by the number of units of work that each call did. */
export function perUnit(
  { floor, ours }: Pairs,
  units: { readonly floor: number; readonly ours: number },
): Pairs {
  const divide = (rounds: readonly Round[], by: number): Round[] =>
    rounds.map(({ median, mean }) => ({ median: median / by, mean: mean / by }));
  return { floor: divide(floor, units.floor), ours: divide(ours, units.ours) };
}

/** How ours compares with the floor. */
export interface Comparison {
  /** The median of the ratios of paired rounds. */
  readonly ratio: number;
  /** Between which most of those ratios lie: the 10th and the 90th percentile. */
  readonly spread: readonly [low: number, high: number];
  /** All time of ours, over all of the floor's. */
  readonly meanRatio: number;
}

/** Compares them. */
export function compare({ floor, ours }: Pairs): Comparison {
  const ratios = ours.map((round, index) => round.median / floor[index]!.median);
  const total = (rounds: readonly Round[]): number => sum(rounds.map(({ mean }) => mean));
  return {
    ratio: median(ratios),
    spread: [percentile(ratios, 10), percentile(ratios, 90)],
    meanRatio: total(ours) / total(floor),
  };
}

/** The middle of some numbers. */
export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The nearest-rank percentile: always one of the numbers, of few the least or the greatest. */
export function percentile(numbers: readonly number[], percent: number): number {
  const sorted = [...numbers].sort((left, right) => left - right);
  // From either end alike, so that as many numbers are left out below as above.
  const fromBelow = Math.max(0, Math.ceil((sorted.length * Math.min(percent, 100 - percent)) / 100) - 1);
  return percent <= 50 ? sorted[fromBelow]! : sorted[sorted.length - 1 - fromBelow]!;
}

/** Numbers added up. */
export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The median of the ratios of paired numbers. */
export function ratioOf(floor: readonly number[], ours: readonly number[]): number {
  return median(ours.map((number, round) => number / floor[round]!));
}

/** Microseconds that a call took. */
export async function timeUs(call: () => unknown): Promise<number> {
  const startedMs = performance.now();
  await call();
  return (performance.now() - startedMs) * 1_000;
}

/** Numbers that are the same in each run: a small generator with a seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

/** Below this, in microseconds, a durable commit did not reach a disk, and everything but the sync would show. */
export const DURABLE_COMMIT_US_MIN = 80;

/** Says so if the floor's commits were too fast to be durable; `commits` are what each of its calls made. */
export function comparable({ floor }: Pairs, commits = 1): { readonly notComparable?: string } {
  const commitUs = median(floor.map((round) => round.median)) / commits;
  if (commitUs >= DURABLE_COMMIT_US_MIN) return {};
  return { notComparable: `the floor's durable commit took less than ${DURABLE_COMMIT_US_MIN} µs` };
}
