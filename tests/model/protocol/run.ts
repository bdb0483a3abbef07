/**
 * The long campaign: every two programs, up to two crashes and two failing commits.
 *
 *     deno run --v8-flags=--max-old-space-size=6000 tests/model/protocol/run.ts [crashes] [failures] [ledger's journal] [rules left out]
 *
 * One pair is searched at a time and then forgotten, so that memory is bounded by the largest pair: with two crashes and two
 * failures 2.7 million states, at about a kilobyte each. All 253 pairs have 34 million and take some ten minutes.
 */
// deno-lint-ignore-file no-console -- a program for the terminal
import { explore } from "./explore.ts";
import { campaignPairs } from "./pairs.ts";
import { protocolModel } from "./protocol_model.ts";
import { type Rule, RULES, rulesWithout } from "./rules.ts";

const [crashes = "2", failures = "2", ledger = "wal", left = ""] = Deno.args;
if (ledger !== "wal" && ledger !== "rollback") throw new Error("a journal is wal or rollback");
const leftOut = left.split(",").filter((name): name is Rule => name in RULES);
const rules = rulesWithout(...leftOut);

const broken = new Map<string, { readonly programs: string; readonly trace: readonly string[] }>();
const pairs = campaignPairs(Number(crashes), Number(failures), { main: "wal", ledger });
const startedMs = performance.now();
let states = 0;
let largest = 0;
for (const pair of pairs) {
  const result = explore(protocolModel(pair, rules));
  states += result.states;
  largest = Math.max(largest, result.states);
  const programs = pair.programs.join(" | ");
  console.log(
    `${String(result.states).padStart(9)}  ${pair.crashes} crashes, ${pair.failures} failures  ${programs}`,
  );
  for (const [promise, trace] of result.broken) {
    const known = broken.get(promise);
    if (!known || known.trace.length > trace.length) broken.set(promise, { programs, trace });
  }
}
const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
console.log(`${pairs.length} pairs, ${states} states, ${seconds} s; the largest pair has ${largest} states`);
console.log(leftOut.length === 0 ? "all rules in force" : `left out: ${leftOut.join(", ")}`);
if (broken.size === 0) console.log("no promise is broken");
for (const [promise, { programs, trace }] of broken) {
  console.log(`broken: ${promise}\n  ${programs}\n    ${trace.join("\n    ")}`);
}
if (broken.size > 0) Deno.exit(1);
