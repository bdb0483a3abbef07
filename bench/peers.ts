/**
 * Goal: what the same work costs in others that run here, in one run, with the same durability; rows that are lost are
 * printed like those that are won. Non-goal: which is the better choice; the terms of each row say what either leaves
 * out. `--small` only shows that nothing has rotted. Seeds 11 and 12.
 */
import { ratioOf } from "./measure.ts";
import { FULL_TEXT } from "./peers/full_text.ts";
import { JSON_LINES } from "./peers/json_lines.ts";
import { KEY_VALUE } from "./peers/key_value.ts";
import type { PeerAnswer, PeerQuestion } from "./peers/peer.ts";
import { SAVER } from "./peers/saver.ts";

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
