/** Imports into a store that was restored. */

import assert from "node:assert/strict";
import { openMemory, restoreMemory } from "@holdfast/memory";
import { clockAtNoon, erase, ORCHARD } from "../conversations/samples.ts";
import { assertIntact, testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";
import { exported, fill, NONE, NOTE, ONE_OF_EACH } from "./filling.ts";

Deno.test("DEL-06 after a restore an export adds what the backup lacked, and nothing that was deleted meanwhile", async () => {
  await using directory = await TemporaryDirectory.make();
  const options = { clock: clockAtNoon().now, kinds: [NOTE] };
  const path = directory.file("agent.db");
  const lines: string[] = [];
  {
    await using memory = await openMemory(path, options);
    await fill(memory, ONE_OF_EACH);
    await memory.backup(directory.file("agent.backup"));
    const conversation = memory.conversation(ORCHARD);
    await conversation.append([{ role: "user", content: "after the backup" }]);
    await memory.records.put({ tenantId: "orchard", kind: "note", key: "c" }, 1, {
      expectedRevision: null,
      ttl: null,
    });
    lines.push(...await exported(memory));
    await erase(conversation, "turn", "plums1");
    await memory.records.forget({ tenantId: "orchard", kind: "note", key: "a" }, 1);
  }
  await using restored = await restoreMemory(directory.file("agent.backup"), directory.file("restored.db"), {
    ...options,
    deletionPath: `${path}.deletions`,
    watermark: JSON.parse(lines[0]!).watermark,
  });
  const { imported, refused, conflicting, unchanged } = await restored.importLines(lines);
  assert.deepEqual(imported, { ...NONE, records: 1, turns: 1 });
  assert.deepEqual(refused, { records: 1, scopes: 0, turns: 1, pins: 0, summaries: 1 });
  assert.deepEqual(conflicting, NONE);
  assert.deepEqual(unchanged, { records: 1, scopes: 2, turns: 2, pins: 2, summaries: 0 });
  await assertIntact(restored);
});

testThatNothingIsLeftOpen();
