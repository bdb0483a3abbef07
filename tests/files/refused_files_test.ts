import assert from "node:assert/strict";
import { openMemory } from "../../mod.ts";
import { runForJson } from "./child.ts";
import { makeDevice, makePipe, makeSocket } from "./odd_files.ts";
import { Scratch } from "./scratch.ts";
import { DATABASES, NAMES } from "./store_names.ts";
import { assertRefused, assertUsable, makeStore, plant } from "./stored.ts";

const IS_UNIX = Deno.build.os !== "windows";
const IS_ROOT_ON_LINUX = Deno.build.os === "linux" && Deno.uid() === 0;

/** Requires that a store which is open elsewhere is refused because of what `spoil` did to one of its files. */
async function assertRefusedOnceSpoilt(
  name: string,
  spoil: (path: string) => void,
  mend: (path: string) => void,
): Promise<void> {
  using scratch = new Scratch();
  const path = scratch.at("agent.db");
  {
    await using memory = await openMemory(path);
    await plant(memory, 1);
    if (name.endsWith("-journal")) scratch.write(name);
    spoil(scratch.at(name));
    const error = await assertRefused(path, "UNSAFE");
    assert.match(error.message, name.includes("deletions") ? /the ledger/ : /the store/);
    mend(scratch.at(name));
    if (name.endsWith("-journal")) Deno.removeSync(scratch.at(name));
  }
  await assertUsable(path, { facts: 1 });
}

for (const name of DATABASES) {
  for (const bit of [0o040, 0o020, 0o010, 0o004, 0o002, 0o001]) {
    Deno.test({
      name: `PRM-01 opening refuses ${name} with mode 0${(0o600 | bit).toString(8)}, and does not change it`,
      ignore: !IS_UNIX,
      async fn(): Promise<void> {
        using scratch = new Scratch();
        await makeStore(scratch.at("agent.db"));
        Deno.chmodSync(scratch.at(name), 0o600 | bit);
        const before = [scratch.digests(), scratch.modes()];
        await assertRefused(scratch.at("agent.db"), "UNSAFE");
        assert.deepEqual([scratch.digests(), scratch.modes()], before);
      },
    });
  }
}

for (const name of NAMES) {
  Deno.test({
    name: `PRM-02 opening refuses ${name} once its mode is 0644`,
    ignore: !IS_UNIX,
    fn: () =>
      assertRefusedOnceSpoilt(
        name,
        (path) => Deno.chmodSync(path, 0o644),
        (path) => Deno.chmodSync(path, 0o600),
      ),
  });

  Deno.test({
    name: `opening refuses ${name} once it has a second hard link`,
    ignore: !IS_UNIX,
    fn: () =>
      assertRefusedOnceSpoilt(
        name,
        (path) => Deno.linkSync(path, `${path}.second`),
        (path) => Deno.removeSync(`${path}.second`),
      ),
  });
}

const TARGETS: readonly (readonly [what: string, target: (outside: Scratch, link: string) => string])[] = [
  ["another store's file", (outside, link) => outside.at(link)],
  ["nothing", (outside) => outside.at("missing")],
  ["itself", (_outside, link) => link],
  ["the next file of the same directory", () => "plain.txt"],
];

for (const name of DATABASES) {
  for (const [what, target] of TARGETS) {
    Deno.test({
      name: `PRM-04 opening refuses ${name} that is a symbolic link to ${what}, which is not changed`,
      ignore: !IS_UNIX,
      async fn(): Promise<void> {
        using outside = new Scratch();
        using scratch = new Scratch();
        await makeStore(outside.at("agent.db"));
        scratch.write("plain.txt", "not a database");
        Deno.symlinkSync(target(outside, name), scratch.at(name));
        const before = [outside.digests(), scratch.digests()];
        await assertRefused(scratch.at("agent.db"), "UNSAFE");
        await assertRefused(scratch.at("agent.db"), "UNSAFE", { readOnly: true });
        assert.deepEqual([outside.digests(), scratch.digests()], before);
      },
    });
  }
}

for (const name of NAMES.slice(DATABASES.length)) {
  Deno.test({
    name: `PRM-04 opening refuses ${name} that is a symbolic link, and its target is not changed`,
    ignore: !IS_UNIX,
    async fn(): Promise<void> {
      using outside = new Scratch();
      using scratch = new Scratch();
      await makeStore(scratch.at("agent.db"));
      Deno.symlinkSync(outside.write("target", "kept"), scratch.at(name));
      const before = [outside.digests(), scratch.digests()];
      await assertRefused(scratch.at("agent.db"), "UNSAFE");
      assert.deepEqual([outside.digests(), scratch.digests()], before);
    },
  });
}

const KINDS: readonly (readonly [what: string, make: (path: string) => void, possible: boolean])[] = [
  ["a directory", (path) => Deno.mkdirSync(path, { mode: 0o700 }), IS_UNIX],
  ["a named pipe", makePipe, IS_UNIX],
  ["a socket", makeSocket, IS_UNIX],
  ["a device", makeDevice, IS_ROOT_ON_LINUX],
];

for (const [what, make, possible] of KINDS) {
  Deno.test({
    name: `opening refuses ${what} under each of the eight names, without waiting${
      possible ? "" : " (ignored: cannot be made here)"
    }`,
    ignore: !possible,
    async fn(): Promise<void> {
      using scratch = new Scratch();
      const paths: string[] = [];
      for (const name of NAMES) {
        const directory = scratch.makeDirectory(`in-${name}`);
        if (!DATABASES.some((database) => database === name)) await makeStore(`${directory}/agent.db`);
        make(`${directory}/${name}`);
        paths.push(`${directory}/agent.db`);
      }
      assert.deepEqual(await runForJson("open_each.ts", paths), paths.map(() => "UNSAFE"));
    },
  });
}
