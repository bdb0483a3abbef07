/** The suite about deleting, and what only SQLite promises of it. */

import assert from "node:assert/strict";
import { atNoon, erase } from "../conversations/samples.ts";
import { conformance } from "../../src/testing/conformance.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { SOME_TARGETS } from "../kit/store_target.ts";
import { openBeside } from "../kit/test_store.ts";
import { promise } from "./file_store.ts";

const FACT = { schema: 1, text: "x", source: "y", reviewed: false } as const;

const NONE = { turns: 0, pins: 0, summaries: 0, replay: 0, records: 0 };

for (const engine of SOME_TARGETS) conformance({ test: Deno.test, engine, suites: ["deletion"] });

promise("The ledger holds hashes and counts, and no text that anybody stored", async (store) => {
  const memory = await store.open(atNoon());
  const conversation = memory.conversation({ tenantId: "tenant-OPAL", sessionId: "session-OPAL" });
  const { turnId } = await conversation.append([{ role: "user", content: "content-OPAL" }]);
  await erase(conversation, "turn", turnId);
  await erase(conversation, "pin", "key-OPAL");
  await erase(conversation, "scope");
  const { ledger } = store.dump();
  assert.equal(ledger.events!.length, 3);
  assert.equal(JSON.stringify(ledger).includes("OPAL"), false);
});

promise(
  "prune() writes nothing for tenants that have nothing due, so that it waits for no writer",
  async (store) => {
    const memory = await store.open({ ...atNoon(), busyTimeoutMs: 0 });
    for (const tenantId of ["orchard", "harbour"]) {
      await memory.records.put({ tenantId, kind: "fact", key: "a" }, FACT, {
        expectedRevision: null,
        ttl: 60,
      });
    }
    using other = openBeside(store.path);
    other.prepare("BEGIN IMMEDIATE").run([]);
    const pruned = await memory.prune({ scrub: false }).then(({ expired }) => expired, ({ code }) => code);
    other.prepare("ROLLBACK").run([]);
    assert.deepEqual(pruned, NONE);
  },
);

testThatNothingIsLeftOpen();
