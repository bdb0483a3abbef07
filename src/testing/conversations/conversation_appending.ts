/** The easy path: append makes the scope, the turn's id and missing message ids. */

import assert from "node:assert/strict";
import type { Suite } from "../kit/suite.ts";
import {
  after,
  atNoon,
  clockAtNoon,
  erase,
  ORCHARD,
  readIds,
  readTurns,
  talk,
} from "../kit/conversation_samples.ts";

const HELLO = [{ role: "user", content: "Any pears?" }] as const;

export function testAppending({ promise, durable }: Suite): void {
  promise(
    "append() makes a missing scope, and its turn has revision 1 and the store's time",
    async (store) => {
      const conversation = (await store.open(atNoon())).conversation(ORCHARD);
      const { revision, turnId } = await conversation.append(HELLO);
      assert.equal(revision, 1);
      const [stored] = await readTurns(conversation);
      assert.deepEqual([stored!.turnId, stored!.revision, stored!.timestamp], [
        turnId,
        1,
        "2027-01-15T08:00:00+00:00",
      ]);
    },
  );

  promise("append() gives missing message ids and keeps given ones", async (store) => {
    const conversation = (await store.open(atNoon())).conversation(ORCHARD);
    const { turnId } = await conversation.append([
      { role: "user", content: "a" },
      { messageId: "mine", role: "assistant", content: "b" },
      { role: "user", content: "c" },
    ]);
    const [stored] = await readTurns(conversation);
    assert.deepEqual(stored!.messages.map(({ messageId }) => messageId), [
      `${turnId}:0`,
      "mine",
      `${turnId}:2`,
    ]);
  });

  promise("append() without an operation id makes a new turn each time", async (store) => {
    const conversation = (await store.open(atNoon())).conversation(ORCHARD);
    const first = await conversation.append(HELLO);
    const second = await conversation.append(HELLO);
    assert.notEqual(first.turnId, second.turnId);
    assert.deepEqual(await readIds(conversation), [first.turnId, second.turnId]);
  });

  durable(
    "append() repeated with its operation id gives the same ids and adds nothing, also after a reopen",
    async (store) => {
      const memory = await store.open(atNoon());
      const first = await memory.conversation(ORCHARD).append(HELLO, { operationId: "call-1" });
      await memory.close();
      const conversation = (await store.open(atNoon())).conversation(ORCHARD);
      assert.deepEqual(await conversation.append(HELLO, { operationId: "call-1" }), first);
      assert.deepEqual(await readIds(conversation), [first.turnId]);
    },
  );

  promise(
    "append() with one operation id and other messages or another deadline is IDEMPOTENCY",
    async (store) => {
      const conversation = (await store.open(atNoon())).conversation(ORCHARD);
      const operationId = "call-1";
      await conversation.append(HELLO, { operationId });
      const refused = { reason: "IDEMPOTENCY", retryable: false };
      const other = [{ role: "user", content: "Any plums?" }] as const;
      await store.assertChangesNothing(() => conversation.append(other, { operationId }), refused);
      const options = { operationId, expiresAt: after(60) };
      await store.assertChangesNothing(() => conversation.append(HELLO, options), refused);
    },
  );

  promise("append()'s ids from an operation id do not tell it", async (store) => {
    const conversation = (await store.open(atNoon())).conversation(ORCHARD);
    await conversation.append(HELLO, { operationId: "secret-call" });
    assert.equal(JSON.stringify(await store.state()).includes("secret-call"), false);
  });

  promise("Appends made at once all stand, in the order of the calls", async (store) => {
    const conversation = (await store.open(atNoon())).conversation(ORCHARD);
    const appended = await Promise.all(
      Array.from({ length: 20 }, (_, index) => conversation.append([{ role: "user", content: `${index}` }])),
    );
    assert.deepEqual(
      appended.map(({ revision }) => revision),
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
    const turns = await readTurns(conversation);
    assert.deepEqual(
      turns.map(({ messages }) => messages[0]!.content),
      Array.from({ length: 20 }, (_, i) => `${i}`),
    );
  });

  promise("append() takes whatever revision the scope has", async (store) => {
    const conversation = await talk(await store.open(atNoon()), ["t1"]);
    const [appended, put] = await Promise.allSettled([
      conversation.append(HELLO),
      conversation.delete({ kind: "turn", key: "t1", expectedRevision: 1 }),
    ]);
    assert.deepEqual([appended.status, put.status], ["fulfilled", "rejected"]);
  });

  promise(
    "append() after the turn it made was deleted gives its first answer, and brings nothing back",
    async (store) => {
      const conversation = (await store.open(atNoon())).conversation(ORCHARD);
      const first = await conversation.append(HELLO, { operationId: "call-1" });
      await erase(conversation, "turn", first.turnId);
      assert.deepEqual(await conversation.append(HELLO, { operationId: "call-1" }), first);
      assert.deepEqual(await readIds(conversation), []);
    },
  );

  promise("append() keeps a turn until its deadline, with null or nothing for ever", async (store) => {
    const clock = clockAtNoon();
    const conversation = (await store.open({ clock: clock.now })).conversation(ORCHARD);
    await conversation.append(HELLO, { expiresAt: after(60) });
    await conversation.append(HELLO, { expiresAt: new Date(after(120)) });
    const { turnId } = await conversation.append(HELLO, { expiresAt: null });
    clock.advance(1_000_000);
    assert.deepEqual(await readIds(conversation), [turnId]);
  });

  promise(
    "TRN-02 turns stay in the order in which they came though their clock stepped back",
    async (store) => {
      const clock = clockAtNoon();
      const conversation = (await store.open({ clock: clock.now })).conversation(ORCHARD);
      clock.ms += 382;
      const first = await conversation.append(HELLO);
      clock.ms -= 41;
      const second = await conversation.append(HELLO);
      clock.ms -= 11;
      const third = await conversation.append(HELLO);
      assert.deepEqual(await readIds(conversation), [first.turnId, second.turnId, third.turnId]);
    },
  );
}
