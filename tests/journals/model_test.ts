/** Seeded operations on journals against plain lists. `HOLDFAST_LONG=1` plays more. */

import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";
import { play } from "./journal_model.ts";

const LONG = Deno.env.get("HOLDFAST_LONG") === "1";
const STEPS = LONG ? 2_000 : 250;

/** Plays; of a run that fails, the shortest beginning that still fails is what the error tells. */
async function playOrShorten(seed: number): Promise<void> {
  const run = async (steps: number): Promise<unknown> => {
    await using directory = await TemporaryDirectory.makeInMemory();
    return await play(directory.file("agent.db"), { seed, steps }).then(
      () => null,
      (error: unknown) => error,
    );
  };
  let cause = await run(STEPS);
  if (cause === null) return;
  let [good, bad] = [0, STEPS];
  while (bad - good > 1) {
    const middle = (good + bad) >>> 1;
    const found = await run(middle);
    if (found === null) good = middle;
    else [bad, cause] = [middle, found];
  }
  throw new Error(`seed ${seed}, after ${bad} steps`, { cause });
}

for (let seed = 1; seed <= (LONG ? 20 : 4); seed++) {
  Deno.test(`${STEPS} operations on journals answer as plain lists do, seed ${seed}`, () =>
    playOrShorten(seed));
}

testThatNothingIsLeftOpen();
