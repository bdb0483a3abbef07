/** The command in a process of its own: exact permissions, pipes that end early, signals, installation. */

import assert from "node:assert/strict";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";
import { assertOneLine, printed } from "./collected.ts";
import { IN_SCOPE, SCOPE, StoredFile } from "./stored.ts";
import { MAIN, piped, processWords } from "./terminal.ts";

const IS_UNIX = Deno.build.os !== "windows";
// deno-lint-ignore no-control-regex
const ESCAPE = /\x1b/;

Deno.test("PRM-08 every reading command works piped with --allow-read for the directory alone", async () => {
  await using store = await StoredFile.makeOnDisk();
  await printed("search", store.path, ...IN_SCOPE, "lamps");
  const receipt = await printed("delete", store.path, ...IN_SCOPE, "--pin", "rule", "--yes", "--json");
  await Deno.writeTextFile(store.at("receipt"), receipt);
  const commands = [
    ["inspect", store.path, "--show-content"],
    ["search", store.path, ...IN_SCOPE, "--read-only", "lamps"],
    ["context", store.path, ...IN_SCOPE, "--read-only", "lamps?"],
    ["check", store.path],
    ["verify", store.path, store.at("receipt")],
    ["delete", store.path, ...IN_SCOPE],
    ["export", store.path, "--no-content"],
  ];
  for (const words of commands) {
    const { code, output, errors } = await piped(words, { flags: [`--allow-read=${store.directory}`] });
    assert.deepEqual({ code, errors }, { code: 0, errors: "" }, words[0]);
    assert(output.length > 0);
    assert.doesNotMatch(output, ESCAPE);
  }
});

Deno.test("PRM-08 every writing command works piped with both permissions for the directory alone", async () => {
  await using store = await StoredFile.makeOnDisk();
  await printed("export", store.path, store.at("lines"), "--show-content");
  const flags = [`--allow-read=${store.directory}`, `--allow-write=${store.directory}`];
  const commands = [
    ["search", store.path, ...IN_SCOPE, "lamps"],
    ["context", store.path, ...IN_SCOPE, "lamps?"],
    ["backup", store.path, store.at("copy")],
    ["prune", store.path],
    ["import", store.at("new.db"), store.at("lines")],
    ["delete", store.path, ...IN_SCOPE, "--yes", "--json"],
    ["export", store.path, store.at("out"), "--show-content"],
    ["restore", store.at("copy"), store.at("a.db"), "--ledger", store.at("b"), "--ledger-lost", "--yes"],
    ["demo", store.directory],
  ];
  for (const words of commands) {
    const { code, output, errors } = await piped(words, { flags });
    assert.deepEqual({ code, errors }, { code: 0, errors: "" }, words[0]);
    assert(output.length > 0);
    assert.doesNotMatch(output, ESCAPE);
  }
});

Deno.test("PRM-08 a missing permission is named by its flag, and nothing is created", async () => {
  await using store = await StoredFile.makeOnDisk();
  const before = store.names();
  const none = await piped(["backup", store.path, store.at("copy")], { flags: [] });
  assert.equal(none.code, 1);
  assertOneLine(none.errors);
  assert(none.errors.includes(`--allow-read=${store.directory}`));
  const read = await piped(["backup", store.path, store.at("copy")], {
    flags: [`--allow-read=${store.directory}`],
  });
  assert.equal(read.code, 1);
  assertOneLine(read.errors);
  assert(read.errors.includes(`--allow-write=${store.directory}`));
  assert.deepEqual(store.names().filter((name) => !/-(wal|shm)$/.test(name)), before);
});

Deno.test("The help needs no permission at all", async () => {
  const { code, output, errors } = await piped(["--help"], { flags: [] });
  assert.deepEqual({ code, errors }, { code: 0, errors: "" });
  assert(output.startsWith("Usage: holdfast"));
});

for (
  const more of [["inspect", "--show-content"], ["inspect", "--show-content", "--json"], [
    "export",
    "--show-content",
  ]]
) {
  Deno.test({
    name: `CLI-02 \`${more.join(" ")}\` ends quietly when its reader closes the pipe, with exit code 0`,
    ignore: !IS_UNIX,
    async fn(): Promise<void> {
      await using store = await StoredFile.makeOnDisk(async (memory) => {
        for (let turn = 0; turn < 64; turn++) {
          await memory.conversation(SCOPE).append([{ role: "user", content: "lamps ".repeat(4_000) }]);
        }
      });
      const [name, ...options] = more;
      const child = new Deno.Command(Deno.execPath(), {
        args: processWords([`--allow-read=${store.directory}`], [name!, store.path, ...options]),
        stdin: "null",
        stdout: "piped",
        stderr: "piped",
      }).spawn();
      const reader = child.stdout.getReader();
      assert((await reader.read()).value!.length > 0);
      await reader.cancel();
      assert.equal(await new Response(child.stderr).text(), "");
      assert.equal((await child.status).code, 0);
      assert.match(await printed("check", store.path), /^Nothing is damaged/);
    },
  });
}

Deno.test({
  name: "Lines go through standard output and input, and SIGTERM ends a command that waits for more",
  ignore: !IS_UNIX,
  async fn(): Promise<void> {
    await using store = await StoredFile.makeOnDisk();
    const lines = await printed("export", store.path, "-", "--show-content");
    const child = new Deno.Command(Deno.execPath(), {
      args: processWords([`--allow-read=${store.directory}`, `--allow-write=${store.directory}`], [
        ...["import", store.at("new.db"), "-", "--json"],
      ]),
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    // The pipe is full, so the command has begun to read, and to listen for signals, once this write resolves.
    const filler = `${"\n".repeat(65_535)}\n`;
    await writer.write(new TextEncoder().encode(filler + filler + lines.slice(0, 500)));
    child.kill("SIGTERM");
    const { error } = JSON.parse(await new Response(child.stderr).text());
    assert.equal((await child.status).code, 143);
    assert.deepEqual([error.code, error.exitCode], ["INTERRUPTED", 143]);
    await child.stdout.cancel();
    await writer.close().catch(() => {});
    await Deno.writeTextFile(store.at("lines"), lines);
    await printed("import", store.at("new.db"), store.at("lines"));
    assert.match(await printed("check", store.at("new.db")), /^Nothing is damaged/);
  },
});

Deno.test({
  name: "An interrupt ends a command whose reader does not read, with exit code 130",
  ignore: !IS_UNIX,
  async fn(): Promise<void> {
    await using store = await StoredFile.makeOnDisk(async (memory) => {
      for (let turn = 0; turn < 32; turn++) {
        await memory.conversation(SCOPE).append([{ role: "user", content: "lamps ".repeat(4_000) }]);
      }
    });
    const child = new Deno.Command(Deno.execPath(), {
      args: processWords([`--allow-read=${store.directory}`], ["export", store.path, "-", "--show-content"]),
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const reader = child.stdout.getReader();
    await reader.read();
    child.kill("SIGINT");
    assert.match(await new Response(child.stderr).text(), /^holdfast: INTERRUPTED: [^\n]+\n$/);
    assert.equal((await child.status).code, 130);
    await reader.cancel();
  },
});

Deno.test("deno install --global installs a command that works with the permissions it was given", async () => {
  await using store = await StoredFile.makeOnDisk();
  await using root = await TemporaryDirectory.make();
  const installed = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["install", "--global", "--quiet", "--root", root.path, "--name", "holdfast"],
      ...[
        "--config",
        new URL("../../deno.json", import.meta.url).pathname,
        `--allow-read=${store.directory}`,
        MAIN,
      ],
    ],
    stderr: "piped",
  }).output();
  assert(installed.success, new TextDecoder().decode(installed.stderr));
  const suffix = IS_UNIX ? "" : ".cmd";
  const { code, stdout } = await new Deno.Command(root.file(`bin/holdfast${suffix}`), {
    args: ["inspect", store.path, "--json"],
    stdout: "piped",
  }).output();
  assert.equal(code, 0);
  assert.equal(JSON.parse(new TextDecoder().decode(stdout)).scopes.length, 1);
});
