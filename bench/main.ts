/**
 * Runs every question and prints one table. `--small` does as little as possible, to show that nothing has rotted;
 * `--json` prints for machines; any other argument runs only questions whose name contains it.
 */
import { deleteTurn, lonePutTurn, putTurnGrowth, replayHit, snapshotGrowth } from "./conversations.ts";
import { assembleBesideCount, assembleGrowth, searchBesideScan } from "./contexts.ts";
import { countAfterWords, worstCount } from "./counting.ts";
import { chineseFileSize, deleteIndexedTurn, englishFileSize, firstIndexing } from "./indexing.ts";
import { type Answer, median, type Question, ratioOf, type SizeAnswer } from "./measure.ts";
import { assemblePeak } from "./memory.ts";
import { servePeak } from "./memory_serve.ts";
import { openStore } from "./open.ts";
import { groupedPut, lonePut } from "./records_put.ts";
import { recordsGet } from "./records_get.ts";
import { start } from "./start.ts";

const QUESTIONS: readonly Question[] = [
  recordsGet,
  lonePut,
  groupedPut,
  lonePutTurn,
  snapshotGrowth,
  putTurnGrowth,
  deleteTurn,
  deleteIndexedTurn,
  firstIndexing,
  englishFileSize,
  chineseFileSize,
  assembleGrowth,
  assembleBesideCount,
  assemblePeak,
  servePeak,
  searchBesideScan,
  worstCount,
  countAfterWords,
  replayHit,
  openStore,
  start,
];

interface Line {
  readonly row: string;
  readonly floor: string;
  readonly unit: "us" | "bytes";
  /** The median of the floor, in that unit. */
  readonly floorMedian: number;
  /** The median of ours. */
  readonly oursMedian: number;
  readonly ratio: number;
  readonly target: number;
  readonly holds: boolean | null;
  readonly checksum: number;
}

function lineOf(question: Question, answer: Answer | SizeAnswer): Line {
  const unit = "floorUs" in answer ? "us" : "bytes";
  const floor = "floorUs" in answer ? answer.floorUs : answer.floorBytes;
  const ours = "oursUs" in answer ? answer.oursUs : answer.oursBytes;
  const ratio = ratioOf(floor, ours);
  return {
    row: question.name,
    floor: question.floor,
    unit,
    floorMedian: median(floor),
    oursMedian: median(ours),
    ratio,
    target: question.target,
    holds: !("notComparable" in answer) ? ratio <= question.target : null,
    checksum: answer.checksum,
  };
}

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

function format(line: Line): string {
  const verdict = line.holds === null ? "not comparable" : line.holds ? "holds" : "misses";
  const numbers = [
    line.floorMedian.toFixed(1),
    line.oursMedian.toFixed(1),
    line.ratio.toFixed(3),
    line.target.toFixed(2),
  ];
  return [line.row.padEnd(58), ...numbers.map((number) => number.padStart(10)), `  ${verdict}`].join(" ");
}

const size = Deno.args.includes("--small") ? "small" : "full";
const wanted = Deno.args.filter((argument) => !argument.startsWith("--"));
const json = Deno.args.includes("--json");
const lines: Line[] = [];
if (!json) {
  print(
    `Deno ${Deno.version.deno}, ${Deno.build.target}; WAL, synchronous FULL; microseconds, medians of paired rounds; sizes in bytes`,
  );
  print(
    [`${"row".padEnd(58)}`, ...["floor", "ours", "ratio", "at most"].map((name) => name.padStart(10))].join(
      " ",
    ),
  );
}
for (const question of QUESTIONS) {
  if (wanted.length > 0 && !wanted.some((part) => question.name.includes(part))) continue;
  const line = lineOf(question, await question.run(size));
  lines.push(line);
  if (!json) print(`${format(line)}  [work ${line.checksum}; floor: ${line.floor}]`);
}
if (json) print(JSON.stringify({ deno: Deno.version.deno, target: Deno.build.target, size, lines }, null, 2));
