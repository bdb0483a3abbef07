/** Promises that are not kept yet. Run with HOLDFAST_FAULTS=1; a test whose fault is mended moves to where it belongs. */

import assert from "node:assert/strict";
import { openMemory, StorageError } from "../../mod.ts";
import { runForJson } from "./child.ts";
import { forgetEpoch } from "./altered_files.ts";
import { observedDriver } from "./observed_driver.ts";
import { Scratch } from "./scratch.ts";
import { DATABASES } from "./store_names.ts";
import { assertRefused, assertReplaced, makeStore, plant } from "./stored.ts";
import { TinyDisk, whyNoTinyDisk } from "./tiny_disk.ts";

const IGNORED = Deno.env.get("HOLDFAST_FAULTS") === undefined;

function faultTest(name: string, fn: () => Promise<void>, possible: boolean = true): void {
  Deno.test({ name: `${name} (ignored: not kept yet)`, ignore: IGNORED || !possible, fn });
}

faultTest("opening refuses a store whose ledger was emptied, unchanged", async () => {
  using scratch = new Scratch();
  await makeStore(scratch.at("agent.db"));
  Deno.truncateSync(scratch.at("agent.db.deletions"));
  const before = scratch.digests();
  await assertRefused(scratch.at("agent.db"), "INTEGRITY");
  assert.deepEqual(scratch.digests(), before);
});

faultTest("opening refuses the unfinished ledger of another store, unchanged", async () => {
  using scratch = new Scratch();
  await makeStore(scratch.at("agent.db"));
  await makeStore(scratch.at("other.db"));
  forgetEpoch(scratch.at("other.db.deletions"));
  Deno.renameSync(scratch.at("other.db.deletions"), scratch.at("agent.db.deletions"));
  const before = scratch.digests();
  await assertRefused(scratch.at("agent.db"), "INTEGRITY");
  assert.deepEqual(scratch.digests(), before);
});

faultTest("opening read-only calls two empty files an unfinished creation", async () => {
  using scratch = new Scratch();
  for (const name of DATABASES) scratch.write(name);
  await assertRefused(scratch.at("agent.db"), "READONLY", { readOnly: true });
});

faultTest("opening read-only calls a ledger with an empty main an unfinished creation", async () => {
  using scratch = new Scratch();
  await makeStore(scratch.at("agent.db"), { facts: 0 });
  forgetEpoch(scratch.at("agent.db.deletions"));
  Deno.truncateSync(scratch.at("agent.db"));
  await assertRefused(scratch.at("agent.db"), "READONLY", { readOnly: true });
});

faultTest("opening names the flags of both directories at once", async () => {
  using scratch = new Scratch();
  const [here, there] = [scratch.makeDirectory("here"), scratch.makeDirectory("there")];
  const lacked = await runForJson("use_store.ts", [
    JSON.stringify({ deletionPath: `${there}/ledger` }),
    `${here}/agent.db`,
  ], { flags: [] });
  const flags = [here, there].flatMap((path) => [`--allow-read=${path}`, `--allow-write=${path}`]);
  assert.deepEqual((lacked as { flags: string[] }).flags.toSorted(), flags.toSorted());
});

faultTest(
  "DRV-22 a store that met a full disk is used as before once there is space, without reopening",
  async () => {
    using disk = new TinyDisk(1_024);
    await using memory = await openMemory(disk.at("agent.db"));
    disk.fill();
    const puts = Array.from(
      { length: 40 },
      (_, number) =>
        memory.records.purge("orchard", { now: number }).then(() =>
          memory.records.put(
            { tenant: "orchard", kind: "checkpoint", key: `run-${number}` },
            { schema: 1, step: 0, items: ["x".repeat(200)] },
            { expected: null, ttl: 60 },
          )
        ).catch((error) => assert(error instanceof StorageError)),
    );
    await Promise.all(puts);
    disk.empty();
    await memory.records.put(
      { tenant: "orchard", kind: "checkpoint", key: "last" },
      { schema: 1, step: 0, items: [] },
      { expected: null, ttl: 60 },
    );
  },
  whyNoTinyDisk() === null,
);

faultTest("with rollback journals too a main that was renamed away is REPLACED", async () => {
  using scratch = new Scratch();
  await using memory = await openMemory(scratch.at("agent.db"), {
    driver: observedDriver({ version: "3.49.0" }),
  });
  await plant(memory, 1);
  Deno.renameSync(scratch.at("agent.db"), scratch.at("away"));
  await assertReplaced(plant(memory, 2));
});
