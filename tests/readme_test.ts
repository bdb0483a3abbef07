/** The programs of the README and of the tasks, copied into an empty directory, print what their comments say. */

import assert from "node:assert/strict";
import { openMemory } from "../mod.ts";
import { TemporaryDirectory } from "./kit/temporary_directory.ts";

const ROOT = new URL("../", import.meta.url);

interface Program {
  readonly heading: string;
  readonly text: string;
}

function readPrograms(document: string): readonly Program[] {
  const programs: Program[] = [];
  let heading = "";
  for (
    const [, words, text] of Deno.readTextFileSync(new URL(document, ROOT)).matchAll(
      /^#+ (.*)$|^```ts$([\s\S]*?)^```$/gm,
    )
  ) {
    if (text === undefined) heading = words!;
    else programs.push({ heading, text });
  }
  return programs;
}

const PROGRAMS = readPrograms("README.md");

const TASKS = [...Deno.readDirSync(new URL("docs/tasks/", ROOT))].map(({ name }) => `docs/tasks/${name}`);

/** The comment on each line that prints; what follows a colon explains it. */
function promisedBy(text: string): readonly string[] {
  return [...text.matchAll(/^console\.log\(.*\); \/\/ ([^:\n]*)/gm)].map(([, printed]) => printed!);
}

Deno.test("Each program of the README's quick start is less than fifteen lines long", () => {
  const quickStart = PROGRAMS.filter(({ heading }) => heading === "Quick start");
  assert.equal(quickStart[0], PROGRAMS[0]);
  for (const { text } of quickStart) assert(text.trim().split("\n").length < 15);
});

Deno.test("The README has at most 12 000 bytes", () => {
  assert(Deno.statSync(new URL("README.md", ROOT)).size <= 12_000);
});

/** Runs a program in a directory as one who has a checkout does; gives what it printed, line by line. */
async function run(
  directory: string,
  text: string,
  permissions: readonly string[],
): Promise<readonly string[]> {
  await Deno.writeTextFile(`${directory}/program.ts`, text);
  const config = new URL("deno.json", ROOT).pathname;
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--no-check", `--config=${config}`, ...permissions, "program.ts"],
    cwd: directory,
    env: { NO_COLOR: "1", TMPDIR: directory },
  }).output();
  const [printed, complaints] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assert.equal(complaints, "");
  return printed!.split("\n").slice(0, -1);
}

function requirePrinted(name: string, text: string): void {
  Deno.test(name, async () => {
    await using directory = await TemporaryDirectory.make();
    const promised = promisedBy(text);
    assert(promised.length > 0);
    assert.deepEqual(await run(directory.path, text, ["-A"]), promised);
  });
}

for (const [at, { heading, text }] of PROGRAMS.entries()) {
  requirePrinted(`Program ${at + 1} of the README, under "${heading}", prints what it says`, text);
}

for (const document of TASKS) {
  for (const { heading, text } of readPrograms(document)) {
    if (promisedBy(text).length === 0) continue; // It asserts instead.
    requirePrinted(`The program under "${heading}" in ${document} prints what it says`, text);
  }
}

Deno.test("The README's quick start resumes from a file and begins anew once it has expired, with its directory alone permitted", async () => {
  await using directory = await TemporaryDirectory.make();
  const text = PROGRAMS[0]!.text.replace(":memory:", "agent.db");
  for (const _ of ["begun", "resumed"]) {
    const printed = await run(directory.path, text, ["--allow-read=.", "--allow-write=."]);
    assert.deepEqual(printed, promisedBy(text));
  }
  const later = text.replace('"agent.db", {', '"agent.db", { clock: () => Date.now() + 7_200_000,');
  assert.notEqual(later, text);
  const afterExpiry = await run(directory.path, later, ["--allow-read=.", "--allow-write=."]);
  assert.deepEqual(afterExpiry, promisedBy(text));
  assert.deepEqual([...Deno.readDirSync(directory.path)].map(({ name }) => name).toSorted(), [
    "agent.db",
    "agent.db.deletions",
    "program.ts",
  ]);
});

/** The README's shell lines, those that go on with a backslash joined. */
const COMMANDS = Deno.readTextFileSync(new URL("README.md", ROOT)).replaceAll("\\\n", "").split("\n");

/** The words of the line that begins so, for this checkout and a directory. */
function wordsOf(beginning: string, directory: string): readonly string[] {
  const line = COMMANDS.find((each) => each.startsWith(beginning));
  assert(line !== undefined, beginning);
  const checkout = new URL(".", ROOT).pathname.replace(/\/$/, "");
  return line.split(" ").filter((word) => word !== "")
    .map((word) => word.replace("CHECKOUT", checkout).replace("DIR", directory));
}

/** Runs Deno in a directory; gives what it printed. */
async function deno(directory: string, args: readonly string[]): Promise<string> {
  const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd: directory,
    env: { NO_COLOR: "1" },
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

Deno.test("A program of one's own runs as the README says, with and without a deno.json of its own", async () => {
  await using directory = await TemporaryDirectory.make();
  const text = PROGRAMS[0]!.text.replace(":memory:", "agent.db");
  await Deno.writeTextFile(directory.file("my.ts"), text);
  const [, , , ...words] = wordsOf("npx -y deno@2.9.6 run ", directory.path);
  const promised = `${promisedBy(text).join("\n")}\n`;
  assert.equal(await deno(directory.path, words), promised);
  const [imports] = COMMANDS.join("\n").match(/"imports": \{ .* \}/)!;
  const mod = new URL("mod.ts", ROOT).href;
  await Deno.writeTextFile(directory.file("deno.json"), `{ ${imports.replace("CHECKOUT/mod.ts", mod)} }`);
  assert.equal(await deno(directory.path, words.filter((word) => !word.startsWith("--config"))), promised);
});

Deno.test({
  name: "The command is run and installed as the README says",
  // There, what is installed is a script of another kind.
  ignore: Deno.build.os === "windows",
  fn: installAndRun,
});

async function installAndRun(): Promise<void> {
  await using directory = await TemporaryDirectory.make();
  await using memory = await openMemory(directory.file("agent.db"));
  await memory.close();
  const [, ...running] = wordsOf("deno run ", directory.path);
  assert.match(await deno(directory.path, running), /^Deletions: 0 deletions recorded/m);
  const [, install, ...installing] = wordsOf("deno install ", directory.path);
  await deno(directory.path, [install!, "--root", directory.path, ...installing]);
  const backup = wordsOf("holdfast backup ", directory.path).slice(1);
  const { success } = await new Deno.Command(directory.file("bin/holdfast"), {
    args: [...backup],
    env: { PATH: `${Deno.execPath().replace(/\/[^/]*$/, "")}:${Deno.env.get("PATH") ?? ""}` },
    stdout: "null",
    stderr: "inherit",
  }).output();
  assert.equal(success, true);
  assert.equal(Deno.statSync(directory.file("monday.backup")).isFile, true);
}
