/** How every row is measured: floor and ours in turn, in one process, several rounds; the median of their ratios. */

/** One question, answered by a ratio. */
export interface Question {
  /** What is measured. */
  readonly name: string;
  /** What it is compared with. */
  readonly floor: string;
  /** The most that the ratio may be. */
  readonly target: number;
  /** Runs all rounds. */
  readonly run: (size: Size) => Promise<Answer | SizeAnswer>;
}

/** How much is done: `small` only shows that the program still runs. */
export type Size = "small" | "full";

/** What the rounds gave. */
export interface Answer {
  /** Microseconds per unit of the floor, one number a round. */
  readonly floorUs: readonly number[];
  /** Microseconds per unit of ours, one number a round. */
  readonly oursUs: readonly number[];
  /** A checksum of the work that both did, so that none of it can be left out. */
  readonly checksum: number;
  /** Why the row cannot be compared here, if it cannot. */
  readonly notComparable?: string;
}

/** What a row of sizes gave: bytes instead of times. */
export interface SizeAnswer {
  /** Bytes of the floor, one number a round. */
  readonly floorBytes: readonly number[];
  /** Bytes of ours, one number a round. */
  readonly oursBytes: readonly number[];
  /** A checksum of the work. */
  readonly checksum: number;
}

/** The middle of some numbers. */
export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The median of the ratios of paired rounds. */
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

/** Says so if the floor's commits were too fast to be durable. */
export function comparable(floorUs: readonly number[]): { readonly notComparable?: string } {
  if (median(floorUs) >= DURABLE_COMMIT_US_MIN) return {};
  return { notComparable: `the floor's durable commit took less than ${DURABLE_COMMIT_US_MIN} µs` };
}
