/** Which arguments make a command, and how usage errors are reported. */

import assert from "node:assert/strict";
import { assertRefused, holdfast, printed, value } from "./collected.ts";
import { wrapHelp } from "../../src/cli/help_text.ts";
import { DRIVES, POISONED_NAME } from "./poison.ts";
import { IN_SCOPE, StoredFile } from "./stored.ts";

/** Every command with the permissions that its help must state, and its options. */
const COMMANDS: readonly (readonly [name: string, access: "read" | "write", options: readonly string[]])[] = [
  ["inspect", "read", ["--show-content", "--tenant", "--session", "--ledger"]],
  ["search", "write", ["--top", "--read-only", "--tenant", "--session"]],
  ["context", "write", ["--budget", "--system", "--read-only"]],
  ["check", "read", ["--ledger"]],
  ["prune", "write", ["--accept-clock"]],
  ["delete", "write", ["--turn", "--pin", "--revision", "--scrub", "--yes"]],
  ["sessions", "read", ["--tenant", "--subject", "--by-id", "--limit", "--show-content"]],
  ["tail", "read", ["--tenant", "--session", "--turns", "--show-content"]],
  ["erase", "write", ["--tenant", "--subject", "--scrub", "--yes"]],
  ["verify", "read", ["--tenant", "--session", "--key", "--subject", "--ledger"]],
  ["backup", "write", ["--only-ledger"]],
  ["restore", "write", ["--ledger", "--watermark", "--ledger-lost", "--yes"]],
  ["export", "write", ["--show-content", "--no-content", "--tenant", "--session"]],
  ["import", "write", ["--ledger"]],
  ["demo", "write", []],
];

for (const [name, access, options] of COMMANDS) {
  Deno.test(`The help of ${name} says its options and the exact permissions`, async () => {
    const help = await printed(name, "--help");
    for (const option of [...options, "--json", "--help"]) assert(help.includes(` ${option}`), option);
    const flags = access === "read" ? "--allow-read=DIR" : "--allow-read=DIR --allow-write=DIR";
    assert(help.includes(`deno run ${flags} \\\n`), help);
    assert.equal(help, await printed("help", name));
  });
}

Deno.test("The help names every command, the exit codes, and how to install it", async () => {
  const help = await printed("--help");
  for (const [name] of COMMANDS) assert.match(help, new RegExp(`^  ${name} .*\\S`, "m"));
  for (const code of ["  0  ", "  1  ", "  2  ", "  130"]) assert(help.includes(`\n${code}`));
  assert.match(help, /deno install --global --name holdfast --allow-read=DIR --allow-write=DIR/);
});

for (const columns of [60, 80, 100]) {
  Deno.test(`In ${columns} columns every line of help fits, except shell commands, which stay whole`, async () => {
    for (const words of [["--help"], ["restore", "--help"], ["inspect", "--help"]]) {
      const lines = wrapHelp(await printed(...words), columns).split("\n");
      const long = lines.filter((line) => line.length > columns);
      assert.deepEqual(long.filter((line) => !/^ {2}deno |^ {4}\S/.test(line)), []);
      const [shell] = lines.join("\n").match(/^ {2}deno .*\\\n(?:.*\\\n)*.*$/m)!;
      assert.match(shell.replaceAll("\\\n", ""), /^ {2}deno \S.*(main\.ts|--yes|agent\.db)$/);
    }
  });
}

Deno.test("The help of restore says what happens to each file", async () => {
  const help = (await printed("restore", "--help")).replaceAll(/\s+/g, " ");
  for (
    const says of [
      "the backup, and a ledger copy given with --ledger-export, are only read",
      "written in the directory of <destination> under another name",
      "one commit to it makes the new store live",
      "The files of the previous store stay unchanged, and are never removed",
    ]
  ) assert(help.includes(says), says);
});

Deno.test("The help of reading commands says what reading needs", async () => {
  for (const [name, access] of COMMANDS) {
    const help = (await printed(name, "--help")).replaceAll(/\s+/g, " ");
    assert.equal(
      help.includes("--allow-read is enough. But SQLite keeps -wal and -shm"),
      access === "read",
      name,
    );
  }
});

Deno.test("--version prints the version", async () => {
  const { version } = JSON.parse(await Deno.readTextFile(new URL("../../deno.json", import.meta.url)));
  assert.equal(await printed("--version"), `${version}\n`);
});

Deno.test("--version --json is JSON", async () => {
  assert.match((await value("--version")).version, /^\d+\.\d+\.\d+$/);
});

const STORE = "no-such-directory/agent.db";

const WRONG: readonly (readonly [words: readonly string[], says: RegExp])[] = [
  [[], /A command is needed\. See --help\.$/m],
  [["inspekt", STORE], /Unknown command 'inspekt' \(Did you mean inspect\?\)/],
  [["inspect"], /Missing required argument 'store'/],
  [["inspect", STORE, "more"], /Too many arguments/],
  [
    ["inspect", STORE, "--show-contents"],
    /Unknown option '--show-contents' \(Did you mean --show-content\?\)/,
  ],
  [["inspect", STORE, "--session", "ticket-7"], /--session needs --tenant/],
  [["inspect", ":memory:"], /A store in memory/],
  [["inspect", "directory/"], /CONTRACT: .* file name/],
  [["search", STORE, "lamps"], /'--tenant <id>' not specified/],
  [["search", STORE, ...IN_SCOPE], /Missing required argument 'query'/],
  [["search", STORE, ...IN_SCOPE, "--top", "0", "lamps"], /whole number from 1 to /],
  [["search", STORE, ...IN_SCOPE, "--top", "-1", "lamps"], /whole number from 1 to /],
  [["search", STORE, ...IN_SCOPE, "--top", "2.5", "lamps"], /whole number from 1 to /],
  [["search", STORE, ...IN_SCOPE, "--top", "1e3", "lamps"], /whole number from 1 to /],
  [["context", STORE, ...IN_SCOPE, "--budget", "9".repeat(20), "p?"], /from 1 to 9007199254740991/],
  [["context", STORE, ...IN_SCOPE, "--budget", "many", "lamps?"], /whole number from 1 to /],
  [["delete", STORE, ...IN_SCOPE, "--turn", "a", "--pin", "b"], /--turn or --pin, not both/],
  [["verify", STORE], /Missing required argument 'receipt'/],
  [["backup", STORE], /Missing required argument 'destination'/],
  [["restore", "a", "b"], /'--ledger <file>' not specified/],
  [["restore", "a", "b", "--ledger", "c"], /either --watermark or --ledger-lost/],
  [["restore", "a", "b", "--ledger", "c", "--ledger-lost", "--watermark", "{}"], /either --watermark/],
  [["export", STORE, "-", "--tenant", "acme"], /--tenant and --session need each other/],
  [["import", STORE], /Missing required argument 'file'/],
  [["help", "nonsense"], /Unknown command 'nonsense'/],
];

for (const [words, says] of WRONG) {
  Deno.test(`The arguments \`${words.join(" ")}\` are a usage error, with exit code 2`, async () => {
    await assertRefused(words, { code: 2, says });
  });
}

const MISSING: readonly (readonly string[])[] = [
  ["inspect", STORE],
  ["search", STORE, ...IN_SCOPE, "lamps"],
  ["context", STORE, ...IN_SCOPE, "lamps?"],
  ["check", STORE],
  ["prune", STORE],
  ["delete", STORE, ...IN_SCOPE],
  ["delete", STORE, ...IN_SCOPE, "--yes"],
  ["verify", STORE, "no-such-file"],
  ["backup", STORE, "no-such-directory/copy"],
  ["restore", STORE, "no-such-directory/new.db", "--ledger", "no-such-file", "--ledger-lost"],
  ["export", STORE],
  ["import", STORE, "no-such-file"],
];

for (const words of MISSING) {
  Deno.test(`\`${words.join(" ")}\` names the file that is missing, with exit code 1, and creates nothing`, async () => {
    await assertRefused(words, { code: 1, says: /NOT_FOUND: There is no file no-such-/ });
    assert.throws(() => Deno.statSync("no-such-directory"), Deno.errors.NotFound);
  });
}

Deno.test("demo names a missing directory", async () => {
  await assertRefused(["demo", "no-such-directory"], { code: 1, says: /NOT_FOUND/ });
});

Deno.test("CLI-01 arguments and file names that would drive a terminal are escaped in errors", async () => {
  for (
    const words of [[POISONED_NAME], ["inspect", POISONED_NAME], ["inspect", STORE, `--${POISONED_NAME}`]]
  ) {
    const { errors } = await holdfast(...words);
    assert.match(errors, /\\u\{1b\}\[2J/);
    assert.doesNotMatch(errors, DRIVES);
    assert.doesNotMatch((await holdfast("--json", ...words)).errors, DRIVES);
  }
});

Deno.test("A query may begin with a dash after --, and may even be --json", async () => {
  await using store = await StoredFile.make();
  assert.match(await printed("search", store.path, ...IN_SCOPE, "--", "-lamps", "--json"), /^1\. turn/);
});
