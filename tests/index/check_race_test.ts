import assert from "node:assert/strict";
import { openMemory } from "../../mod.ts";
import { HurriedStopwatch } from "../kit/hurried_stopwatch.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";

const SCOPE = { tenantId: "acme", sessionId: "ticket-4711" } as const;

Deno.test("check() finds nothing wrong while a scope that does not change is indexed elsewhere", async () => {
  await using directory = await TemporaryDirectory.makeInMemory();
  await using checking = await openMemory(directory.file("agent.db"));
  await using indexing = await openMemory(directory.file("agent.db"));
  const conversation = indexing.conversation(SCOPE);
  for (let n = 0; n < 60; n++) {
    await conversation.append([{ role: "user", content: `ticket ${n} was answered` }]);
  }
  const snapshot = await conversation.snapshot();
  using _ = new HurriedStopwatch(); // the check yields to the event loop after each batch
  let ready = false;
  const building = (async () => {
    while (!ready) ready = (await conversation.indexBatch(snapshot, {}, { batchSize: 1 })).status === "READY";
  })();
  while (!ready) assert.deepEqual((await checking.check()).problems, []);
  await building;
  assert.deepEqual((await checking.check()).problems, []);
});

testThatNothingIsLeftOpen();
