// deno-lint-ignore-file no-console -- how many states were explored is part of the result
import assert from "node:assert/strict";
import { creationModel } from "./creation.ts";
import { CREATION_PROMISES, type CreationPromise, type CreationRule } from "./creation_state.ts";
import { explore, exploreEndings } from "./explore.ts";

Deno.test("Creation keeps every promise through a crash and a failing commit", () => {
  const result = explore(creationModel({ processes: 2, opens: 2, crashes: 1, failures: 1 }));
  assert.deepEqual([...result.broken], []);
  console.log(`${result.states} states`);
});

Deno.test("Any prefix of creation can be finished", () => {
  assert.equal(exploreEndings(creationModel({ processes: 2, opens: 2, crashes: 1, failures: 0 })).trap, null);
});

const BREAKS: Readonly<Record<CreationRule, CreationPromise>> = {
  keepsWhatIsThere: "filesAgree",
  schemaInsideTransaction: "oneIdentity",
  ledgerBeforeMain: "noFalseAlarm",
  epochComesLast: "filesAgree",
  mainLookedAtFirst: "noFalseAlarm",
  mainLookedAtLast: "noFalseAlarm",
};

for (const [rule, breaks] of Object.entries(BREAKS) as [CreationRule, CreationPromise][]) {
  Deno.test(`Creation without ${rule} breaks this: ${CREATION_PROMISES[breaks]}`, () => {
    const result = explore(creationModel({ processes: 2, opens: 2, crashes: 0, failures: 0 }, rule));
    assert.ok(result.broken.has(breaks), `broken: ${[...result.broken.keys()].join(", ") || "nothing"}`);
  });
}
