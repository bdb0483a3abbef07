/**
 * Whatever changes hands before and after backups and exports: nothing of a person who was erased comes back, and nothing of
 * anybody else is gone. `HOLDFAST_LONG=1` plays more and longer histories.
 */

import assert from "node:assert/strict";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";
import { Seeded } from "../model/records/seeded.ts";
import { type Done, Ownership } from "./ownership.ts";

const LONG = Deno.env.get("HOLDFAST_LONG") === "1";
const ONLY = Deno.env.get("HOLDFAST_MODEL_SEED");
const [SEEDS, STEPS] = LONG ? [20, 600] : [4, 100];
const seeds = ONLY === undefined ? Array.from({ length: SEEDS }, (_, index) => index + 1) : [Number(ONLY)];
const done: Done = {};

for (const seed of seeds) {
  Deno.test(`OPS-02 In a history of ${STEPS} steps erasures take exactly what is whose, seed ${seed}`, async () => {
    await using directory = await TemporaryDirectory.make();
    await using ownership = await Ownership.make(directory.path, new Seeded(seed), done);
    for (let step = 1; step <= STEPS; step++) {
      try {
        await ownership.step();
      } catch (cause) {
        throw new Error(`seed ${seed}, step ${step}`, { cause });
      }
    }
  });
}

Deno.test("The histories did everything", () => {
  const acts = ["append", "put", "update", "label", "erase a tenant", "erase a person", "delete", "backup"];
  for (const act of [...acts, "export", "restore", "import", "reopen"]) {
    assert((done[act] ?? 0) > 0 || ONLY !== undefined, `${act}: ${JSON.stringify(done)}`);
  }
});

testThatNothingIsLeftOpen();
