/** A process that works on a journal is killed again and again. `HOLDFAST_LONG=1` kills more. */

import assert from "node:assert/strict";
import { openMemory } from "@holdfast/memory";
import { Seeded } from "../model/records/seeded.ts";
import { journalCalls, type JournalErrand, type JournalLine } from "./journal_script.ts";
import { type Moment, runProgram } from "./kill.ts";
import type { Strike } from "./strike.ts";

const LONG = Deno.env.get("HOLDFAST_LONG") === "1";
const SEED = Number(Deno.env.get("HOLDFAST_CRASH_SEED") ?? Date.now() % 1_000_000);
const RANDOM_KILLS = LONG ? 400 : 8;
const CHILD = new URL("./journal_child.ts", import.meta.url).pathname;
const ORCHARD = { tenantId: "orchard", sessionId: "spring" };

/** The statements at which it dies, before and after each. */
const STEPS: readonly (readonly [on: "main" | "ledger", what: string])[] = [
  ["main", "INSERT INTO journal_entries"],
  ["main", "DELETE FROM journal_entries"],
  ["main", "UPDATE journals"],
  ["main", "COMMIT"],
  ["ledger", "INSERT INTO events"],
  ["ledger", "COMMIT"],
  ["main", "INSERT INTO deletions"],
];

Deno.test(`A journal survives ${2 * STEPS.length + RANDOM_KILLS} kills with exactly the calls that were acknowledged, and the one in hand whole or not at all`, async () => {
  const seeded = new Seeded(SEED);
  const directory = Deno.makeTempDirSync({ prefix: "holdfast-crash-" });
  const path = `${directory}/agent.db`;
  const deaths: readonly (readonly [Strike | null, Moment<JournalLine> | null])[] = seeded.shuffled([
    ...STEPS.flatMap(([on, what]) =>
      (["before", "after"] as const).map((when) =>
        [{ on, what, nth: seeded.integer(1, 3), when }, null] as const
      )
    ),
    ...Array.from(
      { length: RANDOM_KILLS },
      () => [null, { lines: seeded.integer(2, 80), delayMs: seeded.integer(0, 80) / 10 }] as const,
    ),
  ]);
  let [held, next, kills, applied]: [readonly number[], number, number, number] = [[], 0, 0, 0];
  try {
    for (const [strike, moment] of deaths) {
      const errand: JournalErrand = { path, seed: seeded.integer(0, 2 ** 31), held, next, strike };
      const { lines, signal } = await runProgram<JournalLine>(CHILD, errand, moment);
      if (signal === "SIGKILL") kills++;
      const done = lines.filter(({ type }) => type === "done").length;
      const states = [{ after: held, next }, ...journalCalls(errand).take(done + 1)];
      await using memory = await openMemory(path);
      const found = await Array.fromAsync(memory.journal(ORCHARD).read(), ({ json }) => json as number);
      const state = states.slice(-2).findLast(({ after }) => JSON.stringify(after) === JSON.stringify(found));
      const where = `seed ${SEED}, ${JSON.stringify({ strike, moment })}`;
      assert(state !== undefined, `${where}: ${JSON.stringify([found, ...states.slice(-2)])}`);
      if (state === states.at(-1)) applied++;
      held = found;
      next = states.at(-1)!.next;
      assert.deepEqual((await memory.check()).problems, [], where);
    }
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
  assert.ok(kills >= 2 * STEPS.length, `${kills} kills`);
  assert.ok(applied > 0 && applied < deaths.length, `${applied} applied`);
});
