/**
 * A store whose files were swapped while it was open: what it acknowledged before is in a log that close() must not
 * empty into a file that has lost its name.
 */

import assert from "node:assert/strict";
import { type Memory, openMemory } from "../../mod.ts";
import { countOpenFiles } from "../../src/engines/sqlite/files/open_files.ts";
import { FILE_COMPARISON_MS } from "../../src/limits.ts";
import { runForJson } from "./child.ts";
import { Scratch } from "./scratch.ts";
import { SteadyClock } from "./steady_clock.ts";
import { assertReplaced, assertUsable, plant, plot, TENANT } from "./stored.ts";

const IS_UNIX = Deno.build.os !== "windows";
const [MAIN, LEDGER] = ["agent.db", "agent.db.deletions"] as const;

/** Copies each file before its log is copied into it, in a process of its own. */
function copyAway(scratch: Scratch): void {
  for (const name of [MAIN, LEDGER]) {
    const args = ["-p", scratch.at(name), scratch.at(`copy-${name}`)];
    assert.equal(new Deno.Command("cp", { args }).outputSync().success, true);
  }
}

/** Which files lose their names to copies. */
const SWAPS: readonly (readonly [what: string, names: readonly string[]])[] = [
  ["main", [MAIN]],
  ["the ledger", [LEDGER]],
  ["each file", [MAIN, LEDGER]],
];

function swap(scratch: Scratch, names: readonly string[]): void {
  for (const name of names) Deno.renameSync(scratch.at(`copy-${name}`), scratch.at(name));
}

/** The first call after the swap. */
const MEETINGS: readonly (readonly [what: string, meet: (memory: Memory) => Promise<unknown>])[] = [
  ["a write", async (memory) => assertTellsLogs(await assertReplaced(plant(memory, 9)))],
  ["a read", async (memory) => assertTellsLogs(await assertReplaced(memory.records.list(TENANT)))],
  ["close()", () => Promise.resolve()],
];

function assertTellsLogs({ details }: { readonly details: Readonly<Record<string, unknown>> }): void {
  assert.deepEqual(details.logs, [`${MAIN}-wal`, `${LEDGER}-wal`]);
}

/** Three facts, one of them forgotten: in the logs of both files, and not in the files yet. */
async function fillLogs(memory: Memory): Promise<void> {
  for (let number = 1; number <= 3; number++) await plant(memory, number);
  const revision = await plant(memory, 4);
  assert.equal(await memory.records.forget(plot(4), revision), true);
}

for (const [what, names] of SWAPS) {
  for (const [who, meet] of MEETINGS) {
    Deno.test({
      name: `SWP-01 close() leaves the logs as they are once ${what} lost the name and ${who} meets it first`,
      ignore: !IS_UNIX,
      async fn(): Promise<void> {
        using scratch = new Scratch();
        using clock = new SteadyClock();
        const memory = await openMemory(scratch.at(MAIN));
        copyAway(scratch);
        await fillLogs(memory);
        swap(scratch, names);
        clock.advance(FILE_COMPARISON_MS);
        await meet(memory);
        const sizes = (): readonly number[] =>
          names.map((name) => Deno.lstatSync(scratch.at(`${name}-wal`)).size);
        const before = sizes();
        assert(before.every((bytes) => bytes > 0));
        await memory.close();
        assert.deepEqual(sizes(), before);
        assert.equal(countOpenFiles(), 0);
        // The copies are from before the log, so SQLite replays it into them.
        await assertUsable(scratch.at(MAIN));
      },
    });
  }
}

for (const name of [MAIN, LEDGER]) {
  Deno.test({
    name: `SWP-01 close() leaves the log as it is once ${name} was unlinked`,
    ignore: !IS_UNIX,
    async fn(): Promise<void> {
      using scratch = new Scratch();
      using clock = new SteadyClock();
      const memory = await openMemory(scratch.at(MAIN));
      await fillLogs(memory);
      Deno.removeSync(scratch.at(name));
      clock.advance(FILE_COMPARISON_MS);
      const log = scratch.at(`${name}-wal`);
      const { size } = Deno.lstatSync(log);
      await memory.close();
      assert.equal(Deno.lstatSync(log).size, size);
    },
  });
}

Deno.test({
  name: "SWP-01 prune() empties no log into a file that was swapped",
  ignore: !IS_UNIX,
  async fn(): Promise<void> {
    using scratch = new Scratch();
    using clock = new SteadyClock();
    const memory = await openMemory(scratch.at(MAIN));
    copyAway(scratch);
    await fillLogs(memory);
    swap(scratch, [MAIN]);
    clock.advance(FILE_COMPARISON_MS);
    await assertReplaced(memory.prune());
    await memory.close();
    await assertUsable(scratch.at(MAIN));
  },
});

Deno.test({
  name: "SWP-01 a process that ends after a swap, without closing, does not change the log",
  ignore: !IS_UNIX,
  async fn(): Promise<void> {
    using scratch = new Scratch();
    const bytes = await runForJson("end_after_swap.ts", [scratch.at(MAIN)]);
    assert.equal(Deno.lstatSync(scratch.at(`${MAIN}-wal`)).size, bytes);
    await assertUsable(scratch.at(MAIN));
  },
});
