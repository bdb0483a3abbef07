/** Formats the table of a run: one line per row, as text or JSON. */

import { type Answer, compare, median, type Question, type Size } from "./measure.ts";

/** A measured row. */
export interface Line {
  readonly row: string;
  readonly floor: string;
  readonly unit: "us" | "bytes";
  /** The median of the floor, in `unit`. */
  readonly floorMedian: number;
  /** The median of ours. */
  readonly oursMedian: number;
  /** The median of the ratios of paired rounds, to which the target applies. */
  readonly ratio: number;
  /** The 10th and the 90th percentile of those ratios. */
  readonly spread: readonly [low: number, high: number];
  /** The total of ours, divided by the total of the floor. */
  readonly meanRatio: number;
  /** The highest ratio that meets the target; null if there is no target. */
  readonly target: number | null;
  /** Whether the ratio meets the target; null if it is not validated. */
  readonly holds: boolean | null;
  /** The reason why the row cannot be compared on this machine; null if it can. */
  readonly notComparable: string | null;
  readonly checksum: number;
}

/** A row that could not be measured. */
export interface FailedLine {
  readonly row: string;
  readonly floor: string;
  /** The message of the error. */
  readonly failed: string;
}

/** Measures a row. An error becomes a line of its own, so that the other rows are still measured. */
export async function measureLine(question: Question, size: Size): Promise<Line | FailedLine> {
  try {
    return lineOf(question, await question.run(size), size);
  } catch (error) {
    return { row: question.name, floor: question.floor, failed: messageOf(error) };
  }
}

/** Returns the message of an error, followed by that of its cause. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${messageOf(error.cause)}`;
}

function lineOf(question: Question, answer: Answer, size: Size): Line {
  const comparison = compare(answer);
  const notComparable = answer.notComparable ?? null;
  const isValidated = size === "full" && notComparable === null && question.target !== null;
  return {
    row: question.name,
    floor: question.floor,
    unit: answer.unit,
    floorMedian: median(answer.floor.map((round) => round.median)),
    oursMedian: median(answer.ours.map((round) => round.median)),
    ...comparison,
    target: question.target,
    holds: isValidated ? comparison.ratio <= question.target : null,
    notComparable,
    checksum: answer.checksum,
  };
}

const ROW_WIDTH = 58;
const NUMBER_WIDTH = 11;
const RATIO_WIDTH = 7;
const SPREAD_WIDTH = 15;

/** Returns the head of the table. */
export function headOf(size: Size): string {
  const columns = cells(["floor", "ours", "ratio", "10th - 90th", "mean", "at most"]);
  return [
    ...(size === "small" ? ["The small size shows that every row still runs. It validates nothing."] : []),
    `Deno ${Deno.version.deno}, ${Deno.build.target}; WAL, synchronous FULL, logs of full size`,
    "medians in µs or bytes; ratio: median of paired rounds, which is validated, with their 10th and 90th percentiles;",
    "mean: total of ours over total of the floor, including checkpoints and pauses",
    `${"row".padEnd(ROW_WIDTH)} ${columns}`,
  ].join("\n");
}

/** Formats a line as text. */
export function format(line: Line | FailedLine): string {
  if ("failed" in line) return `${line.row.padEnd(ROW_WIDTH)} failed: ${line.failed}`;
  const numbers = [
    line.floorMedian.toFixed(1),
    line.oursMedian.toFixed(1),
    line.ratio.toFixed(2),
    line.spread.map((ratio) => ratio.toFixed(2)).join(" - "),
    line.meanRatio.toFixed(2),
    line.target?.toFixed(2) ?? "",
  ];
  const work = `[work ${line.checksum}; floor: ${line.floor}]`;
  return `${line.row.padEnd(ROW_WIDTH)} ${cells(numbers)}  ${verdictOf(line).padEnd(6)}  ${work}`;
}

function verdictOf({ holds, notComparable }: Line): string {
  if (notComparable !== null) return `not comparable: ${notComparable}`;
  return holds === null ? "-" : holds ? "holds" : "misses";
}

function cells(texts: readonly string[]): string {
  const widths = [NUMBER_WIDTH, NUMBER_WIDTH, RATIO_WIDTH, SPREAD_WIDTH, RATIO_WIDTH, RATIO_WIDTH];
  return texts.map((text, column) => text.padStart(widths[column]!)).join(" ");
}
