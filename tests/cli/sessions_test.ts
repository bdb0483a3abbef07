/** The commands on sessions: `sessions`, `tail` and `erase`. */

import assert from "node:assert/strict";
import { type Memory, openMemory } from "../../mod.ts";
import { holdfast, printed, value } from "./collected.ts";
import { IN_SCOPE, SCOPE, StoredFile } from "./stored.ts";

const GWEN = "gwen@example.org";

/** Two sessions, one of a person and with a title. */
async function fillSessions(memory: Memory): Promise<void> {
  const content = "The door code is 4711.";
  await memory.conversation(SCOPE).append([{ role: "user", content }], { subject: GWEN });
  await memory.conversation(SCOPE).append([{ role: "assistant", content: "Noted." }]);
  await memory.conversation(SCOPE).describe({ title: "Door codes" });
  await memory.conversation({ ...SCOPE, sessionId: "ticket-8" }).append([{
    role: "user",
    content: "Hello.",
  }]);
}

Deno.test("sessions lists a tenant's sessions, and what is said of them only on request", async () => {
  await using store = await StoredFile.make(fillSessions);
  const words = ["sessions", store.path, "--tenant", "acme"];
  const output = await printed(...words);
  assert.match(output, /ticket-8 [^]*ticket-7 /);
  assert.match(output, /^2 sessions\.$/m);
  const { sessions } = await value(...words, "--by-id");
  assert.deepEqual(sessions.map(({ sessionId }: { sessionId: string }) => sessionId), [
    "ticket-7",
    "ticket-8",
  ]);
  for (const shown of [output, JSON.stringify(sessions)]) {
    assert(!shown.includes("Door") && !shown.includes("gwen"));
  }
  const whole = await printed(...words, "--show-content", "--subject", GWEN, "--limit", "1");
  assert.match(whole, /^ticket-7 +2 .* Door codes +gwen@example\.org$/m);
  assert.match(whole, /^1 session\.$/m);
  const { sessions: [only] } = await value(...words, "--show-content", "--subject", GWEN);
  assert.deepEqual([only.title, only.subject], ["Door codes", GWEN]);
});

Deno.test("tail shows the newest turns, and what was said only on request", async () => {
  await using store = await StoredFile.make(fillSessions);
  const words = ["tail", store.path, ...IN_SCOPE];
  const output = await printed(...words);
  assert.match(
    output,
    /^turn .*, revision 1, 20.*\n {3}user, 22 characters\nturn .*\n {3}assistant, 6 characters$/m,
  );
  const json = await value(...words);
  assert.deepEqual(json.turns.length, 2);
  for (const shown of [output, JSON.stringify(json)]) assert(!shown.includes("4711"));
  assert.match(await printed(...words, "--show-content", "--turns", "1"), /Noted\./);
  const { turns: [last] } = await value(...words, "--show-content", "--turns", "1");
  assert.equal(last.messages[0].content, "Noted.");
});

Deno.test("erase shows what it would erase; with --yes it erases, and prints a receipt that verifies", async () => {
  await using store = await StoredFile.make(fillSessions);
  const words = ["erase", store.path, "--tenant", "acme", "--subject", GWEN];
  assert.match(
    await printed(...words),
    /^Would erase: 1 session, 2 turns, all that lies under them, and records\.$/m,
  );
  assert.match(
    await printed("erase", store.path, "--tenant", "other"),
    /^Would erase: no sessions, and what there is of records\.$/m,
  );
  assert.deepEqual(await value(...words), { done: false, erases: { sessions: 1, turns: 2 } });
  const { code, output, errors } = await holdfast(...words, "--scrub", "--yes");
  assert.equal(code, 0, errors);
  Deno.writeTextFileSync(store.at("receipt.json"), output);
  assert.match(errors, /^Erased: 1 session, 2 turns\. Keep the receipt\.$/m);
  const verify = ["verify", store.path, store.at("receipt.json"), "--tenant", "acme"];
  assert.match(await printed(...verify, "--subject", GWEN), /^The receipt is valid\.$/m);
  assert.equal((await holdfast(...verify, "--subject", "owen")).code, 1);
  assert(!new TextDecoder("latin1").decode(Deno.readFileSync(store.path)).includes("4711"));
  await using memory = await openMemory(store.path);
  assert.deepEqual((await memory.sessions("acme")).items.map(({ sessionId }) => sessionId), ["ticket-8"]);
});
