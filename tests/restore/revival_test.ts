/**
 * Nothing that was deleted, forgotten or expired comes back, for any old backup, restored any number of times. A
 * failure prints the seed and the shortest history that shows it; `HOLDFAST_LONG=1` plays more and longer ones.
 */

import assert from "node:assert/strict";
import { DRIVERS } from "./shelf.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { type Play, play } from "./revival/revival.ts";

const LONG = Deno.env.get("HOLDFAST_LONG") === "1";
const ONLY = Deno.env.get("HOLDFAST_MODEL_SEED");
const STEPS = LONG ? 240 : 70;
const SEEDS = ONLY !== undefined
  ? [Number(ONLY)]
  : Array.from({ length: LONG ? 40 : 3 }, (_, index) => index + 1);

for (const seed of SEEDS) {
  const [journal, driver] = DRIVERS[seed % 3 === 0 ? 1 : 0]!;
  Deno.test(`no backup of a history of ${STEPS} steps revives what an event covers, with a ${journal}, seed ${seed}`, async () => {
    const counts: Record<string, number> = {};
    await playOrShorten({ seed, steps: STEPS, driver: driver(), counts });
    for (const what of ["backup", "copy", "restore with newer events", "put back: replaced"]) {
      assert(counts[what]! > 0, `no ${what} in ${STEPS} steps`);
    }
  });
}

/** Plays a history; of one that fails, finds the shortest beginning that does. */
async function playOrShorten(options: Play): Promise<void> {
  try {
    await play(options);
  } catch (error) {
    for (let steps = 0; steps < options.steps; steps++) {
      try {
        await play({ ...options, steps });
      } catch (shorter) {
        throw new Error(`seed ${options.seed}, after ${steps} steps`, { cause: shorter });
      }
    }
    throw new Error(`seed ${options.seed}, after ${options.steps} steps`, { cause: error });
  }
}

testThatNothingIsLeftOpen();
