/** Pins: how many, what becomes of their keys, and what they cite. */

import assert from "node:assert/strict";
import type { Conversation } from "../../../mod.ts";
import type { Suite } from "../kit/suite.ts";
import {
  after,
  atNoon,
  clockAtNoon,
  erase,
  HARBOUR,
  pinOf,
  pinUp,
  readTurns,
  revise,
  sourceOf,
  talk,
  turnOf,
} from "../kit/conversation_samples.ts";

/** Pins that cite the first turn. */
async function cite(conversation: Conversation, keys: readonly string[]): Promise<void> {
  const source = sourceOf((await readTurns(conversation))[0]!);
  for (const key of keys) await pinUp(conversation, pinOf(key, "cited", { source }));
}

export function testPins({ promise, durable }: Suite): void {
  promise(
    "A scope has at most 256 pins, those that have not started among them; an update needs no room",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), []);
      for (let index = 0; index < 256; index++) {
        const effectiveAt = index % 2 === 0 ? after(0) : after(3_600);
        await conversation.putPin(pinOf(`k${index}`, "v", { effectiveAt }), { expectedRevision: index });
      }
      const put = (key: string, revision: number): Promise<number> =>
        conversation.putPin(pinOf(key, "v", { revision }), { expectedRevision: 256 });
      await store.assertChangesNothing(() => put("one more", 1), {
        code: "CONFLICT",
        reason: "CAPACITY",
        retryable: false,
      });
      assert.equal(await put("k7", 2), 257);
      await erase(conversation, "pin", "k8");
      assert.equal(await pinUp(conversation, pinOf("one more")), 259);
    },
  );

  promise("A pin's key that expired may come back with the next revision, and no other", async (store) => {
    const clock = clockAtNoon();
    const conversation = await talk(await store.open({ clock: clock.now }), []);
    await pinUp(conversation, pinOf("k"));
    await pinUp(conversation, pinOf("k", "v", { revision: 2, expiresAt: after(60) }));
    clock.advance(60);
    for (const revision of [1, 2, 4]) {
      await assert.rejects(pinUp(conversation, pinOf("k", "again", { revision })), {
        reason: "REVISION",
        currentRevision: 2,
      });
    }
    await pinUp(conversation, pinOf("k", "again", { revision: 3 }));
    assert.equal((await conversation.snapshot()).pins[0]!.value, "again");
  });

  promise("A pin lost to a revision of its source may come back with the next revision", async (store) => {
    const conversation = await talk(await store.open(atNoon()), ["t1"]);
    await cite(conversation, ["k"]);
    await revise(conversation, turnOf("t1", "other", { revision: 2 }));
    await assert.rejects(pinUp(conversation, pinOf("k", "k", { revision: 1 })), {
      reason: "REVISION",
      currentRevision: 1,
    });
    const source = sourceOf((await readTurns(conversation))[0]!);
    await pinUp(conversation, pinOf("k", "other", { revision: 2, source }));
    assert.equal((await conversation.snapshot()).pins[0]!.revision, 2);
  });

  promise("A pin's key that was deleted is reserved, whether the pin was there or not", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    await pinUp(conversation, pinOf("k"));
    assert.equal((await erase(conversation, "pin", "k")).erased.pins, 1);
    assert.equal((await erase(conversation, "pin", "never")).erased.pins, 0);
    for (const key of ["k", "never"]) {
      for (const revision of [1, 2]) {
        await assert.rejects(pinUp(conversation, pinOf(key, "v", { revision })), {
          reason: "DELETED",
          retryable: false,
        });
      }
    }
  });

  promise("An expired pin's key can still be reserved", async (store) => {
    const clock = clockAtNoon();
    const conversation = await talk(await store.open({ clock: clock.now }), []);
    await pinUp(conversation, pinOf("k", "v", { expiresAt: after(60) }));
    clock.advance(60);
    const receipt = await erase(conversation, "pin", "k");
    assert.deepEqual([receipt.already, receipt.erased.pins], [false, 0]);
    await assert.rejects(pinUp(conversation, pinOf("k", "v", { revision: 2 })), { reason: "DELETED" });
  });

  promise(
    "A revision of a turn takes exactly the pins that cite it, and one revision for each",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), ["t1", "t2"]);
      await cite(conversation, ["a", "b", "c"]);
      await pinUp(conversation, pinOf("free"));
      const source = sourceOf((await readTurns(conversation))[1]!);
      await pinUp(conversation, pinOf("of t2", "v", { source }));
      assert.equal(await conversation.revision(), 7);
      assert.equal(await revise(conversation, turnOf("t1", "other", { revision: 2 })), 11);
      assert.deepEqual((await conversation.snapshot()).pins.map(({ key }) => key), ["free", "of t2"]);
    },
  );

  promise("A pin that is put without its source no longer goes with the turn", async (store) => {
    const conversation = await talk(await store.open(atNoon()), ["t1"]);
    await cite(conversation, ["k"]);
    await pinUp(conversation, pinOf("k", "free now", { revision: 2 }));
    await erase(conversation, "turn", "t1");
    assert.equal((await conversation.snapshot()).pins[0]!.value, "free now");
  });

  promise("A pin may cite a part of a message, counted in code points", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    await conversation.putTurn(turnOf("t1", "a😀bc"), { operationId: "put", expectedRevision: 0 });
    const whole = sourceOf((await readTurns(conversation))[0]!);
    assert.equal(whole.end, 4);
    await pinUp(conversation, pinOf("k", "😀b", { source: { ...whole, start: 1, end: 3 } }));
    assert.deepEqual((await conversation.snapshot()).pins[0]!.source, { ...whole, start: 1, end: 3 });
  });

  promise("A put that drops a pin's deadline keeps it for ever", async (store) => {
    const clock = clockAtNoon();
    const conversation = await talk(await store.open({ clock: clock.now }), []);
    await pinUp(conversation, pinOf("k", "v", { expiresAt: after(60) }));
    await pinUp(conversation, pinOf("k", "v", { revision: 2 }));
    clock.advance(61);
    assert.equal((await conversation.snapshot()).pins.length, 1);
  });

  promise("Pins of one key in two scopes are two pins", async (store) => {
    const memory = await store.open(atNoon());
    const orchard = await talk(memory, []);
    const harbour = await talk(memory, [], HARBOUR);
    await pinUp(orchard, pinOf("k", "orchard's"));
    await pinUp(harbour, pinOf("k", "harbour's", { scope: HARBOUR }));
    await erase(orchard, "pin", "k");
    assert.equal((await harbour.snapshot()).pins[0]!.value, "harbour's");
  });

  durable("Floors and reserved keys outlive a reopen and a scrub", async (store) => {
    const memory = await store.open(atNoon());
    const conversation = await talk(memory, ["t1"]);
    await cite(conversation, ["lost"]);
    await pinUp(conversation, pinOf("reserved"));
    await revise(conversation, turnOf("t1", "other", { revision: 2 }));
    await erase(conversation, "pin", "reserved");
    await memory.prune();
    await memory.close();
    const again = (await store.open(atNoon())).conversation(conversation.scope);
    await assert.rejects(pinUp(again, pinOf("lost", "lost", { revision: 1 })), {
      reason: "REVISION",
      currentRevision: 1,
    });
    await assert.rejects(pinUp(again, pinOf("reserved")), { reason: "DELETED" });
  });
}
