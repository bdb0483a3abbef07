import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { openMemory } from "@holdfast/memory";
import { oldLibrary } from "../../contention/old_library.ts";
import { TemporaryDirectory } from "../../kit/temporary_directory.ts";
import { Thread } from "../../kit/thread.ts";
import { fact, factId } from "./store.ts";

/** Whether another process can begin to write. */
function canWriteElsewhere(path: string): boolean {
  const program = `import { DatabaseSync } from "node:sqlite";
    const database = new DatabaseSync(${JSON.stringify(path)});
    try { database.exec("BEGIN IMMEDIATE"); console.log("yes"); } catch { console.log("no"); }`;
  const { success, stdout } = new Deno.Command(Deno.execPath(), { args: ["eval", program] }).outputSync();
  assert.equal(success, true);
  return new TextDecoder().decode(stdout).trim() === "yes";
}

for (const name of ["agent.db", "agent.db.deletions"]) {
  Deno.test(`LCK-01: while ${name} is being written no other process writes it, whatever a Worker opened and closed`, async () => {
    await using directory = await TemporaryDirectory.make();
    {
      await using memory = await openMemory(directory.file("agent.db"), { driver: oldLibrary });
      await memory.records.put(factId("a"), fact(), { expectedRevision: null, ttl: 60 });
    }
    const path = directory.file(name);
    const writer = new DatabaseSync(path);
    try {
      assert.equal(canWriteElsewhere(path), true);
      writer.exec("BEGIN IMMEDIATE");
      assert.equal(canWriteElsewhere(path), false);
      using thread = new Thread<string>(new URL("opening_thread.ts", import.meta.url));
      assert.equal(await thread.perform(directory.file("agent.db")), 1);
      assert.equal(canWriteElsewhere(path), false);
    } finally {
      writer.close();
    }
  });
}
