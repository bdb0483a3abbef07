/** Imports into stores in use: with expired items, with an index, after a restore; and their events. */

import assert from "node:assert/strict";
import type { LinesSuite } from "./line_stores.ts";
import type { MemoryEvent } from "../../../mod.ts";
import { after, clockAtNoon, readIds, talk, turnOf } from "../kit/conversation_samples.ts";
import { assertIntact } from "../kit/store_under_test.ts";
import { ALL_OF_EACH, exported, fill, held, ONE_OF_EACH } from "./filled_store.ts";

export function testMerging({ promise }: LinesSuite): void {
  promise("An import accepts a running export as its source, line by line", async (fresh) => {
    await using source = await fresh();
    await fill(source, ONE_OF_EACH);
    await using target = await fresh();
    assert.deepEqual(
      (await target.importLines(source.exportLines({ includeContent: true }))).imported,
      ALL_OF_EACH,
    );
    assert.equal(held(await exported(target)), held(await exported(source)));
  });

  promise("Expired items of a scope are erased before others are imported into it", async (fresh) => {
    await using source = await fresh();
    await talk(source, ["t2"]);
    const lines = await exported(source);
    const clock = clockAtNoon();
    await using memory = await fresh(clock);
    const conversation = await talk(memory, []);
    await conversation.putTurn(turnOf("t1"), { operationId: "1", expectedRevision: 0, expiresAt: after(5) });
    clock.advance(10);
    assert.equal((await memory.importLines(lines)).imported.turns, 1);
    assert.equal((await memory.deletionWatermark()).sequence, 1);
    assert.deepEqual(await readIds(conversation), ["t2"]);
    await assertIntact(memory);
  });

  promise("Turns are imported after existing ones, and are indexed", async (fresh) => {
    await using source = await fresh();
    const there = await talk(source, []);
    await there.append([{ role: "user", content: "The pears were grafted in March." }]);
    const lines = await exported(source);
    await using memory = await fresh();
    const conversation = await talk(memory, ["own"]);
    assert.deepEqual(await conversation.search("pears"), []);
    const before = await conversation.revision();
    await memory.importLines(lines);
    assert(await conversation.revision() > before, "the scope's revision did not move");
    assert.equal((await readIds(conversation))[0], "own");
    assert.equal((await conversation.search("pears"))[0]?.content, "The pears were grafted in March.");
    await assertIntact(memory);
  });

  promise("An import emits an event with counts, and no content", async (fresh) => {
    await using source = await fresh();
    await fill(source, ONE_OF_EACH);
    const lines = await exported(source);
    const events: MemoryEvent[] = [];
    await using memory = await fresh(clockAtNoon(), { onEvent: (event) => events.push(event) });
    await memory.importLines(lines);
    await Promise.resolve();
    const imports = events.filter(({ operation }) => operation === "import");
    assert.deepEqual(imports.map(({ counts }) => counts), [ALL_OF_EACH]);
  });
}
