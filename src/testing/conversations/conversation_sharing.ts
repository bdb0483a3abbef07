/** Several stores on one file: each sees what the others did. */

import assert from "node:assert/strict";
import type { Suite } from "../kit/suite.ts";
import {
  atNoon,
  derive,
  erase,
  HARBOUR,
  ORCHARD,
  pinOf,
  pinUp,
  readIds,
  readTurns,
  revise,
  talk,
  turnOf,
} from "../kit/conversation_samples.ts";

export function testSharing({ durable }: Suite): void {
  durable("Two stores on one file see each other's turns, pins, summaries and replays", async (store) => {
    const one = await talk(await store.open(atNoon()), ["t1"]);
    const two = (await store.open(atNoon())).conversation(ORCHARD);
    assert.deepEqual(await readIds(two), ["t1"]);
    await derive(two);
    const seen = await one.snapshot();
    assert.deepEqual([seen.pins[0]?.key, seen.summary?.content], ["derived", "what was said"]);
    assert.deepEqual(await one.cacheGet(seen, "answer"), { text: "t1" });
    await revise(one, turnOf("t1", "other", { revision: 2 }));
    const now = await two.snapshot();
    assert.deepEqual([now.pins.length, now.summary], [0, null]);
    assert.equal((await readTurns(two))[0]!.messages[0]!.content, "other");
  });

  durable("A deletion by one store ends the scope for the other at once", async (store) => {
    const one = await talk(await store.open(atNoon()), ["t1"]);
    const two = (await store.open(atNoon())).conversation(ORCHARD);
    const snapshot = await two.snapshot();
    await erase(one, "scope");
    for (
      const call of [
        (): Promise<unknown> => two.snapshot(),
        (): Promise<unknown> => two.assertCurrent(snapshot),
        (): Promise<unknown> => two.append([{ role: "user", content: "x" }]),
        (): Promise<unknown> => two.create(),
      ]
    ) await assert.rejects(call(), { reason: "DELETED" });
  });

  durable(
    "Of two stores that write from one revision one wins, and the other learns the new one",
    async (store) => {
      const one = await talk(await store.open(atNoon()), ["t1"]);
      const two = (await store.open(atNoon())).conversation(ORCHARD);
      assert.equal(await pinUp(one, pinOf("a")), 2);
      await assert.rejects(two.putPin(pinOf("b"), { expectedRevision: 1 }), {
        reason: "REVISION",
        currentRevision: 2,
      });
      assert.equal(await two.putPin(pinOf("b"), { expectedRevision: 2 }), 3);
    },
  );

  durable("Appends of two stores at once all stand", async (store) => {
    const one = await talk(await store.open(atNoon()), []);
    const two = (await store.open(atNoon())).conversation(ORCHARD);
    const append = (index: number): Promise<unknown> =>
      [one, two][index % 2]!.append([{ role: "user", content: `${index}` }]);
    await Promise.all(Array.from({ length: 40 }, (_, index) => append(index)));
    assert.equal(await one.revision(), 40);
    const contents = (await readTurns(two)).map(({ messages }) => Number(messages[0]!.content));
    assert.deepEqual(contents.toSorted((a, b) => a - b), Array.from({ length: 40 }, (_, index) => index));
  });

  durable("A deleted turn's receipt is the same from whichever store it is asked", async (store) => {
    const first = await store.open(atNoon());
    const second = await store.open(atNoon());
    const receipt = await erase(await talk(first, ["t1"]), "turn", "t1");
    const again = await erase(second.conversation(ORCHARD), "turn", "t1");
    assert.deepEqual(again, { ...receipt, already: true, mac: again.mac });
    assert.equal((await second.verifyReceipt(receipt)).valid, true);
    assert.equal((await first.verifyReceipt(again)).valid, true);
  });

  durable("A scrub by one store does not disturb another's snapshot or its writes", async (store) => {
    const first = await store.open(atNoon());
    const one = await talk(first, ["t1", "t2"]);
    await erase(one, "turn", "t1");
    const two = (await store.open(atNoon())).conversation(ORCHARD);
    const snapshot = await two.snapshot();
    assert.equal((await first.prune()).scrub?.complete, true);
    assert.equal((await two.assertCurrent(snapshot)).id, snapshot.id);
    assert.equal((await two.append([{ role: "user", content: "x" }])).revision, 4);
    await talk(first, ["h1"], HARBOUR);
  });
}
