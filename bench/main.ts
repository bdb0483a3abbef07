/** Runs every question and prints one table. */
import { choose, readArguments } from "./arguments.ts";
import { deleteTurn, lonePutTurn, putTurnGrowth, replayHit, snapshotGrowth } from "./conversations.ts";
import {
  assembleBesideCount,
  assembleGrowth,
  fewTurnsSearchGrowth,
  mostTurnsSearchGrowth,
  searchBesideScan,
} from "./contexts.ts";
import { countAfterWords, worstCount } from "./counting.ts";
import { chineseFileSize, deleteIndexedTurn, englishFileSize, firstIndexing } from "./indexing.ts";
import { endAtSignals, print } from "./ending.ts";
import { journalAppendGrowth, loneJournalAppend } from "./journals.ts";
import type { Question } from "./measure.ts";
import { assemblePeak } from "./memory.ts";
import { servePeak } from "./memory_serve.ts";
import { openStore } from "./open.ts";
import { groupedPut, lonePut, transaction } from "./records_put.ts";
import { recordsGet } from "./records_get.ts";
import { start } from "./start.ts";
import { type FailedLine, format, headOf, type Line, measureLine } from "./table.ts";

const QUESTIONS: readonly Question[] = [
  recordsGet,
  lonePut,
  transaction,
  groupedPut,
  lonePutTurn,
  snapshotGrowth,
  putTurnGrowth,
  deleteTurn,
  deleteIndexedTurn,
  loneJournalAppend,
  journalAppendGrowth,
  firstIndexing,
  englishFileSize,
  chineseFileSize,
  assembleGrowth,
  assembleBesideCount,
  assemblePeak,
  servePeak,
  searchBesideScan,
  fewTurnsSearchGrowth,
  mostTurnsSearchGrowth,
  worstCount,
  countAfterWords,
  replayHit,
  openStore,
  start,
];

const USAGE = `Usage: deno task bench [--small] [--json] [part of a row's name]...

Compares rows with their floors and prints one table: all rows, or those whose names contain one of the parts.

  --small  do as little as possible, to show that everything still runs; nothing is validated
  --json   print JSON

Exits with 1 if a row failed. A row that misses its target is marked, and is not a failure.`;

endAtSignals();
const { flags, words } = readArguments(Deno.args, { usage: USAGE, flags: ["--small", "--json"] });
const chosen = choose(QUESTIONS, ({ name }) => name, { parts: words, usage: USAGE });
const size = flags.has("--small") ? "small" : "full";
const json = flags.has("--json");
const lines: (Line | FailedLine)[] = [];
if (!json) print(headOf(size));
for (const question of chosen) {
  const line = await measureLine(question, size);
  lines.push(line);
  if (!json) print(format(line));
}
if (json) {
  const validated = size === "full";
  print(
    JSON.stringify({ deno: Deno.version.deno, target: Deno.build.target, size, validated, lines }, null, 2),
  );
}
Deno.exit(lines.some((line) => "failed" in line) ? 1 : 0);
