/** Imports into stores in use: with expired items, with an index, after a restore; and their events. */

import assert from "node:assert/strict";
import { type MemoryEvent, openMemory, restoreMemory } from "@holdfast/memory";
import { after, clockAtNoon, erase, ORCHARD, readIds, talk, turnOf } from "../conversations/samples.ts";
import { assertIntact, testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";
import { ALL_OF_EACH, exported, fill, freshStore, held, NONE, NOTE, ONE_OF_EACH } from "./filling.ts";

Deno.test("An import accepts a running export as its source, line by line", async () => {
  await using source = await freshStore();
  await fill(source, ONE_OF_EACH);
  await using fresh = await freshStore();
  assert.deepEqual(
    (await fresh.importLines(source.exportLines({ includeContent: true }))).imported,
    ALL_OF_EACH,
  );
  assert.equal(held(await exported(fresh)), held(await exported(source)));
});

Deno.test("Expired items of a scope are erased before others are imported into it", async () => {
  await using source = await freshStore();
  await talk(source, ["t2"]);
  const lines = await exported(source);
  const clock = clockAtNoon();
  await using memory = await freshStore(clock);
  const conversation = await talk(memory, []);
  await conversation.putTurn(turnOf("t1"), { operationId: "1", expectedRevision: 0, expiresAt: after(5) });
  clock.advance(10);
  assert.equal((await memory.importLines(lines)).imported.turns, 1);
  assert.equal((await memory.deletionWatermark()).sequence, 1);
  assert.deepEqual(await readIds(conversation), ["t2"]);
  await assertIntact(memory);
});

Deno.test("Turns are imported after existing ones, and are indexed", async () => {
  await using source = await freshStore();
  const there = await talk(source, []);
  await there.append([{ role: "user", content: "The pears were grafted in March." }]);
  const lines = await exported(source);
  await using memory = await freshStore();
  const conversation = await talk(memory, ["own"]);
  assert.deepEqual(await conversation.search("pears"), []);
  const before = await conversation.revision();
  await memory.importLines(lines);
  assert(await conversation.revision() > before, "the scope's revision did not move");
  assert.equal((await readIds(conversation))[0], "own");
  assert.equal((await conversation.search("pears"))[0]?.content, "The pears were grafted in March.");
  await assertIntact(memory);
});

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
  assert.deepEqual(refused, {
    records: 1,
    scopes: 0,
    turns: 1,
    pins: 0,
    summaries: 1,
    journals: 0,
    entries: 0,
  });
  assert.deepEqual(conflicting, NONE);
  assert.deepEqual(unchanged, {
    records: 1,
    scopes: 2,
    turns: 2,
    pins: 2,
    summaries: 0,
    journals: 0,
    entries: 0,
  });
  await assertIntact(restored);
});

Deno.test("An import emits an event with counts, and no content", async () => {
  await using source = await freshStore();
  await fill(source, ONE_OF_EACH);
  const lines = await exported(source);
  const events: MemoryEvent[] = [];
  await using memory = await openMemory(":memory:", {
    clock: clockAtNoon().now,
    kinds: [NOTE],
    onEvent: (event) => events.push(event),
  });
  await memory.importLines(lines);
  await Promise.resolve();
  const imports = events.filter(({ operation }) => operation === "import");
  assert.deepEqual(imports.map(({ counts }) => counts), [ALL_OF_EACH]);
});

testThatNothingIsLeftOpen();
