/**
 * Every statement of every public operation is made to fail, in every way: before or after its effect, once or for
 * good, with each code. The store agrees with what the caller was told, is intact, and can still be used.
 * `HOLDFAST_LONG=1` runs all cases; otherwise each statement fails once and each operation some dozen times, in other
 * ways for each `HOLDFAST_SEED`.
 */

import assert from "node:assert/strict";
import type { Works } from "../../src/engines/sqlite/files/works_list.ts";
import { RESULT } from "../../src/engines/sqlite/drivers/result_codes.ts";
import { lstatOrNull } from "../../src/engines/sqlite/files/private_file.ts";
import type { Memory } from "../../src/memory.ts";
import { worksOf } from "../restore/works_of.ts";
import { factAt, factOf } from "../../src/testing/records/record_samples.ts";
import { NOON } from "../conversations/samples.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import type { StoreDump } from "../kit/store_dump.ts";
import { assertIsOneOf, type HonestRun, runHonestly, withoutTraces } from "./honest_run.ts";
import { busyTimeoutFor, describe, faultOf, type MatrixCase, Samples } from "./matrix.ts";
import { PUBLIC_OPERATIONS } from "./public_operations.ts";
import type { StruckOperation } from "./struck_operation.ts";
import { assertIsFirstError, type Ending, endingOf, outcomeOf, StruckStore } from "./struck_store.ts";

/** A write that finds nothing to do: its group runs from BEGIN to ROLLBACK. */
function touch({ records }: Memory): Promise<unknown> {
  return records.forget(factAt("absent"), 1);
}

function writeAfresh({ records }: Memory): Promise<unknown> {
  return records.put(factAt("afresh"), factOf("x"), { expectedRevision: null, ttl: 60, now: NOON });
}

async function runStruck(operation: StruckOperation, honest: HonestRun, each: MatrixCase): Promise<void> {
  await using store = await StruckStore.make(honest.image);
  const { laterMs, closes } = operation;
  const memory = await store.open(busyTimeoutFor(each.way), laterMs);
  let ending: Ending;
  try {
    store.driver.fail(faultOf(each, honest.trace));
    ending = await endingOf(operation.run(memory, undefined));
    assert.deepEqual(store.driver.struck[0], each.call, "the fault hit another call than intended");
    store.assertNoLockIsHeld();
    store.driver.heal();
    if (closes !== true) await assertUsable(memory, ending, operation);
  } finally {
    await memory.close();
  }
  const { ledger, main } = await store.reopenAndUse(async (reopened) => {
    if (mayBeUnfinished(operation, ending)) {
      await endingOf(operation.run(reopened, undefined));
      assertIsOneOf(withoutTraces(store.committed()), [withoutTraces(honest.states.at(-1)!)]);
    }
    await forgetWorks(await worksOf(reopened));
    await writeAfresh(reopened);
  }, laterMs);
  const found = { main, ledger: { ...ledger, works: [] } };
  assertHolds(found, ending, { operation, honest, each });
}

/**
 * A failed call may leave the path of a work file in the list, but leaves no such file, so that the path can be
 * removed.
 */
async function forgetWorks(works: Works): Promise<void> {
  for (const path of await works.list()) {
    await works.forget(path, () => lstatOrNull(path) === null);
  }
  assert.deepEqual(await works.list(), [], "a work file was left");
}

/** Whether something was left for later: repeated, an operation of several steps has the same result. */
function mayBeUnfinished({ steps, rests }: StruckOperation, ending: Ending): boolean {
  return steps === true && (ending.kind === "rejected" || rests === true);
}

/** The store can still be used; only after an unknown outcome it refuses to write until it is opened again. */
async function assertUsable(memory: Memory, ending: Ending, { rests }: StruckOperation): Promise<void> {
  const written = await endingOf(touch(memory));
  await memory.records.list("harbour");
  if (ending.kind === "rejected" && isUnknown(ending.error)) {
    return assert.equal(written.kind, "rejected", "a store with an unknown outcome was written to");
  }
  // The call did not wait for the write whose outcome is unknown: it succeeded without it, or failed by itself.
  if (rests === true && written.kind === "rejected") {
    return assert.match(String(written.error), /the outcome of an earlier write is unknown/);
  }
  assert.deepEqual(written, { kind: "resolved", value: false });
  await memory.records.list("orchard");
}

interface Validated {
  readonly operation: StruckOperation;
  readonly honest: HonestRun;
  readonly each: MatrixCase;
}

/** Requires that the store agrees with what the caller was told. */
function assertHolds(found: StoreDump, ending: Ending, { operation, honest, each }: Validated): void {
  const { states } = honest;
  const after = states.at(-1)!;
  if (ending.kind === "resolved") {
    if (operation.rests === true) return assertIsOneOf(withoutTraces(found), states.map(withoutTraces));
    assert.deepEqual(ending, honest.ending);
    return assertIsOneOf(found, [after]);
  }
  if (honest.ending.kind === "rejected" && isSame(ending.error, honest.ending.error)) {
    return assertIsOneOf(found, [after]);
  }
  assertIsFirstError(ending.error, each.way.code);
  const outcome = outcomeOf(ending.error);
  const isLate = operation.readsAtOnce === true && each.call.sql!.startsWith("SELECT");
  if (each.way.code === RESULT.BUSY && !each.way.lasting && !isLate) {
    assert.equal(outcome, "recorded", "a lock held once was not waited for");
  }
  const before = operation.steps === true ? states : states.slice(0, 1);
  if (operation.rests === true) return assertIsOneOf(withoutTraces(found), states.map(withoutTraces));
  if (outcome === "nothing") return assertIsOneOf(found, before);
  // What expires together is erased by events and without: the events alone are completed at once.
  if (operation.steps === true) return;
  const recorded = states.slice(1).map(withoutTraces);
  const allowed = outcome === "recorded" ? recorded : [...recorded, ...before.map(withoutTraces)];
  assertIsOneOf(withoutTraces(found), allowed);
}

function isUnknown(error: unknown): boolean {
  return outcomeOf(error) === "unknown";
}

function isSame(left: unknown, right: unknown): boolean {
  return left instanceof Error && right instanceof Error && left.name === right.name &&
    left.message === right.message;
}

const samples = new Samples();

for (const operation of PUBLIC_OPERATIONS) {
  Deno.test(`Whichever statement of ${operation.name} fails, the call's answer agrees with the store`, async () => {
    const honest = await runHonestly(operation);
    assert(honest.trace.length >= 4, "the trace is too short");
    const failures: string[] = [];
    for (const each of samples.casesOf(honest.trace, operation.name)) {
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
