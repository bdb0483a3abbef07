/** A process that is killed within a transaction leaves all of it or nothing (OPS-04). */

import assert from "node:assert/strict";
import { type Memory, openMemory } from "@holdfast/memory";

const STEPS = [
  ...[
    "BEGIN IMMEDIATE",
    "INSERT INTO scopes",
    "INSERT INTO turns",
    "INSERT INTO pins",
    "INSERT INTO records",
  ],
  ...["INSERT INTO operations", "UPDATE meta", "COMMIT"],
];

async function runChild(path: string, name: string, strike: unknown): Promise<string | null> {
  const child = new URL("killed_child.ts", import.meta.url).pathname;
  const args = ["run", "-A", "--no-prompt", "--no-check", child, path, name, JSON.stringify(strike)];
  return (await new Deno.Command(Deno.execPath(), { args, stderr: "inherit" }).output()).signal;
}

/** How many of the transaction's parts are there. */
async function partsOf(memory: Memory, name: string): Promise<number> {
  const { scopes } = await memory.inspect();
  const found = scopes.find(({ scope }) => scope.sessionId === name);
  const pins = found === undefined
    ? 0
    : (await memory.conversation({ tenantId: "acme", sessionId: name }).snapshot()).pins.length;
  const records = await Promise.all(
    ["first", "second"].map((key) =>
      memory.records.get({ tenantId: "acme", kind: "checkpoint", key: `${name}-${key}` })
    ),
  );
  return (found?.turns ?? 0) + pins + records.filter((record) => record !== null).length;
}

Deno.test("A kill at any named step of a transaction leaves all of it or nothing (OPS-04)", async () => {
  const directory = Deno.makeTempDirSync({ prefix: "holdfast-transaction-" });
  try {
    const path = `${directory}/agent.db`;
    assert.equal(await runChild(path, "whole", null), null);
    for (const [number, what] of STEPS.entries()) {
      for (const when of ["before", "after"]) {
        const name = `kill-${number}-${when}`;
        const signal = await runChild(path, name, { on: "main", what, nth: 1, when });
        assert.equal(signal, "SIGKILL", `${when} ${what}`);
        await using memory = await openMemory(path);
        const isCommitted = what === "COMMIT" && when === "after";
        assert.equal(await partsOf(memory, name), isCommitted ? 4 : 0, `${when} ${what}`);
        assert.equal(await partsOf(memory, "whole"), 4);
        assert.equal((await memory.check()).ok, true, `${when} ${what}`);
      }
    }
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
});
