import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { assertSound, StoreDirectory } from "./shared_store.ts";
import { Worker } from "./workers.ts";
import { openMemory } from "@holdfast/memory";

const PROCESSES = 8;
const ROUNDS = 20;

Deno.test("CON-02: of 160 first opens of a new file, 8 at once, each succeeds on one schema, one lineage, one ledger", async () => {
  using store = new StoreDirectory();
  await using workers = await Worker.startAll(PROCESSES);
  let opens = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const path = `${store.directory}/round-${round}.db`;
    const results = await workers.perform<{ lineage: string; revision: number }>((index) => ({
      do: "first open",
      path,
      key: `w${index}`,
    }));
    opens += results.length;
    assert.equal(new Set(results.map(({ lineage }) => lineage)).size, 1, "one lineage");
    assert.deepEqual(results.map(({ revision }) => revision).sort(), [1, 2, 3, 4, 5, 6, 7, 8]);
    assertOneLedger(path);
    await using memory = await openMemory(path);
    assert.equal((await memory.deletionWatermark()).lineage, results[0]!.lineage);
    assert.equal((await memory.records.list("orchard")).items.length, PROCESSES);
    await assertSound(memory);
  }
  assert.equal(opens, 160);
});

function assertOneLedger(path: string): void {
  const [main, ledger] = [path, `${path}.deletions`].map((file) => {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      return database.prepare("SELECT lineage, epoch, generation FROM meta").all();
    } finally {
      database.close();
    }
  });
  assert.equal(main!.length, 1);
  assert.deepEqual(ledger, main);
}
