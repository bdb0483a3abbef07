/** Opening a store that lacks a file or a permission; and a main that was renamed away. */

import assert from "node:assert/strict";
import { openMemory } from "../../mod.ts";
import { runForJson } from "./child.ts";
import { forgetEpoch } from "./altered_files.ts";
import { observedDriver } from "./observed_driver.ts";
import { Scratch } from "./scratch.ts";
import { DATABASES } from "./store_names.ts";
import { assertRefused, assertReplaced, makeStore, plant } from "./stored.ts";

Deno.test("opening refuses a store whose ledger was emptied, unchanged", async () => {
  using scratch = new Scratch();
  await makeStore(scratch.at("agent.db"));
  Deno.truncateSync(scratch.at("agent.db.deletions"));
  const before = scratch.digests();
  await assertRefused(scratch.at("agent.db"), "INTEGRITY");
  assert.deepEqual(scratch.digests(), before);
});

Deno.test("opening refuses the unfinished ledger of another store, unchanged", async () => {
  using scratch = new Scratch();
  await makeStore(scratch.at("agent.db"));
  await makeStore(scratch.at("other.db"));
  forgetEpoch(scratch.at("other.db.deletions"));
  Deno.renameSync(scratch.at("other.db.deletions"), scratch.at("agent.db.deletions"));
  const before = scratch.digests();
  await assertRefused(scratch.at("agent.db"), "INTEGRITY");
  assert.deepEqual(scratch.digests(), before);
});

Deno.test("opening read-only calls two empty files an unfinished creation", async () => {
  using scratch = new Scratch();
  for (const name of DATABASES) scratch.write(name);
  await assertRefused(scratch.at("agent.db"), "READONLY", { readOnly: true });
});

Deno.test("opening read-only calls a ledger with an empty main an unfinished creation", async () => {
  using scratch = new Scratch();
  await makeStore(scratch.at("agent.db"), { facts: 0 });
  forgetEpoch(scratch.at("agent.db.deletions"));
  Deno.truncateSync(scratch.at("agent.db"));
  await assertRefused(scratch.at("agent.db"), "READONLY", { readOnly: true });
});

Deno.test("opening names the flags of both directories at once", async () => {
  using scratch = new Scratch();
  const [here, there] = [scratch.makeDirectory("here"), scratch.makeDirectory("there")];
  const lacked = await runForJson("use_store.ts", [
    JSON.stringify({ deletionPath: `${there}/ledger` }),
    `${here}/agent.db`,
  ], { flags: [] });
  const flags = [here, there].flatMap((path) => [`--allow-read=${path}`, `--allow-write=${path}`]);
  assert.deepEqual((lacked as { flags: string[] }).flags.toSorted(), flags.toSorted());
});

Deno.test("with rollback journals too a main that was renamed away is REPLACED", async () => {
  using scratch = new Scratch();
  await using memory = await openMemory(scratch.at("agent.db"), {
    driver: observedDriver({ version: "3.49.0" }),
  });
  await plant(memory, 1);
  Deno.renameSync(scratch.at("agent.db"), scratch.at("away"));
  await assertReplaced(plant(memory, 2));
});
