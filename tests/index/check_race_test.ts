import assert from "node:assert/strict";
import { openMemory } from "../../mod.ts";
import { HurriedStopwatch } from "../kit/hurried_stopwatch.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";

const SCOPE = { tenantId: "orchard", sessionId: "spring" } as const;

Deno.test("check() finds nothing wrong while a scope that does not change is indexed elsewhere", async () => {
  await using directory = await TemporaryDirectory.makeInMemory();
  await using checking = await openMemory(directory.file("agent.db"));
  await using indexing = await openMemory(directory.file("agent.db"));
  const talk = indexing.conversation(SCOPE);
  for (let n = 0; n < 60; n++) await talk.append([{ role: "user", content: `pear ${n} was grafted` }]);
  const snapshot = await talk.snapshot();
  using _ = new HurriedStopwatch(); // the check gives way after each piece
  let ready = false;
  const building = (async () => {
    while (!ready) ready = (await talk.indexBatch(snapshot, {}, { batchSize: 1 })).status === "READY";
  })();
  while (!ready) assert.deepEqual((await checking.check()).problems, []);
  await building;
  assert.deepEqual((await checking.check()).problems, []);
});

testThatNothingIsLeftOpen();
