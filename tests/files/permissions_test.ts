import assert from "node:assert/strict";
import { openMemory } from "../../mod.ts";
import { run, runForJson } from "./child.ts";
import { namesIn, Scratch } from "./scratch.ts";
import { DATABASES } from "./store_names.ts";
import { assertUsable, makeStore, plant } from "./stored.ts";

const IS_UNIX = Deno.build.os !== "windows";

const READ = { text: "Pear.", reviewed: true, listed: 1, deletions: 1, problems: 0 };

/** Uses a store in a process with only these permissions. */
function use(path: string, flags: readonly string[], options: object = {}, cwd?: string): Promise<unknown> {
  return runForJson("use_store.ts", [JSON.stringify(options), path], {
    flags,
    ...cwd === undefined ? {} : { cwd },
  });
}

/** The error of an opening that lacks these flags. */
function lacking(...flags: readonly string[]): object {
  return { code: "PERMISSION", message: `Cannot open store: run Deno with ${flags.join(" ")}`, flags };
}

Deno.test("PRM-08 a store works with --allow-read and --allow-write for its directory alone", async () => {
  using scratch = new Scratch();
  const flags = [`--allow-read=${scratch.path}`, `--allow-write=${scratch.path}`];
  assert.deepEqual(await use(scratch.at("agent.db"), flags), READ);
  assert.deepEqual(scratch.names(), [...DATABASES]);
});

Deno.test("PRM-08 a store works in a directory that does not exist yet and alone is permitted", async () => {
  using scratch = new Scratch();
  const directory = scratch.at("new");
  const flags = [`--allow-read=${directory}`, `--allow-write=${directory}`];
  assert.deepEqual(await use(`${directory}/agent.db`, flags), READ);
});

Deno.test("PRM-08 a relative path works with its directory alone permitted", async () => {
  using scratch = new Scratch();
  const flags = ["--allow-read=.store", "--allow-write=.store"];
  assert.deepEqual(await use(".store/agent.db", flags, {}, scratch.path), READ);
  assert.deepEqual(namesIn(scratch.at(".store")), [...DATABASES]);
});

Deno.test("PRM-08 a path without a directory works with the working directory permitted", async () => {
  using scratch = new Scratch();
  assert.deepEqual(await use("agent.db", ["--allow-read=.", "--allow-write=."], {}, scratch.path), READ);
});

Deno.test("PRM-08 a ledger elsewhere works with both directories permitted", async () => {
  using scratch = new Scratch();
  const [here, there] = [scratch.makeDirectory("here"), scratch.makeDirectory("there")];
  const flags = [`--allow-read=${here},${there}`, `--allow-write=${here},${there}`];
  const options = { deletionPath: `${there}/ledger` };
  assert.deepEqual(await use(`${here}/agent.db`, flags, options), READ);
});

Deno.test("PRM-08 a store in memory needs no permission", async () => {
  const nothing = { text: null, reviewed: null, listed: 0, deletions: 0, problems: 0 };
  assert.deepEqual(await use(":memory:", []), nothing);
});

type Kind = "read" | "write";

const MISSING: readonly (readonly [given: readonly Kind[], missing: readonly Kind[]])[] = [
  [[], ["read", "write"]],
  [["read"], ["write"]],
  [["write"], ["read"]],
];

for (const [given, missing] of MISSING) {
  Deno.test(`PRM-08 opening names --allow-${missing.join(" and --allow-")} exactly, and makes nothing`, async () => {
    using scratch = new Scratch();
    const flags = (kinds: readonly Kind[]): string[] =>
      kinds.map((kind) => `--allow-${kind}=${scratch.path}`);
    const lacked = await use(scratch.at("agent.db"), flags(given));
    assert.deepEqual(lacked, lacking(...flags(missing)));
    assert.deepEqual(scratch.names(), []);
    const { flags: named } = lacked as { flags: string[] };
    assert.deepEqual(await use(scratch.at("agent.db"), [...flags(given), ...named]), READ);
  });
}

const AWKWARD: readonly (readonly [directory: string, permitted: string])[] = [
  ["my store", "my store"],
  ["store=1", "store=1"],
  ["one,two", "."],
  ["above/one,two/below", "above"],
  ["木", "木"],
];

for (const [directory, permitted] of AWKWARD) {
  Deno.test(`PRM-08 the flags that opening names for ${directory}/agent.db are those it works with`, async () => {
    using scratch = new Scratch();
    const path = `${directory}/agent.db`;
    const lacked = await use(path, [], {}, scratch.path);
    assert.deepEqual(lacked, lacking(`--allow-read=${permitted}`, `--allow-write=${permitted}`));
    const { flags } = lacked as { flags: string[] };
    assert.deepEqual(await use(path, flags, {}, scratch.path), READ);
  });
}

Deno.test("PRM-08 opening names the flags of a ledger's directory", async () => {
  using scratch = new Scratch();
  const [here, there] = [scratch.makeDirectory("here"), scratch.makeDirectory("there")];
  const flags = [`--allow-read=${here}`, `--allow-write=${here}`];
  const lacked = await use(`${here}/agent.db`, flags, { deletionPath: `${there}/ledger` });
  assert.deepEqual(lacked, lacking(`--allow-read=${there}`, `--allow-write=${there}`));
  assert.deepEqual(namesIn(here), []);
});

Deno.test("PRM-08 a file that is forbidden in a permitted directory is a typed error", async () => {
  using scratch = new Scratch();
  for (const name of DATABASES) {
    const flags = [
      `--allow-read=${scratch.path}`,
      `--allow-write=${scratch.path}`,
      `--deny-write=${scratch.at(name)}`,
    ];
    const error = await use(scratch.at("agent.db"), flags) as { code: string };
    assert.equal(error.code, "PERMISSION");
  }
});

Deno.test({
  name: "PRM-04 a link that leads out of the permitted directory is refused, and its target named",
  ignore: !IS_UNIX,
  async fn(): Promise<void> {
    using scratch = new Scratch();
    using outside = new Scratch();
    Deno.symlinkSync(outside.path, scratch.at("link"));
    const flags = [`--allow-read=${scratch.path}`, `--allow-write=${scratch.path}`];
    assert.deepEqual(
      await use(scratch.at("link/agent.db"), flags),
      lacking(`--allow-read=${outside.path}`, `--allow-write=${outside.path}`),
    );
    assert.deepEqual(outside.names(), []);
  },
});

Deno.test({
  name: "PRM-04 no directory is created through a link that leads out of the permitted directory",
  ignore: !IS_UNIX,
  async fn(): Promise<void> {
    using scratch = new Scratch();
    using outside = new Scratch();
    Deno.symlinkSync(outside.path, scratch.at("link"));
    const flags = [`--allow-read=${scratch.path}`, `--allow-write=${scratch.path}`];
    const beyond = outside.at("new/newer");
    assert.deepEqual(
      await use(scratch.at("link/new/newer/agent.db"), flags),
      lacking(`--allow-read=${beyond}`, `--allow-write=${beyond}`),
    );
    assert.deepEqual(outside.names(), []);
  },
});

Deno.test({
  name: "PRM-04 a link within what is permitted is followed",
  ignore: !IS_UNIX,
  async fn(): Promise<void> {
    using scratch = new Scratch();
    scratch.makeDirectory("home");
    Deno.symlinkSync("home", scratch.at("link"));
    const flags = [`--allow-read=${scratch.path}`, `--allow-write=${scratch.path}`];
    assert.deepEqual(await use(scratch.at("link/new/agent.db"), flags), READ);
    assert.deepEqual(namesIn(scratch.at("home/new")), [...DATABASES]);
  },
});

Deno.test("PRM-08 a closed store is read with --allow-read alone, and is not changed", async () => {
  using scratch = new Scratch();
  const path = scratch.at("agent.db");
  await use(path, ["-A"]);
  const before = scratch.digests();
  assert.deepEqual(await use(path, [`--allow-read=${scratch.path}`], { readOnly: true }), READ);
  const after = scratch.digests();
  for (const name of DATABASES) assert.equal(after[name], before[name]);
  await assertUsable(path, { facts: 0 });
});

Deno.test("PRM-08 a store open elsewhere is read with --allow-read alone", async () => {
  using scratch = new Scratch();
  const path = scratch.at("agent.db");
  await use(path, ["-A"]);
  await using memory = await openMemory(path);
  await plant(memory, 1);
  const read = await use(path, [`--allow-read=${scratch.path}`], { readOnly: true });
  assert.deepEqual(read, { ...READ, listed: 2 });
  await plant(memory, 2);
  assert.deepEqual((await memory.check()).problems, []);
});

Deno.test("PRM-08 opening read-only names --allow-read exactly, and no other flag", async () => {
  using scratch = new Scratch();
  await makeStore(scratch.at("agent.db"));
  const error = await use(scratch.at("agent.db"), [], { readOnly: true });
  assert.deepEqual(error, lacking(`--allow-read=${scratch.path}`));
});

const CAN_MAKE_TERMINAL = Deno.build.os === "linux" && hasProgram("script");

function hasProgram(name: string): boolean {
  try {
    return new Deno.Command(name, { args: ["--version"], stdout: "null", stderr: "null" }).outputSync()
      .success;
  } catch {
    return false;
  }
}

Deno.test({
  name: `PRM-08 nothing is asked at a terminal when permissions are missing${
    CAN_MAKE_TERMINAL ? "" : " (ignored: no program `script` here)"
  }`,
  ignore: !CAN_MAKE_TERMINAL,
  async fn(): Promise<void> {
    using scratch = new Scratch();
    const root = new URL("../../", import.meta.url).pathname;
    const line = `${Deno.execPath()} run --no-lock --no-check --config=${root}deno.json ` +
      `${root}tests/files/programs/use_store.ts '{}' ${scratch.at("agent.db")}`;
    const { stdout } = await new Deno.Command("script", {
      args: ["--quiet", "--return", "--command", line, "/dev/null"],
      stdin: "null",
      stdout: "piped",
      signal: AbortSignal.timeout(60_000),
    }).output();
    const output = new TextDecoder().decode(stdout);
    assert.match(output, /"code":"PERMISSION"/);
    assert.doesNotMatch(output, /Allow\?|requests/);
  },
});

const DEMO_LINES = `resumed step: 1
stale write: rejected
other tenant: None
at expiry: None
expired rows purged: 1
checkpoint forgotten: True
remaining rows: 0
`;

Deno.test("the worked example prints its seven lines under its two permissions, and leaves nothing", async () => {
  using scratch = new Scratch();
  const flags = ["--allow-read=.demo", "--allow-write=.demo"];
  const { code, output, errors } = await run("examples/01_harness_state.ts", [], {
    flags,
    cwd: scratch.path,
  });
  assert.equal(errors, "");
  assert.equal(output, DEMO_LINES);
  assert.equal(code, 0);
  assert.deepEqual(scratch.names(), []);
});
