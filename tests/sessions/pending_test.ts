/** An erasure that is recorded and not carried out, or not to its end: no call finds what is erased, and it is completed. */

import assert from "node:assert/strict";
import { type Memory, openMemory, type Receipt } from "@holdfast/memory";
import { RESULT } from "../../src/engines/sqlite/drivers/result_codes.ts";
import { progress, promise } from "../deletion/file_store.ts";
import { type FaultyDriver, STATEMENT_VERBS } from "../kit/faulty_driver.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import type { TestStore } from "../kit/test_store.ts";
import { factAt, factOf } from "../../src/testing/records/record_samples.ts";

const GWEN = { tenantId: "orchard", subject: "gwen" };
const HERS = { tenantId: "orchard", sessionId: "hers" };
const OWENS = { tenantId: "orchard", sessionId: "owens" };

/** A session and a record of each of two people. */
async function fill(memory: Memory): Promise<void> {
  for (const [scope, subject] of [[HERS, "gwen"], [OWENS, "owen"]] as const) {
    const content = `secret of ${subject}`;
    const operationId = "first";
    await memory.conversation(scope).append([{ role: "user", content }], { subject, operationId });
    const options = { expectedRevision: null, ttl: 60, subject };
    await memory.records.put(factAt(subject), factOf(content), options);
  }
}

async function requireOwensAlone(memory: Memory): Promise<void> {
  const { items } = await memory.sessions("orchard");
  assert.deepEqual(items.map(({ sessionId }) => sessionId), ["owens"]);
  const { items: records } = await memory.records.list("orchard");
  assert.deepEqual(records.map(({ key }) => key), ["owen"]);
  await assert.rejects(memory.conversation(HERS).snapshot(), { reason: "MISSING" });
  assert.equal(await memory.records.get(factAt("gwen")), null);
  assert.equal((await memory.conversation(OWENS).snapshot()).turnCount, 1);
}

/** Fails every statement of main that begins like this, until {@linkcode FaultyDriver.heal}. */
function refuse({ driver }: TestStore<FaultyDriver>, sql: string): void {
  driver.fail({ database: "main", sql, effect: "before", code: RESULT.FULL, lasting: true });
}

promise(
  "OPS-02 An erasure that was recorded and not carried out is carried out by the next read, of anything it covers",
  async (store) => {
    for (
      const read of [
        (memory: Memory) => memory.records.get(factAt("gwen")),
        (memory: Memory) => memory.records.list("orchard"),
        (memory: Memory) => memory.conversation(HERS).snapshot().catch(({ reason }) => reason),
        (memory: Memory) => memory.sessions("orchard"),
        (memory: Memory) => Array.fromAsync(memory.exportLines({ includeContent: true })),
      ]
    ) {
      const memory = await store.open();
      await fill(memory);
      store.driver.fail({
        database: "main",
        verbs: STATEMENT_VERBS,
        sql: "COMMIT",
        effect: "before",
        code: RESULT.IOERR,
      });
      await assert.rejects(memory.erase(GWEN), { code: "IO" });
      const { recorded, applied } = progress(store);
      assert.equal(recorded, applied + 1);
      const found = await read(memory);
      assert.equal(JSON.stringify(found)?.includes("secret of gwen") ?? false, false);
      assert.equal(progress(store).applied, recorded);
      await requireOwensAlone(memory);
      await memory.erase({ tenantId: "orchard" });
      await memory.close();
    }
  },
);

promise(
  "An erasure whose contents could not be erased answers all the same, and its receipt says what is left",
  async (store) => {
    const memory = await store.open();
    await fill(memory);
    refuse(store, "DELETE FROM turns WHERE scope");
    const receipt: Receipt = await memory.erase(GWEN);
    await requireOwensAlone(memory);
    const { valid, remains } = await memory.verifyReceipt(receipt, GWEN);
    assert.deepEqual([valid, remains], [false, { draining_scopes: 1 }]);
    assert.deepEqual((await memory.check()).problems, []);
    store.driver.heal();
    await memory.prune({ scrub: false });
    assert.equal((await memory.verifyReceipt(receipt, GWEN)).valid, true);
    assert.equal(store.sql("SELECT count(*) FROM turns")[0]![0], 1);
  },
);

promise(
  "What an erasure left is erased by the next open, and by a backup before it copies",
  async (store) => {
    for (const finish of ["open", "backup"] as const) {
      const memory = await store.open();
      await fill(memory);
      refuse(store, "DELETE FROM turns WHERE scope");
      const receipt = await memory.erase(GWEN);
      assert.equal((await memory.verifyReceipt(receipt)).valid, false, "its contents are still there");
      store.driver.heal();
      if (finish === "backup") {
        const path = `${store.path}.${finish}`;
        await memory.backup(path);
        const bytes = new TextDecoder("latin1").decode(Deno.readFileSync(path));
        assert.deepEqual([bytes.includes("secret of gwen"), bytes.includes("secret of owen")], [false, true]);
      } else {
        await using again = await openMemory(store.path);
        while (!(await again.verifyReceipt(receipt)).valid);
      }
      assert.equal((await memory.verifyReceipt(receipt)).valid, true, finish);
      await memory.erase({ tenantId: "orchard" });
      await memory.close();
    }
  },
);

promise(
  "A session that is created again while the erased one is drained knows none of its operations",
  async (store) => {
    const memory = await store.open();
    await fill(memory);
    refuse(store, "DELETE FROM turns WHERE scope");
    const receipt = await memory.erase(GWEN);
    const message = { role: "user", content: "anew" } as const;
    await memory.conversation(HERS).append([message]);
    const second = await memory.conversation(HERS).append([message], { operationId: "first" })
      .catch(({ reason }) => reason);
    store.damaged = typeof second !== "object"; // what failed here says more than the check at the end
    assert.equal(typeof second, "object", second);
    assert.equal((await memory.conversation(HERS).snapshot()).turnCount, 2);
    store.driver.heal();
    await memory.prune({ scrub: false });
    assert.equal((await memory.conversation(HERS).snapshot()).turnCount, 2);
    assert.deepEqual(await memory.conversation(HERS).append([message], { operationId: "first" }), second);
    assert.equal((await memory.verifyReceipt(receipt)).valid, true);
  },
);

promise("A label that was recorded and not carried out is carried out with its name", async (store) => {
  const memory = await store.open();
  await fill(memory);
  for (
    const label of [
      () => memory.conversation(OWENS).describe({ subject: "gwen" }),
      () => memory.records.label(factAt("owen"), "gwen"),
    ]
  ) {
    store.driver.fail({
      database: "main",
      sql: "INSERT INTO deletions",
      effect: "before",
      code: RESULT.IOERR,
    });
    await assert.rejects(label(), { code: "IO" });
    await memory.sessions("orchard");
  }
  const { items } = await memory.sessions("orchard", { subject: "gwen" });
  assert.deepEqual(items.map(({ sessionId, subject }) => [sessionId, subject]), [["owens", "gwen"], [
    "hers",
    "gwen",
  ]]);
  assert.equal((await memory.erase(GWEN)).erased.records, 2);
});

testThatNothingIsLeftOpen();
