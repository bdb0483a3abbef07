import assert from "node:assert/strict";
import { openMemory } from "../../mod.ts";
import { Scratch } from "../files/scratch.ts";
import { assertUsable, plant, textOf } from "../files/stored.ts";

Deno.test("an open store stays where it is when the working directory changes", async () => {
  using scratch = new Scratch();
  const before = Deno.cwd();
  try {
    Deno.chdir(scratch.path);
    await using memory = await openMemory("agent.db");
    Deno.chdir(before);
    await plant(memory, 1);
    assert.equal(await textOf(memory, 1), "tree 1");
  } finally {
    Deno.chdir(before);
  }
  await assertUsable(scratch.at("agent.db"), { facts: 1 });
});
