/** The published suites, as the author of an engine meets them: with ten lines, and with no help from our own kit. */

import assert from "node:assert/strict";
import { test as nodeTest } from "node:test";
import { nodeSqlite, openMemory, type SqliteDriver } from "@holdfast/memory";
import {
  conformance,
  type SuiteName,
  type TestBackups,
  type TestEngine,
  type TestRunner,
} from "@holdfast/memory/testing";
import { loseInserts } from "../kit/lossy_driver.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";

const ROOT = new URL("../../", import.meta.url);
const PAGE = "docs/tasks/test-an-engine.md";

/** What a runner was given. */
interface Registered {
  readonly title: string;
  readonly body: () => Promise<void>;
}

/** A store in memory, and nothing that an engine may leave out. */
function bareEngine(name: string, driver: SqliteDriver): TestEngine {
  return {
    name,
    durable: false,
    make: () =>
      Promise.resolve({
        open: (options) => openMemory(":memory:", { ...options, driver }),
        remove: () => Promise.resolve(),
      }),
  };
}

/** What the suites register for an engine. */
function register(
  engine: TestEngine,
  suites?: readonly SuiteName[],
): { tests: readonly Registered[]; ignored: readonly string[] } {
  const tests: Registered[] = [];
  const ignored: string[] = [];
  const test = Object.assign((title: string, body: () => Promise<void>) => tests.push({ title, body }), {
    skip: (title: string) => ignored.push(title),
  });
  conformance({ test, engine, suites });
  return { tests, ignored };
}

/** The titles of tests that fail. */
async function failuresOf(tests: readonly Registered[]): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const { title, body } of tests) await body().catch(() => failed.push(title));
  return failed;
}

Deno.test("An engine that offers nothing but opening passes the published suites", async () => {
  // Those of which most tests look at rows: what they see is read through the engine.
  const suites = ["records", "deletion", "receipts", "lines"] as const;
  const { tests } = register(bareEngine("bare", nodeSqlite), suites);
  assert.deepEqual(await failuresOf(tests), []);
});

Deno.test("What an engine cannot do is ignored under the name of the promise", () => {
  const { ignored } = register(bareEngine("bare", nodeSqlite));
  assert(ignored.includes("Opening and closing changes no cell [bare: not durable]"));
  assert(
    ignored.includes(
      "An id that was deleted after the backup stays reserved in the restored store [bare: no backups]",
    ),
  );
  assert(
    ignored.includes(
      "Of 64 concurrent puts one that the database refuses fails alone [bare: cannot refuse changes]",
    ),
  );
  const backups: TestBackups = { path: () => "", restore: () => Promise.reject() };
  const bare = bareEngine("able", nodeSqlite);
  const all = register({ ...bare, durable: true, refuse: () => Promise.reject(), backups });
  assert.deepEqual(all.ignored, []);
});

Deno.test("An engine that loses one record in fifty fails the suites, and not one test alone", async () => {
  const { tests } = register(bareEngine("lossy", loseInserts(nodeSqlite, "records", 50)), ["records"]);
  const failed = await failuresOf(tests);
  assert(failed.includes("Five hundred concurrent puts all survive, in call order [lossy]"));
  assert(failed.length > 1, failed.join("\n"));
});

Deno.test("Deno's runner and that of Node register the suites", () => {
  const runners: readonly TestRunner[] = [Deno.test, nodeTest];
  assert.deepEqual(runners.map((test) => typeof (test.ignore ?? test.skip)), ["function", "function"]);
});

Deno.test(`The program of ${PAGE} runs as it stands: a driver in files passes`, async () => {
  await using directory = await TemporaryDirectory.make();
  const [, program] = /^```ts ignore$([\s\S]*?)^```$/m.exec(await Deno.readTextFile(new URL(PAGE, ROOT)))!;
  await Deno.writeTextFile(directory.file("engine_test.ts"), program!);
  await Deno.writeTextFile(
    directory.file("my_driver.ts"),
    'export { nodeSqlite as myDriver } from "@holdfast/memory";',
  );
  const { stdout, success } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["test", "--no-prompt", "--no-check", `--config=${new URL("deno.json", ROOT).pathname}`],
      ...["--allow-read", "--allow-write", "--filter=/worked example|reopen/", "engine_test.ts"],
    ],
    cwd: directory.path,
    env: { NO_COLOR: "1" },
  }).output();
  const output = new TextDecoder().decode(stdout);
  assert(success, output);
  assert.match(output, /^ok \| \d+ passed \| 0 failed/m);
});

testThatNothingIsLeftOpen();
