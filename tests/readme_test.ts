/** The README's programs, copied into an empty directory, print what is written beside them. */

import assert from "node:assert/strict";
import { TemporaryDirectory } from "./kit/temporary_directory.ts";

const ROOT = new URL("../", import.meta.url);

interface Program {
  readonly heading: string;
  readonly text: string;
}

function readPrograms(): readonly Program[] {
  const programs: Program[] = [];
  let heading = "";
  for (
    const [, words, text] of Deno.readTextFileSync(new URL("README.md", ROOT)).matchAll(
      /^## (.*)$|^```ts$([\s\S]*?)^```$/gm,
    )
  ) {
    if (text === undefined) heading = words!;
    else programs.push({ heading, text });
  }
  return programs;
}

const PROGRAMS = readPrograms();

/** What stands beside each line that prints; what follows a colon explains it. */
function promisedBy(text: string): readonly string[] {
  return [...text.matchAll(/^console\.log\(.*\); \/\/ ([^:\n]*)/gm)].map(([, printed]) => printed!);
}

Deno.test("The README's quick start is less than fifteen lines long", () => {
  const [quickStart] = PROGRAMS;
  assert.equal(quickStart?.heading, "Quick start");
  assert(quickStart!.text.trim().split("\n").length < 15);
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

for (const { heading, text } of PROGRAMS) {
  Deno.test(`The program under "${heading}" in the README prints what it says`, async () => {
    await using directory = await TemporaryDirectory.make();
    const promised = promisedBy(text);
    assert(promised.length > 0);
    assert.deepEqual(await run(directory.path, text, ["-A"]), promised);
  });
}

Deno.test("The README's quick start resumes from a file, with its directory alone permitted", async () => {
  await using directory = await TemporaryDirectory.make();
  const text = PROGRAMS[0]!.text.replace(":memory:", "agent.db");
  for (const _ of ["begun", "resumed"]) {
    const printed = await run(directory.path, text, ["--allow-read=.", "--allow-write=."]);
    assert.deepEqual(printed, promisedBy(text));
  }
  assert.deepEqual([...Deno.readDirSync(directory.path)].map(({ name }) => name).toSorted(), [
    "agent.db",
    "agent.db.deletions",
    "program.ts",
  ]);
});
