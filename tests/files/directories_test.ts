import assert from "node:assert/strict";
import { openMemory } from "../../mod.ts";
import { Scratch } from "./scratch.ts";
import { assertRefused, assertUsable, makeStore, plant, textOf } from "./stored.ts";

const IS_UNIX = Deno.build.os !== "windows";

for (const mode of [0o777, 0o770, 0o707, 0o720, 0o702]) {
  Deno.test({
    name: `opening refuses a directory of mode 0${mode.toString(8)}, and makes nothing in it`,
    ignore: !IS_UNIX,
    async fn(): Promise<void> {
      using scratch = new Scratch();
      const directory = scratch.makeDirectory("shared", mode);
      const error = await assertRefused(`${directory}/agent.db`, "UNSAFE");
      assert.match(error.message, /sticky/);
      assert.deepEqual([...Deno.readDirSync(directory)], []);
    },
  });
}

for (const mode of [0o1777, 0o1770, 0o755, 0o750, 0o711, 0o700]) {
  Deno.test({
    name: `opening accepts a directory of mode 0${mode.toString(8)}, and leaves its mode`,
    ignore: !IS_UNIX,
    async fn(): Promise<void> {
      using scratch = new Scratch();
      const directory = scratch.makeDirectory("shared", mode);
      await assertUsable(`${directory}/agent.db`, { facts: 0 });
      assert.equal(scratch.modes().shared, mode.toString(8).padStart(4, "0"));
    },
  });
}

Deno.test({
  name: "opening refuses a ledger's directory that others may write, and creates no store",
  ignore: !IS_UNIX,
  async fn(): Promise<void> {
    using scratch = new Scratch();
    const directory = scratch.makeDirectory("shared", 0o777);
    await assertRefused(scratch.at("agent.db"), "UNSAFE", { deletionPath: `${directory}/ledger` });
    assert.deepEqual(scratch.names(), ["shared"]);
    assert.deepEqual([...Deno.readDirSync(directory)], []);
  },
});

Deno.test({
  name: "an open store stays in its directory when a link in its path is changed",
  ignore: !IS_UNIX,
  async fn(): Promise<void> {
    using scratch = new Scratch();
    scratch.makeDirectory("first");
    scratch.makeDirectory("second");
    Deno.symlinkSync("first", scratch.at("current"));
    {
      await using memory = await openMemory(scratch.at("current/agent.db"));
      await plant(memory, 1);
      Deno.removeSync(scratch.at("current"));
      Deno.symlinkSync("second", scratch.at("current"));
      await plant(memory, 2);
      assert.equal(await textOf(memory, 1), "tree 1");
      await plant(memory, 3);
    }
    assert.deepEqual([...Deno.readDirSync(scratch.at("second"))], []);
    await assertUsable(scratch.at("first/agent.db"), { facts: 3 });
  },
});

Deno.test("a path with dots and doubled slashes means the directory it leads to", async () => {
  using scratch = new Scratch();
  scratch.makeDirectory("inner");
  await makeStore(`${scratch.path}/./inner/..//inner/agent.db`);
  await assertUsable(scratch.at("inner/agent.db"));
});

Deno.test("a directory made for a store is used again after the store was removed", async () => {
  using scratch = new Scratch();
  const path = scratch.at("new/agent.db");
  await makeStore(path);
  Deno.removeSync(scratch.at("new"), { recursive: true });
  await assertUsable(path, { facts: 0 });
});

Deno.test("opening refuses a path through a file", async () => {
  using scratch = new Scratch();
  scratch.write("plain.txt", "kept");
  await assertRefused(scratch.at("plain.txt/agent.db"), "UNSAFE");
  await assertRefused(scratch.at("plain.txt/deeper/agent.db"), "IO");
  assert.deepEqual(scratch.names(), ["plain.txt"]);
});

const DEAD_LINKS = [["nowhere", "a link to nothing"], ["round", "a link to itself"]] as const;

for (const [target, what] of DEAD_LINKS) {
  Deno.test({
    name: `opening refuses a path through ${what}, and makes nothing`,
    ignore: !IS_UNIX,
    async fn(): Promise<void> {
      using scratch = new Scratch();
      Deno.symlinkSync(target === "round" ? "link" : "nowhere", scratch.at("link"));
      await assertRefused(scratch.at("link/agent.db"), "IO");
      await assertRefused(scratch.at("link/deeper/agent.db"), "IO");
      assert.deepEqual(scratch.names(), ["link"]);
    },
  });
}

Deno.test("opening read-only creates no directory", async () => {
  using scratch = new Scratch();
  await assertRefused(scratch.at("new/agent.db"), "IO", { readOnly: true });
  assert.deepEqual(scratch.names(), []);
});
