import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { openMemory } from "../../mod.ts";
import { countOpenFiles } from "../../src/engines/sqlite/files/open_files.ts";
import { inodesOf, locksOn, whyNoLocks } from "../kit/process_locks.ts";
import { runForJson } from "./child.ts";
import { COUNTER, countUp, readCounter, startCounter } from "./counter.ts";
import { observedDriver } from "./observed_driver.ts";
import { Scratch } from "./scratch.ts";
import { assertRefused, assertUsable, makeStore, plant, plot, TENANT, textOf } from "./stored.ts";

const IS_UNIX = Deno.build.os !== "windows";

const OTHER_LIBRARY = observedDriver({ name: "another SQLite" });

const WHY_NO_LOCKS = await whyNoLocks();

function locksIn(scratch: Scratch): readonly string[] {
  return locksOn(inodesOf(scratch.path, scratch.names()));
}

/** Requires that an open store holds the same locks after something else happened to its file. */
function lockTest(name: string, happen: (path: string, scratch: Scratch) => Promise<unknown>): void {
  Deno.test({
    name: `${name}${WHY_NO_LOCKS === null ? "" : ` (ignored: ${WHY_NO_LOCKS})`}`,
    ignore: WHY_NO_LOCKS !== null,
    async fn(): Promise<void> {
      using scratch = new Scratch();
      await using memory = await openMemory(scratch.at("agent.db"));
      const held = locksIn(scratch);
      await happen(scratch.at("agent.db"), scratch);
      assert.deepEqual(locksIn(scratch), held);
      await plant(memory, 1_001);
      assert.deepEqual(locksIn(scratch), held);
    },
  });
}

Deno.test("a file that is open cannot be opened through a second SQLite library", async () => {
  using scratch = new Scratch();
  const path = scratch.at("agent.db");
  {
    await using memory = await openMemory(path);
    await plant(memory, 1);
    await assertRefused(path, "UNSAFE", { driver: OTHER_LIBRARY });
    await assertRefused(path, "UNSAFE", { driver: OTHER_LIBRARY, readOnly: true });
    await plant(memory, 2);
  }
  await assertUsable(path, { facts: 2, driver: OTHER_LIBRARY });
});

Deno.test({
  name: "a second SQLite library is refused by the file and not by its path",
  ignore: !IS_UNIX,
  async fn(): Promise<void> {
    using scratch = new Scratch();
    const home = scratch.makeDirectory("home");
    Deno.symlinkSync("home", scratch.at("link"));
    await using _memory = await openMemory(`${home}/agent.db`);
    await assertRefused(scratch.at("link/agent.db"), "UNSAFE", { driver: OTHER_LIBRARY });
  },
});

Deno.test({
  name: "a second SQLite library is refused for a file that was renamed while it was open",
  ignore: !IS_UNIX,
  async fn(): Promise<void> {
    using scratch = new Scratch();
    await using _memory = await openMemory(scratch.at("agent.db"));
    for (const name of scratch.names()) Deno.renameSync(scratch.at(name), scratch.at(`new-${name}`));
    await assertRefused(scratch.at("new-agent.db"), "UNSAFE", { driver: OTHER_LIBRARY });
  },
});

Deno.test("a second SQLite library is refused for a ledger that is open with another main", async () => {
  using scratch = new Scratch();
  await using _memory = await openMemory(scratch.at("agent.db"));
  const deletionPath = scratch.at("agent.db.deletions");
  await assertRefused(scratch.at("second.db"), "UNSAFE", { driver: OTHER_LIBRARY, deletionPath });
  assert(!scratch.names().includes("second.db"));
});

Deno.test("one ledger is refused for a second main", async () => {
  using scratch = new Scratch();
  await makeStore(scratch.at("agent.db"));
  await makeStore(scratch.at("second.db"));
  const deletionPath = scratch.at("agent.db.deletions");
  await assertRefused(scratch.at("third.db"), "RESTORE", { deletionPath });
  await assertRefused(scratch.at("second.db"), "INTEGRITY", { deletionPath });
  await assertUsable(scratch.at("agent.db"));
});

Deno.test("three stores open on one file see each other's writes", async () => {
  using scratch = new Scratch();
  const path = scratch.at("agent.db");
  {
    await using first = await openMemory(path);
    await using second = await openMemory(path);
    await using reader = await openMemory(path, { readOnly: true });
    for (let number = 1; number <= 10; number++) {
      await plant(number % 2 === 0 ? first : second, number);
      assert.equal((await reader.records.list(TENANT)).items.length, number);
    }
    assert.equal(await second.records.forget(plot(2), 2), true);
    assert.equal(await textOf(first, 2), null);
    assert.equal(await textOf(reader, 2), null);
    for (const memory of [first, second, reader]) assert.deepEqual((await memory.check()).problems, []);
  }
  assert.equal(countOpenFiles(), 0);
});

Deno.test("two stores open on one file issue every revision once", async () => {
  using scratch = new Scratch();
  await using first = await openMemory(scratch.at("agent.db"));
  await using second = await openMemory(scratch.at("agent.db"));
  const revisions = await Promise.all(
    Array.from({ length: 40 }, (_, number) => plant(number % 2 === 0 ? first : second, number)),
  );
  assert.deepEqual(revisions.sort((a, b) => a - b), Array.from({ length: 40 }, (_, index) => index + 1));
});

Deno.test("two processes increment one counter, and no step is lost", async () => {
  using scratch = new Scratch();
  const path = scratch.at("agent.db");
  await using memory = await openMemory(path, { kinds: [COUNTER] });
  await startCounter(memory);
  const [other] = await Promise.all([runForJson("count_up.ts", [path, "50"]), countUp(memory, 50)]);
  assert.equal(other, true);
  assert.equal(await readCounter(memory), 100);
  assert.deepEqual((await memory.check()).problems, []);
});

Deno.test("opening with rollback journals waits for a lock that is taken while it reads main", async () => {
  using scratch = new Scratch();
  const version = "3.49.0";
  await makeStore(scratch.at("agent.db"), { driver: observedDriver({ version }) });
  const other = new DatabaseSync(scratch.at("agent.db"));
  let reads = 0;
  const driver = observedDriver({
    version,
    before({ path, sql }): void {
      if (path.endsWith(".deletions") || !sql?.includes("FROM meta")) return;
      if (reads++ === 0) other.prepare("BEGIN EXCLUSIVE").run();
      else if (other.isTransaction) other.prepare("COMMIT").run();
    },
  });
  try {
    await using memory = await openMemory(scratch.at("agent.db"), { driver });
    assert.deepEqual((await memory.check()).problems, []);
    assert(reads > 1);
  } finally {
    other.close();
  }
});

lockTest(
  "an open store keeps its locks when a second one on its file opens and closes",
  (path) => makeStore(path),
);

lockTest("an open store keeps its locks when a read-only one on its file opens and closes", async (path) => {
  await using memory = await openMemory(path, { readOnly: true });
  await memory.records.list(TENANT);
});

lockTest("an open store keeps its locks when a second SQLite library is refused", async (path) => {
  await assertRefused(path, "UNSAFE", { driver: OTHER_LIBRARY });
});

lockTest(
  "an open store keeps its locks when its ledger is refused to a second main",
  async (path, scratch) => {
    await assertRefused(scratch.at("second.db"), "RESTORE", { deletionPath: `${path}.deletions` });
  },
);

lockTest(
  "an open store keeps its locks when a second opening finds a file that others may read",
  async (path) => {
    Deno.chmodSync(`${path}-wal`, 0o644);
    await assertRefused(path, "UNSAFE");
    Deno.chmodSync(`${path}-wal`, 0o600);
  },
);

lockTest("an open store keeps its locks when a second one on its file checks it", async (path) => {
  await using memory = await openMemory(path);
  assert.deepEqual((await memory.check()).problems, []);
});
