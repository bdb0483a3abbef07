import assert from "node:assert/strict";
import type { Memory } from "../../src/memory.ts";
import { RESULT } from "../../src/engine/sqlite/result_codes.ts";
import { factAt, factOf } from "../conformance/records/samples.ts";
import type { DriverCall } from "../kit/faulty_driver.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import type { StoreDump } from "../kit/store_dump.ts";
import { busyTimeoutFor, casesOf, describe, faultOf, type MatrixCase, struckCalls } from "./matrix.ts";
import { RECORD_OPERATIONS, type StruckOperation } from "./record_operations.ts";
import {
  assertIsFirstError,
  type Ending,
  endingOf,
  imageOf,
  outcomeOf,
  type StoreImage,
  StruckStore,
} from "./struck_store.ts";

/** What an operation does when nothing fails. */
interface Honest {
  readonly image: StoreImage;
  readonly trace: readonly DriverCall[];
  readonly ending: Ending;
  readonly before: StoreDump;
  readonly after: StoreDump;
}

async function runHonestly({ prepare, run }: StruckOperation): Promise<Honest> {
  const image = await imageOf(prepare);
  await using store = await StruckStore.make(image);
  const before = store.committed();
  const memory = await store.open(5_000);
  store.driver.startTrace();
  const ending = await endingOf(run(memory));
  const trace = struckCalls(store.driver.stopTrace());
  const after = store.committed();
  await memory.close();
  return { image, trace, ending, before, after };
}

/** A write that finds nothing to do: its group runs from BEGIN to ROLLBACK. */
function touch({ records }: Memory): Promise<unknown> {
  return records.forget(factAt("absent"), 1);
}

function writeAfresh({ records }: Memory): Promise<unknown> {
  return records.put(factAt("afresh"), factOf("x"), { expected: null, ttl: 60 });
}

/** A recorded deletion that is completed later has lost the answer to its operation id, and nothing else. */
function asCompletedLater(dump: StoreDump, before: StoreDump): StoreDump {
  return { ...dump, main: { ...dump.main, operations: before.main.operations! } };
}

async function runStruck(operation: StruckOperation, honest: Honest, each: MatrixCase): Promise<void> {
  await using store = await StruckStore.make(honest.image);
  const { driver } = store;
  let expected: readonly StoreDump[];
  {
    await using memory = await store.open(busyTimeoutFor(each.way));
    driver.fail(faultOf(each, honest.trace));
    const ending = await endingOf(operation.run(memory));
    assert.deepEqual(driver.struck[0], each.call, "another call was struck than the one meant");
    store.assertNoLockIsHeld();
    driver.heal();
    expected = expectedStates(honest, each, ending);
    await assertUsable(memory, ending);
  }
  assertIsOneOf(await store.reopenAndUse(writeAfresh), expected);
}

/** The states that may be found after a call that ended so; and how it may have ended at all. */
function expectedStates(honest: Honest, { way }: MatrixCase, ending: Ending): readonly StoreDump[] {
  const { before, after } = honest;
  if (ending.kind === "resolved") {
    assert.deepEqual(ending, honest.ending);
    return [after];
  }
  if (honest.ending.kind === "rejected" && isSame(ending.error, honest.ending.error)) return [after];
  assertIsFirstError(ending.error, way.code);
  const outcome = outcomeOf(ending.error);
  if (way.code === RESULT.BUSY && !way.lasting) {
    assert.equal(outcome, "recorded", "a lock held once was not waited for");
  }
  if (outcome === "nothing") return [before];
  const recorded = [after, asCompletedLater(after, before)];
  return outcome === "recorded" ? recorded : [before, ...recorded];
}

function isSame(left: unknown, right: unknown): boolean {
  return left instanceof Error && right instanceof Error && left.name === right.name &&
    left.message === right.message;
}

/** The store goes on working; only after an unknown outcome it refuses to write until it is opened again. */
async function assertUsable(memory: Memory, ending: Ending): Promise<void> {
  const unknown = ending.kind === "rejected" && outcomeOf(ending.error) === "unknown";
  const written = await endingOf(touch(memory));
  await memory.records.list("harbour");
  if (unknown) {
    return assert.equal(written.kind, "rejected", "a store with an unknown outcome was written to");
  }
  assert.deepEqual(written, { kind: "resolved", value: false });
  await memory.records.list("orchard");
}

function assertIsOneOf(found: StoreDump, expected: readonly StoreDump[]): void {
  for (const each of expected.slice(1)) {
    try {
      return assert.deepEqual(found, each);
    } catch {
      // Then it must be the first.
    }
  }
  assert.deepEqual(found, expected[0]);
}

for (const operation of RECORD_OPERATIONS) {
  Deno.test(`Whichever statement of ${operation.name} fails, the caller is told and the store holds what it says`, async () => {
    const honest = await runHonestly(operation);
    assert(honest.trace.length >= 4, "the trace is too short to be one");
    const failures: string[] = [];
    for (const each of casesOf(honest.trace, operation.name, 2)) {
      try {
        await runStruck(operation, honest, each);
      } catch (error) {
        failures.push(
          `${describe(each)}\n    ${(error as Error).stack?.split("\n").slice(0, 40).join("\n    ")}`,
        );
      }
    }
    assert.equal(failures.length, 0, `${failures.length} cases:\n${failures.join("\n")}`);
  });
}

testThatNothingIsLeftOpen();
