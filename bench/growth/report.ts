/** Measures operations on stores of several sizes, in turn, and says how many times as much each costs as on the smallest. */

import { ratioOf, type Size } from "../measure.ts";
import { Directory } from "../directories.ts";
import type { Axis, GrowthOperation } from "./operation.ts";
import { type Holding, World } from "./world.ts";

/** What is measured on one axis. */
export interface Plan {
  readonly axis: Axis;
  /** From the smallest. */
  readonly holdings: readonly Holding[];
}

/** How one operation grows. */
export interface Growth {
  readonly name: string;
  /** Times the cost on the smallest store, for each store. */
  readonly ratios: readonly number[];
  /** Why it may grow; null for what should not. */
  readonly because: string | null;
  /** A number that says what it did on each store. */
  readonly work: readonly number[];
}

/** What is measured, by how much is done. */
export function plansFor(size: Size): readonly Plan[] {
  const [turns, scopes] = size === "full" ? [[100, 1_000, 10_000], [1, 100, 10_000]] : [[4, 8], [1, 3]];
  const turnsOfOne = turns[0]!;
  return [
    { axis: "turns", holdings: turns.map((each) => ({ turns: each, scopes: 1 })) },
    { axis: "scopes", holdings: scopes.map((each) => ({ turns: turnsOfOne, scopes: each })) },
  ];
}

/** Rounds, and calls a round, of what is short and of what goes through everything. */
const EFFORT = {
  full: { short: [7, 8], long: [3, 1] },
  small: { short: [1, 1], long: [1, 1] },
} as const;

/** What all stores of a plan, their copies and backups take, generously. */
const STORES_BYTES = 512 * 1_024 * 1_024;

/** How a run goes on. */
export interface Reporting {
  readonly size: Size;
  readonly onDone: (growth: Growth) => void;
  /** Told of an operation that failed; the others go on. */
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
    // Whatever else the machine does only adds.
    for (const [index, some] of took.entries()) times[index]!.push(Math.min(...some));
  }
  return {
    name: operation.name,
    ratios: times.map((some) => ratioOf(times[0]!, some)),
    because,
    work,
  };
}

/** Beyond this, what should not grow does: two equal costs differ by less from one run to another. */
const GROWTH_MAX = 1.5;

/** Whether it costs more on the largest store, and no reason is given. */
export function growsUnforeseen({ ratios, because }: Growth): boolean {
  return because === null && ratios.at(-1)! > GROWTH_MAX;
}
