/** What exports and imports promise of stores that are drawn at random. */

import assert from "node:assert/strict";
import fc from "fast-check";
import type { Memory } from "@holdfast/memory";
import { erase, readIds } from "../conversations/samples.ts";
import { assertIntact, testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { exported, fill, FILLING, freshStore, held, NONE, NOTE } from "./filling.ts";

const RUNS = Deno.env.get("HOLDFAST_LONG") === "1" ? 1_000 : 60;

Deno.test("An import restores what was exported equal to the byte, in a new store and in one that has it already", async () => {
  await fc.assert(
    fc.asyncProperty(FILLING, async (filling) => {
      await using source = await freshStore();
      await fill(source, filling);
      const lines = await exported(source);
      await using fresh = await freshStore();
      const first = await fresh.importLines(lines);
      assert.equal(held(await exported(fresh)), held(lines));
      const second = await fresh.importLines(lines);
      assert.deepEqual(second.unchanged, first.imported);
      assert.deepEqual(second.imported, NONE);
      assert.equal(held(await exported(fresh)), held(lines));
      assert.deepEqual((await source.importLines(lines)).unchanged, first.imported);
      await assertIntact(fresh);
    }),
    { numRuns: RUNS },
  );
});

Deno.test("DEL-09 nothing that was deleted before an import exists after it", async () => {
  await fc.assert(
    fc.asyncProperty(
      FILLING,
      fc.infiniteStream(fc.boolean()),
      fc.boolean(),
      async (filling, coin, foreign) => {
        await using source = await freshStore();
        await fill(source, filling);
        const lines = await exported(source);
        await using copy = await freshStore();
        await copy.importLines(lines);
        const memory = foreign ? copy : source;
        await deleteSome(memory, filling, () => coin.next().value as boolean);
        const before = held(await exported(memory));
        const { imported } = await memory.importLines(lines);
        assert.deepEqual(imported, NONE);
        assert.equal(held(await exported(memory)), before);
        await assertIntact(memory);
      },
    ),
    { numRuns: 40 },
  );
});

async function deleteSome(
  memory: Memory,
  { scopes, notes }: Parameters<typeof fill>[1],
  chosen: () => boolean,
): Promise<void> {
  for (const { tenantId, key } of notes) {
    const found = await memory.records.get({ tenantId, kind: NOTE.name, key });
    if (found !== null && chosen()) {
      await memory.records.forget({ tenantId, kind: NOTE.name, key }, found.revision, { revoke: chosen() });
    }
  }
  for (const { scope } of scopes) {
    const conversation = memory.conversation(scope);
    for (const turnId of await readIds(conversation)) {
      if (chosen()) await erase(conversation, "turn", turnId);
    }
    for (const { key } of (await conversation.snapshot()).pins) {
      if (chosen()) await erase(conversation, "pin", key);
    }
    if (chosen() && chosen()) await erase(conversation, "scope");
  }
}

testThatNothingIsLeftOpen();
