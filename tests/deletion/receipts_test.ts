/** The suite about receipts, and what only SQLite promises of them. */

import assert from "node:assert/strict";
import { atNoon, erase, talk } from "../conversations/samples.ts";
import { conformance } from "../../src/testing/conformance.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { SOME_TARGETS } from "../kit/store_target.ts";
import { promise } from "./file_store.ts";

for (const engine of SOME_TARGETS) conformance({ test: Deno.test, engine, suites: ["receipts"] });

promise("A chain that was broken anywhere is told, whichever receipt is looked at", async (store) => {
  store.damaged = true;
  const memory = await store.open(atNoon());
  const conversation = await talk(memory, ["t1", "t2"]);
  await erase(conversation, "turn", "t1");
  const receipt = await erase(conversation, "turn", "t2");
  store.raw("ledger").prepare("UPDATE events SET floor = floor + 1 WHERE sequence = 1").run([]);
  const { valid, chain, event } = await memory.verifyReceipt(receipt);
  assert.deepEqual({ valid, chain, event }, { valid: false, chain: false, event: true });
});

testThatNothingIsLeftOpen();
