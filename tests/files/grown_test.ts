/** A file that has grown since it was opened must not become smaller than its largest observed size. */

import assert from "node:assert/strict";
import { openMemory } from "../../mod.ts";
import { FILE_COMPARISON_MS } from "../../src/limits.ts";
import { openBeside } from "../kit/test_store.ts";
import { Scratch } from "./scratch.ts";
import { SteadyClock } from "./steady_clock.ts";
import { DATABASES } from "./store_names.ts";
import { assertReplaced, makeStore, plant, plot, TENANT } from "./stored.ts";

/** Copies a file's log into it, as any process may. */
function checkpoint(path: string): void {
  using connection = openBeside(path);
  assert.equal(connection.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get([])?.[0], 0);
}

/** Truncates a file, in a process of its own: opening the files of an open store here would drop SQLite's locks. */
function cut(path: string, bytes: number): void {
  const args = ["eval", `Deno.truncateSync(${JSON.stringify(path)}, ${bytes})`];
  assert.equal(new Deno.Command(Deno.execPath(), { args }).outputSync().success, true);
}

for (const name of DATABASES) {
  Deno.test({
    name:
      `TST-08 once ${name} has grown and is cut, though not below its first size, nothing is acknowledged`,
    ignore: Deno.build.os === "windows",
    async fn(): Promise<void> {
      using scratch = new Scratch();
      const path = scratch.at(name);
      await makeStore(scratch.at("agent.db"));
      using clock = new SteadyClock();
      await using memory = await openMemory(scratch.at("agent.db"));
      const { size: first } = Deno.statSync(path);
      for (let number = 4; number < 104; number++) await plant(memory, number, "x".repeat(200));
      for (let number = 4; number < 104; number++) await memory.records.forget(plot(number), number);
      checkpoint(path);
      clock.advance(FILE_COMPARISON_MS);
      await memory.records.list(TENANT);
      const { size: grown } = Deno.statSync(path);
      assert(grown - 4_096 > first, `${first} to ${grown}`);
      cut(path, grown - 4_096);
      clock.advance(FILE_COMPARISON_MS);
      assert.equal((await assertReplaced(plant(memory, 104))).details.outcome, "unknown");
      await assertReplaced(memory.records.list(TENANT));
    },
  });
}
