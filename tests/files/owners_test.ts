import assert from "node:assert/strict";
import { type MemoryOptions, openMemory } from "../../mod.ts";
import { runForJson } from "./child.ts";
import { Scratch } from "./scratch.ts";
import { DATABASES, NAMES } from "./store_names.ts";
import { assertRefused, assertUsable, makeStore } from "./stored.ts";

const NOBODY = 65_534;

/** Only root can change a file's owner, and modes do not bind root: a child process drops it. */
const IS_ROOT_ON_LINUX = Deno.build.os === "linux" && Deno.uid() === 0;
const REASON = IS_ROOT_ON_LINUX ? "" : " (ignored: needs root on Linux)";

interface Outcomes {
  readonly open: string;
  readonly get: string;
  readonly put: string;
  readonly message: string;
}

/** Makes the user `nobody` own a directory and everything in it. */
function giveAway(scratch: Scratch): void {
  for (const path of [scratch.path, ...scratch.names().map((name) => scratch.at(name))]) {
    Deno.chownSync(path, NOBODY, NOBODY);
  }
}

/** Opens, reads and writes as the user `nobody`. */
async function asNobody(
  scratch: Scratch,
  options: MemoryOptions = {},
  flags: readonly string[] = ["-A"],
): Promise<Outcomes> {
  return await runForJson("as_nobody.ts", [JSON.stringify(options), scratch.at("agent.db")], {
    flags,
  }) as Outcomes;
}

const READING = { readOnly: true };

function rootTest(name: string, fn: () => Promise<void>): void {
  Deno.test({ name: `${name}${REASON}`, ignore: !IS_ROOT_ON_LINUX, fn });
}

for (const name of DATABASES) {
  rootTest(`opening refuses a store whose ${name} belongs to somebody else`, async () => {
    using scratch = new Scratch();
    await makeStore(scratch.at("agent.db"));
    Deno.chownSync(scratch.at(name), NOBODY, NOBODY);
    await assertRefused(scratch.at("agent.db"), "UNSAFE");
    Deno.chownSync(scratch.at(name), 0, 0);
    await assertUsable(scratch.at("agent.db"));
  });
}

for (const name of NAMES.slice(DATABASES.length)) {
  rootTest(`opening refuses a store whose ${name} belongs to somebody else`, async () => {
    using scratch = new Scratch();
    await using _open = await openMemory(scratch.at("agent.db"));
    if (name.endsWith("-journal")) scratch.write(name);
    Deno.chownSync(scratch.at(name), NOBODY, NOBODY);
    await assertRefused(scratch.at("agent.db"), "UNSAFE");
  });
}

rootTest("a process that dropped root uses a store of its own", async () => {
  using scratch = new Scratch();
  await makeStore(scratch.at("agent.db"));
  giveAway(scratch);
  assert.deepEqual(await asNobody(scratch), { open: "done", get: "done", put: "done", message: "" });
});

rootTest("a process that dropped root makes a store of its own", async () => {
  using scratch = new Scratch();
  giveAway(scratch);
  assert.deepEqual(await asNobody(scratch), { open: "done", get: "done", put: "done", message: "" });
  assert.equal(Deno.statSync(scratch.at("agent.db")).uid, NOBODY);
});

rootTest("opening refuses somebody else's store where --allow-sys=uid tells who we are", async () => {
  using scratch = new Scratch();
  Deno.chmodSync(scratch.path, 0o755);
  await makeStore(scratch.at("agent.db"));
  const flags = ["--allow-read", "--allow-write", "--allow-ffi"];
  assert.equal((await asNobody(scratch, {}, [...flags, "--allow-sys=uid"])).open, "UNSAFE");
  assert.equal((await asNobody(scratch, {}, flags)).open, "PERMISSION");
});

rootTest("opening refuses a sidecar that somebody else planted", async () => {
  using scratch = new Scratch();
  await makeStore(scratch.at("agent.db"));
  giveAway(scratch);
  scratch.write("agent.db-wal");
  const before = scratch.digests();
  assert.equal((await asNobody(scratch)).open, "UNSAFE");
  assert.deepEqual(scratch.digests(), before);
});

for (const name of DATABASES) {
  rootTest(`DRV-20 ${name} with mode 0400 fails at opening, unchanged, and can be read`, async () => {
    using scratch = new Scratch();
    await makeStore(scratch.at("agent.db"));
    giveAway(scratch);
    Deno.chmodSync(scratch.at(name), 0o400);
    const before = [scratch.digests(), scratch.modes()];
    const { open, message } = await asNobody(scratch);
    assert.equal(open, "READONLY");
    assert.match(message, /mode must be 0600/);
    assert.deepEqual([scratch.digests(), scratch.modes()], before);
    const { open: opened, get, put } = await asNobody(scratch, READING);
    assert.deepEqual([opened, get, put], ["done", "done", "READONLY"]);
  });

  rootTest(`DRV-20 ${name} with mode 0000 fails at opening, however it is opened`, async () => {
    using scratch = new Scratch();
    await makeStore(scratch.at("agent.db"));
    giveAway(scratch);
    Deno.chmodSync(scratch.at(name), 0);
    const before = [scratch.digests(), scratch.modes()];
    assert.equal((await asNobody(scratch)).open, "READONLY");
    assert.deepEqual([scratch.digests(), scratch.modes()], before);
    assert.equal((await asNobody(scratch, READING)).open, "PERMISSION");
  });
}

rootTest(
  "DRV-20 a store in a directory of mode 0500 fails at opening, unchanged, however it is opened",
  async () => {
    using scratch = new Scratch();
    await makeStore(scratch.at("agent.db"));
    giveAway(scratch);
    Deno.chmodSync(scratch.path, 0o500);
    const before = [scratch.digests(), scratch.modes()];
    for (const options of [{}, READING]) {
      assert.match((await asNobody(scratch, options)).open, /^(READONLY|PERMISSION)$/);
      assert.deepEqual([scratch.digests(), scratch.modes()], before);
    }
  },
);

rootTest("DRV-20 no store is made in a directory of mode 0500", async () => {
  using scratch = new Scratch();
  giveAway(scratch);
  Deno.chmodSync(scratch.path, 0o500);
  assert.equal((await asNobody(scratch)).open, "PERMISSION");
  assert.deepEqual(scratch.names(), []);
});

rootTest("DRV-20 a directory of mode 0600, which cannot be entered, is a typed error", async () => {
  using scratch = new Scratch();
  await makeStore(scratch.at("agent.db"));
  giveAway(scratch);
  Deno.chmodSync(scratch.path, 0o600);
  assert.equal((await asNobody(scratch)).open, "PERMISSION");
});
