/** Journals in backups and restores: edits go back, erasures do not. */

import assert from "node:assert/strict";
import { REVISIONS_PER_GENERATION } from "../../src/limits.ts";
import { ORCHARD } from "../conversations/samples.ts";
import { assertIntact, testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { DRIVERS, Shelf } from "../restore/shelf.ts";
import { entriesOf, valuesOf } from "./journals_suite.ts";

for (const [kind, driver] of DRIVERS) {
  Deno.test(`A restored backup has the entries that were popped or replaced since, and none that was cleared or deleted, with a ${kind}`, async () => {
    await using shelf = await Shelf.make(driver());
    const memory = await shelf.open();
    const [popped, cleared, deleted, emptied] = ["popped", "cleared", "deleted", "emptied"].map((part) =>
      memory.journal(ORCHARD, part)
    );
    for (const journal of [popped, cleared, deleted, emptied]) await journal!.append(entriesOf(1, 2));
    await memory.backup(shelf.at("agent.backup"));
    await popped!.pop();
    const receipts = [await cleared!.clear(), await deleted!.delete(), await emptied!.clear()];
    await cleared!.append(entriesOf("after"));
    const watermark = await memory.deletionWatermark();
    await memory.close();

    const restored = await shelf.restore("agent.backup", "restored.db", watermark);
    assert.deepEqual(restored.restored?.erased.entries, 6);
    const at = (part: string) => restored.journal(ORCHARD, part);
    assert.deepEqual(await valuesOf(at("popped")), [1, 2]);
    assert.deepEqual([await valuesOf(at("cleared")), await valuesOf(at("emptied"))], [[], []]);
    await assert.rejects(valuesOf(at("deleted")), { reason: "DELETED" });
    for (const receipt of receipts) assert.equal((await restored.verifyReceipt(receipt)).valid, true);
    await assertIntact(restored);
  });
}

Deno.test("A restore gives a journal revisions of a range of its own: one from before it matches nothing", async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open();
  const before = await memory.journal(ORCHARD).append(entriesOf(1));
  const { watermark } = await memory.backup(shelf.at("agent.backup"));
  await memory.journal(ORCHARD).append(entriesOf(2));
  await memory.close();
  const restored = await shelf.restore("agent.backup", "restored.db", watermark);
  const journal = restored.journal(ORCHARD);
  assert.equal(await journal.revision(), REVISIONS_PER_GENERATION + before);
  for (const expectedRevision of [before, before + 1]) {
    await assert.rejects(journal.append(entriesOf(3), { expectedRevision }), { reason: "REVISION" });
  }
  assert((await restored.journal(ORCHARD, "new").append(entriesOf(3))) > REVISIONS_PER_GENERATION);
});

Deno.test("A deletion of a journal that another process recorded is completed before the journal is read", async () => {
  await using shelf = await Shelf.make();
  const first = await shelf.open();
  const second = await shelf.open();
  await first.journal(ORCHARD).append(entriesOf(1));
  assert.deepEqual(await valuesOf(second.journal(ORCHARD)), [1]);
  await second.journal(ORCHARD).clear();
  assert.deepEqual(await valuesOf(first.journal(ORCHARD)), []);
  await first.journal(ORCHARD).delete();
  await assert.rejects(valuesOf(second.journal(ORCHARD)), { reason: "DELETED" });
});

Deno.test("A backup holds no byte of entries that were popped or cleared before it, although nothing was scrubbed", async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open();
  const journal = memory.journal(ORCHARD);
  await journal.append(entriesOf("a canary sings", "kept aloud", "a canary cries"));
  await journal.pop();
  await memory.journal(ORCHARD, "canary").append(entriesOf("another canary"));
  await memory.journal(ORCHARD, "canary").delete();
  const expectedRevision = await journal.revision();
  await journal.replaceSuffix({ from: 1, expectedRevision }, entriesOf("kept aloud"));
  await memory.backup(shelf.at("agent.backup"));
  const text = new TextDecoder("latin1").decode(Deno.readFileSync(shelf.at("agent.backup")));
  assert.deepEqual([text.includes("canary"), text.includes("kept aloud")], [false, true]);
});

testThatNothingIsLeftOpen();
