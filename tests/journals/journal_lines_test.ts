/** Journals in exports and imports: they come back as they were, and nothing that was erased does. */

import assert from "node:assert/strict";
import { type Json, type Memory, openMemory } from "@holdfast/memory";
import { HARBOUR, ORCHARD } from "../conversations/samples.ts";
import { assertIntact, testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { entriesOf, valuesOf } from "./journals_suite.ts";

function exported(memory: Memory): Promise<string[]> {
  return Array.fromAsync(memory.exportLines({ includeContent: true }));
}

async function filled(): Promise<Memory> {
  const memory = await openMemory(":memory:");
  await memory.conversation(ORCHARD).append([{ role: "user", content: "Hello." }]);
  const json = JSON.parse('{"b":1,"a":[1.5,1e21],"__proto__":"\\u0000"}') as Json;
  await memory.journal(ORCHARD).append([{ uuid: "a", json }, { json: null }]);
  await memory.journal(ORCHARD, "tools").append(
    entriesOf(...Array.from({ length: 100 }, (_, index) => index)),
  );
  await memory.journal(HARBOUR).append(entriesOf("x".repeat(300_000)));
  return memory;
}

Deno.test("Journals come back from an export as they were, in a fresh store and in one that has them", async () => {
  await using source = await filled();
  const lines = await exported(source);
  await using fresh = await openMemory(":memory:");
  const { imported } = await fresh.importLines(lines);
  assert.deepEqual([imported.journals, imported.entries], [3, 103]);
  const held = (of: readonly string[]): string[] =>
    of.filter((line) => /^{"type":"(journal|entry)"/.test(line));
  assert.deepEqual(held(await exported(fresh)), held(lines));
  const { unchanged } = await fresh.importLines(lines);
  assert.deepEqual([unchanged.journals, unchanged.entries], [3, 103]);
  await assertIntact(fresh);
});

Deno.test("An export without content shows parts, places, uuids, counts and bytes, and no JSON", async () => {
  await using memory = await openMemory(":memory:");
  await memory.journal(ORCHARD, "tools").append([{ uuid: "e1", json: { secret: "4711" } }]);
  const lines = await Array.fromAsync(memory.exportLines());
  assert.deepEqual(lines.slice(-3, -1).map((line) => JSON.parse(line)), [
    { type: "journal", part: "tools", revision: 1, entries: 1, bytes: 19 },
    { type: "entry", place: 1, uuid: "e1", bytes: 19 },
  ]);
  assert(!lines.join("").includes("4711"));
});

Deno.test("Entries come in behind equal ones, and none behind one that differs", async () => {
  await using source = await openMemory(":memory:");
  await source.journal(ORCHARD).append(entriesOf(1, 2, 3));
  await source.journal(ORCHARD, "tools").append(
    entriesOf(...Array.from({ length: 200 }, (_, index) => index)),
  );
  await using target = await openMemory(":memory:");
  await target.journal(ORCHARD).append(entriesOf(1));
  await target.journal(ORCHARD, "tools").append(entriesOf(0, "other"));
  const { imported, unchanged, conflicting } = await target.importLines(await exported(source));
  assert.deepEqual([imported.entries, unchanged.entries, conflicting.entries], [2, 2, 199]);
  assert.deepEqual(await valuesOf(target.journal(ORCHARD)), [1, 2, 3]);
  assert.deepEqual(await valuesOf(target.journal(ORCHARD, "tools")), [0, "other"]);
  await assertIntact(target);
});

Deno.test("An import brings back no entry that was cleared or deleted since (DEL-09)", async () => {
  await using memory = await filled();
  const lines = await exported(memory);
  await memory.journal(ORCHARD).clear();
  await memory.journal(ORCHARD, "tools").delete();
  const { refused, unchanged } = await memory.importLines(lines);
  assert.deepEqual([refused.journals, refused.entries, unchanged.entries], [2, 102, 1]);
  assert.deepEqual(await valuesOf(memory.journal(ORCHARD)), []);
  // What was written after the clearing is brought in again.
  await memory.journal(ORCHARD).append(entriesOf("later"));
  const later = await exported(memory);
  await memory.journal(ORCHARD).pop();
  assert.equal((await memory.importLines(later)).imported.entries, 1);
  assert.deepEqual(await valuesOf(memory.journal(ORCHARD)), ["later"]);
  await assertIntact(memory);
});

Deno.test("Of a journal that was ever cleared here, another store's entries are refused", async () => {
  await using source = await filled();
  await using memory = await openMemory(":memory:");
  await memory.journal(ORCHARD).clear();
  const { refused, imported } = await memory.importLines(await exported(source));
  assert.deepEqual([refused.entries, imported.entries], [2, 101]);
});

Deno.test("A line of an entry without its journal, and one that is no entry, is refused by its number", async () => {
  await using source = await openMemory(":memory:");
  await source.journal(ORCHARD).append(entriesOf(1));
  const [header, scope, journal, entry, end] = await exported(source) as [
    string,
    string,
    string,
    string,
    string,
  ];
  await using memory = await openMemory(":memory:");
  const cases: readonly (readonly [lines: readonly string[], line: number, field: string])[] = [
    [[header, scope, entry, end], 3, "type"],
    [[header, journal, entry, end], 2, "type"],
    [[header, scope, journal, entry.replace('"place":1', '"place":0'), end], 4, "place"],
    [[header, scope, journal, entry.replace('"json":1', '"json":123456789012345678901'), end], 4, "json"],
    [[header, scope, journal.replace('"part":""', '"part":" "'), entry, end], 3, "part"],
    [[header, scope, journal, end], 4, "digest"],
  ];
  for (const [lines, line, field] of cases) {
    await assert.rejects(
      memory.importLines(lines),
      (error: { field?: string; details?: { line?: number } }) => {
        assert.deepEqual([error.field, error.details?.line], [field, line]);
        return true;
      },
    );
  }
});

Deno.test("A journal that is changed all the time is exported as it was at one moment", async () => {
  await using memory = await openMemory(":memory:");
  const journal = memory.journal(ORCHARD);
  await journal.append(entriesOf(...Array.from({ length: 40 }, () => "x".repeat(20_000))));
  let round = 0;
  const lines: string[] = [];
  for await (const line of memory.exportLines({ includeContent: true })) {
    lines.push(line);
    await journal.pop();
    await journal.append(entriesOf(round++));
  }
  const entries = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === "entry");
  assert.deepEqual(entries.map(({ place }) => place), Array.from({ length: 40 }, (_, index) => index + 1));
});

testThatNothingIsLeftOpen();
