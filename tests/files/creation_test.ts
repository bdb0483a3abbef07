import assert from "node:assert/strict";
import { forgetEpoch, stamp, stampByHalf } from "./altered_files.ts";
import { HAS_MODES, Scratch } from "./scratch.ts";
import { DATABASES } from "./store_names.ts";
import { assertRefused, assertUsable, makeStore } from "./stored.ts";

/** A finished store that its ledger does not name yet. */
async function makeWithoutEpoch(scratch: Scratch): Promise<void> {
  await makeStore(scratch.at("agent.db"), { facts: 0 });
  forgetEpoch(scratch.at("agent.db.deletions"));
}

const PREFIXES: readonly (readonly [what: string, leave: (scratch: Scratch) => void | Promise<void>])[] = [
  ["an empty ledger", (scratch) => void scratch.write("agent.db.deletions")],
  ["a stamped ledger", (scratch) => stamp(scratch.write("agent.db.deletions"), "agent.db.deletions")],
  ["a ledger stamped by half", (scratch) => stampByHalf(scratch.write("agent.db.deletions"))],
  ["a ledger with its schema", async (scratch) => {
    await makeWithoutEpoch(scratch);
    Deno.removeSync(scratch.at("agent.db"));
  }],
  ["a ledger with its schema, and an empty main", async (scratch) => {
    await makeWithoutEpoch(scratch);
    Deno.truncateSync(scratch.at("agent.db"));
  }],
  ["a ledger with its schema, and a stamped main", async (scratch) => {
    await makeWithoutEpoch(scratch);
    Deno.removeSync(scratch.at("agent.db"));
    stamp(scratch.write("agent.db"), "agent.db");
  }],
  ["a ledger with its schema, and a main stamped by half", async (scratch) => {
    await makeWithoutEpoch(scratch);
    Deno.removeSync(scratch.at("agent.db"));
    stampByHalf(scratch.write("agent.db"));
  }],
  ["both schemas, and no epoch in the ledger", makeWithoutEpoch],
  ["an empty main alone", (scratch) => void scratch.write("agent.db")],
  ["two empty files", (scratch) => DATABASES.forEach((name) => scratch.write(name))],
];

for (const [what, leave] of PREFIXES) {
  Deno.test(`a creation that left ${what} is finished by the next opening`, async () => {
    using scratch = new Scratch();
    await leave(scratch);
    await assertUsable(scratch.at("agent.db"), { facts: 0 });
    if (HAS_MODES) assert.deepEqual(scratch.modes(), { "agent.db": "0600", "agent.db.deletions": "0600" });
  });
}

const SEEN_READ_ONLY = [
  "an empty ledger",
  "a ledger with its schema",
  "both schemas, and no epoch in the ledger",
];

for (const [what, leave] of PREFIXES.filter(([what]) => SEEN_READ_ONLY.includes(what))) {
  Deno.test(`a creation that left ${what} cannot be opened read-only, and stays as it is`, async () => {
    using scratch = new Scratch();
    await leave(scratch);
    const before = scratch.digests();
    await assertRefused(scratch.at("agent.db"), "READONLY", { readOnly: true });
    const after = scratch.digests();
    for (const name of Object.keys(before)) assert.equal(after[name], before[name]);
    await assertUsable(scratch.at("agent.db"), { facts: 0 });
  });
}

Deno.test("opening read-only creates no store", async () => {
  using scratch = new Scratch();
  await assertRefused(scratch.at("agent.db"), "READONLY", { readOnly: true });
  assert.deepEqual(scratch.names(), []);
});
