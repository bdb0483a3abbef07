/** Measures operations on stores of several sizes in turn, and compares their cost with that on the smallest store. */

import { ratioOf, type Size } from "../measure.ts";
import { Directory } from "../directories.ts";
import type { Axis, GrowthOperation } from "./operation.ts";
import { type Holding, World } from "./world.ts";

/** The stores of one axis. */
export interface Plan {
  readonly axis: Axis;
  /** The sizes of the stores, smallest first. */
  readonly holdings: readonly Holding[];
}

/** The growth of one operation. */
export interface Growth {
  readonly name: string;
  /** The cost on each store, as a multiple of that on the smallest. */
  readonly ratios: readonly number[];
  /** The reason why it may grow; null if it should not. */
  readonly because: string | null;
  /** A number that depends on its work, for each store. */
  readonly work: readonly number[];
}

/** Returns the plans of a size. */
export function plansFor(size: Size): readonly Plan[] {
  const [turns, scopes] = size === "full" ? [[100, 1_000, 10_000], [1, 100, 10_000]] : [[4, 8], [1, 3]];
  const turnsOfOne = turns[0]!;
  return [
    { axis: "turns", holdings: turns.map((each) => ({ turns: each, scopes: 1 })) },
    { axis: "scopes", holdings: scopes.map((each) => ({ turns: turnsOfOne, scopes: each })) },
  ];
}

/** Rounds and calls per round, of short operations and of those that read everything. */
const EFFORT = {
  full: { short: [7, 8], long: [3, 1] },
  small: { short: [1, 1], long: [1, 1] },
} as const;

/** A generous upper bound of the bytes of all stores of a plan, with their copies and backups. */
const STORES_BYTES = 512 * 1_024 * 1_024;

/** The callbacks of a run. */
export interface Reporting {
  readonly size: Size;
  readonly onDone: (growth: Growth) => void;
  /** Called for an operation that failed; the others are measured all the same. */
  readonly onFailed: (name: string, error: unknown) => void;
}

/** Runs a plan. */
export async function measureGrowth(
  plan: Plan,
  operations: readonly GrowthOperation[],
  { size, onDone, onFailed }: Reporting,
): Promise<readonly Growth[]> {
  using directory = new Directory({ inMemoryBytes: STORES_BYTES });
  await using worlds = new AsyncDisposableStack();
  const made: World[] = [];
  for (const [index, holding] of plan.holdings.entries()) {
    made.push(worlds.use(await World.make(`${directory.path}/${index}`, holding)));
  }
  const report: Growth[] = [];
  for (const operation of operations) {
    try {
      const growth = await measureOne(operation, made, { axis: plan.axis, size });
      onDone(growth);
      report.push(growth);
    } catch (error) {
      onFailed(operation.name, error);
    }
  }
  return report;
}

async function measureOne(
  operation: GrowthOperation,
  worlds: readonly World[],
  { axis, size }: { readonly axis: Axis; readonly size: Size },
): Promise<Growth> {
  const because = operation.grows[axis] ?? null;
  const [rounds, calls] = EFFORT[size][operation.long && because !== null ? "long" : "short"];
  const times: number[][] = worlds.map(() => []);
  const work: number[] = worlds.map(() => 0);
  for (let round = -1; round < rounds; round++) {
    const took: number[][] = worlds.map(() => []);
    for (let call = 0; call < calls; call++) {
      for (const [index, world] of worlds.entries()) {
        const measured = await operation.measure(world);
        took[index]!.push(measured.us);
        work[index] = measured.work;
      }
    }
    // The first round loads code and fills caches; the smallest run has no other.
    if (round < 0 && size === "full") continue;
    // Other work on the machine only adds time, so the fastest call is the best estimate.
    for (const [index, some] of took.entries()) times[index]!.push(Math.min(...some));
  }
  return {
    name: operation.name,
    ratios: times.map((some) => ratioOf(times[0]!, some)),
    because,
    work,
  };
}

/** The highest ratio of an operation that should not grow. Two equal costs differ by less between runs. */
const GROWTH_MAX = 1.5;

/** Whether an operation costs more on the largest store without a reason. */
export function growsUnforeseen({ ratios, because }: Growth): boolean {
  return because === null && ratios.at(-1)! > GROWTH_MAX;
}
