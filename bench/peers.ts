/**
 * Goal: what the same work costs in others that run here, in one run, with the same durability; rows that are lost are
 * printed like those that are won. Non-goal: which is the better choice; the terms of each row say what either leaves
 * out. `--small` only shows that nothing has rotted. Seeds 11 and 12. Then, what each keeps where cost is not the
 * question, and how many syncs a commit costs: an answer that is not the one that is published fails the run.
 */
import { ratioOf } from "./measure.ts";
import { FULL_TEXT } from "./peers/full_text.ts";
import { JSON_LINES } from "./peers/json_lines.ts";
import { KEEPERS, rowOf } from "./peers/keeping.ts";
import { KEEPINGS } from "./peers/keepings.ts";
import { KEY_VALUE } from "./peers/key_value.ts";
import type { PeerAnswer, PeerQuestion } from "./peers/peer.ts";
import { SAVER } from "./peers/saver.ts";
import { COMMITTERS, syncsPerCommit } from "./peers/syncs.ts";

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

function lineOf({ work, ours, peer, terms }: PeerQuestion, answer: PeerAnswer | string): string {
  const told = typeof answer === "string"
    ? `not measured: ${answer}`
    : `${ratioOf(answer.peerUs, answer.oursUs).toFixed(2).padStart(8)}  [work ${answer.checksum}]`;
  return `${work.padEnd(46)} ${ours.padEnd(30)} ${peer.padEnd(22)} ${told}  ${terms}`;
}

const size = Deno.args.includes("--small") ? "small" : "full";
const wanted = Deno.args.filter((argument) => !argument.startsWith("--"));
print(`Deno ${Deno.version.deno}, ${Deno.build.target}; the time of ours, the peer's being 1`);
for (const question of [...KEY_VALUE, ...JSON_LINES, ...SAVER, ...FULL_TEXT]) {
  if (wanted.length > 0 && !wanted.some((part) => question.peer.includes(part))) continue;
  print(lineOf(question, await question.run(size)));
}

let wrong = 0;
print(`\n| what each keeps | ${KEEPERS.join(" | ")} |`);
for (const keeping of KEEPINGS) {
  print(rowOf(keeping));
  for (const [keeper, found] of Object.entries(keeping.tries)) {
    const kept = await found();
    if (kept === keeping.said[keeper as keyof typeof keeping.said]) continue;
    print(kept === undefined ? `not tried: ${keeper} cannot be had here` : `NOT SO: ${keeper}: ${kept}`);
    if (kept !== undefined) wrong++;
  }
}

print("\nsyncs for each durable commit, counted by strace");
for (const [name, committer] of Object.entries(COMMITTERS)) {
  const syncs = await syncsPerCommit(committer);
  print(`${name.padEnd(14)} ${syncs ?? "not counted: strace cannot be had here"}`);
  if (syncs !== null && syncs !== 1) wrong++;
}
Deno.exit(wrong === 0 ? 0 : 1);
