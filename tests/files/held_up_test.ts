/**
 * Files that would block a process forever, and triggers and views that would run with any statement, are refused.
 */

import assert from "node:assert/strict";
import { openMemory } from "../../mod.ts";
import { runForJson } from "./child.ts";
import { alter } from "./altered_files.ts";
import { Scratch } from "./scratch.ts";
import { DATABASES, SIDECARS } from "./store_names.ts";
import { assertRefused, makeStore } from "./stored.ts";

const IS_UNIX = Deno.build.os !== "windows";
const OLD_VERSION = "3.50.4";

/** Each uses a table that both files have: `meta`. */
const SCHEMAS = [
  "CREATE TRIGGER after_all AFTER UPDATE ON meta BEGIN SELECT raise(ROLLBACK, 'no'); END",
  "CREATE VIEW without_end AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT 1 FROM r) SELECT n FROM r",
  "CREATE VIRTUAL TABLE words USING fts5(text)",
] as const;

for (const name of DATABASES) {
  for (const sql of SCHEMAS) {
    Deno.test(`opening refuses ${name} after ${sql.split(" ").slice(0, 3).join(" ")}`, async () => {
      using scratch = new Scratch();
      await makeStore(scratch.at("agent.db"));
      alter(scratch.at(name), sql);
      const before = scratch.digests();
      await assertRefused(scratch.at("agent.db"), "UNSAFE");
      assert.deepEqual(scratch.digests(), before);
      await assertRefused(scratch.at("agent.db"), "UNSAFE", { readOnly: true });
    });
  }

  Deno.test(`check() reports ${name} with a table that is not ours`, async () => {
    using scratch = new Scratch();
    await makeStore(scratch.at("agent.db"));
    alter(scratch.at(name), "CREATE TABLE further (id INTEGER)");
    await using memory = await openMemory(scratch.at("agent.db"));
    assert.deepEqual((await memory.check()).problems.map(({ table }) => table), ["schema"]);
  });
}

for (const name of SIDECARS) {
  for (const version of [undefined, OLD_VERSION]) {
    const journal = version === undefined ? "write-ahead log" : "rollback journal";
    Deno.test({
      name: `a pipe that takes the name of ${name} of an open store with a ${journal} blocks no call`,
      ignore: !IS_UNIX,
      async fn(): Promise<void> {
        using scratch = new Scratch();
        const outcomes = await runForJson("meet_pipe.ts", [
          scratch.at("agent.db"),
          name.slice("agent.db".length),
          ...version === undefined ? [] : [version],
        ]) as string[];
        assert.equal(outcomes.length, 6);
        for (const outcome of outcomes) {
          assert(["done", "REPLACED", "IO", "UNSAFE"].includes(outcome), outcome);
        }
        if (version !== undefined && name.endsWith("-journal")) assert.equal(outcomes[2], "REPLACED");
      },
    });
  }
}
