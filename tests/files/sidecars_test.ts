import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { openMemory } from "../../mod.ts";
import { Scratch } from "./scratch.ts";
import { DATABASES, SIDECARS } from "./store_names.ts";
import { assertRefused, assertUsable, makeStore, plant, plot } from "./stored.ts";

for (const name of SIDECARS) {
  Deno.test(`opening refuses ${name} without its file, and creates nothing`, async () => {
    using scratch = new Scratch();
    scratch.write(name, "left over");
    const before = scratch.digests();
    await assertRefused(scratch.at("agent.db"), "UNSAFE");
    assert.deepEqual(scratch.digests(), before);
  });
}

for (const suffix of ["-wal", "-shm", "-journal"]) {
  Deno.test(`opening refuses a ${suffix} of main that is left alone with the ledger`, async () => {
    using scratch = new Scratch();
    await makeStore(scratch.at("agent.db"));
    Deno.removeSync(scratch.at("agent.db"));
    scratch.write(`agent.db${suffix}`, "left over");
    const before = scratch.digests();
    await assertRefused(scratch.at("agent.db"), "UNSAFE");
    assert.deepEqual(scratch.digests(), before);
  });
}

/** The log of another open store, of main or of the ledger. */
async function logOfAnotherStore(name: string): Promise<Uint8Array> {
  using elsewhere = new Scratch();
  await using memory = await openMemory(elsewhere.at("agent.db"));
  for (let number = 1; number <= 5; number++) await plant(memory, number, "a stranger");
  await memory.records.forget(plot(1), 1);
  await memory.records.forget(plot(2), 2);
  return Deno.readFileSync(elsewhere.at(`${name}-wal`));
}

/** The journal that another store leaves when it is cut off in a transaction that outgrew its cache. */
async function journalOfAnotherStore(name: string): Promise<Uint8Array> {
  using elsewhere = new Scratch();
  await makeStore(elsewhere.at("agent.db"), { forget: true });
  const database = new DatabaseSync(elsewhere.at(name));
  try {
    for (const setting of ["journal_mode = DELETE", "cache_size = 5"]) {
      database.prepare(`PRAGMA ${setting}`).get();
    }
    database.prepare("BEGIN").run();
    database.prepare("UPDATE meta SET probe = 1").run();
    database.prepare("CREATE TABLE spilt (content BLOB)").run();
    for (let row = 0; row < 50; row++) database.prepare("INSERT INTO spilt VALUES (zeroblob(4000))").run();
    return Deno.readFileSync(elsewhere.at(`${name}-journal`));
  } finally {
    database.close();
  }
}

const LEFTOVERS = [["log", "-wal", logOfAnotherStore], [
  "journal",
  "-journal",
  journalOfAnotherStore,
]] as const;

for (const name of DATABASES) {
  for (const [what, suffix, take] of LEFTOVERS) {
    Deno.test(`BAK-02 opening refuses another store's ${what} next to ${name}, which is not changed`, async () => {
      using scratch = new Scratch();
      await makeStore(scratch.at("agent.db"));
      scratch.write(name + suffix, await take(name));
      const before = scratch.digests();
      const error = await assertRefused(scratch.at("agent.db"), "UNSAFE");
      assert.match(error.message, /a sidecar of the (store|ledger) belongs to another file/);
      assert.deepEqual(scratch.digests(), before);
      Deno.removeSync(scratch.at(name + suffix));
      await assertUsable(scratch.at("agent.db"));
    });
  }

  Deno.test(`BAK-02 opening refuses another program's log next to ${name}, which is not changed`, async () => {
    using scratch = new Scratch();
    await makeStore(scratch.at("agent.db"));
    scratch.write(`${name}-wal`, logOfAnotherProgram());
    const before = scratch.digests();
    await assertRefused(scratch.at("agent.db"), "UNSAFE");
    assert.deepEqual(scratch.digests(), before);
    Deno.removeSync(scratch.at(`${name}-wal`));
    await assertUsable(scratch.at("agent.db"));
  });

  Deno.test(`opening ignores a log of random bytes next to ${name}`, async () => {
    using scratch = new Scratch();
    await makeStore(scratch.at("agent.db"));
    scratch.write(`${name}-wal`, crypto.getRandomValues(new Uint8Array(40_000)));
    await assertUsable(scratch.at("agent.db"));
  });

  Deno.test(`opening ignores empty sidecars next to ${name}`, async () => {
    using scratch = new Scratch();
    await makeStore(scratch.at("agent.db"));
    for (const suffix of ["-wal", "-shm", "-journal"]) scratch.write(name + suffix);
    await assertUsable(scratch.at("agent.db"));
  });

  Deno.test(`opening ignores shared memory of random bytes next to ${name}`, async () => {
    using scratch = new Scratch();
    await makeStore(scratch.at("agent.db"));
    scratch.write(`${name}-shm`, crypto.getRandomValues(new Uint8Array(32_768)));
    await assertUsable(scratch.at("agent.db"));
  });
}

function logOfAnotherProgram(): Uint8Array {
  using elsewhere = new Scratch();
  const database = new DatabaseSync(elsewhere.at("other.db"));
  try {
    database.prepare("PRAGMA journal_mode = WAL").get();
    database.prepare("CREATE TABLE meta (id INTEGER PRIMARY KEY, lineage TEXT)").run();
    database.prepare("CREATE TABLE more (id INTEGER PRIMARY KEY)").run();
    return Deno.readFileSync(elsewhere.at("other.db-wal"));
  } finally {
    database.close();
  }
}

for (const copied of ["a log", "a log cut short"] as const) {
  Deno.test(`opening replays ${copied} that the store's own process left`, async () => {
    using scratch = new Scratch();
    using taken = new Scratch();
    {
      await using memory = await openMemory(scratch.at("agent.db"));
      for (let number = 1; number <= 3; number++) await plant(memory, number);
      for (const name of scratch.names().filter((name) => !name.endsWith("-shm"))) {
        taken.write(name, Deno.readFileSync(scratch.at(name)));
      }
    }
    if (copied === "a log cut short") {
      const path = taken.at("agent.db-wal");
      Deno.truncateSync(path, Deno.statSync(path).size - 100);
      await assertUsable(taken.at("agent.db"), { facts: 2 });
    } else {
      await assertUsable(taken.at("agent.db"), { facts: 3 });
    }
  });
}
