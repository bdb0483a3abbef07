/**
 * Goal: whether the cost of any public operation grows with the size of a store, and the reason if it does. Non-goal: the
 * cost itself, which bench/main.ts compares with floors. Stores are in memory if the machine has a file system with room
 * there, because a disk adds the same time at every size, which would hide growth. Seeds 11 and 12.
 */
import { readArguments } from "./arguments.ts";
import { written } from "./chart.ts";
import { endAtSignals, print, refuse } from "./ending.ts";
import { PUBLIC_OPERATIONS } from "./growth/public_operations.ts";
import { drawGrowth, type Measurement, tabulate } from "./growth/pages.ts";
import { growsUnforeseen, type Growth, measureGrowth, plansFor } from "./growth/report.ts";
import type { Size } from "./measure.ts";
import { messageOf } from "./table.ts";

const USAGE = `Usage: deno task bench:growth, or deno run -A bench/growth.ts [--small] [folder]

Measures how the cost of each operation grows. Writes charts and tables to the folder, which must exist; without a
folder, or with --small, it only prints.

  --small  do as little as possible, to show that everything still runs; nothing is validated

Exits with 1 if an operation failed, or grows without a reason.`;

const NAME_WIDTH = 28;

function lineOf(growth: Growth, size: Size): string {
  const ratios = growth.ratios.slice(1).map((ratio) => `${written(ratio)}×`.padStart(8));
  const verdict = growth.because ?? (size === "full" && growsUnforeseen(growth) ? "GROWS" : "");
  return `${growth.name.padEnd(NAME_WIDTH)}${ratios.join("")}  ${verdict}  [work ${growth.work.join(", ")}]`;
}

/** Measures all plans; the result is null for a plan in which something failed. */
async function measureAll(size: Size): Promise<readonly (Measurement | null)[]> {
  const measurements: (Measurement | null)[] = [];
  for (const plan of plansFor(size)) {
    print(`${plan.holdings.map((holding) => holding[plan.axis]).join(", ")} ${plan.axis}`);
    let failed = 0;
    const onDone = (growth: Growth): void => print(lineOf(growth, size));
    const onFailed = (name: string, error: unknown): void => {
      failed++;
      print(`${name.padEnd(NAME_WIDTH)} failed: ${messageOf(error)}`);
    };
    try {
      const report = await measureGrowth(plan, PUBLIC_OPERATIONS, { size, onDone, onFailed });
      measurements.push(failed === 0 ? { plan, report } : null);
    } catch (error) {
      onFailed(`stores of more ${plan.axis}`, error);
      measurements.push(null);
    }
  }
  return measurements;
}

async function write(folder: string, measurements: readonly Measurement[]): Promise<void> {
  for (const measurement of measurements) {
    await Deno.writeTextFile(`${folder}/${measurement.plan.axis}.svg`, drawGrowth(measurement));
  }
  await Deno.writeTextFile(`${folder}/README.md`, tabulate(measurements, new Date()));
}

function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}

endAtSignals();
const { flags, words } = readArguments(Deno.args, { usage: USAGE, flags: ["--small"] });
const [folder, ...more] = words;
if (more.length > 0) refuse("Expected at most one folder", USAGE);
if (folder !== undefined && !isFolder(folder)) refuse(`Folder not found: "${folder}"`, USAGE);
const size = flags.has("--small") ? "small" : "full";
if (size === "small") {
  print("The small size shows that every operation still runs. It validates nothing.");
}
const measurements = await measureAll(size);
const whole = measurements.filter((measurement) => measurement !== null);
const isWhole = whole.length === measurements.length;
if (size === "full" && folder !== undefined && isWhole) await write(folder, whole);
const unforeseen = whole.some(({ report }) => report.some(growsUnforeseen));
Deno.exit(!isWhole || (size === "full" && unforeseen) ? 1 : 0);
