// deno-lint-ignore-file no-console -- how many states were explored is part of the result
import assert from "node:assert/strict";
import { explore, exploreEndings } from "./explore.ts";
import { EVIDENCE, type Evidence } from "./left_out.ts";
import { ENDING_PAIRS, HARDER_TEST_PAIRS, TEST_PAIRS } from "./pairs.ts";
import { PROMISES } from "./promises.ts";
import { type Pair, protocolModel } from "./protocol_model.ts";
import { type Rule, RULES, type Rules, rulesWithout } from "./rules.ts";
import type { Journals } from "./state.ts";

const JOURNALS: readonly Journals[] = [
  { main: "wal", ledger: "wal" },
  { main: "wal", ledger: "rollback" },
  { main: "rollback", ledger: "rollback" },
];

for (const journals of JOURNALS) {
  const files = `main: ${journals.main}, ledger: ${journals.ledger}`;
  Deno.test(`The protocol keeps every promise through a crash and a failing commit (${files})`, () => {
    assertAllKept(TEST_PAIRS.map((pair) => ({ ...pair, journals })));
  });
}

Deno.test("The protocol keeps every promise through two crashes and two failing commits", () => {
  assertAllKept(HARDER_TEST_PAIRS);
});

Deno.test("With a rollback journal for the ledger no commit needs to be announced", () => {
  const journals: Journals = { main: "wal", ledger: "rollback" };
  const rules = rulesWithout("commitsAreAnnounced", "announcementsAreCleared");
  assertAllKept(TEST_PAIRS.map((pair) => ({ ...pair, journals })), rules);
});

for (const { left, pair, breaks } of EVIDENCE) {
  Deno.test(`Without ${left.join(" and ")} this is broken: ${PROMISES[breaks]}`, () => {
    assertKept(pair);
    const result = explore(protocolModel(pair, rulesWithout(...left)));
    assert.ok(result.broken.has(breaks), `broken: ${[...result.broken.keys()].join(", ") || "nothing"}`);
  });
}

Deno.test("The order of locks and not waiting with a lock held each keep deadlocks away without the other", () => {
  const pair: Pair = { programs: ["delete", "backup, restore 0 to 1"], crashes: 0, failures: 0 };
  for (const left of ["mainBeforeLedger", "nobodyWaitsHolding"] satisfies Rule[]) {
    assert.deepEqual([...explore(protocolModel(pair, rulesWithout(left))).broken], []);
  }
});

Deno.test("Every rule has evidence, and every promise is broken by some rule left out", () => {
  const shown = <Part>(
    part: (evidence: Evidence) => readonly Part[],
  ): Part[] => [...new Set(EVIDENCE.flatMap(part))];
  assert.deepEqual(shown(({ left }) => left).sort(), Object.keys(RULES).sort());
  assert.deepEqual(shown(({ breaks }) => [breaks]).sort(), Object.keys(PROMISES).sort());
});

Deno.test("From every reachable state some run without further crashes and failures finishes", () => {
  let states = 0;
  for (const pair of ENDING_PAIRS) {
    const result = exploreEndings(protocolModel(pair));
    assert.equal(result.trap, null, `${pair.programs.join(" | ")}\n  ${result.trap?.join("\n  ")}`);
    states += result.states;
  }
  console.log(`${ENDING_PAIRS.length} pairs of programs, ${states} states`);
});

/** Searches every pair, and prints the size of the search. */
function assertAllKept(pairs: readonly Pair[], rules: Rules = rulesWithout()): void {
  const states = pairs.reduce((sum, pair) => sum + assertKept(pair, rules), 0);
  console.log(`${pairs.length} pairs of programs, ${states} states`);
}

/** Searches a pair, and gives the number of states. */
function assertKept(pair: Pair, rules: Rules = rulesWithout()): number {
  const result = explore(protocolModel(pair, rules));
  for (const [promise, trace] of result.broken) {
    assert.fail(`broken: ${promise}\n  ${pair.programs.join(" | ")}\n    ${trace.join("\n    ")}`);
  }
  return result.states;
}
