/**
 * Goal: what the same work costs in others that run here, in one run, with the same durability; rows that are lost are
 * printed like those that are won. Non-goal: which is the better choice; the terms of each row say what either leaves
 * out. What is durable is measured in a steady state: logs have their full size on both sides. Seeds 11 and 12. Then,
 * what each keeps where cost is not the question, and how many syncs a commit costs: an answer that is not the one that
 * is published fails the run.
 */
import { choose, readArguments } from "./arguments.ts";
import { endAtSignals, print } from "./ending.ts";
import { compare, type Size } from "./measure.ts";
import { FULL_TEXT } from "./peers/full_text.ts";
import { JSON_LINES } from "./peers/json_lines.ts";
import { type Keeper, KEEPERS, rowOf } from "./peers/keeping.ts";
import { KEEPINGS } from "./peers/keepings.ts";
import { KEY_VALUE } from "./peers/key_value.ts";
import type { PeerAnswer, PeerQuestion } from "./peers/peer.ts";
import { SAVER } from "./peers/saver.ts";
import { COMMITTERS, syncsPerCommit } from "./peers/syncs.ts";
import { messageOf } from "./table.ts";

const USAGE = `Usage: deno task bench:peers [--small] [part of the work or of the peer]...

Measures the same work beside others that run here: all rows, then what each keeps and how many syncs a commit costs;
or only those rows whose work or peer contains one of the parts.

  --small  do as little as possible, to show that nothing has rotted; no ratio means anything

Exits with 1 if a row failed, or if what is published of what each keeps is not so.`;

const WORK_WIDTH = 50;

function headOf(size: Size): string {
  const columns = `${"ratio".padStart(8)} ${"10th - 90th".padStart(15)} ${"mean".padStart(8)}`;
  return [
    ...(size === "small"
      ? ["The small size: it shows that every row still runs; no ratio means anything."]
      : []),
    `Deno ${Deno.version.deno}, ${Deno.build.target}; the time of ours, the peer's being 1`,
    "ratio: the median of paired rounds, then their 10th and 90th percentiles; mean: all of ours over all of the peer's",
    `${"work".padEnd(WORK_WIDTH)} ${"ours".padEnd(30)} ${"peer".padEnd(22)} ${columns}`,
  ].join("\n");
}

function lineOf({ work, ours, peer, terms }: PeerQuestion, answer: PeerAnswer | string): string {
  const told = typeof answer === "string" ? `not measured: ${answer}` : numbersOf(answer);
  return `${work.padEnd(WORK_WIDTH)} ${ours.padEnd(30)} ${peer.padEnd(22)} ${told}  ${terms}`;
}

function numbersOf(answer: PeerAnswer): string {
  const { ratio, spread, meanRatio } = compare(answer);
  const between = spread.map((each) => each.toFixed(2)).join(" - ");
  const numbers = `${ratio.toFixed(2).padStart(8)} ${between.padStart(15)} ${
    meanRatio.toFixed(2).padStart(8)
  }`;
  return `${numbers}  [work ${answer.checksum}]`;
}

/** Prints the rows; gives how many failed. */
async function printRows(questions: readonly PeerQuestion[], size: Size): Promise<number> {
  let failed = 0;
  print(headOf(size));
  for (const question of questions) {
    try {
      print(lineOf(question, await question.run(size)));
    } catch (error) {
      failed++;
      print(`${question.work.padEnd(WORK_WIDTH)} failed: ${messageOf(error)}`);
    }
  }
  return failed;
}

/** Tries what each keeps; gives how many answers were not those that are published. */
async function printKeepings(): Promise<number> {
  let wrong = 0;
  print(`\n| what each keeps | ${KEEPERS.join(" | ")} |`);
  for (const keeping of KEEPINGS) {
    print(rowOf(keeping));
    for (const [keeper, found] of Object.entries(keeping.tries)) {
      const complaint = await complaintOf(found, keeping.said[keeper as Keeper]);
      if (complaint === undefined) print(`not tried: ${keeper} cannot be had here`);
      if (typeof complaint !== "string") continue;
      print(`${complaint}: ${keeper}`);
      wrong++;
    }
  }
  return wrong;
}

/** What is wrong with what is said; null if it is so, undefined where it cannot be tried. */
async function complaintOf(
  found: () => Promise<boolean | undefined>,
  said: boolean | null,
): Promise<string | null | undefined> {
  try {
    const kept = await found();
    if (kept === undefined) return undefined;
    return kept === said ? null : `NOT SO, but ${kept}`;
  } catch (error) {
    return `failed: ${messageOf(error)}`;
  }
}

/** Counts syncs; gives how many commits took another number than one. */
async function printSyncs(): Promise<number> {
  let wrong = 0;
  print("\nsyncs for each durable commit, counted by strace");
  for (const [name, committer] of Object.entries(COMMITTERS)) {
    const syncs = await syncsPerCommit(committer);
    print(`${name.padEnd(14)} ${syncs ?? "not counted: strace cannot be had here"}`);
    if (syncs !== null && syncs !== 1) wrong++;
  }
  return wrong;
}

endAtSignals();
const { flags, words } = readArguments(Deno.args, { usage: USAGE, flags: ["--small"] });
const all = [...KEY_VALUE, ...JSON_LINES, ...SAVER, ...FULL_TEXT];
const chosen = choose(all, ({ work, peer }) => `${work}, ${peer}`, { parts: words, usage: USAGE });
let wrong = await printRows(chosen, flags.has("--small") ? "small" : "full");
if (words.length === 0) wrong += await printKeepings() + await printSyncs();
Deno.exit(wrong === 0 ? 0 : 1);
