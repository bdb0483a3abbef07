import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { ContractError, openMemory, StorageError } from "../../mod.ts";
import { Scratch } from "./scratch.ts";
import { assertRefused, assertUsable, makeStore } from "./stored.ts";

const IS_UNIX = Deno.build.os !== "windows";

const ODD_NAMES: readonly string[] = [
  "agent.db?mode=ro",
  "agent.db?vfs=memdb&cache=shared",
  "agent#2.db",
  "100%.db",
  "%41gent.db",
  "%2e%2e%2fagent.db",
  "my agent.db",
  "file:agent.db",
  "file:agent.db?mode=memory",
  ":memory:",
  "--help",
  "Bäume und 木.db",
  "🌳.db",
  "e\u0301.db",
  "'; DROP TABLE records; --.db",
  'quoted".db',
  "back\\slash.db",
  "line\nbreak.db",
  "~",
  "...",
  "*",
];

for (const name of ODD_NAMES) {
  Deno.test({
    name: `the name ${JSON.stringify(name)} means the literal file, as a path and as a URL`,
    ignore: !IS_UNIX,
    async fn(): Promise<void> {
      using scratch = new Scratch();
      await makeStore(scratch.at(name));
      assert.deepEqual(scratch.names(), [name, `${name}.deletions`].sort());
      await assertUsable(urlOf(scratch.at(name)));
      assert.deepEqual(scratch.names(), [name, `${name}.deletions`].sort());
    },
  });
}

function urlOf(path: string): URL {
  return new URL(`file://${path.split("/").map(encodeURIComponent).join("/")}`);
}

for (const name of ["with ? and #", "file:", "100%25", "-f"]) {
  Deno.test({
    name: `a directory called ${JSON.stringify(name)} is created and used literally`,
    ignore: !IS_UNIX,
    async fn(): Promise<void> {
      using scratch = new Scratch();
      await makeStore(scratch.at(`${name}/agent.db`));
      assert.deepEqual(scratch.names(), [name]);
      await assertUsable(scratch.at(`${name}/agent.db`));
    },
  });
}

Deno.test({
  name: "a name of 237 bytes, the longest whose ledger's sidecars still have a name, is used",
  ignore: !IS_UNIX,
  async fn(): Promise<void> {
    using scratch = new Scratch();
    await makeStore(scratch.at("n".repeat(237)));
    await assertUsable(scratch.at("n".repeat(237)));
  },
});

for (const bytes of [238, 255, 256, 4_000]) {
  Deno.test({
    name: `a name of ${bytes} bytes is refused, and nothing is made`,
    ignore: !IS_UNIX,
    async fn(): Promise<void> {
      using scratch = new Scratch();
      await assertRefused(scratch.at("n".repeat(bytes)), "IO");
      assert.deepEqual(scratch.names(), []);
    },
  });
}

/** A directory whose path has exactly so many bytes. */
function deepDirectory(scratch: Scratch, bytes: number): string {
  let path = scratch.path;
  while (bytes - path.length > 201) path += `/${"d".repeat(100)}`;
  return `${path}/${"e".repeat(bytes - path.length - 1)}`;
}

Deno.test({
  name: "a path of 504 bytes with its ledger, the longest that SQLite accepts, is used",
  ignore: !IS_UNIX,
  async fn(): Promise<void> {
    using scratch = new Scratch();
    const path = `${deepDirectory(scratch, 504 - "/agent.db.deletions".length)}/agent.db`;
    await makeStore(path);
    await assertUsable(path);
  },
});

Deno.test({
  name: "a path of 505 bytes with its ledger is refused with both lengths, and no file is made",
  ignore: !IS_UNIX,
  async fn(): Promise<void> {
    using scratch = new Scratch();
    const directory = deepDirectory(scratch, 505 - "/agent.db.deletions".length);
    const error = await assertRefused(`${directory}/agent.db`, "IO");
    assert.deepEqual(error.details, { bytes: 505, maximum: 504 });
    assert.deepEqual([...Deno.readDirSync(directory)], []);
  },
});

Deno.test("two stores whose names differ only in the ending have ledgers of their own", async () => {
  using scratch = new Scratch();
  await makeStore(scratch.at("agent.db"));
  await makeStore(scratch.at("agent.sqlite"));
  assert.deepEqual(scratch.names(), [
    "agent.db",
    "agent.db.deletions",
    "agent.sqlite",
    "agent.sqlite.deletions",
  ]);
});

Deno.test("deletionPath says where the ledger is, in another directory that is made 0700", async () => {
  using scratch = new Scratch();
  const path = scratch.at("agent.db");
  const deletionPath = scratch.at("apart/ledger");
  await makeStore(path, { deletionPath });
  assert.deepEqual(scratch.names(), ["agent.db", "apart"]);
  await assertUsable(path, { deletionPath: pathToFileURL(deletionPath) });
  if (IS_UNIX) assert.deepEqual(scratch.modes(), { "agent.db": "0600", apart: "0700" });
});

const COLLISIONS = [
  "agent.db",
  "agent.db-wal",
  "agent.db-shm",
  "agent.db-journal",
  "./agent.db",
  "../home/agent.db",
];

for (const name of COLLISIONS) {
  Deno.test(`deletionPath ${name} is refused for a store agent.db, and nothing is made`, async () => {
    using scratch = new Scratch();
    const home = scratch.makeDirectory("home");
    await assertContract("deletionPath", openMemory(`${home}/agent.db`, { deletionPath: `${home}/${name}` }));
    assert.deepEqual([...Deno.readDirSync(home)], []);
  });
}

Deno.test({
  name: "deletionPath is refused if it names the store through a link to its directory",
  ignore: !IS_UNIX,
  async fn(): Promise<void> {
    using scratch = new Scratch();
    const home = scratch.makeDirectory("home");
    Deno.symlinkSync("home", scratch.at("link"));
    const deletionPath = scratch.at("link/agent.db");
    await assertContract("deletionPath", openMemory(`${home}/agent.db`, { deletionPath }));
    assert.deepEqual([...Deno.readDirSync(home)], []);
  },
});

for (const ending of ["-wal", "-shm", "-journal", ".partial", ".restoring"]) {
  Deno.test(`a name that ends with ${ending} is refused: the file would be removed as a leftover`, async () => {
    using scratch = new Scratch();
    await assertContract("path", openMemory(scratch.at(`agent.db${ending}`)));
    const deletionPath = scratch.at(`ledger${ending}`);
    await assertContract("deletionPath", openMemory(scratch.at("agent.db"), { deletionPath }));
    await using memory = await openMemory(":memory:");
    await assertContract("destination", memory.backup(scratch.at(`agent.backup${ending}`)));
    assert.deepEqual(scratch.names(), []);
  });
}

const NO_PATHS: readonly (readonly [what: string, path: unknown])[] = [
  ["an empty text", ""],
  ["a text with NUL", "agent\0.db"],
  ["a lone surrogate", "agent\ud800.db"],
  ["a directory's name", "store/"],
  ["a dot", "."],
  ["two dots", "store/.."],
  ["the root", "/"],
  ["a number", 7],
  ["null", null],
  ["an object", {}],
  ["bytes", new Uint8Array(3)],
  ["a URL of the web", new URL("https://example.org/agent.db")],
  ["a file URL with a query", new URL("file:///stores/agent.db?mode=ro")],
  ["a file URL with a fragment", new URL("file:///stores/agent.db#2")],
  ["a file URL with an encoded NUL", new URL("file:///stores/agent%00.db")],
  ["a file URL that is not UTF-8", new URL("file:///stores/agent%ff.db")],
  ["a file URL with an encoded slash", new URL("file:///stores/..%2Fagent.db")],
  ["a file URL of a directory", new URL("file:///stores/store/")],
];

for (const [what, path] of NO_PATHS) {
  Deno.test(`${what} is refused as path and as deletionPath`, async () => {
    await assertContract("path", openMemory(path as string));
    using scratch = new Scratch();
    await assertContract(
      "deletionPath",
      openMemory(scratch.at("agent.db"), { deletionPath: path as string }),
    );
    assert.deepEqual(scratch.names(), []);
  });
}

Deno.test({
  name: "a file URL with a host is refused",
  ignore: !IS_UNIX,
  fn: () => assertContract("path", openMemory(new URL("file://example.org/stores/agent.db"))),
});

Deno.test("a store in memory takes no deletionPath and cannot be opened read-only", async () => {
  await assertContract("deletionPath", openMemory(":memory:", { deletionPath: "ledger" }));
  await assertContract("readOnly", openMemory(":memory:", { readOnly: true }));
});

/** Requires a `ContractError` that names the field and nothing of its value. */
async function assertContract(field: string, promise: Promise<unknown>): Promise<void> {
  const error = await promise.then(() => null, (error: unknown) => error);
  assert(error instanceof ContractError && !(error instanceof StorageError), `${error}`);
  assert.equal(error.field, field);
  assert(!error.message.includes("agent"), error.message);
}
