/** A message that was deleted with its turn stays deleted, whatever backup or export is put back (MSG-06). */

import assert from "node:assert/strict";
import { hash } from "node:crypto";
import type { Conversation, Memory, Message } from "../../mod.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { DRIVERS, SCOPE, Shelf } from "./shelf.ts";

const GIVEN = { messageId: "given", role: "user", content: "My door code is 4711." } as const;
const CHOSEN = { role: "assistant", content: "I will not keep it." } as const;

/** Says what is to be deleted; gives the messages as a client keeps them, and their turn. */
async function say(
  conversation: Conversation,
): Promise<{ readonly turnId: string; readonly sent: readonly Message[] }> {
  const { turnId } = await conversation.append([GIVEN, CHOSEN]);
  const turns = await Array.fromAsync(conversation.turns({ last: 1 }));
  return { turnId, sent: turns[0]!.messages };
}

async function erase(conversation: Conversation, turnId: string): Promise<void> {
  await conversation.delete({ kind: "turn", key: turnId, expectedRevision: await conversation.revision() });
}

/** Requires that a client cannot bring the messages back. */
async function assertGone(memory: Memory, sent: readonly Message[]): Promise<void> {
  const conversation = memory.conversation(SCOPE);
  for (const message of sent) {
    await assert.rejects(conversation.append([message]), { code: "CONFLICT", reason: "DELETED" });
  }
  const next: Message = { messageId: "next", role: "user", content: "And now?" };
  const { skipped } = await conversation.append([...sent, next], { onDuplicate: "skip" });
  assert.deepEqual(skipped, sent.map(({ messageId }) => messageId));
}

for (const [journal, driver] of DRIVERS) {
  for (const when of ["before its scope was made", "while the message was there"] as const) {
    Deno.test(`a backup from ${when} brings no deleted message back through a client, with a ${journal}`, async () => {
      await using shelf = await Shelf.make(driver());
      const memory = await shelf.open();
      const conversation = memory.conversation(SCOPE);
      if (when === "before its scope was made") await memory.backup(shelf.at("agent.backup"));
      const { turnId, sent } = await say(conversation);
      if (when !== "before its scope was made") await memory.backup(shelf.at("agent.backup"));
      await erase(conversation, turnId);
      const watermark = await memory.deletionWatermark();
      await memory.close();
      const restored = await shelf.restore("agent.backup", "restored.db", watermark);
      await assertGone(restored, sent);
    });
  }
}

Deno.test("a scope that was deleted after one of its messages leaves nothing, also in a backup that never had it", async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open();
  const conversation = memory.conversation(SCOPE);
  await memory.backup(shelf.at("agent.backup"));
  await erase(conversation, (await say(conversation)).turnId);
  const receipt = await conversation.delete({
    kind: "scope",
    expectedRevision: await conversation.revision(),
  });
  const watermark = await memory.deletionWatermark();
  await memory.close();
  const restored = await shelf.restore("agent.backup", "restored.db", watermark);
  const { valid, remains } = await restored.verifyReceipt(receipt);
  assert.deepEqual({ valid, remains }, { valid: true, remains: {} });
  assert.deepEqual((await restored.check()).problems, []);
});

Deno.test("an import brings no deleted message back, in its own turn or in another", async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open();
  const conversation = memory.conversation(SCOPE);
  const { turnId, sent } = await say(conversation);
  const lines = await Array.fromAsync(memory.exportLines({ includeContent: true }));
  await erase(conversation, turnId);
  const elsewhere = lines.map((line) => line.replaceAll(turnId, "turn-elsewhere"));
  for (const imported of [lines, digested(elsewhere)]) {
    const { refused } = await memory.importLines(imported);
    assert.equal(refused.turns, 1);
  }
  await assertGone(memory, sent);
});

/** Lines with the digest that they have now. */
function digested(lines: readonly string[]): readonly string[] {
  const text = lines.slice(0, -1).join("");
  const digest = hash("sha256", text);
  return [...lines.slice(0, -1), lines.at(-1)!.replace(/"digest":"[0-9a-f]+"/, `"digest":"${digest}"`)];
}

testThatNothingIsLeftOpen();
