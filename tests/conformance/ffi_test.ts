/**
 * The same suite over the driver `./ffi`. Its package comes from a registry that is often out of reach: then the suite
 * is ignored, and says why.
 */

import assert from "node:assert/strict";
import { openMemory, type SqliteDriver } from "../../mod.ts";
import { nodeSqlite } from "../../src/engines/sqlite/drivers/node_sqlite.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { fileTarget, memoryTarget } from "../kit/store_target.ts";
import { TappedDriver } from "../kit/tapped_driver.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";
import { testRecordsOn } from "./records_suites.ts";
import { fill, SCOPE, Shelf, textsOf } from "../restore/shelf.ts";

/** Not a literal: nothing that only looks at this file may have to resolve the package. */
const DRIVER = new URL("../../src/engines/sqlite/drivers/db_sqlite.ts", import.meta.url).href;

async function loadDriver(): Promise<SqliteDriver | string> {
  try {
    return ((await import(DRIVER)) as { readonly dbSqlite: SqliteDriver }).dbSqlite;
  } catch (error) {
    return error instanceof Error ? error.message.split("\n")[0]! : String(error);
  }
}

const driver = await loadDriver();

if (typeof driver === "string") {
  const reason = driver.replace(/https?:\/\/\S+/g, "its registry");
  Deno.test({
    name: `The driver ./ffi keeps every promise about records (ignored: ${reason})`,
    ignore: true,
    fn: (): void => {},
  });
} else {
  const file = fileTarget("file, @db/sqlite", () => new TappedDriver(driver), { disk: true });
  const inMemory = memoryTarget(":memory:, @db/sqlite", () => new TappedDriver(driver));
  for (const engine of [file, inMemory]) testRecordsOn(engine);

  Deno.test("a second SQLite library on a file that is open in this process is refused, both ways", async () => {
    await using directory = await TemporaryDirectory.make();
    const path = directory.file("agent.db");
    {
      await using _memory = await openMemory(path, { driver });
      await assert.rejects(openMemory(path), { code: "UNSAFE" });
    }
    await using _memory = await openMemory(path);
    await assert.rejects(openMemory(path, { driver }), { code: "UNSAFE" });
  });

  Deno.test("a backup made by one driver is restored by the other, and what was deleted stays so", async () => {
    for (
      const [backing, restoring] of [[driver, nodeSqlite], [nodeSqlite, driver], [driver, driver]] as const
    ) {
      await using shelf = await Shelf.make(backing);
      const memory = await shelf.open();
      const { turnIds } = await fill(memory);
      await memory.backup(shelf.at("agent.backup"));
      const talk = memory.conversation(SCOPE);
      await talk.delete({ kind: "turn", key: turnIds[1]!, expectedRevision: await talk.revision() });
      const watermark = await memory.deletionWatermark();
      await memory.close();
      const restored = await shelf.restore("agent.backup", "restored.db", watermark, { driver: restoring });
      assert.deepEqual(await textsOf(restored), ["The pears were grafted in March.", "Prune before frost."]);
      assert.equal(await restored.conversation(SCOPE).revision() > 2 ** 32, true);
    }
  });

  Deno.test("a store goes from one driver to the other and back, with all it holds", async () => {
    await using directory = await TemporaryDirectory.make();
    const path = directory.file("agent.db");
    const identity = { tenantId: "orchard", kind: "checkpoint", key: "run-a" } as const;
    for (const [index, options] of [{}, { driver }, {}, { driver }].entries()) {
      await using memory = await openMemory(path, options);
      const found = await memory.records.get(identity, { now: 100 });
      assert.equal(found?.revision ?? 0, index);
      const value = { schema: 1, step: index % 3, items: [] } as const;
      await memory.records.put(identity, value, {
        expectedRevision: found?.revision ?? null,
        now: 100,
        ttl: 60,
      });
      assert.equal((await memory.check()).ok, true);
    }
  });
}

testThatNothingIsLeftOpen();
