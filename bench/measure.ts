/**
 * Measures every row in several rounds, floor and ours in turn. The target applies to the median of the ratios of paired
 * rounds. The table also has their spread and the ratio of the means, which includes what a median hides: checkpoints,
 * pauses, and other rare events.
 */

/** A question that a ratio answers. */
export interface Question {
  /** The work that is measured. */
  readonly name: string;
  /** The work that it is compared with. */
  readonly floor: string;
  /** The highest ratio that meets the target; null if there is no target. */
  readonly target: number | null;
  /** Runs all rounds. */
  readonly run: (size: Size) => Promise<Answer>;
}

/** The amount of work: `small` only shows that the program still runs. */
export type Size = "small" | "full";

/** The median and the mean of the calls of one round. */
export interface Round {
  readonly median: number;
  readonly mean: number;
}

/** The rounds of both sides, in pairs. */
export interface Pairs {
  readonly floor: readonly Round[];
  readonly ours: readonly Round[];
}

/** The result of the rounds, in microseconds or bytes. */
export interface Answer extends Pairs {
  readonly unit: "us" | "bytes";
  /** A checksum of the work of both sides, so that none of it can be optimized away. */
  readonly checksum: number;
  /** The reason why the row cannot be compared on this machine, if it cannot. */
  readonly notComparable?: string;
}

/** The number of measurements. */
export interface Effort {
  readonly rounds: number;
  /** Calls of each side in a round. Default: 1. */
  readonly repetitions?: number;
  /** Warm-up rounds, which do not count. Default: 0. */
  readonly warm?: number;
  /** Prepares each pair of calls, without being measured. */
  readonly ready?: (repetition: number) => unknown;
}

/** A call; `repetition` is the number of pairs before it. */
export type Call = (repetition: number) => unknown;

/** Times two calls in turn. */
export function timeInTurn(effort: Effort, floor: Call, ours: Call): Promise<Pairs> {
  return measureInTurn(
    effort,
    (repetition) => timeUs(() => floor(repetition)),
    (repetition) => timeUs(() => ours(repetition)),
  );
}

/** Measures two calls in turn, which return their own measurements. */
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
    await handleSignals();
    if (round < 0) continue;
    pairs.floor.push(roundOf(one));
    pairs.ours.push(roundOf(two));
  }
  return pairs;
}

/** Lets signal listeners run. They run only between tasks, and a round may be a single task. */
function handleSignals(): Promise<void> {
  return new Promise((handled) => setTimeout(handled));
}

/** Returns the median and the mean of numbers. */
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

/** The comparison of ours with the floor. */
export interface Comparison {
  /** The median of the ratios of paired rounds. */
  readonly ratio: number;
  /** The 10th and the 90th percentile of those ratios. */
  readonly spread: readonly [low: number, high: number];
  /** The total of ours, divided by the total of the floor. */
  readonly meanRatio: number;
}

/** Compares ours with the floor. */
export function compare({ floor, ours }: Pairs): Comparison {
  const ratios = ours.map((round, index) => round.median / floor[index]!.median);
  const total = (rounds: readonly Round[]): number => sum(rounds.map(({ mean }) => mean));
  return {
    ratio: median(ratios),
    spread: [percentile(ratios, 10), percentile(ratios, 90)],
    meanRatio: total(ours) / total(floor),
  };
}

/** Returns the median of numbers. */
export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Returns the nearest-rank percentile, which is always one of the numbers; of few, the smallest or the largest. */
export function percentile(numbers: readonly number[], percent: number): number {
  const sorted = [...numbers].sort((left, right) => left - right);
  // Symmetric, so that as many numbers are left out below as above.
  const fromBelow = Math.max(0, Math.ceil((sorted.length * Math.min(percent, 100 - percent)) / 100) - 1);
  return percent <= 50 ? sorted[fromBelow]! : sorted[sorted.length - 1 - fromBelow]!;
}

/** Returns the sum of numbers. */
export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Returns the median of the ratios of paired numbers. */
export function ratioOf(floor: readonly number[], ours: readonly number[]): number {
  return median(ours.map((number, round) => number / floor[round]!));
}

/** Returns the microseconds that a call takes. */
export async function timeUs(call: () => unknown): Promise<number> {
  const startedMs = performance.now();
  await call();
  return (performance.now() - startedMs) * 1_000;
}

/** Creates a pseudo-random generator (mulberry32), which returns the same numbers for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

/** A faster commit, in microseconds, did not reach a disk, so that the rows would not compare durable writes. */
export const DURABLE_COMMIT_US_MIN = 80;

/** Returns a reason if the floor's commits were too fast to be durable; `commits` is the number in each call. */
export function comparable({ floor }: Pairs, commits = 1): { readonly notComparable?: string } {
  const commitUs = median(floor.map((round) => round.median)) / commits;
  if (commitUs >= DURABLE_COMMIT_US_MIN) return {};
  return { notComparable: `the floor's durable commit took less than ${DURABLE_COMMIT_US_MIN} µs` };
}
