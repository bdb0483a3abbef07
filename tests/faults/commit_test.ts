/** The outcome of a COMMIT that fails, and how the store determines it. */

import assert from "node:assert/strict";
import { RESULT } from "../../src/engines/sqlite/drivers/result_codes.ts";
import type { Memory } from "../../src/memory.ts";
import { factAt, factOf } from "../../src/testing/records/record_samples.ts";
import type { Fault } from "../kit/faulty_driver.ts";
import { assertIntact, testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { EXPIRES_MS, talkOf } from "./conversation_operations.ts";
import { briefTalkOf, prepareMuch } from "./index_operations.ts";
import { JOURNALS } from "./journals.ts";
import { endingOf, imageOf, type StoreImage, StruckStore } from "./struck_store.ts";

const CREATE = { expectedRevision: null, ttl: 60 };
const CODES = [["FULL", RESULT.FULL], ["IO", RESULT.IOERR]] as const;

function prepare({ records }: Memory): Promise<unknown> {
  return records.put(factAt("a"), factOf("old"), CREATE);
}

function replace({ records }: Memory): Promise<number> {
  return records.put(factAt("a"), factOf("new"), { expectedRevision: 1, ttl: 60 });
}

async function textOf({ records }: Memory, key = "a"): Promise<string | undefined> {
  return (await records.get(factAt(key)))?.value.text;
}

/** A COMMIT of main that fails without taking effect, or although it took effect. */
function refusedCommit(code: number): Fault {
  return { database: "main", sql: "COMMIT", effect: "before", code };
}

function durableCommit(code: number): Fault {
  return { database: "main", sql: "COMMIT", effect: "after", code };
}

/** Each step of the probe that follows a refused COMMIT, failing. */
const PROBE_FAULTS: readonly (readonly [string, Fault])[] = [
  ["BEGIN", { database: "main", sql: "BEGIN IMMEDIATE", skip: 1, effect: "before", code: RESULT.IOERR }],
  ["read", { database: "main", sql: /FROM meta WHERE/, skip: 1, effect: "before", code: RESULT.IOERR }],
  ["change", { database: "main", sql: "UPDATE meta", skip: 1, effect: "before", code: RESULT.IOERR }],
  ["COMMIT", { database: "main", sql: "COMMIT", skip: 0, effect: "before", code: RESULT.IOERR }],
];

const images = new Map<string, Promise<StoreImage>>();

function imageOnce(): Promise<StoreImage> {
  const image = images.get("a") ?? imageOf(prepare);
  images.set("a", image);
  return image;
}

for (const [journal, driver] of JOURNALS) {
  for (const [code, resultCode] of CODES) {
    Deno.test(`A put whose COMMIT is refused with ${code} reports just that, and nothing happened [${journal}]`, async () => {
      await using store = await StruckStore.make(await imageOnce(), driver());
      await using memory = await store.open(5_000);
      const before = store.committed();
      store.driver.fail(refusedCommit(resultCode));
      await assert.rejects(replace(memory), (error: unknown) => {
        const { code: told, details } = error as { code: string; details: Record<string, unknown> };
        assert.equal(told, code);
        assert.deepEqual(details, { database: "main", resultCode });
        return true;
      });
      assert.deepEqual(store.committed(), before);
      assert.equal(await textOf(memory), "old");
      assert.equal(await replace(memory), 2);
      await assertIntact(memory);
    });

    Deno.test(`A put whose COMMIT reports ${code} but is durable is acknowledged [${journal}]`, async () => {
      await using store = await StruckStore.make(await imageOnce(), driver());
      await using memory = await store.open(5_000);
      store.driver.fail(durableCommit(resultCode));
      assert.equal(await replace(memory), 2);
      assert.equal(await textOf(memory), "new");
      await assertIntact(memory);
    });
  }

  for (const [step, fault] of PROBE_FAULTS) {
    Deno.test(`After a refused COMMIT and a probe whose ${step} fails the outcome is unknown, and writes are refused until a reopen [${journal}]`, async () => {
      await using store = await StruckStore.make(await imageOnce(), driver());
      {
        await using memory = await store.open(5_000);
        store.driver.fail(refusedCommit(RESULT.IOERR));
        store.driver.fail(fault);
        await assert.rejects(replace(memory), (error: unknown) => {
          const { code, details } = error as { code: string; details: Record<string, unknown> };
          assert.deepEqual([code, details.outcome, details.resultCode], ["IO", "unknown", RESULT.IOERR]);
          return true;
        });
        store.driver.heal();
        await assert.rejects(replace(memory), { name: "StorageError", code: "IO" });
        await assert.rejects(memory.records.forget(factAt("a"), 1), { name: "StorageError", code: "IO" });
      }
      await store.reopenAndUse(async (memory) => {
        assert.equal(await textOf(memory), "old");
        assert.equal(await replace(memory), 2);
      });
    });
  }

  Deno.test(`A durable COMMIT whose probe fails is an unknown outcome that a reopen decides [${journal}]`, async () => {
    await using store = await StruckStore.make(await imageOnce(), driver());
    {
      await using memory = await store.open(5_000);
      store.driver.fail(durableCommit(RESULT.IOERR));
      store.driver.fail({
        database: "main",
        sql: "BEGIN IMMEDIATE",
        skip: 1,
        effect: "before",
        code: RESULT.IOERR,
      });
      await assert.rejects(replace(memory), (error: unknown) => {
        assert.equal((error as { details: Record<string, unknown> }).details.outcome, "unknown");
        return true;
      });
    }
    await store.reopenAndUse(async (memory) => assert.equal(await textOf(memory), "new"));
  });

  Deno.test(`After an unknown outcome reads and check() go on [${journal}]`, async () => {
    await using store = await StruckStore.make(await imageOnce(), driver());
    await using memory = await store.open(5_000);
    store.driver.fail(refusedCommit(RESULT.IOERR));
    store.driver.fail(PROBE_FAULTS[0]![1]);
    await assert.rejects(replace(memory), { code: "IO" });
    store.driver.heal();
    assert.equal(await textOf(memory), "old");
    assert.equal((await memory.records.list("orchard")).items.length, 1);
    assert.equal((await memory.deletionWatermark()).sequence, 0);
    await assertIntact(memory);
  });

  Deno.test(`After an unknown outcome a conversation is read and searched, without what has expired by then [${journal}]`, async () => {
    await using store = await StruckStore.make(await imageOf(prepareMuch), driver());
    await using memory = await store.open(5_000, EXPIRES_MS);
    store.driver.fail(refusedCommit(RESULT.IOERR));
    store.driver.fail(PROBE_FAULTS[0]![1]);
    await assert.rejects(memory.records.put(factAt("a"), factOf("x"), CREATE), { code: "IO" });
    store.driver.heal();
    assert.equal((await briefTalkOf(memory).snapshot()).turnCount, 0);
    assert.deepEqual(await briefTalkOf(memory).search("brief"), []);
    assert.equal((await talkOf(memory).search("t1", { topK: 1 })).length, 1);
    await assertIntact(memory);
  });

  Deno.test(`A group whose COMMIT is refused with FULL runs again member by member: what fits is written [${journal}]`, async () => {
    await using store = await StruckStore.make(await imageOnce(), driver());
    await using memory = await store.open(5_000);
    store.driver.fail(refusedCommit(RESULT.FULL));
    const calls = ["b", "c", "d"].map((key) => memory.records.put(factAt(key), factOf(key), CREATE));
    assert.deepEqual(await Promise.all(calls), [2, 3, 4]);
    await assertIntact(memory);
  });

  Deno.test(`A group whose COMMIT is refused with IOERR fails as a whole, and nothing happened [${journal}]`, async () => {
    await using store = await StruckStore.make(await imageOnce(), driver());
    await using memory = await store.open(5_000);
    const before = store.committed();
    store.driver.fail(refusedCommit(RESULT.IOERR));
    const endings = await Promise.all(
      ["b", "c", "d"].map((key) => endingOf(memory.records.put(factAt(key), factOf(key), CREATE))),
    );
    assert.deepEqual(endings.map(({ kind }) => kind), ["rejected", "rejected", "rejected"]);
    assert.deepEqual(store.committed(), before);
    await assertIntact(memory);
  });

  Deno.test(`A COMMIT that meets a lock keeps nothing open meanwhile and is tried again [${journal}]`, async () => {
    await using store = await StruckStore.make(await imageOnce(), driver());
    await using memory = await store.open(5_000);
    store.driver.fail(refusedCommit(RESULT.BUSY));
    assert.equal(await replace(memory), 2);
    await assertIntact(memory);
  });
}

testThatNothingIsLeftOpen();
