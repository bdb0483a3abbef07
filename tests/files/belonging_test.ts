import assert from "node:assert/strict";
import { alter } from "./altered_files.ts";
import { Scratch } from "./scratch.ts";
import { DATABASES } from "./store_names.ts";
import { assertRefused, forgetFirst, isPlanted, makeStore } from "./stored.ts";

/** Requires that opening is refused, and that no byte of any file is changed by it. */
async function assertRefusedUnchanged(scratch: Scratch, code: string): Promise<void> {
  const before = [scratch.digests(), scratch.modes()];
  await assertRefused(scratch.at("agent.db"), code);
  assert.deepEqual([scratch.digests(), scratch.modes()], before);
}

for (const name of DATABASES) {
  Deno.test(`BAK-09 opening refuses another program's database as ${name}, unchanged`, async () => {
    using scratch = new Scratch();
    alter(scratch.write(name), "CREATE TABLE notes (text TEXT)", "INSERT INTO notes VALUES ('kept')");
    await assertRefusedUnchanged(scratch, "UNSAFE");
  });

  Deno.test(`BAK-09 opening refuses another program's application_id in ${name}, unchanged`, async () => {
    using scratch = new Scratch();
    await makeStore(scratch.at("agent.db"));
    alter(scratch.at(name), "PRAGMA application_id = 252006674");
    await assertRefusedUnchanged(scratch, "UNSAFE");
  });

  for (const version of [99, -1, 2_147_483_647, -2_147_483_648]) {
    Deno.test(`BAK-09 opening refuses schema version ${version} of ${name}, unchanged`, async () => {
      using scratch = new Scratch();
      await makeStore(scratch.at("agent.db"));
      alter(scratch.at(name), `PRAGMA user_version = ${version}`);
      await assertRefusedUnchanged(scratch, "SCHEMA");
    });
  }

  for (
    const [what, content] of [["a text", "To do: prune the pear. ".repeat(50)], [
      "three bytes",
      "abc",
    ]] as const
  ) {
    Deno.test(`BAK-09 opening refuses ${what} as ${name}, unchanged`, async () => {
      using scratch = new Scratch();
      scratch.write(name, content);
      await assertRefusedUnchanged(scratch, "CORRUPT");
    });
  }

  Deno.test(`BAK-09 opening refuses a text in the place of ${name} of a store, unchanged`, async () => {
    using scratch = new Scratch();
    await makeStore(scratch.at("agent.db"));
    scratch.write(name, "To do: prune the pear. ".repeat(50));
    await assertRefusedUnchanged(scratch, "CORRUPT");
  });
}

Deno.test("opening refuses main and ledger that have changed places, unchanged", async () => {
  using scratch = new Scratch();
  await makeStore(scratch.at("other.db"));
  Deno.renameSync(scratch.at("other.db"), scratch.at("agent.db.deletions"));
  Deno.renameSync(scratch.at("other.db.deletions"), scratch.at("agent.db"));
  await assertRefusedUnchanged(scratch, "UNSAFE");
});

for (const name of DATABASES) {
  Deno.test(`opening refuses a copy of main and ledger where both are ${name}, unchanged`, async () => {
    using scratch = new Scratch();
    await makeStore(scratch.at("agent.db"));
    for (const other of DATABASES) Deno.copyFileSync(scratch.at(name), scratch.at(`${other}.copy`));
    for (const other of DATABASES) Deno.renameSync(scratch.at(`${other}.copy`), scratch.at(other));
    await assertRefusedUnchanged(scratch, "UNSAFE");
  });

  Deno.test(`opening refuses ${name} of another store, unchanged`, async () => {
    using scratch = new Scratch();
    using elsewhere = new Scratch();
    await makeStore(scratch.at("agent.db"), { forget: true });
    await makeStore(elsewhere.at("agent.db"), { forget: true });
    Deno.copyFileSync(elsewhere.at(name), scratch.at(name));
    await assertRefusedUnchanged(scratch, "INTEGRITY");
  });
}

Deno.test("opening refuses a store whose ledger is missing, unchanged, and creates no ledger", async () => {
  using scratch = new Scratch();
  await makeStore(scratch.at("agent.db"));
  Deno.removeSync(scratch.at("agent.db.deletions"));
  await assertRefusedUnchanged(scratch, "INTEGRITY");
  await assertRefused(scratch.at("agent.db"), "INTEGRITY", { readOnly: true });
});

Deno.test("opening refuses the ledger of a store whose main is missing, and creates no main", async () => {
  using scratch = new Scratch();
  await makeStore(scratch.at("agent.db"));
  Deno.removeSync(scratch.at("agent.db"));
  await assertRefusedUnchanged(scratch, "RESTORE");
});

Deno.test("opening refuses the ledger of a store whose main is empty, and leaves it empty", async () => {
  using scratch = new Scratch();
  await makeStore(scratch.at("agent.db"));
  Deno.truncateSync(scratch.at("agent.db"));
  await assertRefusedUnchanged(scratch, "RESTORE");
});

Deno.test("opening refuses a ledger that lacks the deletions main has applied, unchanged", async () => {
  using scratch = new Scratch();
  await makeStore(scratch.at("agent.db"));
  const ledger = Deno.readFileSync(scratch.at("agent.db.deletions"));
  await forgetFirst(scratch.at("agent.db"));
  scratch.write("agent.db.deletions", ledger);
  await assertRefusedUnchanged(scratch, "INTEGRITY");
});

Deno.test("opening refuses a main that lacks more than one recorded deletion, unchanged", async () => {
  using scratch = new Scratch();
  await makeStore(scratch.at("agent.db"));
  const main = Deno.readFileSync(scratch.at("agent.db"));
  await forgetFirst(scratch.at("agent.db"), 2);
  scratch.write("agent.db", main);
  await assertRefusedUnchanged(scratch, "INTEGRITY");
});

Deno.test("a main that lacks only the last recorded deletion applies it", async () => {
  using scratch = new Scratch();
  await makeStore(scratch.at("agent.db"), { facts: 3 });
  const main = Deno.readFileSync(scratch.at("agent.db"));
  await forgetFirst(scratch.at("agent.db"));
  scratch.write("agent.db", main);
  assert.deepEqual(await isPlanted(scratch.at("agent.db"), [1, 2, 3]), [false, true, true]);
});
