/** Pins that are taken off: with a receipt, and so that their keys can be used again. */

import assert from "node:assert/strict";
import type { Conversation } from "../../../mod.ts";
import { atNoon, erase, ORCHARD, pinOf, pinUp, talk } from "../kit/conversation_samples.ts";
import type { Suite } from "../kit/suite.ts";

async function pinned(
  conversation: Conversation,
): Promise<readonly (readonly [key: string, value: string, revision: number])[]> {
  const { pins } = await conversation.snapshot();
  return pins.map(({ key, value, revision }) => [key, value, revision]);
}

export function testUnpinning({ promise, durable, restoring, makeStore }: Suite): void {
  durable(
    "OPS-01 a key is taken off and pinned again, with the next revision, also after a reopen",
    async (store) => {
      const memory = await store.open(atNoon());
      const conversation = await talk(memory, ["t1"]);
      await pinUp(conversation, pinOf("language", "Welsh"));
      const first = await conversation.unpin("language");
      assert.deepEqual([first.kind, first.reserved, first.erased.pins], ["pin", false, 1]);
      assert.deepEqual(await pinned(conversation), []);
      await pinUp(conversation, pinOf("language", "Breton"));
      assert.equal((await memory.verifyReceipt(first)).valid, true, "the newer one is no remainder");
      await memory.close();
      const again = await store.open(atNoon());
      const there = again.conversation(ORCHARD);
      assert.deepEqual(await pinned(there), [["language", "Breton", 2]]);
      const second = await there.unpin("language", { expectedRevision: await there.revision(), scrub: true });
      for (const receipt of [first, second]) {
        assert.equal((await again.verifyReceipt(receipt, { ...ORCHARD, key: "language" })).valid, true);
      }
      await pinUp(there, pinOf("language", "Cornish"));
      await erase(there, "pin", "language");
      await assert.rejects(there.unpin("language"), { code: "CONFLICT", reason: "DELETED" });
      assert.equal((await again.verifyReceipt(first)).valid, true);
    },
  );

  promise(
    "Taking off a pin that is not there changes nothing, and neither does another revision",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), ["t1"]);
      await pinUp(conversation, pinOf("language", "Welsh"));
      await store.assertChangesNothing(() => conversation.unpin("colour"), {
        code: "CONFLICT",
        reason: "MISSING",
      });
      await store.assertChangesNothing(() => conversation.unpin("language", { expectedRevision: 1 }), {
        code: "CONFLICT",
        reason: "REVISION",
      });
    },
  );

  promise(
    "A call that is repeated gives its receipt again, and takes nothing off that came since",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), ["t1"]);
      await pinUp(conversation, pinOf("language", "Welsh"));
      const first = await conversation.unpin("language", { operationId: "off" });
      await assert.doesNotReject(pinUp(conversation, pinOf("language", "Breton")));
      assert.deepEqual(await conversation.unpin("language", { operationId: "off" }), first);
      assert.deepEqual(await pinned(conversation), [["language", "Breton", 2]]);
      await assert.rejects(conversation.unpin("colour", { operationId: "off" }), { reason: "IDEMPOTENCY" });
    },
  );

  restoring(
    "A pin that was taken off comes back by no restore and no import; one that was pinned since stays",
    async (store) => {
      const memory = await store.open(atNoon());
      const conversation = await talk(memory, ["t1"]);
      await pinUp(conversation, pinOf("language", "Welsh"));
      await pinUp(conversation, pinOf("colour", "red"));
      const lines = await Array.fromAsync(memory.exportLines({ includeContent: true }));
      const backup = await store.backUp();
      const receipt = await conversation.unpin("language");
      assert.deepEqual((await memory.importLines(lines)).refused.pins, 1);
      assert.deepEqual(await pinned(conversation), [["colour", "red", 1]]);
      const watermark = await memory.deletionWatermark();
      const restored = await store.restore(backup, { ...atNoon(), watermark });
      const there = restored.conversation(ORCHARD);
      assert.deepEqual(await pinned(there), [["colour", "red", 1]]);
      assert.equal((await restored.verifyReceipt(receipt)).valid, true);
      await pinUp(there, pinOf("language", "Breton"));
      assert.deepEqual(await pinned(there), [["colour", "red", 1], ["language", "Breton", 2]]);
      await using other = await makeStore();
      const elsewhere = await other.open(atNoon());
      const exported = await Array.fromAsync(restored.exportLines({ includeContent: true }));
      assert.equal((await elsewhere.importLines(exported)).imported.pins, 2);
    },
  );
}
