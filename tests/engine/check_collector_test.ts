import assert from "node:assert/strict";
import { CheckCollector } from "../../src/engine/check_collector.ts";

Deno.test("what a check noted and counted of rows that changed meanwhile is taken back", async () => {
  const collector = new CheckCollector({});
  await collector.batch("turns", 3);
  const mark = collector.mark();
  collector.problem("main", "turns", "The checksum does not match");
  collector.misfit("acme/preference/p1", "value.colour");
  await collector.batch("turns", 2);
  await collector.batch("pins", 1);
  assert.equal(collector.hasProblemSince(mark), true);
  collector.takeBack(mark);
  assert.equal(collector.hasProblemSince(mark), false);
  await collector.batch("turns", 2);
  assert.deepEqual(collector.report(), { ok: true, problems: [], misfits: [], rows: { turns: 5 } });
});
