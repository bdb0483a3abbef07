/** A process that erases a person is killed at every named step: the erasure is whole afterwards, or did not begin. */

import assert from "node:assert/strict";
import { type Memory, openMemory } from "@holdfast/memory";
import { factAt, factOf } from "../../src/testing/records/record_samples.ts";
import type { EraseErrand, EraseLine } from "./erase_child.ts";
import { runProgram } from "./kill.ts";

const CHILD = new URL("./erase_child.ts", import.meta.url).pathname;
const SESSIONS = 70; // more than one group drains

/** The statements at which it dies, before and after each; and from which on the erasure is certain. */
const STEPS: readonly (readonly [on: "main" | "ledger", what: string, nth: number, certain: boolean])[] = [
  ["main", "INSERT INTO draining_scopes", 1, false],
  ["main", "DELETE FROM scopes", 1, false],
  ["main", "DELETE FROM records", 1, false],
  ["ledger", "INSERT INTO events", 1, false],
  ["ledger", "COMMIT", 1, false],
  ["main", "INSERT INTO deletions", 1, true],
  ["main", "COMMIT", 1, true],
  ["main", "DELETE FROM turns", 1, true],
  ["main", "DELETE FROM draining_scopes", 1, true],
  ["main", "COMMIT", 2, true],
  ["main", "COMMIT", 3, true],
];

async function fill(memory: Memory, subject: string): Promise<void> {
  const append = async (number: number): Promise<void> => {
    const scope = { tenantId: "orchard", sessionId: `${subject} ${number}` };
    await memory.conversation(scope).append([{ role: "user", content: `secret of ${subject}` }], { subject });
  };
  await Promise.all(Array.from({ length: SESSIONS }, (_, number) => append(number)));
  await memory.records.put(factAt(subject), factOf("x"), { expectedRevision: null, ttl: 86_400, subject });
}

Deno.test(`OPS-02 An erasure survives ${2 * STEPS.length} kills: all of a person goes, or nothing went`, async () => {
  const directory = Deno.makeTempDirSync({ prefix: "holdfast-crash-" });
  const path = `${directory}/agent.db`;
  let [kills, erased] = [0, 0];
  try {
    for (const [on, what, nth, certain] of STEPS) {
      for (const when of ["before", "after"] as const) {
        const subject = `person-${kills}`;
        {
          await using memory = await openMemory(path);
          await fill(memory, subject);
        }
        const errand: EraseErrand = { path, subject, strike: { on, what, nth, when } };
        const { lines, signal } = await runProgram<EraseLine>(CHILD, errand, null);
        const where = `${when} ${on} ${what} ${nth}`;
        assert.deepEqual([signal, lines.length], ["SIGKILL", 1], where);
        kills++;
        await using memory = await openMemory(path);
        const { items } = await memory.sessions("orchard", { subject, limit: 500 });
        const record = await memory.records.get(factAt(subject));
        const isGone = items.length === 0;
        assert([0, SESSIONS].includes(items.length), where);
        assert.equal(record === null, isGone, where);
        if (certain || (what === "COMMIT" && when === "after")) assert(isGone, where);
        if (isGone) erased++;
        await memory.prune();
        const bytes = ["", "-wal"].map((suffix) =>
          new TextDecoder("latin1").decode(readIfThere(path + suffix))
        );
        assert.equal(bytes.some((text) => text.includes(`secret of ${subject}`)), !isGone, where);
        assert.deepEqual((await memory.check()).problems, [], where);
      }
    }
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
  assert(erased > 0 && erased < kills, `${erased} of ${kills}`);
});

function readIfThere(path: string): Uint8Array {
  try {
    return Deno.readFileSync(path);
  } catch {
    return new Uint8Array();
  }
}
