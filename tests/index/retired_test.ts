/** Tests that a retired index is deleted, even if the call that retired it could not delete it. */

import assert from "node:assert/strict";
import { RESULT } from "../../src/engines/sqlite/drivers/result_codes.ts";
import { nodeSqlite } from "../../src/engines/sqlite/drivers/node_sqlite.ts";
import type { Conversation, Memory, PruneProgress } from "../../mod.ts";
import { FaultyDriver } from "../kit/faulty_driver.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { makeFileStore } from "../kit/store_target.ts";
import type { TestStore } from "../kit/test_store.ts";
import { SCOPE } from "./scenario.ts";
import { Writer } from "./vocabulary.ts";

/** A term of only the reference's analyzer, because the default one removes the plural. */
const TERM = "quetzals";

/** Creates turns and three indexes; the first is retired, and its deletion failed before it began. */
async function leaveRetired(store: TestStore<FaultyDriver>): Promise<{
  readonly memory: Memory;
  readonly conversation: Conversation;
}> {
  const memory = await store.open();
  const conversation = memory.conversation(SCOPE);
  const writer = new Writer(3);
  for (let index = 0; index < 40; index++) {
    await conversation.append([{ role: "user", content: `${writer.text(20)} ${TERM.toUpperCase()}` }]);
  }
  await conversation.search("pump", { profile: "reference" });
  await conversation.search("pump");
  store.driver.fail({ sql: "DELETE FROM index_terms", effect: "before", code: RESULT.IOERR });
  const third = { retrieval: { chunkCharacters: 200, overlapCharacters: 20 } };
  await assert.rejects(conversation.search("pump", third), { code: "IO" });
  store.driver.heal();
  assert.deepEqual(store.sql("SELECT retired, count(*) FROM chunk_indexes GROUP BY retired"), [[0, 2], [
    1,
    1,
  ]]);
  return { memory, conversation };
}

/** Whether any file of a store contains the term. */
function holdsTerm(store: TestStore): boolean {
  return ["", "-wal", ".deletions", ".deletions-wal"].some((suffix) => {
    const bytes = Deno.readFileSync(store.path + suffix);
    return new TextDecoder("latin1").decode(bytes).includes(TERM);
  });
}

Deno.test("prune() deletes a retired index, and its scrub leaves no byte of it", async () => {
  await using store = await makeFileStore(new FaultyDriver(nodeSqlite));
  const { memory, conversation } = await leaveRetired(store);
  assert.equal(holdsTerm(store), true);
  const progress: PruneProgress[] = [];
  const report = await memory.prune({ onProgress: (event) => progress.push(event) });
  assert.deepEqual([report.retiredIndexes, report.scrub?.complete], [1, true]);
  assert.deepEqual(progress.filter(({ part }) => part === "index").at(-1), { part: "index", done: 1 });
  assert.deepEqual(store.sql("SELECT retired, count(*) FROM chunk_indexes GROUP BY retired"), [[0, 2]]);
  for (const table of ["unindexed_turns", "indexed_turns", "index_terms", "postings"]) {
    const orphans = `SELECT count(*) FROM ${table} WHERE index_id NOT IN (SELECT id FROM chunk_indexes)`;
    assert.deepEqual(store.sql(orphans), [[0]], table);
  }
  assert.equal(holdsTerm(store), false);
  assert.ok((await conversation.search("pump")).length > 0);
  assert.equal((await memory.prune()).retiredIndexes, 0);
});

Deno.test("The next indexing deletes the rest of a retired index", async () => {
  await using store = await makeFileStore(new FaultyDriver(nodeSqlite));
  const { conversation } = await leaveRetired(store);
  await conversation.append([{ role: "user", content: "rain" }]);
  await conversation.search("pump");
  assert.deepEqual(store.sql("SELECT retired, count(*) FROM chunk_indexes GROUP BY retired"), [[0, 2]]);
});

Deno.test("The deletion of a turn also erases it from a retired index that is not deleted yet", async () => {
  await using store = await makeFileStore(new FaultyDriver(nodeSqlite));
  const { conversation } = await leaveRetired(store);
  const { turnId } = await conversation.append([{ role: "user", content: "rain" }]);
  const expectedRevision = await conversation.revision();
  await conversation.delete({ kind: "turn", key: turnId, expectedRevision });
  const [first] = await Array.fromAsync(conversation.turns());
  const receipt = await conversation.delete({
    kind: "turn",
    key: first!.turnId,
    expectedRevision: await conversation.revision(),
  });
  assert.equal(receipt.erased.chunks, 3);
});

Deno.test("prune() leaves a damaged retired index for check() to report", async () => {
  await using store = await makeFileStore(new FaultyDriver(nodeSqlite));
  store.damaged = true;
  const { memory } = await leaveRetired(store);
  store.sql("UPDATE chunk_indexes SET chunks = chunks + 1 WHERE retired = 1");
  assert.equal((await memory.prune({ scrub: false })).retiredIndexes, 0);
  assert.equal((await memory.check()).problems[0]?.table, "chunk_indexes");
});

testThatNothingIsLeftOpen();
