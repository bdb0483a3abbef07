/**
 * Cancels every public operation each time it checks its signal: the first time, the second, and so on until it
 * completes. The store is as it was, or, if an operation has several transactions, some of these further.
 */

import assert from "node:assert/strict";
import type { Memory } from "@holdfast/memory";
import { CountedSignal, REASON } from "../kit/counted_signal.ts";
import { assertIntact, testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { assertIsOneOf, type HonestRun, runHonestly, withoutTraces } from "./honest_run.ts";
import { prepareMuch } from "./index_operations.ts";
import { PUBLIC_OPERATIONS } from "./public_operations.ts";
import type { StruckOperation } from "./struck_operation.ts";
import { type Ending, endingOf, StruckStore } from "./struck_store.ts";

/** More checks than any operation makes on the small stores of this test. */
const LOOKS_MAX = 200;

/** Cancels an operation at one check; false if it ended before. */
async function cancelAt(look: number, operation: StruckOperation, honest: HonestRun): Promise<boolean> {
  await using store = await StruckStore.make(honest.image);
  const memory = await store.open(5_000, operation.laterMs);
  const counted = new CountedSignal(look);
  try {
    const ending = await endingOf(operation.run(memory, counted.signal));
    const found = store.committed();
    if (ending.kind === "rejected" && ending.error === REASON) {
      assert(counted.struck, "cancelled without a check");
      assertIsOneOf(found, operation.steps === true ? honest.states : honest.states.slice(0, 1));
      if (operation.closes !== true) await assertFinishes(memory, store, operation, honest);
    } else {
      assertIsWhole(ending, operation, honest);
      assertIsOneOf(found, operation.rests === true ? honest.states : honest.states.slice(-1));
    }
  } finally {
    await memory.close();
  }
  return counted.struck;
}

/** Once it has run, its result is kept. */
function assertIsWhole(ending: Ending, { rests }: StruckOperation, honest: HonestRun): void {
  assert.equal(ending.kind, honest.ending.kind);
  if (ending.kind === "rejected") {
    assert.equal((ending.error as Error).message, (honest.ending as { error: Error }).error.message);
  } else if (rests !== true) assert.deepEqual(ending, honest.ending);
}

/** The store is intact, and repeating the call has the same result. */
async function assertFinishes(
  memory: Memory,
  store: StruckStore,
  { run }: StruckOperation,
  { states }: HonestRun,
): Promise<void> {
  await assertIntact(memory);
  await endingOf(run(memory, undefined));
  assertIsOneOf(withoutTraces(store.committed()), [withoutTraces(states.at(-1)!)]);
}

/** Calls that take no signal. */
const WITHOUT_SIGNAL: ReadonlySet<string> = new Set(["Memory.deletionWatermark"]);

/** Reports damage instead of throwing, so that the matrix of faults leaves it out. */
const CHECK: StruckOperation = {
  name: "a check",
  calls: "Memory.check",
  prepare: prepareMuch,
  run: (memory, signal) => memory.check({ signal }),
};

for (const operation of [...PUBLIC_OPERATIONS, CHECK]) {
  Deno.test(`Cancelled at any look at its signal, ${operation.name} leaves the store as it was or whole steps further`, async () => {
    const honest = await runHonestly(operation);
    let look = 0;
    while (await cancelAt(look, operation, honest)) assert(++look < LOOKS_MAX);
    // A call that takes no signal is run once, and is not cancelled.
    assert(look > 0 || WITHOUT_SIGNAL.has(operation.calls), "the signal is never checked");
  });
}

testThatNothingIsLeftOpen();
