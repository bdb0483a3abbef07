/**
 * Goal: the cost of the same work in other stores that run on this machine, in one run and with the same durability. Rows
 * that we lose are printed like those that we win. Non-goal: which store is the better choice; the terms of each row say
 * what either side leaves out. Durable work is measured in a steady state: both sides have logs of full size. Seeds 11
 * and 12. Afterwards it checks what each store guarantees, and the number of syncs per commit; the run fails if an answer
 * differs from the published one.
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

Compares the same work with other stores: all rows, then what each store keeps and the number of syncs per commit; or
only those rows whose work or peer contains one of the parts.

  --small  do as little as possible, to show that everything still runs; the ratios mean nothing

Exits with 1 if a row failed, or if an answer on what each keeps differs from the published one.`;

const WORK_WIDTH = 50;

function headOf(size: Size): string {
  const columns = `${"ratio".padStart(8)} ${"10th - 90th".padStart(15)} ${"mean".padStart(8)}`;
  return [
    ...(size === "small" ? ["The small size shows that every row still runs. Its ratios mean nothing."] : []),
    `Deno ${Deno.version.deno}, ${Deno.build.target}; our time as a multiple of the peer's`,
    "ratio: median of paired rounds, with their 10th and 90th percentiles; mean: total of ours over total of the peer",
    `${"work".padEnd(WORK_WIDTH)} ${"ours".padEnd(30)} ${"peer".padEnd(22)} ${columns}`,
  ].join("\n");
}

function lineOf({ work, ours, peer, terms }: PeerQuestion, answer: PeerAnswer | string): string {
  const result = typeof answer === "string" ? `not measured: ${answer}` : numbersOf(answer);
  return `${work.padEnd(WORK_WIDTH)} ${ours.padEnd(30)} ${peer.padEnd(22)} ${result}  ${terms}`;
}

function numbersOf(answer: PeerAnswer): string {
  const { ratio, spread, meanRatio } = compare(answer);
  const between = spread.map((each) => each.toFixed(2)).join(" - ");
  const numbers = `${ratio.toFixed(2).padStart(8)} ${between.padStart(15)} ${
    meanRatio.toFixed(2).padStart(8)
  }`;
  return `${numbers}  [work ${answer.checksum}]`;
}

/** Prints the rows; returns the number that failed. */
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

/** Checks what each store keeps; returns the number of answers that differ from the published ones. */
async function printKeepings(): Promise<number> {
  let wrong = 0;
  print(`\n| what each keeps | ${KEEPERS.join(" | ")} |`);
  for (const keeping of KEEPINGS) {
    print(rowOf(keeping));
    for (const [keeper, check] of Object.entries(keeping.checks)) {
      const complaint = await complaintOf(check, keeping.published[keeper as Keeper]);
      if (complaint === undefined) print(`not checked: ${keeper} is not available here`);
      if (typeof complaint !== "string") continue;
      print(`${complaint}: ${keeper}`);
      wrong++;
    }
  }
  return wrong;
}

/** Compares an answer with the published one: a complaint, null if they agree, undefined if it cannot be checked. */
async function complaintOf(
  check: () => Promise<boolean | undefined>,
  published: boolean | null,
): Promise<string | null | undefined> {
  try {
    const kept = await check();
    if (kept === undefined) return undefined;
    return kept === published ? null : `WRONG, it is ${kept}`;
  } catch (error) {
    return `failed: ${messageOf(error)}`;
  }
}

/** Prints the syncs per commit; returns the number of stores for which it is not one. */
async function printSyncs(): Promise<number> {
  let wrong = 0;
  print("\nsyncs for each durable commit, counted by strace");
  for (const [name, committer] of Object.entries(COMMITTERS)) {
    const syncs = await syncsPerCommit(committer);
    print(`${name.padEnd(14)} ${syncs ?? "not counted: strace is not available here"}`);
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
