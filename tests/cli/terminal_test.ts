// deno-lint-ignore-file no-control-regex
/** The command at a real terminal: colours, tables that fit, progress, no prompts, an interrupt. */

import assert from "node:assert/strict";
import { openMemory } from "../../mod.ts";
import { displayWidth } from "../../src/cli/terminal/display_width.ts";
import { printed } from "./collected.ts";
import { DRIVES, POISONED_NAME, POISONED_TEXT } from "./poison.ts";
import { IN_SCOPE, SCOPE, StoredFile } from "./stored.ts";
import { atTerminal, NO_TERMINAL } from "./terminal.ts";

const BECAUSE = NO_TERMINAL === null ? "" : ` (ignored: ${NO_TERMINAL})`;
const COLUMNS = 64;
const COLOURS = /\x1b\[\d+m/g;
/** A drawing of a progress bar, from the start of its line to the erased end of it; and its removal. */
const PROGRESS = /\r(\[[#.]+\] [^\r\x1b]*)?\x1b\[K/g;
/** The output of Deno itself when it starts at a terminal. */
const START = /\x1b\[0G\x1b\[2K\x1b\[J/g;

/** The lines that a terminal keeps, without colours. */
function linesOf(text: string): readonly string[] {
  return text.replaceAll(START, "").replaceAll(PROGRESS, "").replaceAll(COLOURS, "").split("\n");
}

function flagsFor({ directory }: StoredFile): readonly string[] {
  return [`--allow-read=${directory}`, `--allow-write=${directory}`];
}

function onTerminal(promise: string, fn: () => Promise<void>): void {
  Deno.test({ name: `${promise}${BECAUSE}`, ignore: NO_TERMINAL !== null, fn });
}

onTerminal("At a terminal every command fits its columns and uses colours", async () => {
  await using store = await StoredFile.makeOnDisk();
  const { code, text } = await atTerminal([
    ["inspect", store.path, "--show-content"],
    ["search", store.path, ...IN_SCOPE, "lamps"],
    ["context", store.path, ...IN_SCOPE, "When were they refunded?"],
    ["check", store.path],
    ["prune", store.path],
    ["backup", store.path, store.at("copy"), "--json"],
    ["delete", store.path, ...IN_SCOPE, "--pin", "rule"],
    ["export", store.path, store.at("lines"), "--show-content"],
    ["import", store.at("new.db"), store.at("lines")],
    ["demo", store.directory],
  ], { columns: COLUMNS, flags: flagsFor(store) });
  assert.equal(code, 0, text);
  const lines = linesOf(text).filter((line) => !line.startsWith('{"of"'));
  assert.deepEqual(lines.filter((line) => displayWidth(line) > COLUMNS), []);
  assert.match(text, /\x1b\[1mConversations\x1b\[0m\n/);
  assert.match(text, /\x1b\[32mNothing is damaged: \d+ rows checked\.\x1b\[0m\n/);
  assert(lines.includes("stale write: rejected"));
});

onTerminal(
  "At a terminal of 40 columns help wraps between words, and shell commands stay whole",
  async () => {
    const { code, text } = await atTerminal([["--help"], ["restore", "--help"]], { columns: 40, flags: [] });
    assert.equal(code, 0);
    const lines = linesOf(text);
    const long = lines.filter((line) => displayWidth(line) > 40);
    assert.deepEqual(long.filter((line) => !/^ {2}deno |^ {4}\S/.test(line)), []);
    assert(lines.includes("  backup      Copy the store, as it is"));
    assert(lines.includes("  deno run --allow-read=DIR --allow-write=DIR \\"));
  },
);

onTerminal("At a terminal deletions, receipts and restores work, and refusals are one line", async () => {
  await using store = await StoredFile.makeOnDisk();
  await printed("backup", store.path, store.at("copy"));
  const receipt = await printed("delete", store.path, ...IN_SCOPE, "--turn", "turn-1", "--json");
  await Deno.writeTextFile(store.at("receipt"), receipt);
  const { code, text } = await atTerminal([
    ["delete", store.path, ...IN_SCOPE, "--turn", "turn-1", "--yes"],
    [
      "restore",
      store.at("copy"),
      store.at("new.db"),
      "--ledger",
      store.at("new.db.deletions"),
      "--ledger-lost",
    ],
    ["verify", store.path, store.at("receipt")],
  ], { columns: COLUMNS, flags: flagsFor(store) });
  assert.equal(code, 1);
  const lines = linesOf(text);
  assert(lines.includes("Deleted permanently: 1 turn, 1 summary. Keep the receipt."));
  assert(lines.includes("Nothing was done. To do it, add: --yes"));
  assert.match(lines.at(-2)!, /^holdfast: CONTRACT: /);
});

onTerminal("Progress is shown at a terminal and removed; NO_COLOR leaves colours out", async () => {
  await using store = await StoredFile.makeOnDisk();
  const { code, text } = await atTerminal([["check", store.path]], {
    columns: COLUMNS,
    flags: flagsFor(store),
    env: { NO_COLOR: "1" },
  });
  assert.equal(code, 0);
  assert.match(text, /\r\[[#.]{24}\] checking pages 0\x1b\[K/);
  assert.match(text, /\r\x1b\[KNothing is damaged: \d+ rows checked\.\n$/);
  assert.doesNotMatch(text, COLOURS);
});

onTerminal("No prompt appears at a terminal when permissions are missing", async () => {
  await using store = await StoredFile.makeOnDisk();
  const commands = [
    ["inspect", store.path],
    ["demo", store.directory],
    ["verify", store.path, store.at("receipt")],
    ["import", store.path, store.at("lines")],
  ];
  for (const words of commands) {
    const { code, text } = await atTerminal([words], { columns: 200, flags: [] });
    assert.equal(code, 1, text);
    const [line, ...rest] = linesOf(text);
    assert.match(line!, /^holdfast: PERMISSION: Cannot open .*: run Deno with --allow-read=/);
    assert.deepEqual(rest, [""]);
  }
});

onTerminal(
  "CLI-01 stored names and texts do not drive a terminal, nor look like output of the command",
  async () => {
    const scope = { tenantId: POISONED_NAME, sessionId: `${" ".repeat(COLUMNS)}holdfast: faked` };
    await using store = await StoredFile.makeOnDisk(async (memory) => {
      const content = `${POISONED_TEXT}\n${"x".repeat(COLUMNS - 4)}holdfast: faked`;
      await memory.conversation(scope).append([{ role: "user", content }]);
    });
    const named = ["--tenant", scope.tenantId, "--session", scope.sessionId];
    const { code, text } = await atTerminal([
      ["inspect", store.path, "--show-content"],
      ["search", store.path, ...named, "text"],
      ["context", store.path, ...named, "text"],
      ["export", store.path, "--show-content"],
    ], { columns: COLUMNS, flags: flagsFor(store) });
    assert.equal(code, 0, text);
    for (const line of linesOf(text)) {
      assert.doesNotMatch(line, DRIVES);
      assert.doesNotMatch(line, /^holdfast/);
      if (!line.startsWith('{"')) assert(displayWidth(line) <= COLUMNS, line);
    }
  },
);

onTerminal(
  "An interrupt ends an import, leaves no lock and nothing half done, and it can go on",
  async () => {
    await using store = await StoredFile.makeOnDisk(async (memory) => {
      for (let turn = 0; turn < 400; turn++) {
        await memory.conversation(SCOPE).append([{ role: "user", content: `Row ${turn} of lamps.` }]);
      }
    });
    await printed("export", store.path, store.at("lines"), "--show-content");
    await (await openMemory(store.at("new.db"))).close();
    // A named pipe: what is written first is imported, and then nothing follows.
    const made = await new Deno.Command("mkfifo", { args: [store.at("pipe")] }).output();
    assert(made.success);
    const text = await Deno.readTextFile(store.at("lines"));
    const feeding = Deno.open(store.at("pipe"), { read: true, write: true });
    using feed = await feeding;
    await feed.write(new TextEncoder().encode(text.slice(0, 60_000)));
    const ended = await atTerminal([["import", store.at("new.db"), store.at("pipe")]], {
      columns: COLUMNS,
      flags: flagsFor(store),
      interruptAfter: /importing/,
    });
    assert.equal(ended.code, 130, ended.text);
    assert.match(linesOf(ended.text).join("\n"), /holdfast: INTERRUPTED: Nothing is left half done\. .*\n$/);
    assert.match(await printed("check", store.at("new.db")), /^Nothing is damaged/);
    await printed("import", store.at("new.db"), store.at("lines"));
    const lines = async (path: string): Promise<readonly string[]> =>
      (await printed("export", path, "--show-content")).split("\n").slice(1, -2);
    assert.deepEqual(await lines(store.at("new.db")), await lines(store.path));
  },
);
