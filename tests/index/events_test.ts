import assert from "node:assert/strict";
import { type MemoryEvent, openMemory } from "../../mod.ts";
import { STUB4 } from "../context/golden.ts";
import { assertIntact, testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { SCOPE } from "./scenario.ts";

type Emitted = readonly [operation: string, counts: Readonly<Record<string, number>>];

/** Makes a call; returns the events that it emitted. */
async function emittedBy(events: MemoryEvent[], call: () => Promise<unknown>): Promise<readonly Emitted[]> {
  await call();
  await Promise.resolve();
  return events.splice(0).map(({ operation, counts }) => [operation, counts]);
}

Deno.test("onEvent receives each indexed batch, each search and each assembly, with counts and no text", async () => {
  const events: MemoryEvent[] = [];
  const options = { clock: () => 1_000_000, onEvent: (event: MemoryEvent) => void events.push(event) };
  await using memory = await openMemory(":memory:", options);
  const conversation = memory.conversation(SCOPE);
  for (const content of ["the marked pump failed", "it was mended", "rain"]) {
    await conversation.append([{ role: "user", content }]);
  }
  await emittedBy(events, () => Promise.resolve());
  const snapshot = await conversation.snapshot();
  const batch = { batchSize: 2 };
  const index = (): Promise<unknown> => conversation.indexBatch(snapshot, {}, batch);
  assert.deepEqual(await emittedBy(events, index), [["index", { turns: 2, remaining: 1 }]]);
  const search = (): Promise<unknown> => conversation.search("marked", { topK: 1 });
  assert.deepEqual(await emittedBy(events, search), [
    ["index", { turns: 1, remaining: 0 }],
    ["search", { hits: 1 }],
  ]);
  assert.deepEqual(await emittedBy(events, search), [["search", { hits: 1 }]]);
  const { context: { diagnostics } } = await conversation.assemble("marked", { maxInputTokens: 900 }, {
    system: "S",
    counting: { counter: STUB4 },
  });
  await Promise.resolve();
  const [{ operation, at, durationMs, counts }, ...rest] = events as [MemoryEvent, ...MemoryEvent[]];
  assert.deepEqual([operation, at, rest.length], ["assemble", 1_000_000, 0]);
  assert(durationMs >= 0);
  assert.deepEqual(counts, { tokens: diagnostics.estimate.estimatedTokens, turns: 3, chunks: 0 });
  assert.equal(JSON.stringify(events).includes("marked"), false);
  await assertIntact(memory);
});

Deno.test("onEvent does not receive a search that was cancelled", async () => {
  const events: MemoryEvent[] = [];
  await using memory = await openMemory(":memory:", { onEvent: (event) => void events.push(event) });
  const conversation = memory.conversation(SCOPE);
  await conversation.append([{ role: "user", content: "rain" }]);
  await assert.rejects(conversation.search("rain", { signal: AbortSignal.abort("changed my mind") }));
  await Promise.resolve();
  assert.deepEqual(events.map(({ operation }) => operation), ["open"]);
  await assertIntact(memory);
});

testThatNothingIsLeftOpen();
