/** Every example runs with exactly the permissions that it names, prints what it promises, and leaves nothing behind. */

import assert from "node:assert/strict";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";

const EXAMPLES = new URL("../../examples/", import.meta.url);
const CONFIG = new URL("../../deno.json", import.meta.url).pathname;

/** The permissions that an example says it needs; each is bounded. */
function permissionsOf(name: string): readonly string[] {
  const text = Deno.readTextFileSync(new URL(name, EXAMPLES));
  const flags = new RegExp(`deno run (--[^` + "`" + `]*) examples/${name}`).exec(text)?.[1]?.split(" ") ?? [];
  assert(flags.includes("--allow-read=.demo") && flags.includes("--allow-write=.demo"));
  assert(
    flags.every((flag) => /^--allow-(read|write|run|net)=\S+$/.test(flag)),
    `${name}: ${flags.join(" ")}`,
  );
  return flags;
}

/** Runs an example in an empty directory; resolves to its output. */
async function runExample(name: string, permissions: readonly string[] = permissionsOf(name)): Promise<{
  readonly code: number;
  readonly printed: readonly string[];
  readonly complaints: string;
  readonly left: readonly string[];
}> {
  await using directory = await TemporaryDirectory.make();
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      "--no-check",
      `--config=${CONFIG}`,
      ...permissions,
      new URL(name, EXAMPLES).pathname,
    ],
    cwd: directory.path,
    env: { NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  const left = [...Deno.readDirSync(directory.path)].map((entry) => entry.name);
  const printed = decoder.decode(stdout).split("\n").slice(0, -1);
  return { code, printed, complaints: decoder.decode(stderr), left };
}

async function printedBy(name: string): Promise<readonly string[]> {
  const { code, printed, complaints, left } = await runExample(name);
  assert.deepEqual({ code, complaints, left }, { code: 0, complaints: "", left: [] });
  return printed;
}

/** The numbered ones; what has no number is part of one. */
const NAMES = [...Deno.readDirSync(EXAMPLES)].map(({ name }) => name).filter((name) => /^\d/.test(name))
  .sort();

for (const name of NAMES) {
  Deno.test(`The example ${name} names its permissions, needs no more, and leaves nothing behind`, async () => {
    assert((await printedBy(name)).length > 5);
  });
}

Deno.test("The example of a budget counts a hit as left out only if that very chunk is not in the context", async () => {
  const hits = (await printedBy("04_budgeted_context.ts")).filter((line) => line.includes("further hits"));
  assert.deepEqual(hits.map((line) => /\d+ of \d+/.exec(line)?.[0]), ["8 of 12", "4 of 12"]);
});

Deno.test("The example of a harness resumes, rejects, isolates, expires and forgets", async () => {
  assert.deepEqual(await printedBy("01_harness_state.ts"), [
    "resumed step: 1",
    "stale write: rejected",
    "other tenant: None",
    "at expiry: None",
    "expired rows purged: 1",
    "checkpoint forgotten: True",
    "remaining rows: 0",
  ]);
});

Deno.test("The example of a conversation keeps a chat across a reopen and prints it readably", async () => {
  assert.deepEqual(await printedBy("02_conversation.ts"), [
    "-- the process ends, another one begins --",
    "kept: 2 turns, 1 pin (Answer in one sentence.)",
    "[2026-03-02 09:01]",
    "  user: Which orders were shipped?",
    "  assistant: The lamps, on 1 March.",
    "[2026-03-02 09:02]",
    "  user: And the desks?",
    "  assistant: Not yet; customs still holds them.",
    "[2026-03-03 09:03]",
    "  user: Are they through customs now?",
    "  assistant: Yes, the desks can be shipped today.",
    "summary: Lamps shipped 1 March; desks today.",
    "printed, a snapshot shows its text: false",
    "the file is small: true",
  ]);
});

Deno.test("The example of a deletion finds the secret before, nothing after a scrub, and says what remains without", async () => {
  const printed = await printedBy("03_prove_a_deletion.ts");
  const [before, ...after] = printed.slice(1, 6);
  assert.match(before!, /^search before the deletion: still in agent\.db/);
  assert.deepEqual(after, [
    "erased: 1 turn, 1 pin, 1 summary, 1 replay",
    "receipt: verified",
    "search after the deletion: nothing (6 files)",
    "search after closing: nothing (2 files)",
  ]);
  const unscrubbed = printed.slice(7);
  assert.match(unscrubbed[0]!, /^search before the deletion: still in agent\.db/);
  assert.deepEqual(unscrubbed.slice(1, 3), [
    "erased: 1 turn, 1 pin, 1 summary, 1 replay",
    "receipt: verified",
  ]);
  assert.match(unscrubbed[3]!, /^search after the deletion: still in agent\.db/);
  assert.match(unscrubbed[4]!, /^search after closing: (nothing|still in agent\.db) \(2 files\)$/);
});

Deno.test("The example of two workers loses no check, and the slower one rereads", async () => {
  const printed = await printedBy("05_two_workers.ts");
  assert.match(printed[0]!, /^(build|lint): read revision 1, but it is 2 by now; again$/);
  assert.deepEqual(printed.slice(1), [
    "checks: build, lint",
    "revision: 3",
    "with update: build, lint, sign, test",
    "revision: 5",
    "intact: true",
  ]);
});

Deno.test("The example of kills finds every write that was acknowledged", async () => {
  const [kills, acknowledged, found, ...rest] = await printedBy("06_killed_at_random.ts");
  assert.equal(kills, "kills: 8");
  const count = Number(/^writes that were acknowledged: (\d+)$/.exec(acknowledged!)![1]);
  assert(count >= 8);
  assert.equal(found, `of these found: ${count}`);
  assert.deepEqual(rest, ["acknowledged twice: 0", "written twice: 0", "intact: true"]);
});

Deno.test("The example of tenants behind HTTP keeps them apart, whatever a request says", async () => {
  assert.deepEqual(await printedBy("07_many_tenants.ts"), [
    "revision: 1",
    "retried: 1",
    "another tenant's: 1",
    'acme finds: ["Build 40 is deployed."]',
    'globex finds: ["Build 9 is deployed."]',
    "nowhere finds: Who are you?",
    "at once: 40 revisions up to 41",
  ]);
});

Deno.test("The example of a move imports once, and never what was deleted", async () => {
  assert.deepEqual(await printedBy("08_move_a_conversation.ts"), [
    "lines: 6",
    "first import: 2 turns and 1 pin imported, 0 turns unchanged, 0 refused",
    "equal to the byte: true",
    "second import: 0 turns and 0 pins imported, 2 turns unchanged, 0 refused",
    "the first turn is deleted",
    "third import: 0 turns and 0 pins imported, 1 turn unchanged, 1 refused",
    "an export without content holds text: false",
  ]);
});

Deno.test("Without the permission to write an example stops at once and names the flag", async () => {
  const { code, printed, complaints, left } = await runExample("01_harness_state.ts", ["--allow-read=.demo"]);
  assert.notEqual(code, 0);
  assert.deepEqual([printed, left], [[], []]);
  assert.match(complaints, /--allow-write/);
});

for (const name of NAMES) {
  for (const lacking of ["read", "write"]) {
    Deno.test(`The example ${name} without its permission to ${lacking} names the flag, and no error of its clearing up (EX-01)`, async () => {
      const permissions = permissionsOf(name).filter((flag) => flag !== `--allow-${lacking}=.demo`);
      const { code, complaints } = await runExample(name, permissions);
      assert.notEqual(code, 0);
      assert.match(complaints, new RegExp(`run Deno with --allow-${lacking}=`));
      assert.doesNotMatch(complaints, /NotFound|NotCapable: Requires write access to "\\.demo"/);
    });
  }
}
