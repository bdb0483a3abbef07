/**
 * Each deliberate break of the source is noticed by an assertion of the test that guards it. `HOLDFAST_MUTANT` names
 * one, by part of its name.
 */

import assert from "node:assert/strict";
import { Laboratory, type Verdict } from "./laboratory.ts";
import type { Mutant } from "./mutant.ts";
import { NAMED_BREAKS } from "./breaks/named.ts";
import { MUTANTS } from "./mutants.ts";

const ONLY = Deno.env.get("HOLDFAST_MUTANT") ?? "";
const CHOSEN = MUTANTS.filter(({ name }) => name.includes(ONLY));

/** Two copies, each with one break at a time, and while one test waits for its break the next is tried. */
class Trials {
  readonly #laboratories = [new Laboratory(), new Laboratory()];
  readonly #verdicts = new Map<number, Promise<Verdict>>();

  verdict(index: number): Promise<Verdict> {
    const verdict = this.#start(index);
    if (index + 1 < CHOSEN.length) this.#start(index + 1);
    return verdict;
  }

  /** Runs those tests of a file that guard something, on the unbroken source. */
  unbroken(file: string): Promise<{ readonly passed: boolean; readonly output: string }> {
    const guards = CHOSEN.filter(({ test }) => test === file);
    return this.#laboratories[0]!.test(file, guards.map(({ promise }) => promise));
  }

  async end(): Promise<void> {
    await Promise.allSettled(this.#verdicts.values());
    for (const laboratory of this.#laboratories) laboratory[Symbol.dispose]();
  }

  #start(index: number): Promise<Verdict> {
    let verdict = this.#verdicts.get(index);
    if (verdict === undefined) {
      const before = this.#verdicts.get(index - 2);
      const laboratory = this.#laboratories[index % 2]!;
      verdict = Promise.resolve(before).then(() => laboratory.try(CHOSEN[index]!));
      this.#verdicts.set(index, verdict);
    }
    return verdict;
  }
}

let trials: Trials;

Deno.test.beforeAll(() => {
  trials = new Trials();
});

Deno.test.afterAll(() => trials.end());

Deno.test("Every test that guards something passes on the unbroken source", async () => {
  for (const file of new Set(CHOSEN.map(({ test }) => test))) {
    const { passed, output } = await trials.unbroken(file);
    assert.ok(passed, `${file}\n${output}`);
  }
});

for (const [index, mutant] of CHOSEN.entries()) {
  Deno.test(`A test notices when ${mutant.name}`, async () => {
    const verdict = await trials.verdict(index);
    assert.equal(verdict.kind, "caught", describe(mutant, verdict));
  });
}

Deno.test("There are at least twenty breaks, the three of the reference page among them, each with a reason", () => {
  assert.ok(MUTANTS.length >= 20);
  assert.equal(NAMED_BREAKS.length, 3);
  assert.equal(new Set(MUTANTS.map(({ name }) => name)).size, MUTANTS.length);
  for (const { why, find, replace } of MUTANTS) assert.ok(why !== "" && find !== replace);
});

function describe({ file, find, test, why }: Mutant, verdict: Verdict): string {
  if (verdict.kind === "stale") return `stale: found ${verdict.found} times in ${file}: ${find}`;
  const output = verdict.kind === "caught" ? "" : verdict.output.slice(-4_000);
  return `${verdict.kind}: ${file}, ${test}; ${why}\n${output}`;
}
