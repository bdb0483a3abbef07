/** MSG-07: a long loop is many small appends, and default limits hold a working day of an agent. */

import assert from "node:assert/strict";
import { type NewMessage, openMemory } from "@holdfast/memory";
import { assertIntact, testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { HookedDriver } from "../mutants/targets/hooked_driver.ts";

const SCOPE = { tenantId: "acme", sessionId: "refactoring" };

/** What a step of a loop appends: the result of the last call, and the next call. */
function step(index: number, characters = 20): readonly NewMessage[] {
  const call = { id: `call_${index % 3}`, name: "run", arguments: { step: index } };
  return [
    {
      role: "tool",
      toolCallId: `call_${(index + 2) % 3}`,
      content: `result ${index} `.padEnd(characters, "x"),
    },
    { role: "assistant", content: null, toolCalls: [call] },
  ];
}

Deno.test("the thousandth step of a loop runs as many statements as the tenth", async () => {
  const driver = new HookedDriver();
  let statements = 0;
  driver.hook = (_database, _sql, run) => {
    statements++;
    return run();
  };
  await using memory = await openMemory(":memory:", { driver });
  const conversation = memory.conversation(SCOPE);
  const costs: number[] = [];
  for (let index = 0; index < 1_000; index++) {
    const before = statements;
    await conversation.append(step(index));
    if (index === 9 || index === 999) costs.push(statements - before);
  }
  assert.equal(costs[1], costs[0]);
  assert.equal((await conversation.snapshot()).turnCount, 1_000);
});

Deno.test("default limits hold 400 steps with results of 20 KB, and a session of 20 MB", async () => {
  await using memory = await openMemory(":memory:");
  const conversation = memory.conversation(SCOPE);
  for (let index = 0; index < 400; index++) await conversation.append(step(index, 20_000));
  for (let index = 0; index < 15; index++) await conversation.append(step(index, 900_000));
  assert.equal((await conversation.snapshot()).turnCount, 415);
  await assertIntact(memory);
});

testThatNothingIsLeftOpen();
