/** Labels and erasures that came after a backup or an export: whose something was then does not count. */

import assert from "node:assert/strict";
import { type Memory, openMemory, restoreMemory } from "@holdfast/memory";
import { factAt, factOf } from "../../src/testing/records/record_samples.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";

const TENANT = "orchard";
const SESSIONS = ["became hers", "was hers", "always hers", "nobody's"];

/** Four sessions and records; the first becomes Gwen's after the copy, the second ceases to be hers. */
async function fill(memory: Memory): Promise<void> {
  for (const [at, sessionId] of SESSIONS.entries()) {
    const whose = at === 1 || at === 2 ? { subject: "gwen" } : {};
    const content = `secret ${sessionId}`;
    await memory.conversation({ tenantId: TENANT, sessionId }).append([{ role: "user", content }], whose);
    await memory.records.put(factAt(`r${at}`), factOf(content), {
      expectedRevision: null,
      ttl: 600,
      ...whose,
    });
  }
}

async function changeHands(memory: Memory): Promise<void> {
  for (const [at, subject] of [[0, "gwen"], [1, "owen"]] as const) {
    await memory.conversation({ tenantId: TENANT, sessionId: SESSIONS[at]! }).describe({ subject });
    await memory.records.label(factAt(`r${at}`), subject);
  }
}

const LEFT = ["nobody's", "was hers"];

async function requireLeft(memory: Memory): Promise<void> {
  const { items } = await memory.sessions(TENANT, { order: "id" });
  assert.deepEqual(items.map(({ sessionId }) => sessionId), LEFT);
  const { items: records } = await memory.records.list(TENANT);
  assert.deepEqual(records.map(({ key }) => key), ["r1", "r3"]);
  assert.deepEqual(
    (await memory.sessions(TENANT, { subject: "owen" })).items.map(({ sessionId }) => sessionId),
    [
      "was hers",
    ],
  );
  assert.deepEqual((await memory.check()).problems, []);
}

Deno.test("OPS-02 A restore erases by whose something was when it was erased, not when it was backed up", async () => {
  await using directory = await TemporaryDirectory.make();
  const memory = await openMemory(directory.file("agent.db"));
  await fill(memory);
  await memory.backup(directory.file("early.backup"));
  await changeHands(memory);
  const receipt = await memory.erase({ tenantId: TENANT, subject: "gwen" });
  await requireLeft(memory);
  const watermark = await memory.deletionWatermark();
  await memory.close();
  const options = { deletionPath: directory.file("agent.db.deletions"), watermark };
  await using restored = await restoreMemory(
    directory.file("early.backup"),
    directory.file("new.db"),
    options,
  );
  await requireLeft(restored);
  assert.equal((await restored.verifyReceipt(receipt)).valid, true);
  const bytes = new TextDecoder("latin1").decode(Deno.readFileSync(directory.file("new.db")));
  for (const session of SESSIONS) {
    assert.equal(bytes.includes(`secret ${session}`), LEFT.includes(session), session);
  }
  // The backup knew him by no name, and the ledger knows hashes alone: lines say who it is all the same.
  const lines = await Array.fromAsync(restored.exportLines({ includeContent: true }));
  await restored.erase({ tenantId: TENANT, subject: "owen" });
  const { refused } = await restored.importLines(lines);
  assert.deepEqual([refused.scopes, refused.turns, refused.records], [1, 1, 1]);
  assert.deepEqual((await restored.sessions(TENANT)).items.map(({ sessionId }) => sessionId), ["nobody's"]);
});

Deno.test("OPS-02 An import refuses what was erased since by whose it was then, and says whose the rest is now", async () => {
  await using memory = await openMemory(":memory:");
  await fill(memory);
  const lines = await Array.fromAsync(memory.exportLines({ includeContent: true }));
  await changeHands(memory);
  await memory.erase({ tenantId: TENANT, subject: "gwen" });
  const { refused, imported, unchanged } = await memory.importLines(lines);
  assert.deepEqual([refused.scopes, refused.turns, refused.records], [2, 2, 2]);
  assert.deepEqual([imported.scopes, unchanged.scopes + unchanged.records > 0], [0, true]);
  await requireLeft(memory);
});

Deno.test("Lines bring sessions with their times, titles and people into another store", async () => {
  await using memory = await openMemory(":memory:");
  await fill(memory);
  await memory.conversation({ tenantId: TENANT, sessionId: "nobody's" }).describe({
    title: "Order 7",
    metadata: { a: 1 },
  });
  const lines = await Array.fromAsync(memory.exportLines({ includeContent: true }));
  await using other = await openMemory(":memory:");
  await other.importLines(lines);
  const described = async (store: Memory) =>
    (await store.sessions(TENANT)).items.map(({ revision: _, ...rest }) => rest);
  assert.deepEqual(await described(other), await described(memory));
  const again = await Array.fromAsync(other.exportLines({ includeContent: true }));
  const isContent = (line: string): boolean => !/^\{"type":"(header|end|mark)"/.test(line);
  assert.deepEqual(again.filter(isContent), lines.filter(isContent));
  assert.equal((await other.erase({ tenantId: TENANT, subject: "gwen" })).erased.sessions, 2);
});

testThatNothingIsLeftOpen();
