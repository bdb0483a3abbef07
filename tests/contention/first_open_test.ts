import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { assertIntact, StoreDirectory } from "./shared_store.ts";
import { Crew, nameOf, type Staff } from "./workers.ts";
import { openMemory } from "@holdfast/memory";

const LONG = Deno.env.get("HOLDFAST_LONG") === "1";
const WRITERS = 8;

/** Each a process, or several of them in one process; and how often a new file is opened. */
const STAFFS: readonly (readonly [staff: Staff, rounds: number])[] = [
  [{ processes: 8, threads: 0 }, 20],
  [{ processes: 2, threads: 4 }, LONG ? 100 : 8],
];

for (const [staff, rounds] of STAFFS) {
  Deno.test(`CON-02: of ${WRITERS * rounds} first opens of a new file, ${nameOf(staff)} at once, each succeeds on one schema, one lineage, one ledger`, async () => {
    using store = new StoreDirectory();
    await using workers = await Crew.start(staff);
    let opens = 0;
    for (let round = 0; round < rounds; round++) {
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
      assert.equal((await memory.records.list("orchard")).items.length, WRITERS);
      await assertIntact(memory);
    }
    assert.equal(opens, WRITERS * rounds);
  });
}

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
