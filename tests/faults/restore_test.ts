/**
 * Every statement of a restore is made to fail. Exactly one store is live afterwards: the old one, or the restored
 * one, which then is complete and has nothing of what was deleted since; a restore that failed before can be run
 * again.
 */

import assert from "node:assert/strict";
import { type Memory, openMemory } from "@holdfast/memory";
import { nodeSqlite } from "../../src/engines/sqlite/drivers/node_sqlite.ts";
import { readIds } from "../conversations/samples.ts";
import type { DriverCall } from "../kit/faulty_driver.ts";
import { assertIntact, testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { talkOf } from "./conversation_operations.ts";
import { busyTimeoutFor, describe, faultOf, type MatrixCase, Samples } from "./matrix.ts";
import { makeShelf, place, restore, restored, type Shelf, traceOf } from "./restoring.ts";
import { optionsFor } from "./struck_operation.ts";
import { assertIsFirstError, type Ending, endingOf, type StruckStore } from "./struck_store.ts";

async function runStruck(shelf: Shelf, each: MatrixCase, trace: readonly DriverCall[]): Promise<void> {
  await using store = await place(shelf);
  store.driver.fail(faultOf(each, trace));
  const ending = await endingOf(restore(store, shelf, store.driver, busyTimeoutFor(each.way)));
  assert.deepEqual(store.driver.struck[0], each.call, "the fault hit another call than intended");
  store.driver.heal();
  if (ending.kind === "resolved") await (ending.value as Memory).close();
  else assertIsFirstError(ending.error, each.way.code);
  assert.equal(store.driver.openConnections, 0, "a connection was left open");
  store.assertNoLockIsHeld();
  await assertOneIsLive(store, shelf, ending);
}

async function assertOneIsLive(store: StruckStore, shelf: Shelf, ending: Ending): Promise<void> {
  const old = await endingOf(store.openHonestly());
  const options = { ...optionsFor(5_000), deletionPath: `${store.path}.deletions` };
  if (old.kind === "resolved") {
    assert.equal(ending.kind, "rejected", "a restore was acknowledged, and the old store is live");
    await assertHolds(old.value as Memory);
    await assert.rejects(openMemory(restored(store), options));
    await assertHolds(await restore(store, shelf, nodeSqlite, 5_000));
  } else {
    assert.equal((old.error as { code: string }).code, "REPLACED");
  }
  await assertHolds(await openMemory(restored(store), options));
  await assert.rejects(store.openHonestly(), { code: "REPLACED" });
}

async function assertHolds(memory: Memory): Promise<void> {
  try {
    assert.deepEqual(await readIds(talkOf(memory)), ["t2"]);
    await talkOf(memory).revision();
    await assertIntact(memory);
  } finally {
    await memory.close();
  }
}

Deno.test("Whichever statement of a restore fails, exactly one store is live, and a restore can be made again", async () => {
  const shelf = await makeShelf();
  const trace = await traceOf(shelf);
  assert(trace.length > 100, `${trace.length} statements`);
  const failures: string[] = [];
  for (const each of new Samples().casesOf(trace, "a restore")) {
    try {
      await runStruck(shelf, each, trace);
    } catch (error) {
      failures.push(
        `${describe(each)}\n    ${(error as Error).stack?.split("\n").slice(0, 20).join("\n    ")}`,
      );
    }
  }
  assert.equal(failures.length, 0, `${failures.length} cases:\n${failures.join("\n")}`);
});

testThatNothingIsLeftOpen();
