/** Tests that prune() deletes a retired index on any page of the store's indexes. */

import assert from "node:assert/strict";
import { nodeSqlite } from "../../mod.ts";
import { checksumOf } from "../../src/canonical/checksum.ts";
import { RESULT } from "../../src/engines/sqlite/drivers/result_codes.ts";
import { INDEXES_PER_READ } from "../../src/limits.ts";
import { FaultyDriver } from "../kit/faulty_driver.ts";
import { makeFileStore } from "../kit/store_target.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";
import type { TestStore } from "../kit/test_store.ts";
import { SCOPE } from "./scenario.ts";

/** Inserts rows of indexes of other scopes, of which only `retired` is read. */
const INSERT_OTHERS =
  `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < $1)
  INSERT INTO chunk_indexes (id, scope, index_key, born, used, retired, indexed_to, turns, chunks, documents,
  total_length, terms, block_turns, draining, block_list, checksum)
  SELECT n, 1000 + n, 'x', n, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, x'', 0 FROM numbers`;

const SELECT_META =
  `SELECT lineage, generation, epoch, pending_from, applied, applied_head, verified, counter,
  last_scope, last_turn, last_index, last_journal, clock_mark, clock_epoch, hash_key, probe, scrubs, shrunk_bytes FROM meta`;

/** Says in main's meta row that an index had this id, as if the rows had been written by the store. */
function setLastIndex(store: TestStore, id: number): void {
  const meta = store.sql(SELECT_META)[0]!.with(10, id);
  store.sql("UPDATE meta SET last_index = $1, checksum = $2", id, checksumOf(...meta));
}

for (const others of [INDEXES_PER_READ - 1, INDEXES_PER_READ, INDEXES_PER_READ + 1, 2 * INDEXES_PER_READ]) {
  Deno.test(`prune() deletes a retired index that comes after ${others} others`, async () => {
    const driver = new FaultyDriver(nodeSqlite);
    await using store = await makeFileStore(driver, await TemporaryDirectory.makeInMemory());
    store.damaged = true; // check() would report the inserted rows
    const memory = await store.open();
    const conversation = memory.conversation(SCOPE);
    await conversation.append([{ role: "user", content: "pumps" }]);
    store.sql(INSERT_OTHERS, others);
    setLastIndex(store, others);
    await conversation.search("pump", { profile: "reference" });
    await conversation.search("pump");
    driver.fail({ sql: "DELETE FROM index_terms", effect: "before", code: RESULT.IOERR });
    const third = { retrieval: { chunkCharacters: 200, overlapCharacters: 20 } };
    await assert.rejects(conversation.search("pump", third), { code: "IO" });
    driver.heal();
    assert.deepEqual(store.sql("SELECT id FROM chunk_indexes WHERE retired = 1"), [[others + 1]]);
    assert.equal((await memory.prune({ scrub: false })).retiredIndexes, 1);
    assert.deepEqual(store.sql("SELECT count(*) FROM chunk_indexes"), [[others + 2]]);
  });
}
