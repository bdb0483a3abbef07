/** Items that were put again after they had expired or been deleted, in lines that were written afterwards. */

import assert from "node:assert/strict";
import { openMemory, restoreMemory } from "@holdfast/memory";
import { after, clockAtNoon, ORCHARD, readIds, talk, turnOf } from "../conversations/samples.ts";
import { assertIntact, testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";
import { exported, NONE } from "./filling.ts";

Deno.test("A turn that was put again after it had expired is imported from lines written afterwards", async () => {
  await using directory = await TemporaryDirectory.make();
  const clock = clockAtNoon();
  const options = { clock: clock.now };
  const path = directory.file("agent.db");
  const lines: string[] = [];
  {
    await using memory = await openMemory(path, options);
    const conversation = await talk(memory, []);
    await conversation.putTurn(turnOf("t1"), { operationId: "1", expectedRevision: 0, expiresAt: after(5) });
    clock.advance(10);
    await memory.prune();
    await memory.backup(directory.file("agent.backup"));
    const again = turnOf("t1", "again", { revision: 2 });
    await conversation.putTurn(again, {
      operationId: "2",
      expectedRevision: await conversation.revision(),
    });
    lines.push(...await exported(memory));
  }
  const { watermark } = JSON.parse(lines[0]!);
  assert.equal(watermark.sequence, 1);
  await using restored = await restoreMemory(directory.file("agent.backup"), directory.file("restored.db"), {
    ...options,
    deletionPath: `${path}.deletions`,
    watermark,
  });
  const { imported, refused } = await restored.importLines(lines);
  assert.deepEqual({ imported, refused }, { imported: { ...NONE, turns: 1 }, refused: NONE });
  assert.deepEqual(await readIds(restored.conversation(ORCHARD)), ["t1"]);
  await assertIntact(restored);
});

testThatNothingIsLeftOpen();
