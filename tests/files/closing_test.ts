import assert from "node:assert/strict";
import { openMemory } from "../../mod.ts";
import { countOpenFiles } from "../../src/engines/sqlite/files/open_files.ts";
import { observedDriver } from "./observed_driver.ts";
import { namesIn, Scratch } from "./scratch.ts";
import { DATABASES } from "./store_names.ts";
import { assertRefused, assertUsable, codeOf, makeStore, plant, plot } from "./stored.ts";

const IS_LINUX = Deno.build.os === "linux";

Deno.test("close() leaves main and ledger, nothing else, and no open file", async () => {
  using scratch = new Scratch();
  const memory = await openMemory(scratch.at("agent.db"));
  await plant(memory, 1);
  assert.equal(await memory.records.forget(plot(1), 1), true);
  assert.equal(countOpenFiles(), 2);
  await memory.close();
  assert.deepEqual(scratch.names(), [...DATABASES]);
  assert.equal(countOpenFiles(), 0);
});

Deno.test("after close() main and ledger hold everything without their logs", async () => {
  using scratch = new Scratch();
  using elsewhere = new Scratch();
  await makeStore(scratch.at("agent.db"));
  for (const name of DATABASES) elsewhere.write(name, Deno.readFileSync(scratch.at(name)));
  await assertUsable(elsewhere.at("agent.db"));
});

Deno.test({
  name: "close() closes every file descriptor of the store",
  ignore: !IS_LINUX,
  async fn(): Promise<void> {
    using scratch = new Scratch();
    await makeStore(scratch.at("agent.db"));
    assert.deepEqual(descriptorsOf(scratch.path), []);
  },
});

Deno.test({
  name: "a refused opening closes every file descriptor of the store",
  ignore: !IS_LINUX,
  async fn(): Promise<void> {
    using scratch = new Scratch();
    await makeStore(scratch.at("agent.db"));
    await makeStore(scratch.at("second.db"));
    await assertRefused(scratch.at("agent.db"), "INTEGRITY", {
      deletionPath: scratch.at("second.db.deletions"),
    });
    assert.deepEqual(descriptorsOf(scratch.path), []);
  },
});

/** The files of a directory that this process has open. */
function descriptorsOf(directory: string): string[] {
  return namesIn("/proc/self/fd").flatMap((descriptor) => {
    try {
      const target = Deno.readLinkSync(`/proc/self/fd/${descriptor}`);
      return target.startsWith(`${directory}/`) ? [target] : [];
    } catch {
      return [];
    }
  });
}

Deno.test("close() truncates the logs while another store has the file open", async () => {
  using scratch = new Scratch();
  await using _other = await openMemory(scratch.at("agent.db"));
  const memory = await openMemory(scratch.at("agent.db"));
  await plant(memory, 1);
  await memory.records.forget(plot(1), 1);
  await memory.close();
  for (const name of DATABASES) assert.equal(Deno.statSync(scratch.at(`${name}-wal`)).size, 0);
});

Deno.test("close() writes what was queued, then every call says CLOSED", async () => {
  using scratch = new Scratch();
  const memory = await openMemory(scratch.at("agent.db"));
  const puts = [1, 2, 3].map((number) => plant(memory, number));
  await memory.close();
  assert.deepEqual(await Promise.all(puts), [1, 2, 3]);
  assert.equal(await codeOf(plant(memory, 4)), "CLOSED");
  assert.equal(await codeOf(memory.records.get(plot(1))), "CLOSED");
  await assertUsable(scratch.at("agent.db"));
});

Deno.test("close() may be called repeatedly, and concurrently", async () => {
  using scratch = new Scratch();
  const memory = await openMemory(scratch.at("agent.db"));
  await Promise.all([memory.close(), memory.close()]);
  await memory.close();
  assert.equal(countOpenFiles(), 0);
});

Deno.test("close() of one of two stores leaves the other one open", async () => {
  using scratch = new Scratch();
  const first = await openMemory(scratch.at("agent.db"));
  const second = await openMemory(scratch.at("agent.db"));
  await first.close();
  assert.equal(countOpenFiles(), 2);
  await plant(second, 1);
  await second.close();
  assert.deepEqual(scratch.names(), [...DATABASES]);
  assert.equal(countOpenFiles(), 0);
});

Deno.test("close() with rollback journals leaves main and ledger, nothing else", async () => {
  using scratch = new Scratch();
  await makeStore(scratch.at("agent.db"), {
    forget: true,
    driver: observedDriver({ version: "3.49.0" }),
  });
  assert.deepEqual(scratch.names(), [...DATABASES]);
});

Deno.test("close() of a read-only store changes neither main nor ledger", async () => {
  using scratch = new Scratch();
  await makeStore(scratch.at("agent.db"));
  const before = DATABASES.map((name) => scratch.digests()[name]);
  const memory = await openMemory(scratch.at("agent.db"), { readOnly: true });
  await memory.records.get(plot(1));
  await memory.close();
  assert.deepEqual(DATABASES.map((name) => scratch.digests()[name]), before);
  assert.equal(countOpenFiles(), 0);
});

Deno.test("the first error of an opening is reported although closing fails too", async () => {
  using scratch = new Scratch();
  await makeStore(scratch.at("agent.db"));
  await makeStore(scratch.at("other.db"));
  let opensAndCloses = 0;
  const driver = observedDriver({
    after({ sql }): void {
      if (sql === null && ++opensAndCloses > 2) throw new Error("closing failed");
    },
  });
  await assertRefused(scratch.at("agent.db"), "INTEGRITY", {
    driver,
    deletionPath: scratch.at("other.db.deletions"),
  });
});
