/** Turns with more words than one transaction may index or erase. */

import assert from "node:assert/strict";
import { type Conversation, type Memory, nodeSqlite, openMemory, type Receipt } from "../../mod.ts";
import { TERMS_PER_STEP } from "../../src/limits.ts";
import { FaultyDriver } from "../kit/faulty_driver.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { makeFileStore } from "../kit/store_target.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";
import type { TestStore } from "../kit/test_store.ts";
import { countIndexRows, NO_ROWS } from "./index_contents.ts";
import { SCOPE } from "./scenario.ts";

type Store = TestStore<FaultyDriver>;

/** Words of six letters that are the parts of nothing else. */
function wordOf(number: number): string {
  const letters = [...(number + 46_656).toString(36)].map((digit) =>
    "bcdfghjklmnpqrtvwxz"[parseInt(digit, 36) % 18]
  );
  return `zq${letters.join("")}${"abcdefghij"[Math.floor(number / 18 ** 3)]}x`;
}

const SECRET = wordOf(0);

/** A text with a word that other turns have too. */
const LONG = `pump ${
  [...new Set(Array.from({ length: 20 * TERMS_PER_STEP }, (_, n) => wordOf(n)))].slice(
    0,
    2.2 * TERMS_PER_STEP,
  ).join(" ")
}`;

async function makeStore(): Promise<Store> {
  return await makeFileStore(new FaultyDriver(nodeSqlite), await TemporaryDirectory.makeInMemory());
}

/** Opens a store that may die: it is not closed with the others. */
async function open(store: Store): Promise<Memory> {
  return await openMemory(store.path, { driver: store.driver });
}

/** A conversation with a long turn among short ones. */
async function fill(memory: Memory): Promise<Conversation> {
  const conversation = memory.conversation(SCOPE);
  for (
    const [turnId, content] of [["t1", "the pump failed"], ["long", LONG], [
      "t2",
      "the pump was mended",
    ]] as const
  ) {
    const messages = [{ messageId: `${turnId}.m`, role: "user", content }] as const;
    const expectedRevision = await conversation.create();
    const turn = { turnId, scope: SCOPE, messages, timestamp: "2026-05-01T12:00:00Z" };
    await conversation.putTurn(turn, { operationId: turnId, expectedRevision });
  }
  return conversation;
}

async function deleteLong(conversation: Conversation): Promise<Receipt> {
  return await conversation.delete({
    kind: "turn",
    key: "long",
    expectedRevision: await conversation.revision(),
  });
}

async function found(memory: Memory): Promise<readonly (readonly [string, number])[]> {
  const hits = await memory.conversation(SCOPE).search("pump", { topK: 9 });
  const all = await memory.search({ tenantId: SCOPE.tenantId }, "pump", { topK: 9 });
  assert.deepEqual([...all], [...hits]);
  return hits.map(({ source: { turnId, start }, score }) => [`${turnId} ${start}`, score.total]);
}

/** The most rows of terms or postings that a transaction of main writes, and how many write any. */
async function stepsOf(
  driver: FaultyDriver,
  run: () => Promise<unknown>,
): Promise<{ most: number; steps: number }> {
  driver.startTrace();
  await run();
  let [most, steps, rows] = [0, 0, 0];
  for (const { database, verb, sql } of driver.stopTrace()) {
    if (database !== "main" || verb === "prepare") continue;
    if (/^(?:INSERT INTO|UPDATE|DELETE FROM) postings/.test(sql ?? "")) rows++;
    if (sql !== "COMMIT") continue;
    if (rows > 0) steps++;
    [most, rows] = [Math.max(most, rows), 0];
  }
  return { most, steps };
}

Deno.test("A long turn is indexed and erased in transactions that write a bounded number of postings (STL-01)", async () => {
  await using store = await makeStore();
  const memory = await store.open();
  const conversation = await fill(memory);
  const indexing = await stepsOf(store.driver, () => conversation.search("pump"));
  assert.deepEqual(indexing, { most: TERMS_PER_STEP, steps: 5 });
  const erasing = await stepsOf(store.driver, () => deleteLong(conversation));
  assert.deepEqual(erasing, { most: TERMS_PER_STEP, steps: 3 });
  assert.deepEqual(await found(memory), await expected());
});

Deno.test("A long turn is found once it is indexed, and its deletion erases every row of it (STL-01)", async () => {
  await using store = await makeStore();
  const memory = await store.open();
  const conversation = await fill(memory);
  assert.deepEqual((await conversation.search(SECRET, { topK: 1 })).map(({ source }) => source.turnId), [
    "long",
  ]);
  const receipt = await deleteLong(conversation);
  assert(receipt.erased.postings > 2.2 * TERMS_PER_STEP);
  assert.equal((await memory.verifyReceipt(receipt)).valid, true);
  assert.deepEqual(store.sql(`SELECT term FROM index_terms WHERE term >= 'zq'`), []);
  assert.deepEqual(store.sql(`SELECT turn FROM draining_turns`), []);
  assert.deepEqual([...await conversation.search(SECRET)], []);
});

Deno.test("A long turn whose text changed is searched by its new text alone (STL-01)", async () => {
  await using store = await makeStore();
  const memory = await store.open();
  const conversation = await fill(memory);
  await conversation.search("pump");
  const messages = [{ messageId: "long.m", role: "user", content: "short now" }] as const;
  const turn = { turnId: "long", scope: SCOPE, messages };
  await conversation.putTurn(turn, { operationId: "again", expectedRevision: await conversation.revision() });
  assert.equal(store.sql(`SELECT turn FROM draining_turns`).length, 3);
  assert.deepEqual([...await conversation.search(SECRET)], []);
  assert.deepEqual(store.sql(`SELECT turn FROM draining_turns`), []);
  assert.equal((await conversation.search("short")).length > 0, true);
});

/** What is found where the long turn never was. */
async function expected(): Promise<readonly (readonly [string, number])[]> {
  await using store = await makeStore();
  const memory = await store.open();
  const conversation = await fill(memory);
  await deleteLong(conversation);
  return await found(memory);
}

/** Runs a call that dies at a commit of main; resolves to false where it has fewer. */
async function dies(
  store: Store,
  memory: Memory,
  { skip, effect }: { readonly skip: number; readonly effect: "before" | "after" },
  run: () => Promise<unknown>,
): Promise<boolean> {
  store.driver.crashAt({ database: "main", sql: "COMMIT", skip, effect });
  const before = store.driver.struck.length;
  await run().catch(() => {});
  const died = store.driver.struck.length > before;
  if (!died) store.driver.heal();
  await memory.close().catch(() => {});
  if (died) store.driver.closeAll();
  return died;
}

for (const effect of ["before", "after"] as const) {
  Deno.test(`A process that dies ${effect} any commit of indexing a long turn leaves an index that is continued (STL-01)`, async () => {
    let commits = 0;
    for (;; commits++) {
      await using store = await makeStore();
      const memory = await open(store);
      const conversation = await fill(memory);
      if (!(await dies(store, memory, { skip: commits, effect }, () => conversation.search("pump")))) break;
      const reopened = await store.open();
      assert.deepEqual((await reopened.check()).problems, [], `${commits}`);
      const hits = await reopened.conversation(SCOPE).search(SECRET, { topK: 1 });
      assert.deepEqual(hits.map(({ source }) => source.turnId), ["long"]);
      assert.deepEqual(store.sql(`SELECT turn FROM draining_turns`), []);
    }
    assert(commits >= 5, `${commits}`);
  });

  Deno.test(`A process that dies ${effect} any commit of a long turn's deletion leaves nothing that is found (STL-01)`, async () => {
    const left = await expected();
    let commits = 0;
    for (;; commits++) {
      await using store = await makeStore();
      const memory = await open(store);
      const conversation = await fill(memory);
      await conversation.search("pump");
      if (!(await dies(store, memory, { skip: commits, effect }, () => deleteLong(conversation)))) break;
      const reopened = await store.open();
      const again = reopened.conversation(SCOPE);
      const { turnCount } = await again.snapshot();
      if (turnCount === 2) assert.deepEqual(await found(reopened), left, `${commits}`);
      assert.deepEqual((await reopened.check()).problems, [], `${commits}`);
      const receipt = await deleteLong(again);
      assert.equal((await reopened.verifyReceipt(receipt)).valid, true, `${commits}`);
      assert.deepEqual(store.sql(`SELECT term FROM index_terms WHERE term >= 'zq'`), []);
      assert.deepEqual(await found(reopened), left);
    }
    assert(commits >= 4, `${commits}`);
  });

  Deno.test(`A process that dies ${effect} any commit of a prune leaves what the next one drains (STL-01)`, async () => {
    let commits = 0;
    for (;; commits++) {
      await using store = await makeStore();
      const memory = await open(store);
      const conversation = await fill(memory);
      await conversation.search("pump");
      await dies(store, memory, { skip: 2, effect: "before" }, () => deleteLong(conversation));
      const pruning = await open(store);
      if (!(await dies(store, pruning, { skip: commits, effect }, () => pruning.prune()))) break;
      const reopened = await store.open();
      const { scrub } = await reopened.prune();
      assert.equal(scrub?.complete, true);
      assert.deepEqual(store.sql(`SELECT term FROM index_terms WHERE term >= 'zq'`), []);
      assert.deepEqual((await reopened.check()).problems, []);
    }
    assert(commits >= 3, `${commits}`);
  });
}

Deno.test("While a long turn is being erased, searches of a store that is open read-only leave it out (STL-01)", async () => {
  await using store = await makeStore();
  const memory = await open(store);
  const conversation = await fill(memory);
  await conversation.search("pump");
  await dies(store, memory, { skip: 2, effect: "before" }, () => deleteLong(conversation));
  const reading = await store.open({ readOnly: true });
  assert.equal(store.sql(`SELECT turn FROM draining_turns`).length > 0, true);
  assert.deepEqual(await found(reading), await expected());
  assert.deepEqual([...await reading.conversation(SCOPE).search(SECRET)], []);
  for (const profile of ["holdfast", "reference"] as const) {
    await assert.doesNotReject(async () => {
      if (profile === "holdfast") {
        await reading.conversation(SCOPE).assemble("pump?", {}, { system: "S", profile });
      }
    });
  }
});

Deno.test("Long turns that expire are erased in bounded transactions, before the call that meets them returns (STL-01)", async () => {
  await using store = await makeStore();
  let nowMs = Date.UTC(2026, 4, 1);
  const memory = await store.open({ clock: () => nowMs });
  const conversation = await fill(memory);
  for (const content of [LONG, LONG.slice(0, 6_000), LONG.slice(6_000, 12_000)]) {
    await conversation.append([{ role: "user", content }], { expiresAt: new Date(nowMs + 9_000) });
  }
  await deleteLong(conversation);
  await conversation.search("pump");
  nowMs += 9_000;
  const expiring = await stepsOf(store.driver, () => conversation.snapshot());
  assert(expiring.most <= 2 * TERMS_PER_STEP && expiring.steps >= 4, JSON.stringify(expiring));
  assert.deepEqual(store.sql(`SELECT term FROM index_terms WHERE term >= 'zq'`), []);
  assert.deepEqual(store.sql(`SELECT turn FROM draining_turns`), []);
});

Deno.test("Deleting a scope erases what was left of a long turn (STL-01)", async () => {
  await using store = await makeStore();
  const memory = await open(store);
  const conversation = await fill(memory);
  await conversation.search("pump");
  await dies(store, memory, { skip: 2, effect: "before" }, () => deleteLong(conversation));
  const reopened = await store.open();
  const again = reopened.conversation(SCOPE);
  const receipt = await again.delete({ kind: "scope", expectedRevision: await again.revision() });
  assert.equal((await reopened.verifyReceipt(receipt)).valid, true);
  assert.deepEqual(countIndexRows((sql, ...parameters) => store.sql(sql, ...parameters)), NO_ROWS);
  assert.deepEqual(store.sql(`SELECT turn FROM draining_turns`), []);
});

testThatNothingIsLeftOpen();
