import assert from "node:assert/strict";
import { RESULT } from "../../src/engines/sqlite/drivers/result_codes.ts";
import { countOpenFiles } from "../../src/engines/sqlite/files/open_files.ts";
import type { Memory } from "../../src/memory.ts";
import { factAt, factOf } from "../../src/testing/records/record_samples.ts";
import type { DriverCall } from "../kit/faulty_driver.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { type Opening, OPENINGS, prepareTwo } from "./openings.ts";
import { busyTimeoutFor, describe, faultOf, type MatrixCase, Samples, struckCalls } from "./matrix.ts";
import { assertIsFirstError, endingOf, imageOf, type StoreImage, StruckStore } from "./struck_store.ts";

/** Runs an opening. */
function open(store: StruckStore, { acceptClock }: Opening, busyTimeoutMs: number): Promise<Memory> {
  return store.open(busyTimeoutMs, acceptClock ? -600_000 : 0, acceptClock);
}

async function traceOf(opening: Opening, image: StoreImage | null): Promise<readonly DriverCall[]> {
  await using store = await StruckStore.make(image);
  store.driver.startTrace();
  await using _memory = await open(store, opening, 5_000);
  return struckCalls(store.driver.stopTrace());
}

async function assertHolds({ records }: Memory, { holds }: Opening): Promise<void> {
  for (const [key, revision] of Object.entries(holds)) {
    assert.equal((await records.get(factAt(key)))?.revision ?? null, revision, key);
  }
}

async function runStruck(
  opening: Opening,
  image: StoreImage | null,
  each: MatrixCase,
  trace: readonly DriverCall[],
): Promise<void> {
  await using store = await StruckStore.make(image);
  const { driver } = store;
  driver.fail(faultOf(each, trace));
  const ending = await endingOf(open(store, opening, busyTimeoutFor(each.way)));
  assert.deepEqual(driver.struck[0], each.call, "the fault hit another call than intended");
  driver.heal();
  if (ending.kind === "resolved") {
    await using memory = ending.value as Memory;
    await assertHolds(memory, opening);
  } else {
    assertIsFirstError(ending.error, each.way.code);
    assert(each.way.code !== RESULT.BUSY || each.way.lasting, "a lock that was held once reached the caller");
    assert.equal(driver.openConnections, 0, "a failed opening left a connection open");
    assert.equal(countOpenFiles(), 0, "a failed opening left a file claimed");
    store.assertNoLockIsHeld();
  }
  await store.reopenAndUse(async (memory) => {
    await assertHolds(memory, opening);
    await memory.records.put(factAt("z"), factOf("z"), { expectedRevision: null, ttl: 60 });
  });
}

const samples = new Samples();

for (const opening of OPENINGS) {
  Deno.test(`Whichever statement of ${opening.name} fails, the call rejects, nothing stays open, and the next opening works`, async () => {
    const image = await opening.image();
    const trace = await traceOf(opening, image);
    assert(trace.length >= 40, "the trace is too short for an opening");
    const failures: string[] = [];
    for (const each of samples.casesOf(trace, opening.name)) {
      try {
        await runStruck(opening, image, each, trace);
      } catch (error) {
        failures.push(
          `${describe(each)}\n    ${(error as Error).stack?.split("\n").slice(0, 6).join("\n    ")}`,
        );
      }
    }
    assert.equal(failures.length, 0, `${failures.length} cases:\n${failures.join("\n")}`);
  });
}

for (const verb of ["open", "prepare"] as const) {
  for (const database of ["ledger", "main"] as const) {
    for (const effect of ["before", "after"] as const) {
      Deno.test(`A ${verb} of the ${database} that fails ${effect} its effect is reported, and nothing stays open`, async () => {
        await using store = await StruckStore.make(await imageOf(prepareTwo));
        store.driver.fail({ database, verbs: [verb], effect, code: RESULT.IOERR });
        await assert.rejects(store.open(5_000), { name: "StorageError", code: "IO" });
        assert.equal(store.driver.openConnections, 0);
        assert.equal(countOpenFiles(), 0);
        await store.reopenAndUse((memory) =>
          assertHolds(memory, { name: "", image: () => Promise.resolve(null), holds: { a: 1, b: 2 } })
        );
      });
    }
  }
}

Deno.test("An opening that fails, and then cannot close either, reports the first error", async () => {
  await using store = await StruckStore.make(await imageOf(prepareTwo));
  store.driver.fail({ database: "main", sql: "PRAGMA journal_mode", effect: "before", code: RESULT.FULL });
  store.driver.fail({ verbs: ["close"], effect: "after", code: RESULT.IOERR });
  await assert.rejects(store.open(5_000), { code: "FULL" });
});

Deno.test("Memory.close() that cannot close one database closes the other, frees the files, and reports the error", async () => {
  for (const database of ["ledger", "main"] as const) {
    await using store = await StruckStore.make(await imageOf(prepareTwo));
    const memory = await store.open(5_000);
    store.driver.fail({ database, verbs: ["close"], effect: "after", code: RESULT.IOERR });
    await assert.rejects(memory.close(), { code: "IO" });
    assert.equal(store.driver.openConnections, 0);
    assert.equal(countOpenFiles(), 0);
  }
});

Deno.test("Memory.close() whose logs cannot be emptied closes anyway", async () => {
  await using store = await StruckStore.make(await imageOf(prepareTwo));
  const memory = await store.open(5_000);
  store.driver.fail({ sql: "PRAGMA wal_checkpoint", effect: "before", code: RESULT.BUSY, lasting: true });
  await memory.close();
  assert.equal(store.driver.openConnections, 0);
});

testThatNothingIsLeftOpen();
