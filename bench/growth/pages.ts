/** Writes a report on growth: a chart for each axis, and one page of tables. */

import { type ChartGroup, drawChart, written } from "../chart.ts";
import type { Axis } from "./operation.ts";
import { PUBLIC_OPERATIONS } from "./public_operations.ts";
import { growsUnforeseen, type Growth, type Plan } from "./report.ts";

/** A plan and its measurements. */
export interface Measurement {
  readonly plan: Plan;
  readonly report: readonly Growth[];
}

const TITLES: Readonly<Record<Axis, string>> = {
  turns: "Cost of each operation as a conversation grows",
  scopes: "Cost of each operation as a store has more scopes",
};

const HEADINGS: readonly (readonly [heading: string, calls: RegExp])[] = [
  ["Records", /^(?:Kind)?Records\./],
  ["Conversation", /^Conversation\./],
  ["Journal", /^Journal\.|^Memory\.journal$/],
  ["Memory", /^Memory\.(?!journal$)|^(open|restore)Memory$/],
];

/** Draws the chart of one axis. */
export function drawGrowth({ plan, report }: Measurement): string {
  const sizes = sizesOf(plan);
  const flat = report.filter(({ because }) => because === null);
  const last = flat.map(({ ratios }) => ratios.at(-1)!);
  const description = `${flat.length} of ${report.length} operations should cost as much in a store with ${
    sizes.at(-1)
  } as in one with ${sizes[0]}; they cost ${written(Math.min(...last))} to ${
    written(Math.max(...last))
  } times as much. The table has the reasons why the others grow.`;
  return drawChart({
    title: `${TITLES[plan.axis]}: ${sizes.at(-1)} compared with ${sizes[0]}`,
    description,
    marks: sizes.slice(1),
    groups: HEADINGS.map(([heading, calls]) => groupOf(heading, calls, report)),
  });
}

function groupOf(heading: string, calls: RegExp, report: readonly Growth[]): ChartGroup {
  const names = new Set(PUBLIC_OPERATIONS.filter((each) => calls.test(each.calls)).map(({ name }) => name));
  const rows = report.filter(({ name }) => names.has(name)).map(({ name, ratios, because }) => ({
    name: name.replace(/^records\./, ""),
    ratios: ratios.slice(1),
    grows: because !== null,
  }));
  return { heading, rows };
}

/** Returns the page of tables, formatted as by `deno fmt`. */
export function tabulate(measurements: readonly Measurement[], at: Date): string {
  const where = `${
    at.toISOString().slice(0, 10)
  }, Deno ${Deno.version.deno}, V8 ${Deno.version.v8}, ${Deno.build.target}`;
  return [
    "# How costs grow",
    "",
    `Written by \`deno task bench:growth\`: ${where}. Each number is a ratio to the first column of its row: the`,
    "median over the paired rounds of one run, each of which is the fastest of its calls. Turns have 500 characters, the index",
    "is ready, and writes are durable. The stores are in memory if possible, because a disk adds the same time at every size,",
    "which would hide growth. An operation without a reason should cost the same everywhere. The last column is validated; a",
    "single outlier before it is a measurement error of that store. The work is the number that the last call on the largest",
    "store returned or changed.",
    ...measurements.flatMap(tableOf),
    "",
  ].join("\n");
}

function tableOf({ plan, report }: Measurement): string[] {
  const sizes = sizesOf(plan);
  const header = ["operation", ...sizes, "work", "grows because it"];
  const rows = report.map((growth) => [
    `\`${growth.name}\``,
    "1",
    ...growth.ratios.slice(1).map(written),
    String(growth.work.at(-1)),
    growth.because ?? (growsUnforeseen(growth) ? "**not foreseen**" : ""),
  ]);
  const widths = header.map((_, column) =>
    Math.max(3, ...[header, ...rows].map((row) => row[column]!.length))
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |`;
  const rule = widths.map((width) => "-".repeat(width));
  return [
    "",
    `## ${TITLES[plan.axis]}`,
    "",
    `![${TITLES[plan.axis]}](${plan.axis}.svg)`,
    "",
    ...[header, rule, ...rows].map(line),
  ];
}

function sizesOf(plan: Plan): readonly string[] {
  return plan.holdings.map((holding) => {
    const count = holding[plan.axis];
    const digits = String(count).replace(/\B(?=(\d{3})+$)/g, " ");
    return `${digits} ${count === 1 ? plan.axis.slice(0, -1) : plan.axis}`;
  });
}
