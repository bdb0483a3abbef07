/** A process that is killed at a named step of a deletion, an expiry or a scrub leaves a store that knows what it did. */

import assert from "node:assert/strict";
import { openMemory } from "@holdfast/memory";
import { ORCHARD, readIds } from "../conversations/samples.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import type { DatabaseDump } from "../kit/store_dump.ts";
import { type Errand, secondOf } from "./doomed.ts";
import { makeImage, REVISION, type StoreImage, StruckStore } from "./struck.ts";

const DOOMED = new URL("./doomed.ts", import.meta.url).pathname;
const CONFIG = new URL("../../deno.json", import.meta.url).pathname;

/** A step, and what must be found after a kill before and after it: the old state or the new one. */
interface Step {
  readonly name: string;
  readonly on: "main" | "ledger";
  readonly sql: string;
  readonly nth?: number;
  readonly before: "old" | "new";
  readonly after: "old" | "new";
}

const RECORDED = { before: "new", after: "new" } as const;
const UNRECORDED = { before: "old", after: "old" } as const;

const TURN_STEPS: readonly Step[] = [
  { name: "1.2 main BEGIN IMMEDIATE", on: "main", sql: "BEGIN IMMEDIATE", ...UNRECORDED },
  { name: "1.5 reserve its message", on: "main", sql: "INSERT INTO floors", ...UNRECORDED },
  { name: "1.5 erase the turn", on: "main", sql: "DELETE FROM turns", ...UNRECORDED },
  { name: "1.5 erase its pin", on: "main", sql: "DELETE FROM pins", ...UNRECORDED },
  { name: "1.5 write the scope", on: "main", sql: "UPDATE scopes", ...UNRECORDED },
  { name: "2.1 ledger BEGIN IMMEDIATE", on: "ledger", sql: "BEGIN IMMEDIATE", ...UNRECORDED },
  { name: "2.3 insert the event", on: "ledger", sql: "INSERT INTO events", ...UNRECORDED },
  { name: "2.3 set count and head", on: "ledger", sql: "UPDATE meta", ...UNRECORDED },
  { name: "2.4 ledger COMMIT", on: "ledger", sql: "COMMIT", before: "old", after: "new" },
  { name: "2.6 copy the event", on: "main", sql: "INSERT INTO deletions", ...RECORDED },
  { name: "2.6 set applied", on: "main", sql: "UPDATE meta", ...RECORDED },
  { name: "2.6 main COMMIT", on: "main", sql: "COMMIT", ...RECORDED },
];

const SCOPE_STEPS: readonly Step[] = [
  { name: "1.5 erase the scope's row", on: "main", sql: "DELETE FROM scopes", ...UNRECORDED },
  { name: "2.4 ledger COMMIT", on: "ledger", sql: "COMMIT", before: "old", after: "new" },
  { name: "2.6 main COMMIT", on: "main", sql: "COMMIT", ...RECORDED },
];

/** An expiry that was not recorded is made anew by the next read: whatever happened, the new state is found. */
const EXPIRY_STEPS: readonly Step[] = [
  { name: "1.5 erase the first turn", on: "main", sql: "DELETE FROM turns", ...RECORDED },
  { name: "1.5 erase the second turn", on: "main", sql: "DELETE FROM turns", nth: 2, ...RECORDED },
  { name: "2.3 insert the first event", on: "ledger", sql: "INSERT INTO events", ...RECORDED },
  { name: "2.3 insert the second event", on: "ledger", sql: "INSERT INTO events", nth: 2, ...RECORDED },
  { name: "2.4 ledger COMMIT", on: "ledger", sql: "COMMIT", ...RECORDED },
  { name: "2.6 copy the second event", on: "main", sql: "INSERT INTO deletions", nth: 2, ...RECORDED },
  { name: "2.6 main COMMIT", on: "main", sql: "COMMIT", nth: 2, ...RECORDED },
];

const SCRUB_STEPS: readonly Step[] = [
  { name: "5.2 create the new table", on: "main", sql: "CREATE TABLE rewritten", ...UNRECORDED },
  { name: "5.2 copy the rows", on: "main", sql: "INSERT INTO rewritten", nth: 2, ...UNRECORDED },
  { name: "5.2 drop the old table", on: "main", sql: "DROP TABLE", ...UNRECORDED },
  { name: "5.2 rename the new one", on: "main", sql: "ALTER TABLE", ...UNRECORDED },
  { name: "5.2 create its index", on: "main", sql: "CREATE INDEX", ...UNRECORDED },
  { name: "5.2 mark it clean", on: "main", sql: "DELETE FROM dirty", ...UNRECORDED },
  { name: "5.3 give back pages", on: "main", sql: "PRAGMA incremental_vacuum", ...UNRECORDED },
  { name: "5.4 empty main's log", on: "main", sql: "PRAGMA wal_checkpoint", ...UNRECORDED },
  { name: "5.4 empty the ledger's log", on: "ledger", sql: "PRAGMA wal_checkpoint", ...UNRECORDED },
];

/** Runs a process until it has killed itself. */
async function kill(errand: Errand): Promise<void> {
  const { signal, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-prompt", "--no-check", `--config=${CONFIG}`, DOOMED, JSON.stringify(errand)],
    stdout: "null",
    stderr: "piped",
  }).output();
  assert.equal(signal, "SIGKILL", new TextDecoder().decode(stderr));
}

let image: Promise<StoreImage> | null = null;

/** A fresh store; for a scrub one whose tables are due for a rewrite. */
async function prepare(call: Errand["call"]): Promise<StruckStore> {
  image ??= makeImage();
  const store = await StruckStore.make(await image);
  if (call === "scrub") await runHonestly(store, "delete turn");
  return store;
}

async function runHonestly(store: StruckStore, call: Errand["call"]): Promise<void> {
  const memory = await store.open(secondOf(call));
  const conversation = memory.conversation(ORCHARD);
  const expectedRevision = REVISION;
  if (call === "delete turn") await conversation.delete({ kind: "turn", key: "t1", expectedRevision });
  else if (call === "delete scope") await conversation.delete({ kind: "scope", expectedRevision });
  else if (call === "expire") await conversation.snapshot();
  else await memory.prune();
  await memory.close();
}

async function killAtSteps(call: Errand["call"], steps: readonly Step[]): Promise<void> {
  const states: Record<"old" | "new", DatabaseDump> = { old: {}, new: {} };
  {
    await using store = await prepare(call);
    states.old = await store.inspect(0);
    await runHonestly(store, call);
    states.new = await store.inspect(secondOf(call));
  }
  const tasks = steps.flatMap((step) => (["before", "after"] as const).map((when) => ({ step, when })));
  const failures: string[] = [];
  const next = async (): Promise<void> => {
    for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
      const { step, when } = task;
      try {
        await killAt(call, step, when, states);
      } catch (error) {
        failures.push(`killed ${when} "${step.name}": ${(error as Error).stack}`);
      }
    }
  };
  await Promise.all([next(), next()]);
  assert.deepEqual(failures, []);
}

async function killAt(
  call: Errand["call"],
  step: Step,
  when: "before" | "after",
  states: Readonly<Record<"old" | "new", DatabaseDump>>,
): Promise<void> {
  await using store = await prepare(call);
  const { on, sql, nth = 1 } = step;
  await kill({ path: store.path, call, on, sql, nth, when });
  const found = await store.inspect(secondOf(call));
  assert.deepEqual(found, states[step[when]]);
  if (call === "scrub") await assertScrubbable(store);
}

async function assertScrubbable(store: StruckStore): Promise<void> {
  const memory = await openMemory(store.path);
  try {
    assert.equal((await memory.prune({ acceptClock: true })).scrub?.complete, true);
    assert.deepEqual((await memory.check()).problems, []);
  } finally {
    await memory.close();
  }
}

Deno.test("A turn's deletion is not recorded or certainly completed wherever its process is killed", async () => {
  await killAtSteps("delete turn", TURN_STEPS);
});

Deno.test("DEL-12 a scope's deletion happens whole or not at all wherever its process is killed", async () => {
  await killAtSteps("delete scope", SCOPE_STEPS);
});

Deno.test("A batch of expiries is seen as one by the next read wherever its process is killed", async () => {
  await killAtSteps("expire", EXPIRY_STEPS);
});

Deno.test("A scrub that is killed anywhere loses no row, and the next one is complete", async () => {
  await killAtSteps("scrub", SCRUB_STEPS);
});

Deno.test("A second process that has the store open completes the deletion of one that was killed", async () => {
  await using store = await prepare("delete turn");
  const memory = await store.open(0);
  try {
    const conversation = memory.conversation(ORCHARD);
    assert.deepEqual(await readIds(conversation), ["t1", "t2", "t3"]);
    await kill({ path: store.path, call: "delete turn", on: "ledger", sql: "COMMIT", nth: 1, when: "after" });
    assert.deepEqual(await readIds(conversation), ["t2", "t3"]);
    const receipt = await conversation.delete({ kind: "turn", key: "t1", expectedRevision: 99 });
    assert.deepEqual([receipt.already, receipt.erased.turns], [true, 1]);
  } finally {
    await memory.close();
  }
});

testThatNothingIsLeftOpen();
