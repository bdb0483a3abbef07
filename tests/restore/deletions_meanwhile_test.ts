/**
 * Deletions of another process in the old store, after a restore has created its destination, are applied there too.
 */

import assert from "node:assert/strict";
import type { SqliteDriver } from "../../mod.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { DRIVERS, fill, Shelf, textsOf } from "./shelf.ts";

const PROGRAM = new URL("./programs/deleting.ts", import.meta.url).pathname;
const CONFIG = new URL("../../deno.json", import.meta.url).pathname;

/** Runs a callback once, when a file is first opened under a name. */
function atOpening(path: string, driver: SqliteDriver, run: () => void): SqliteDriver {
  let isDone = false;
  return {
    name: driver.name,
    open(opened, options): ReturnType<SqliteDriver["open"]> {
      if (opened === path && !isDone) {
        isDone = true;
        run();
      }
      return driver.open(opened, options);
    },
  };
}

function deleteTurns(path: string, turnIds: readonly string[]): void {
  const { success, stderr } = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-prompt", "--no-check", `--config=${CONFIG}`, PROGRAM, path, ...turnIds],
    stdout: "null",
    stderr: "piped",
  }).outputSync();
  assert(success, new TextDecoder().decode(stderr));
}

const [[, inLog]] = DRIVERS as [(typeof DRIVERS)[number]];

for (
  const [count, left] of [[1, ["The well is forty metres deep.", "Prune before frost."]], [3, []]] as const
) {
  Deno.test(`${count} deletions of another process, made between a restore's copy and its switch, hold in the restored store`, async () => {
    await using shelf = await Shelf.make();
    const memory = await shelf.open();
    const { turnIds } = await fill(memory);
    await memory.backup(shelf.at("agent.backup"));
    const watermark = await memory.deletionWatermark();
    await memory.close();
    const driver = atOpening(
      shelf.at("restored.db"),
      inLog(),
      () => deleteTurns(shelf.at("agent.db"), turnIds.slice(0, count)),
    );
    const restoring = shelf.restore("agent.backup", "restored.db", watermark, { driver });
    await assert.doesNotReject(restoring);
    const restored = await restoring;
    assert.deepEqual(await textsOf(restored), left);
    assert.equal((await restored.deletionWatermark()).sequence, count);
    assert.equal(restored.restored!.to.sequence, count);
  });
}

testThatNothingIsLeftOpen();
