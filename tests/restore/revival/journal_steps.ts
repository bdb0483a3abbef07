/** What a history does with journals: appends, pops, clears and deletes. */

import assert from "node:assert/strict";
import type { Conversation } from "@holdfast/memory";
import { markOf, textOf } from "./marks.ts";
import { type InHand, nameFor, type Scene } from "./play.ts";

/** Changes a journal of a scope, one that it has or had, or a new one. */
export async function changeJournal(hand: InHand): Promise<void> {
  const { scene, name, talk } = hand;
  const { seeded, history, memory } = scene;
  const part = nameFor(hand, "journal");
  const journal = memory.journal(talk.scope, part);
  if (history.tombstone("journal", name, part).reserved) {
    await assert.rejects(journal.append([{ json: "again" }]), { reason: "DELETED" });
    await assert.rejects(journal.clear(), { reason: "DELETED" });
    assert.equal((await journal.delete()).already, true);
    return;
  }
  const { journals } = history.scope(name);
  const before = journals.get(part) ?? [];
  const revision = await journal.revision();
  await seeded.weighted<() => Promise<unknown>>([
    [5, async () => {
      const texts = Array.from(
        { length: seeded.integer(1, 3) },
        () => textOf(scene.marks.make(), seeded.integer(1, 40)),
      );
      await journal.append(texts.map((json) => ({ json })), { expectedRevision: revision });
      history.write("journal", name, part, texts.map(markOf));
      journals.set(part, [...before, ...texts]);
    }],
    [1, async () => {
      const popped = await journal.pop();
      assert.deepEqual(popped.map(({ json }) => json), before.slice(-1));
      if (journals.has(part)) journals.set(part, before.slice(0, -1));
    }],
    [1.5, () => erase(hand, part, false)],
    [0.7, () => erase(hand, part, true)],
  ])();
}

async function erase({ scene, name, talk }: InHand, part: string, reserved: boolean): Promise<void> {
  const { history, memory } = scene;
  const journal = memory.journal(talk.scope, part);
  const floor = await journal.revision();
  const held = history.scope(name).journals.get(part) ?? [];
  const receipt = await (reserved ? journal.delete() : journal.clear());
  assert.deepEqual([receipt.erased.entries, receipt.reserved], [held.length, reserved]);
  history.write("journal", name, part, []);
  history.record({ kind: "journal", scope: name, key: part, reserved, floor });
  assert.equal(receipt.sequence, history.events.length);
  scene.receipts.push(receipt);
}

/** Requires that every journal that the scope ever had holds what the model does. */
export async function assertJournals(
  { memory, history }: Scene,
  talk: Conversation,
  name: string,
): Promise<void> {
  const identifiers = history.identifiersOf(name).map((identifier) => identifier.split(" "));
  for (const [kind, , part] of identifiers) {
    if (kind !== "journal") continue;
    const journal = memory.journal(talk.scope, part);
    if (history.tombstone("journal", name, part!).reserved) {
      await assert.rejects(Array.fromAsync(journal.read()), { reason: "DELETED" });
      continue;
    }
    const texts = await Array.fromAsync(journal.read(), ({ json }) => json);
    assert.deepEqual(texts, history.scope(name).journals.get(part!) ?? []);
    assert.deepEqual(texts.map(String).map(markOf).filter((mark) => history.gone.has(mark)), []);
  }
}
