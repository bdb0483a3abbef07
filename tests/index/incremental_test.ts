import assert from "node:assert/strict";
import fc from "fast-check";
import { nodeSqlite } from "../../src/engines/sqlite/drivers/node_sqlite.ts";
import { assembleContext, type Memory, type TimedTurn } from "../../mod.ts";
import type { Row, SqlValue } from "../../src/engine/values.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { makeFileStore, memoryTarget } from "../kit/store_target.ts";
import { TappedDriver } from "../kit/tapped_driver.ts";
import { countIndexRows, type IndexContents, indexContents, NO_ROWS } from "./index_contents.ts";
import { Scenario, SCOPE } from "./scenario.ts";
import { STEP } from "./vocabulary.ts";

const MEMORY = memoryTarget(":memory:", () => new TappedDriver(nodeSqlite));

/** Builds a new index over these turns; returns its contents. */
async function builtAfresh(history: readonly TimedTurn[]): Promise<IndexContents | undefined> {
  await using store = await MEMORY.make();
  const memory = await store.open();
  const conversation = memory.conversation(SCOPE);
  await conversation.create();
  for (const [index, turn] of history.entries()) {
    const expectedRevision = await conversation.revision();
    await conversation.putTurn({ ...turn, revision: 1 }, { operationId: `${index}`, expectedRevision });
  }
  await indexAll(memory);
  return Object.values(indexContents((sql, ...rest) => store.sql(sql, ...rest)))[0];
}

async function indexAll(memory: Memory): Promise<number> {
  const conversation = memory.conversation(SCOPE);
  const snapshot = await conversation.snapshot();
  let processed = 0;
  for (let status = "BUILDING"; status === "BUILDING";) {
    const progress = await conversation.indexBatch(snapshot, {}, { batchSize: 7 });
    ({ status } = progress);
    processed += progress.processed;
  }
  return processed;
}

Deno.test("An index that is updated step by step equals a new one, after any turns, edits, deletions and expiries", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { minLength: 3, maxLength: 25 }), async (steps) => {
      const driver = new TappedDriver(nodeSqlite);
      await using scenario = await Scenario.start(":memory:", driver);
      for (const step of steps) await scenario.play(step);
      await scenario.conversation.snapshot();
      await indexAll(scenario.memory);
      const kept = indexContents((sql, ...rest) => driver.connection("main").prepare(sql).all(rest));
      const afresh = await builtAfresh(await scenario.history());
      assert.deepEqual(Object.values(kept)[0], afresh);
    }),
    { seed: 601, numRuns: 60 },
  );
});

Deno.test("Full rows of postings that lose turns and get them back equal those of a new index", async () => {
  const driver = new TappedDriver(nodeSqlite);
  await using scenario = await Scenario.start(":memory:", driver);
  for (let index = 0; index < 150; index++) await scenario.put([index % 5 === 4 ? "valve" : `pump ${index}`]);
  await indexAll(scenario.memory);
  const sql = (text: string, ...rest: readonly SqlValue[]): readonly Row[] =>
    driver.connection("main").prepare(text).all(rest);
  const sizes = (): readonly unknown[] =>
    sql(`SELECT turns FROM postings WHERE term = (SELECT number FROM index_terms WHERE term = 'pump')
      ORDER BY turn`).flat();
  assert.deepEqual(sizes(), [64, 56]);
  for (const which of [4, 9]) await scenario.play({ kind: "edit", which, texts: ["pump"] });
  await indexAll(scenario.memory);
  assert.deepEqual(sizes(), [34, 32, 56]);
  for (const which of [0, 30, 79, 80, 149]) await scenario.play({ kind: "edit", which, texts: ["pump"] });
  for (const which of [128, 64, 63, 1, 0]) await scenario.play({ kind: "delete", which });
  await indexAll(scenario.memory);
  const afresh = await builtAfresh(await scenario.history());
  assert.deepEqual(Object.values(indexContents(sql))[0], afresh);
});

Deno.test("RET-11 A turn that is revised to a shorter text leaves nothing else in the index", async () => {
  await using scenario = await Scenario.start();
  const { conversation } = scenario;
  await scenario.put(["alder. birch. ".repeat(40)]);
  assert.equal((await conversation.search("birch")).length > 0, true);
  await scenario.play({ kind: "edit", which: 0, texts: ["cedar."] });
  assert.deepEqual(await conversation.search("birch"), []);
  assert.equal((await conversation.search("cedar")).length, 1);
  await scenario.play({ kind: "edit", which: 0, texts: [""] });
  assert.deepEqual(await conversation.search("cedar"), []);
});

Deno.test("RET-11 A revision that is refused does not change the chunks of the turn", async () => {
  await using scenario = await Scenario.start();
  const { conversation } = scenario;
  await scenario.put(["alder. birch."]);
  const found = await conversation.search("birch");
  const [old] = await scenario.history();
  const value = {
    ...old!,
    revision: 2,
    messages: [{ messageId: "new", role: "user" as const, content: "cedar." }],
  };
  await assert.rejects(conversation.putTurn(value, { operationId: "late", expectedRevision: 0 }), {
    code: "CONFLICT",
    reason: "REVISION",
  });
  assert.deepEqual(await conversation.search("birch"), found);
  assert.deepEqual(await conversation.search("cedar"), []);
});

Deno.test("RET-17 Indexing a turn of half a megabyte without a break does not block other calls", async () => {
  await using scenario = await Scenario.start();
  const { conversation } = scenario;
  await scenario.put(["数据管线".repeat(40_000)]);
  let isIndexed = false;
  const search = conversation.search("管线").then((hits) => {
    isIndexed = true;
    return hits;
  });
  const other = scenario.memory.conversation({ ...SCOPE, sessionId: "other" });
  let served = 0;
  while (!isIndexed) {
    await other.append([{ role: "user", content: "meanwhile" }]);
    if (!isIndexed) served++;
  }
  assert.ok((await search).length > 0);
  assert.ok(served > 10, `${served} turns stored while the turn was indexed`);
});

Deno.test("indexBatch() continues where it stopped, even after a restart, and changes neither revision nor snapshot", async () => {
  await using store = await makeFileStore(new TappedDriver(nodeSqlite));
  const first = await store.open();
  const conversation = first.conversation(SCOPE);
  for (const text of ["one", "two", "three"]) await conversation.append([{ role: "user", content: text }]);
  const snapshot = await conversation.snapshot();
  const indexKey = "characters-v1:360:80/rich-v2";
  assert.deepEqual(await conversation.indexBatch(snapshot, {}, { batchSize: 1 }), {
    status: "BUILDING",
    processed: 1,
    remaining: 2,
    indexKey,
  });
  await first.close();
  const again = (await store.open()).conversation(SCOPE);
  const reopened = await again.snapshot();
  assert.equal(reopened.id, snapshot.id);
  await assert.rejects(again.chunkIndex(reopened), { code: "CONFLICT", reason: "NOT_READY" });
  assert.deepEqual(await again.indexBatch(reopened), {
    status: "READY",
    processed: 2,
    remaining: 0,
    indexKey,
  });
  assert.deepEqual(await again.indexBatch(reopened), {
    status: "READY",
    processed: 0,
    remaining: 0,
    indexKey,
  });
  assert.equal((await again.snapshot()).id, snapshot.id);
  assert.equal((await again.chunkIndex(reopened)).chunks.length, 3);
});

Deno.test("indexBatch() indexes only turns that changed", async () => {
  await using scenario = await Scenario.start();
  for (let index = 0; index < 6; index++) await scenario.put([`turn ${index}`]);
  assert.equal(await indexAll(scenario.memory), 6);
  await scenario.play({ kind: "edit", which: 2, texts: ["another"] });
  assert.equal(await indexAll(scenario.memory), 1);
  assert.equal(await indexAll(scenario.memory), 0);
});

Deno.test("A new turn in the row of a deleted one is indexed", async () => {
  await using scenario = await Scenario.start();
  for (const text of ["alder", "birch", "cedar"]) await scenario.put([text]);
  await indexAll(scenario.memory);
  await scenario.play({ kind: "delete", which: 1 });
  await scenario.play({ kind: "delete", which: 1 });
  await scenario.put(["dogwood"]);
  await scenario.put(["elm"]);
  assert.equal(await indexAll(scenario.memory), 2);
  const hits = await scenario.conversation.search("dogwood elm");
  assert.deepEqual(hits.filter(({ score }) => score.lexical > 0).map(({ content }) => content), [
    "elm",
    "dogwood",
  ]);
});

Deno.test("Two indexes coexist; a third one replaces the least recently used one, of which nothing is left", async () => {
  const driver = new TappedDriver(nodeSqlite);
  await using scenario = await Scenario.start(":memory:", driver);
  const { conversation } = scenario;
  for (let index = 0; index < 5; index++) await scenario.put([`the pump ${index} failed at noon`]);
  const sql = (text: string): readonly (readonly unknown[])[] =>
    driver.connection("main").prepare(text).all([]);
  const keys = (): readonly unknown[] => sql(`SELECT index_key FROM chunk_indexes ORDER BY index_key`).flat();
  await conversation.search("pump", { retrieval: { chunkCharacters: 100 } });
  await conversation.search("pump", { retrieval: { chunkCharacters: 200 } });
  await conversation.search("pump", { retrieval: { chunkCharacters: 100 }, topK: 9 });
  const both = ["characters-v1:100:80/rich-v2", "characters-v1:200:80/rich-v2"];
  assert.deepEqual(keys(), both);
  const found = await conversation.search("pump", { profile: "reference" });
  assert.equal(found.length, 4);
  assert.deepEqual(keys(), [both[0], "characters-v1:360:80/lexical-v1"]);
  const stray = sql(`SELECT count(*) FROM postings WHERE index_id NOT IN (SELECT id FROM chunk_indexes)`);
  assert.deepEqual(stray, [[0]]);
});

Deno.test("Searches with another topK, minimumScore, k1 or b use the same index", async () => {
  await using scenario = await Scenario.start();
  await scenario.put(["the pump failed"]);
  assert.equal(await indexAll(scenario.memory), 1);
  const snapshot = await scenario.conversation.snapshot();
  const other = { topK: 9, minimumScore: 1, k1: 2, b: 0.5, recoverCappedWindow: true };
  assert.equal((await scenario.conversation.indexBatch(snapshot, other)).processed, 0);
});

Deno.test("indexBatch() validates its arguments, and refuses a stale snapshot", async () => {
  await using scenario = await Scenario.start();
  const { conversation } = scenario;
  const snapshot = await conversation.snapshot();
  for (const batchSize of [0, -1, 257, 1.5, true as unknown as number]) {
    await assert.rejects(conversation.indexBatch(snapshot, {}, { batchSize }), { field: "batchSize" });
  }
  await assert.rejects(conversation.indexBatch(snapshot, { chunkCharacters: 0 }), {
    field: "retrieval.chunkCharacters",
  });
  await assert.rejects(conversation.indexBatch({} as typeof snapshot), { field: "snapshot" });
  await assert.rejects(conversation.indexBatch(snapshot, {}, { profile: "none" as "reference" }), {
    field: "profile",
  });
  await scenario.put(["moved on"]);
  await assert.rejects(conversation.indexBatch(snapshot), { code: "CONFLICT", reason: "SNAPSHOT" });
});

Deno.test("The index of an empty scope is complete", async () => {
  await using scenario = await Scenario.start();
  const snapshot = await scenario.conversation.snapshot();
  assert.equal((await scenario.conversation.indexBatch(snapshot)).status, "READY");
  assert.deepEqual((await scenario.conversation.chunkIndex(snapshot)).chunks, []);
  assert.deepEqual(await scenario.conversation.search("pump"), []);
});

Deno.test("Several scopes with interleaved turns have separate indexes", async () => {
  await using store = await MEMORY.make();
  const memory = await store.open();
  const names = ["a", "b", "c"].map((sessionId) => memory.conversation({ tenantId: "t", sessionId }));
  for (let index = 0; index < 9; index++) {
    for (const [which, conversation] of names.entries()) {
      await conversation.append([{ role: "user", content: `pump ${index} of ${"abc"[which]}` }]);
    }
  }
  for (const [which, conversation] of names.entries()) {
    const hits = await conversation.search("pump", { topK: 50 });
    assert.equal(hits.length, 9);
    assert.ok(hits.every(({ content }) => content.endsWith("abc"[which]!)));
  }
  for (const conversation of names) {
    await conversation.delete({ kind: "scope", expectedRevision: await conversation.revision() });
  }
  assert.deepEqual(countIndexRows((sql) => store.sql(sql)), NO_ROWS);
});

Deno.test("chunkIndex() returns the chunks that assembleContext() would create itself", async () => {
  await using scenario = await Scenario.start();
  await scenario.put(["the pump failed. ".repeat(60), "", "."]);
  const snapshot = await scenario.conversation.snapshot();
  await scenario.conversation.indexBatch(snapshot, {}, { profile: "reference" });
  const chunkIndex = await scenario.conversation.chunkIndex(snapshot);
  const input = {
    scope: SCOPE,
    history: await scenario.history(),
    question: "pump?",
    system: "S",
    at: snapshot.at,
  };
  const budget = { maxInputTokens: 900, retrievalReserve: 200 };
  const without = await assembleContext({ ...input, budget });
  assert.deepEqual((await assembleContext({ ...input, budget, chunkIndex })).request, without.request);
});

testThatNothingIsLeftOpen();
