/**
 * Goal: whether the cost of any public operation grows with what a store holds, and why where it does. Non-goal: what an
 * operation costs; bench/main.ts sets that against floors. Stores lie in memory where the machine has a file system
 * there: what a disk adds is the same at every size, and would hide growth. Seeds 11 and 12.
 *
 * Writes charts and tables to the folder that is named; with none, or with `--small`, it only prints.
 */
import { written } from "./chart.ts";
import { PUBLIC_OPERATIONS } from "./growth/public_operations.ts";
import { drawGrowth, type Measurement, tabulate } from "./growth/pages.ts";
import { growsUnforeseen, type Growth, measureGrowth, plansFor } from "./growth/report.ts";

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

function lineOf(growth: Growth): string {
  const ratios = growth.ratios.slice(1).map((ratio) => `${written(ratio)}×`.padStart(8));
  const verdict = growth.because ?? (growsUnforeseen(growth) ? "GROWS" : "");
  return `${growth.name.padEnd(28)}${ratios.join("")}  ${verdict}  [work ${growth.work.join(", ")}]`;
}

const size = Deno.args.includes("--small") ? "small" : "full";
const folder = Deno.args.find((argument) => !argument.startsWith("--"));
const measurements: Measurement[] = [];
for (const plan of plansFor(size)) {
  print(`${plan.holdings.map((holding) => holding[plan.axis]).join(", ")} ${plan.axis}`);
  const onDone = (growth: Growth) => print(lineOf(growth));
  measurements.push({ plan, report: await measureGrowth(plan, PUBLIC_OPERATIONS, { size, onDone }) });
}
if (size === "full" && folder !== undefined) {
  for (const measurement of measurements) {
    await Deno.writeTextFile(`${folder}/${measurement.plan.axis}.svg`, drawGrowth(measurement));
  }
  await Deno.writeTextFile(`${folder}/README.md`, tabulate(measurements, new Date()));
}
