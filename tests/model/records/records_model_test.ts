/** Seeded operations against a plain model. `HOLDFAST_MODEL_SEED` plays one seed; `HOLDFAST_LONG=1` plays more. */

import assert from "node:assert/strict";
import { play, type Run, type Tally } from "./play.ts";

const LONG = Deno.env.get("HOLDFAST_LONG") === "1";
const ONLY = Deno.env.get("HOLDFAST_MODEL_SEED");
const STEPS = LONG ? 1_500 : 600;

function seeds(first: number): readonly number[] {
  if (ONLY !== undefined) return [Number(ONLY)];
  return Array.from({ length: LONG ? 8 : 3 }, (_, index) => first + index);
}

async function playInFile(run: Omit<Run, "place" | "steps">): Promise<Tally> {
  const directory = Deno.makeTempDirSync({ prefix: "holdfast-model-" });
  try {
    return await play({ ...run, steps: STEPS, place: { file: `${directory}/agent.db` } });
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
}

for (const seed of seeds(1)) {
  Deno.test(`Records in a file behave as the plain model through ${STEPS} operations and reopening, seed ${seed}`, async () => {
    const tally = await playInFile({ seed, stores: 1, reopens: true, clockStepsBack: true });
    assertRich(tally);
  });
}

for (const seed of seeds(101)) {
  Deno.test(`Records in memory behave as the plain model through ${STEPS} operations, seed ${seed}`, async () => {
    const tally = await play({
      seed,
      steps: STEPS,
      place: ":memory:",
      stores: 1,
      reopens: false,
      clockStepsBack: true,
    });
    assertRich(tally);
  });
}

for (const seed of seeds(201).slice(0, LONG ? 8 : 1)) {
  Deno.test(`Records of two open stores on one file behave as one model, seed ${seed}`, async () => {
    const tally = await playInFile({ seed, stores: 2, reopens: true, clockStepsBack: false });
    assertRich(tally);
  });
}

/** A run in which nothing was refused, or nothing expired, would prove little. */
function assertRich({ steps, outcomes, recalled }: Tally): void {
  assert.equal(steps, STEPS);
  assert.ok(recalled >= 5, `${recalled} repeated calls`);
  const wanted = ["put: number", "forget: boolean", "purge: number", "update: number", "together: number"];
  const refused = ["REVISION", "EXPIRED", "DELETED", "IDEMPOTENCY", "MISSING", "CONTRACT"];
  for (const name of [...wanted, ...refused]) {
    assert.ok((outcomes[name] ?? 0) > 0, `no ${name} in ${steps} steps`);
  }
}
