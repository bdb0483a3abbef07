/** Row ids: rows that belong to a scope, a turn or an index name it by its id, so no id may ever stand for another one. */

import assert from "node:assert/strict";
import { type Memory, nodeSqlite, openMemory, restoreMemory, type Watermark } from "../../mod.ts";
import { atNoon, erase, readTurns } from "../conversations/samples.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";

const TABLES = ["scopes", "turns", "chunk_indexes"] as const;

/** The greatest id of each table, through a connection of its own. */
function newestIds(path: string): readonly number[] {
  const main = nodeSqlite.open(path, { readOnly: true });
  const ids = TABLES.map((table) => main.prepare(`SELECT coalesce(max(id), 0) FROM ${table}`).get([])![0]);
  main.close();
  return ids as number[];
}

/** A scope with a turn and an index, each the newest of its table; returns their ids. */
async function makeNewest(
  memory: Memory,
  path: string,
  session: string,
): Promise<readonly number[]> {
  const conversation = memory.conversation({ tenantId: "orchard", sessionId: session });
  await conversation.append([{ role: "user", content: "Where is order 7?" }]);
  await conversation.search("order");
  return newestIds(path);
}

Deno.test("A row id is not given again after the newest scope, turn and index were deleted", async () => {
  await using directory = await TemporaryDirectory.makeInMemory();
  const path = directory.file("agent.db");
  await using memory = await openMemory(path, atNoon());
  const first = await makeNewest(memory, path, "first");
  await erase(memory.conversation({ tenantId: "orchard", sessionId: "first" }), "scope");
  assert.deepEqual(newestIds(path), [0, 0, 0]);
  const second = await makeNewest(memory, path, "second");
  const conversation = memory.conversation({ tenantId: "orchard", sessionId: "second" });
  const [turn] = await readTurns(conversation);
  await erase(conversation, "turn", turn!.turnId);
  await conversation.append([{ role: "user", content: "Where is order 8?" }]);
  const third = newestIds(path);
  for (const [place, table] of TABLES.entries()) assert(second[place]! > first[place]!, table);
  assert(third[1]! > second[1]!);
  assert.equal((await memory.check()).ok, true);
});

Deno.test("A row id that was given after a backup is not given again once it is restored", async () => {
  await using directory = await TemporaryDirectory.makeInMemory();
  const path = directory.file("agent.db");
  const backup = directory.file("agent.backup");
  const target = directory.file("restored.db");
  let later: readonly number[];
  let watermark: Watermark;
  {
    await using memory = await openMemory(path, atNoon());
    await makeNewest(memory, path, "kept");
    await memory.backup(backup);
    later = await makeNewest(memory, path, "lost");
    watermark = await memory.deletionWatermark();
  }
  const options = { ...atNoon(), deletionPath: `${path}.deletions`, watermark };
  await using restored = await restoreMemory(backup, target, options);
  const after = await makeNewest(restored, target, "new");
  for (const [place, table] of TABLES.entries()) assert(after[place]! > later[place]!, table);
  assert.equal((await restored.check()).ok, true);
});

Deno.test("A write that is rejected takes no row id with it, whatever else its group writes", async () => {
  const newest = async (isRejected: boolean): Promise<readonly number[]> => {
    await using directory = await TemporaryDirectory.makeInMemory();
    const path = directory.file("agent.db");
    await using memory = await openMemory(path, {
      ...atNoon(),
      limits: { bytesPerScope: 1_000 },
    });
    const append = (sessionId: string, content: string): Promise<unknown> =>
      memory.conversation({ tenantId: "orchard", sessionId }).append([{ role: "user", content }]);
    const calls = [append("first", "Hello")];
    if (isRejected) calls.push(append("rejected", "too long ".repeat(200)));
    calls.push(append("third", "Hello"));
    const outcomes = await Promise.allSettled(calls);
    assert.equal(outcomes.filter(({ status }) => status === "rejected").length, isRejected ? 1 : 0);
    return newestIds(path);
  };
  assert.deepEqual(await newest(true), await newest(false));
});
