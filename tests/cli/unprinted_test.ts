/** If the output cannot be written, one line says so, and completed work is reported as completed. */

import assert from "node:assert/strict";
import { runCommandLine } from "../../src/cli/command_line.ts";
import { assertOneLine, Collected, type Ended, holdfast, printed, value } from "./collected.ts";
import { IN_SCOPE, SCOPE, StoredFile } from "./stored.ts";
import { MAIN } from "./terminal.ts";

/** A stream that fails with a system error. */
class Failing extends Collected {
  readonly #error: Error;

  constructor(error: Error) {
    super();
    this.#error = error;
  }

  override writeSync(): number {
    throw this.#error;
  }

  override write(): Promise<number> {
    return Promise.reject(this.#error);
  }
}

const FULL = Object.assign(new Error("No space left on device (os error 28)"), { code: "ENOSPC" });
const BROKEN = Object.assign(new Error("Input/output error (os error 5)"), { code: "EIO" });
const GONE = new Deno.errors.BrokenPipe("Broken pipe (os error 32)");

/** Runs a command whose output cannot be written. */
async function unprinted(error: Error, words: readonly string[]): Promise<Ended> {
  const errors = new Collected();
  const code = await runCommandLine(words, { output: new Failing(error), errors });
  return { code, output: "", errors: errors.text };
}

Deno.test("Every command says in one line that there was no room for its output", async () => {
  await using store = await StoredFile.make();
  const commands = [
    ["--help"],
    ["help", "delete"],
    ["--version"],
    ["inspect", store.path],
    ["inspect", store.path, "--json"],
    ["search", store.path, ...IN_SCOPE, "lamps"],
    ["context", store.path, ...IN_SCOPE, "lamps?"],
    ["check", store.path],
    ["delete", store.path, ...IN_SCOPE],
    ["export", store.path],
    ["demo", store.directory],
  ];
  for (const words of commands) {
    const { code, errors } = await unprinted(FULL, words);
    assert.equal(code, 1, words[0]);
    if (words.includes("--json")) assert.equal(JSON.parse(errors).error.code, "FULL");
    else {
      assertOneLine(errors);
      assert.match(
        errors,
        /^holdfast: FULL: Cannot write to standard output: there is no room\. Free some space/,
      );
    }
  }
  assert.match((await unprinted(BROKEN, ["check", store.path])).errors, /^holdfast: IO: Cannot write/);
});

Deno.test("A deletion, copy, import, export, scrub or restore whose result cannot be printed is reported as completed", async () => {
  await using store = await StoredFile.make();
  const ledger = `${store.path}.deletions`;
  await printed("export", store.path, store.at("lines"), "--show-content");
  const commands: readonly (readonly [words: readonly string[], says: RegExp])[] = [
    [["export", store.path, store.at("out")], /The file is complete/],
    [["import", store.at("new.db"), store.at("lines")], /The lines are imported: repeat/],
    [["backup", store.path, store.at("copy")], /The copy was made: .*`inspect --json`/],
    [["delete", store.path, ...IN_SCOPE, "--turn", "turn-1", "--yes"], /The deletion is complete: repeat/],
    [["prune", store.path], /The store was pruned: repeat/],
    [
      ["restore", store.at("copy"), store.at("a.db"), "--ledger", ledger, "--yes"],
      /The store was restored: /,
    ],
  ];
  for (const [given, says] of commands) {
    const { watermark } = given[0] === "restore" ? await value("inspect", store.path) : { watermark: null };
    const words = watermark === null ? given : [...given, "--watermark", JSON.stringify(watermark)];
    const { code, errors } = await unprinted(FULL, words);
    assert.equal(code, 1, given[0]);
    assertOneLine(errors);
    assert.match(errors, /^holdfast: FULL: Cannot write to standard output: /);
    assert.match(errors, says);
  }
  assert.match(await printed("check", store.at("a.db"), "--ledger", ledger), /^Nothing is damaged/);
});

Deno.test("A deletion whose receipt could not be printed is reported as completed, and repeating it prints the receipt", async () => {
  await using store = await StoredFile.make();
  const { revision } = (await value("inspect", store.path)).scopes[0];
  const words = [
    ...["delete", store.path, ...IN_SCOPE, "--turn", "turn-1", "--revision", String(revision)],
    ...["--yes", "--json"],
  ];
  const { code, errors } = await unprinted(GONE, words);
  assert.equal(code, 1);
  const { error } = JSON.parse(errors);
  assert.deepEqual([error.code, error.details], ["IO", { done: true }]);
  assert.match(error.advice, /The deletion is complete: repeat the command for its receipt\./);
  const again = await value(...words);
  assert.deepEqual([again.already, again.erased.turns], [true, 1]);
});

Deno.test("Errors that cannot be written do not change the exit code of a command", async () => {
  await using store = await StoredFile.make();
  const [output, errors] = [new Collected(), new Failing(FULL)];
  assert.equal(await runCommandLine(["inspect", store.at("none")], { output, errors }), 1);
  assert.equal(await runCommandLine(["nothing"], { output, errors }), 2);
  const words = ["delete", store.path, ...IN_SCOPE, "--turn", "turn-1", "--yes"];
  assert.equal(await runCommandLine(words, { output, errors }), 0);
  assert.equal(JSON.parse(output.text).erased.turns, 1);
});

Deno.test({
  name: "A full device is reported in one line, without a stack",
  ignore: Deno.build.os !== "linux",
  async fn(): Promise<void> {
    const { code, stderr } = await new Deno.Command("sh", {
      args: ["-c", `"$0" run --no-check --no-lock --no-prompt "$1" --help >/dev/full`, Deno.execPath(), MAIN],
      stderr: "piped",
    }).output();
    assert.equal(code, 1);
    assertOneLine(new TextDecoder().decode(stderr));
  },
});

Deno.test("A directory in place of lines, a receipt or a watermark is reported, and nothing is created", async () => {
  await using store = await StoredFile.make(async (memory) => {
    await memory.conversation(SCOPE).create();
  });
  await printed("backup", store.path, store.at("copy"));
  const before = store.names();
  const ledger = `${store.path}.deletions`;
  const restoring = ["restore", store.at("copy"), store.at("new.db"), "--ledger", ledger, "--yes"];
  const commands = [
    ["import", store.at("new.db"), store.directory],
    ["verify", store.path, store.directory],
    [...restoring, "--watermark", store.directory],
  ];
  for (const words of commands) {
    const { code, errors } = await holdfast(...words);
    assert.equal(code, 1);
    assertOneLine(errors);
    assert.match(errors, /^holdfast: NOT_FOUND: [^\n]+ is a directory, not a file\. /);
  }
  assert.deepEqual(store.names().filter((name) => !/-(wal|shm)$/.test(name)), before);
});
