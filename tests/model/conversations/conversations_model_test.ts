/** Seeded operations against a plain model. `HOLDFAST_MODEL_SEED` plays one seed; `HOLDFAST_LONG=1` plays more. */

import assert from "node:assert/strict";
import { testThatNothingIsLeftOpen } from "../../kit/soundness.ts";
import { TemporaryDirectory } from "../../kit/temporary_directory.ts";
import { play, type Run, type Tally } from "./play.ts";

const LONG = Deno.env.get("HOLDFAST_LONG") === "1";
const ONLY = Deno.env.get("HOLDFAST_MODEL_SEED");
const STEPS = LONG ? 2_000 : 500;

function seeds(first: number, count: number): readonly number[] {
  if (ONLY !== undefined) return [Number(ONLY)];
  return Array.from({ length: LONG ? count * 5 : count }, (_, index) => first + index);
}

async function playInFile(run: Omit<Run, "path" | "steps">): Promise<Tally> {
  await using directory = await TemporaryDirectory.make();
  return await play({ ...run, steps: STEPS, path: directory.file("agent.db") });
}

/** A run in which nothing was refused, or nothing expired, would prove little. */
function assertRich(tally: Tally): void {
  const wanted = [
    "create",
    "putTurn",
    "append",
    "putPin",
    "delete",
    "snapshot",
    "turns",
    "cachePut",
    "cacheGet",
  ];
  const refused = ["REVISION", "SNAPSHOT", "DELETED", "MISSING", "CONTRACT", "IDEMPOTENCY", "CAPACITY"].map((
    reason,
  ) => `refused: ${reason}`);
  for (const name of [...wanted, ...refused]) assert((tally[name] ?? 0) > 0, `no ${name} in ${STEPS} steps`);
}

for (const seed of seeds(1, 3)) {
  Deno.test(`Conversations in a file behave as the plain model through ${STEPS} operations and reopening, seed ${seed}`, async () => {
    assertRich(await playInFile({ seed, stores: 1 }));
  });
}

for (const seed of seeds(101, 4)) {
  Deno.test(`Conversations in memory behave as the plain model through ${STEPS} operations, seed ${seed}`, async () => {
    assertRich(await play({ seed, steps: STEPS, path: ":memory:", stores: 1 }));
  });
}

for (const seed of seeds(201, 1)) {
  Deno.test(`Conversations of two open stores on one file behave as one model, seed ${seed}`, async () => {
    assertRich(await playInFile({ seed, stores: 2 }));
  });
}

testThatNothingIsLeftOpen();
