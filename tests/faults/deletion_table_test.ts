/** The table of PROTOCOLS 2, row by row: what a failure at each step of a deletion leaves behind, and who finishes it. */

import assert from "node:assert/strict";
import { RESULT } from "../../src/engines/sqlite/drivers/result_codes.ts";
import type { Memory } from "../../src/memory.ts";
import { factAt, factOf } from "../../src/testing/records/record_samples.ts";
import type { Fault } from "../kit/faulty_driver.ts";
import { assertIntact, testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { StoppedStopwatch } from "../kit/stopped_stopwatch.ts";
import { JOURNALS } from "./journals.ts";
import { imageOf, outcomeOf, type StoreImage, StruckStore } from "./struck_store.ts";

const CREATE = { expectedRevision: null, ttl: 60 };
const TARGET = factAt("target");
const NEIGHBOUR = factAt("neighbour");
const ELSEWHERE = factAt("elsewhere", "harbour");

let image: Promise<StoreImage> | null = null;

/** Three records, revisions 1 to 3. */
function prepared(): Promise<StoreImage> {
  image ??= imageOf(async ({ records }) => {
    await records.put(TARGET, factOf("x"), CREATE);
    await records.put(NEIGHBOUR, factOf("x"), CREATE);
    await records.put(ELSEWHERE, factOf("x"), CREATE);
  });
  return image;
}

function forget({ records }: Memory): Promise<boolean> {
  return records.forget(TARGET, 1);
}

async function isThere({ records }: Memory): Promise<boolean> {
  return await records.get(TARGET) !== null;
}

/** How many events each file holds. */
function eventsIn(store: StruckStore): { ledger: number; main: number } {
  const { ledger, main } = store.committed();
  return { ledger: ledger.events!.length, main: main.deletions!.length };
}

/** Requires that a deletion rejects with this code and this outcome. */
async function assertRejects(call: Promise<unknown>, code: string, outcome: string): Promise<void> {
  await assert.rejects(call, (error: unknown) => {
    assert.equal((error as { code: string }).code, code);
    assert.equal(outcomeOf(error), outcome);
    return true;
  });
}

/** Every step of a deletion before its event is committed to the ledger. */
const BEFORE_RECORDED: readonly (readonly [string, Fault])[] = [
  ["main's BEGIN", { database: "main", sql: "BEGIN", effect: "before", code: RESULT.IOERR }],
  ["the look at main's meta", { database: "main", sql: /FROM meta/, effect: "before", code: RESULT.IOERR }],
  ["the row's erasure", { database: "main", sql: "DELETE FROM records", effect: "after", code: RESULT.FULL }],
  ["the ledger's BEGIN", { database: "ledger", sql: "BEGIN", effect: "after", code: RESULT.IOERR }],
  ["the look at the ledger's meta", {
    database: "ledger",
    sql: /FROM meta/,
    effect: "before",
    code: RESULT.IOERR,
  }],
  ["the event's insertion", {
    database: "ledger",
    sql: "INSERT INTO events",
    effect: "after",
    code: RESULT.FULL,
  }],
  ["the ledger's meta", {
    database: "ledger",
    sql: "UPDATE meta",
    effect: "after",
    code: RESULT.FULL,
    transaction: "kept",
  }],
];

/** Each step of the probe that follows a refused COMMIT of the ledger. */
const PROBE_FAULTS: readonly (readonly [string, Fault])[] = [
  ["BEGIN", { database: "ledger", sql: "BEGIN", skip: 1, effect: "before", code: RESULT.IOERR }],
  ["read", { database: "ledger", sql: /FROM meta/, skip: 1, effect: "before", code: RESULT.IOERR }],
  ["change", {
    database: "ledger",
    sql: "UPDATE meta SET generation",
    skip: 1,
    effect: "before",
    code: RESULT.IOERR,
  }],
  ["COMMIT", { database: "ledger", sql: "COMMIT", effect: "before", code: RESULT.IOERR }],
];

/** Main's half of a deletion that is recorded: each of its steps. */
const AFTER_RECORDED: readonly (readonly [string, string])[] = [
  ["the copy of the event", "INSERT INTO deletions"],
  ["main's meta", "UPDATE meta"],
  ["main's COMMIT", "COMMIT"],
];

for (const [journal, driver] of JOURNALS) {
  const make = async (): Promise<StruckStore> => await StruckStore.make(await prepared(), driver());

  for (const [step, fault] of BEFORE_RECORDED) {
    Deno.test(`A deletion that fails at ${step}, before it is recorded, did not happen [${journal}]`, async () => {
      await using store = await make();
      await using memory = await store.open(5_000);
      const before = store.committed();
      store.driver.fail(fault);
      await assertRejects(forget(memory), fault.code === RESULT.FULL ? "FULL" : "IO", "nothing");
      assert.deepEqual(store.committed(), before);
      assert.equal(await isThere(memory), true);
      assert.equal(await forget(memory), true);
      await assertIntact(memory);
    });
  }

  for (const effect of ["before", "after"] as const) {
    Deno.test(`A crash ${effect} the ledger's COMMIT leaves the deletion unrecorded, or applied before any read [${journal}]`, async () => {
      await using store = await make();
      const memory = await store.open(5_000);
      store.driver.crashAt({ database: "ledger", sql: "COMMIT", effect });
      await assert.rejects(forget(memory));
      await assert.rejects(memory.close());
      store.driver.closeAll();
      assert.deepEqual(eventsIn(store), { ledger: effect === "after" ? 1 : 0, main: 0 });
      await store.reopenAndUse(async (reopened) =>
        assert.equal(await isThere(reopened), effect === "before")
      );
    });
  }

  for (const [code, resultCode] of [["FULL", RESULT.FULL], ["IO", RESULT.IOERR]] as const) {
    Deno.test(`A deletion whose ledger COMMIT is refused with ${code}, the probe committing, did not happen [${journal}]`, async () => {
      await using store = await make();
      await using memory = await store.open(5_000);
      const before = store.committed();
      store.driver.fail({ database: "ledger", sql: "COMMIT", effect: "before", code: resultCode });
      await assertRejects(forget(memory), code, "nothing");
      assert.deepEqual(store.committed(), before);
      assert.equal(await isThere(memory), true);
      assert.equal(await forget(memory), true);
      await assertIntact(memory);
    });

    Deno.test(`A deletion whose ledger COMMIT reports ${code} but is durable is acknowledged [${journal}]`, async () => {
      await using store = await make();
      await using memory = await store.open(5_000);
      store.driver.fail({ database: "ledger", sql: "COMMIT", effect: "after", code: resultCode });
      assert.equal(await forget(memory), true);
      assert.deepEqual(eventsIn(store), { ledger: 1, main: 1 });
      assert.equal(await isThere(memory), false);
      await assertIntact(memory);
    });
  }

  for (const [step, fault] of PROBE_FAULTS) {
    Deno.test(`A refused ledger COMMIT and a probe whose ${step} fails are an unknown outcome; a reopen finds it did not happen [${journal}]`, async () => {
      await using store = await make();
      {
        await using memory = await store.open(5_000);
        store.driver.fail({ database: "ledger", sql: "COMMIT", effect: "before", code: RESULT.IOERR });
        store.driver.fail(fault);
        await assertRejects(forget(memory), "IO", "unknown");
        store.driver.heal();
        store.assertNoLockIsHeld();
        await assert.rejects(forget(memory), { code: "IO" });
        await assert.rejects(memory.records.put(factAt("new"), factOf("x"), CREATE), { code: "IO" });
        assert.notEqual(await memory.records.get(ELSEWHERE), null);
      }
      assert.deepEqual(eventsIn(store), { ledger: 0, main: 0 });
      await store.reopenAndUse(async (reopened) => {
        assert.equal(await isThere(reopened), true);
        assert.equal(await forget(reopened), true);
      });
    });
  }

  Deno.test(`A durable ledger COMMIT whose probe fails is an unknown outcome; a reopen finds it done [${journal}]`, async () => {
    await using store = await make();
    {
      await using memory = await store.open(5_000);
      store.driver.fail({ database: "ledger", sql: "COMMIT", effect: "after", code: RESULT.IOERR });
      store.driver.fail({ database: "ledger", sql: "BEGIN", skip: 1, effect: "before", code: RESULT.IOERR });
      await assertRejects(forget(memory), "IO", "unknown");
    }
    await store.reopenAndUse(async (reopened) => assert.equal(await isThere(reopened), false));
  });

  Deno.test(`A crash between the two COMMITs is completed by the next opening [${journal}]`, async () => {
    await using store = await makeCrashed(make);
    await store.reopenAndUse(async (memory) => {
      assert.deepEqual(eventsIn(store), { ledger: 1, main: 1 });
      assert.equal(await isThere(memory), false);
    });
  });

  Deno.test(`A crash between the two COMMITs is completed by the next write of a store that is open elsewhere [${journal}]`, async () => {
    await using store = await make();
    await using elsewhere = await store.openHonestly();
    await crash(store);
    await elsewhere.records.put(factAt("new"), factOf("x"), CREATE);
    assert.deepEqual(eventsIn(store), { ledger: 1, main: 1 });
    await assertIntact(elsewhere);
  });

  Deno.test(`A crash between the two COMMITs is completed by the next read of that scope elsewhere, by no other read [${journal}]`, async () => {
    await using store = await make();
    await using elsewhere = await store.openHonestly();
    await crash(store);
    assert.equal((await elsewhere.records.list("harbour")).items.length, 1);
    assert.deepEqual(eventsIn(store), { ledger: 1, main: 0 });
    assert.deepEqual((await elsewhere.records.list("orchard")).items.map(({ key }) => key), ["neighbour"]);
    assert.deepEqual(eventsIn(store), { ledger: 1, main: 1 });
    await assertIntact(elsewhere);
  });

  Deno.test(`A pending deletion of one record does not stop another one's get [${journal}]`, async () => {
    await using store = await make();
    await using elsewhere = await store.openHonestly();
    await crash(store);
    assert.equal((await elsewhere.records.get(NEIGHBOUR))?.revision, 2);
    assert.deepEqual(eventsIn(store), { ledger: 1, main: 0 });
  });

  Deno.test(`A pending deletion is not read around: a get right after another record's get completes it too [${journal}]`, async () => {
    using _stopwatch = new StoppedStopwatch();
    await using store = await make();
    await using elsewhere = await store.openHonestly();
    await crash(store);
    assert.equal((await elsewhere.records.get(NEIGHBOUR))?.revision, 2);
    assert.equal(await isThere(elsewhere), false);
  });

  Deno.test(`A pending deletion is completed also by a read that would not wait for any lock [${journal}]`, async () => {
    await using store = await make();
    await using elsewhere = await store.openHonestly(0);
    await crash(store);
    assert.deepEqual((await elsewhere.records.list("orchard")).items.map(({ key }) => key), ["neighbour"]);
  });

  for (const [step, sql] of AFTER_RECORDED) {
    Deno.test(`A recorded deletion that fails at ${step} rejects with its place in the ledger, and the next read completes it [${journal}]`, async () => {
      await using store = await make();
      await using memory = await store.open(5_000);
      store.driver.fail({ database: "main", sql, effect: "before", code: RESULT.FULL });
      await assertRejects(forget(memory), "FULL", "recorded");
      assert.deepEqual(eventsIn(store), { ledger: 1, main: 0 });
      assert.equal(await isThere(memory), false);
      assert.deepEqual(eventsIn(store), { ledger: 1, main: 1 });
      await assertIntact(memory);
    });
  }

  Deno.test(`A recorded deletion that failed is not read around: a get in the same instant does not find the record [${journal}]`, async () => {
    using _stopwatch = new StoppedStopwatch();
    await using store = await make();
    await using memory = await store.open(5_000);
    assert.equal(await isThere(memory), true);
    store.driver.fail({ database: "main", sql: "COMMIT", effect: "before", code: RESULT.IOERR });
    await assertRejects(forget(memory), "IO", "recorded");
    assert.equal(await isThere(memory), false);
  });

  Deno.test(`A recorded deletion's error names the sequence and head that the ledger has [${journal}]`, async () => {
    await using store = await make();
    await using memory = await store.open(5_000);
    store.driver.fail({
      database: "main",
      sql: "INSERT INTO deletions",
      effect: "before",
      code: RESULT.IOERR,
    });
    await assert.rejects(forget(memory), (error: unknown) => {
      const [event] = store.committed().ledger.events!;
      const { recorded } = (error as { details: Record<string, unknown> }).details;
      assert.deepEqual(recorded, { sequence: 1, head: event!.head });
      return true;
    });
    const { lineage: _lineage, ...place } = await memory.deletionWatermark();
    assert.deepEqual(place, { sequence: 1, head: store.committed().ledger.events![0]!.head });
  });

  Deno.test(`Recorded deletions of one group name each its own place in the ledger [${journal}]`, async () => {
    await using store = await make();
    await using memory = await store.open(5_000);
    const { revision } = (await memory.records.get(NEIGHBOUR))!;
    store.driver.fail({
      database: "main",
      sql: "INSERT INTO deletions",
      effect: "before",
      code: RESULT.IOERR,
    });
    const settled = await Promise.allSettled([
      forget(memory),
      memory.records.forget(NEIGHBOUR, revision),
    ]);
    const places = settled.map((one) => (one as PromiseRejectedResult).reason.details.recorded);
    const events = store.committed().ledger.events!;
    assert.deepEqual(places, [1, 2].map((sequence) => ({ sequence, head: events[sequence - 1]!.head })));
  });

  Deno.test(`A recorded deletion that is repeated returns false: it is done [${journal}]`, async () => {
    await using store = await make();
    await using memory = await store.open(5_000);
    store.driver.fail({ database: "main", sql: "COMMIT", effect: "before", code: RESULT.IOERR });
    await assertRejects(forget(memory), "IO", "recorded");
    assert.equal(await forget(memory), false);
    assert.deepEqual(eventsIn(store), { ledger: 1, main: 1 });
  });

  Deno.test(`A recorded deletion whose main COMMIT reports an error but is durable is done, and reported as recorded [${journal}]`, async () => {
    await using store = await make();
    await using memory = await store.open(5_000);
    store.driver.fail({ database: "main", sql: "COMMIT", effect: "after", code: RESULT.IOERR });
    await assertRejects(forget(memory), "IO", "recorded");
    assert.deepEqual(eventsIn(store), { ledger: 1, main: 1 });
    await assertIntact(memory);
  });

  Deno.test(`While a recorded deletion cannot be applied its scope and all writes are refused, other scopes can be read [${journal}]`, async () => {
    await using store = await make();
    await using memory = await store.open(5_000);
    const { records } = memory;
    store.driver.fail({
      database: "main",
      sql: "INSERT INTO deletions",
      effect: "before",
      code: RESULT.FULL,
      lasting: true,
    });
    await assertRejects(forget(memory), "FULL", "recorded");
    await assert.rejects(records.get(TARGET), { code: "FULL" });
    await assert.rejects(records.list("orchard"), { code: "FULL" });
    await assert.rejects(records.put(factAt("new"), factOf("x"), CREATE), { code: "FULL" });
    assert.equal((await records.get(ELSEWHERE))?.revision, 3);
    assert.equal((await records.list("harbour")).items.length, 1);
    store.driver.heal();
    assert.equal(await records.get(TARGET), null);
    assert.equal(await records.put(factAt("new"), factOf("x"), CREATE), 4);
    await assertIntact(memory);
  });

  Deno.test(`A store whose pending deletion cannot be applied at open opens with its scope refused, the rest readable [${journal}]`, async () => {
    await using store = await makeCrashed(make);
    store.driver.fail({
      database: "main",
      sql: "INSERT INTO deletions",
      effect: "before",
      code: RESULT.FULL,
      lasting: true,
    });
    await using memory = await store.open(5_000);
    await assert.rejects(memory.records.get(TARGET), { code: "FULL" });
    assert.equal((await memory.records.get(ELSEWHERE))?.revision, 3);
    await assert.rejects(memory.records.get(TARGET), { code: "FULL" });
    store.driver.heal();
    assert.equal(await memory.records.get(TARGET), null);
    await assertIntact(memory);
  });

  Deno.test(`A store opened read-only can be read, except what a pending deletion concerns, which is READONLY [${journal}]`, async () => {
    await using store = await makeCrashed(make);
    const { openMemory } = await import("../../src/open.ts");
    await using memory = await openMemory(store.path, {
      readOnly: true,
      busyTimeoutMs: 5,
      driver: driver(),
      clock: () => 1_000_000,
    });
    await assert.rejects(memory.records.get(TARGET), { code: "READONLY" });
    assert.equal((await memory.records.get(ELSEWHERE))?.revision, 3);
    assert.equal((await memory.records.list("harbour")).items.length, 1);
    await assert.rejects(memory.records.list("orchard"), { code: "READONLY" });
    assert.deepEqual(eventsIn(store), { ledger: 1, main: 0 });
  });

  Deno.test(`A member of a deletion's group that deleted nothing does not report a recorded deletion [${journal}]`, async () => {
    await using store = await make();
    await using memory = await store.open(5_000);
    store.driver.fail({
      database: "main",
      sql: "INSERT INTO deletions",
      effect: "before",
      code: RESULT.IOERR,
    });
    const [deleted, unmatched] = await Promise.allSettled([
      forget(memory),
      memory.records.forget(NEIGHBOUR, 9),
    ]);
    assert.equal(outcomeOf((deleted as PromiseRejectedResult).reason), "recorded");
    if (unmatched.status === "rejected") assert.equal(outcomeOf(unmatched.reason), "nothing");
    else assert.equal(unmatched.value, false);
  });
}

/** A store whose process died between the two COMMITs of a deletion. */
async function makeCrashed(make: () => Promise<StruckStore>): Promise<StruckStore> {
  const store = await make();
  await crash(store);
  return store;
}

async function crash(store: StruckStore): Promise<void> {
  const memory = await store.open(5_000);
  store.driver.crashAt({ database: "ledger", sql: "COMMIT", effect: "after" });
  await assert.rejects(forget(memory));
  await assert.rejects(memory.close());
  store.driver.closeAll();
  assert.deepEqual(eventsIn(store), { ledger: 1, main: 0 });
}

testThatNothingIsLeftOpen();
