/** Tests of index batches: around each limit, and with turns that change between the read and the write of a batch. */

import assert from "node:assert/strict";
import { type Conversation, type Hit, nodeSqlite } from "../../mod.ts";
import {
  BLOCK_TURNS_MAX,
  INDEX_BATCH_BYTES,
  INDEX_BATCH_DEFAULT,
  POSTINGS_PER_ROW_MAX,
} from "../../src/limits.ts";
import { FaultyDriver } from "../kit/faulty_driver.ts";
import { assertIntact, testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { fileTarget, makeFileStore } from "../kit/store_target.ts";
import { TappedDriver } from "../kit/tapped_driver.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";
import { countIndexRows } from "./index_contents.ts";
import { SCOPE } from "./scenario.ts";

const FILE = fileTarget("file", () => new TappedDriver(nodeSqlite));

async function put(conversation: Conversation, id: string, content: string, revision = 1): Promise<void> {
  const messages = [{ messageId: `${id}-message`, role: "user", content }] as const;
  await conversation.putTurn({ turnId: id, scope: SCOPE, messages, revision }, {
    operationId: `${id} ${revision}`,
    expectedRevision: await conversation.revision(),
  });
}

async function remove(conversation: Conversation, key: string): Promise<void> {
  await conversation.delete({ kind: "turn", key, expectedRevision: await conversation.revision() });
}

async function fill(conversation: Conversation): Promise<void> {
  await conversation.create();
  for (const id of ["t1", "t2", "t3", "t4"]) await put(conversation, id, `pump ${id}`);
}

/** Searches without failing; returns the hits that match by their own words. */
async function find(conversation: Conversation, query: string): Promise<readonly string[]> {
  let hits: readonly Hit[] = [];
  await assert.doesNotReject(async () => void (hits = await conversation.search(query)));
  return hits.filter(({ score }) => score.lexical > 0).map(({ content }) => content);
}

/** The changes of a turn between the read and the write of a batch. */
const CHANGES: Readonly<Record<string, (conversation: Conversation) => Promise<void>>> = {
  "is revised": (conversation) => put(conversation, "t2", "quetzal", 2),
  "is the last one and is revised": (conversation) => put(conversation, "t4", "quetzal", 2),
  "is deleted": (conversation) => remove(conversation, "t2"),
  "is deleted, and a new one takes its row": async (conversation) => {
    await remove(conversation, "t4");
    await put(conversation, "t5", "quetzal");
  },
};

/** The state of the index before the batch. */
const BEFORE: Readonly<Record<string, (conversation: Conversation) => Promise<void>>> = {
  "that is new": () => Promise.resolve(),
  "that had changed": async (conversation) => {
    await conversation.search("pump");
    for (const id of ["t2", "t4"]) await put(conversation, id, `valve ${id}`, 2);
  },
};

/** Returns a change that also works if the turn had changed before. */
function once(change: string, before: string): (conversation: Conversation) => Promise<void> {
  if (before === "that is new" || !change.includes("revised")) return CHANGES[change]!;
  return (conversation) => put(conversation, change.includes("last") ? "t4" : "t2", "quetzal", 3);
}

/** The last statement with which a batch reads its turns, before it chunks them. */
const IS_READ = /^SELECT id FROM turns WHERE scope = \$1 AND id > \$2/;

/** Calls `act` once, as soon as a batch has read its turns. */
function afterRead(driver: FaultyDriver, act: () => Promise<void>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  driver.observe(({ sql, verb }) => {
    if (verb !== "all" || sql === null || !IS_READ.test(sql)) return;
    driver.observe(null);
    queueMicrotask(() => void act().then(resolve, reject));
  });
  return promise;
}

for (const change of Object.keys(CHANGES)) {
  for (const before of Object.keys(BEFORE)) {
    for (const by of ["the same handle", "another handle"] as const) {
      Deno.test(`TST-05 A turn ${before} and ${change} by ${by} during a batch is indexed in its final state`, async () => {
        const driver = new FaultyDriver(nodeSqlite);
        await using store = await makeFileStore(driver, await TemporaryDirectory.makeInMemory());
        store.damaged = true; // checked below, so that a failing search is reported first
        const batches: number[] = [];
        const memory = await store.open({ onEvent: ({ counts }) => batches.push(counts.turns ?? 0) });
        const conversation = memory.conversation(SCOPE);
        await fill(conversation);
        await BEFORE[before]!(conversation);
        const changing = by === "the same handle" ? conversation : (await store.open()).conversation(SCOPE);
        batches.length = 0;
        const changed = afterRead(driver, () => once(change, before)(changing));
        await Promise.all([find(conversation, "pump"), changed]);
        const unindexed = before === "that is new" ? 4 : 2;
        assert(batches[0]! < unindexed, "nothing changed between the read and the write of the batch");
        const found = await find(conversation, "quetzal");
        assert.deepEqual(found, change === "is deleted" ? [] : ["quetzal"]);
        assert.deepEqual(store.sql("SELECT count(*) FROM unindexed_turns"), [[0]]);
        assert.deepEqual(store.sql("SELECT turns FROM chunk_indexes"), [[change === "is deleted" ? 3 : 4]]);
        await assertIntact(memory);
      });
    }
  }
}

/** Appends turns and indexes them together; returns the number of rows in each table. */
async function indexTurns(texts: readonly string[]): Promise<ReturnType<typeof countIndexRows>> {
  await using store = await FILE.make();
  const memory = await store.open();
  const conversation = memory.conversation(SCOPE);
  await Promise.all(texts.map((content) => conversation.append([{ role: "user", content }])));
  await conversation.search("pump");
  const found = await conversation.search("pump", { topK: 10_000 });
  assert.equal(new Set(found.map(({ source }) => source.turnId)).size, texts.length);
  assert.deepEqual((await memory.check()).problems, []);
  return countIndexRows((sql, ...rest) => store.sql(sql, ...rest));
}

const AROUND = [INDEX_BATCH_DEFAULT, POSTINGS_PER_ROW_MAX].flatMap((limit) => [limit - 1, limit, limit + 1]);

for (const count of [...AROUND, 2 * POSTINGS_PER_ROW_MAX + 1, BLOCK_TURNS_MAX, BLOCK_TURNS_MAX + 1]) {
  Deno.test(`Each of ${count} turns is indexed and found`, async () => {
    const rows = await indexTurns(Array.from({ length: count }, (_, index) => `pump ${index % 7}`));
    assert.deepEqual([rows.indexed_turns, rows.unindexed_turns], [count, 0]);
  });
}

Deno.test("Turns with more bytes than a batch allows are indexed in several batches of at least one turn", async () => {
  const long = `pump ${"x".repeat(INDEX_BATCH_BYTES)}`;
  const rows = await indexTurns([long, "pump", "pump", long, long, "pump"]);
  assert.deepEqual([rows.indexed_turns, rows.unindexed_turns], [6, 0]);
});

/** Counts of terms around the number that a deletion reads at once, and around multiples of it. */
const TERMS = [31, 32, 33, 64, 65, 100];

for (const count of TERMS) {
  Deno.test(`The deletion of a turn with ${count} words leaves none of its postings, and no term that only it had`, async () => {
    await using store = await FILE.make();
    const memory = await store.open();
    const conversation = memory.conversation(SCOPE);
    await conversation.create();
    const words = Array.from({ length: count }, (_, index) => `only${index}x`);
    await put(conversation, "t1", words.join(" "));
    await put(conversation, "t2", "kept");
    const options = {
      profile: "reference",
      retrieval: { chunkCharacters: 1_000, overlapCharacters: 0 },
    } as const;
    await conversation.search("kept", options);
    const before = countIndexRows((sql, ...rest) => store.sql(sql, ...rest));
    assert.deepEqual([before.index_terms, before.postings], [count + 1, count + 1]);
    const receipt = await conversation.delete({
      kind: "turn",
      key: "t1",
      expectedRevision: await conversation.revision(),
    });
    assert.deepEqual([receipt.erased.postings, receipt.erased.chunks > 0], [count, true]);
    assert.deepEqual(store.sql("SELECT term FROM index_terms"), [["kept"]]);
    assert.deepEqual(store.sql("SELECT sum(turns) FROM postings"), [[1]]);
    assert.equal((await memory.verifyReceipt(receipt)).valid, true);
    assert.deepEqual((await conversation.search("kept", options)).map(({ content }) => content), ["kept"]);
  });
}

testThatNothingIsLeftOpen();
