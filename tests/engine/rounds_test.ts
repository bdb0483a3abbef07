/** What a check reads in batches, and a read finds pending: around each limit nothing is skipped. */

import assert from "node:assert/strict";
import { type Memory, nodeSqlite, type RecordPage } from "../../mod.ts";
import { RESULT } from "../../src/engines/sqlite/drivers/result_codes.ts";
import { CHECK_ROWS_PER_BATCH, GROUP_MEMBERS_MAX, LIST_ITEMS_MAX } from "../../src/limits.ts";
import { atNoon, HARBOUR, ORCHARD, talk } from "../conversations/samples.ts";
import { FaultyDriver } from "../kit/faulty_driver.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { makeFileStore } from "../kit/store_target.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";
import type { TestStore } from "../kit/test_store.ts";

const BATCH = CHECK_ROWS_PER_BATCH;
const COUNT = 2 * BATCH + 1;
const FACT = { schema: 1, text: "x", source: "y", reviewed: false } as const;

async function makeStore(): Promise<TestStore<FaultyDriver>> {
  return await makeFileStore(new FaultyDriver(nodeSqlite), await TemporaryDirectory.makeInMemory());
}

function times<T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => make(index)));
}

/** Keys whose order is that of their numbers. */
function keyOf(index: number): string {
  return `k${String(index).padStart(4, "0")}`;
}

function putFact({ records }: Memory, index: number): Promise<number> {
  const options = { expectedRevision: null, ttl: 3_600, operationId: `operation ${index}` };
  return records.put({ tenantId: "orchard", kind: "fact", key: keyOf(index) }, FACT, options);
}

/** A damage to one row of a table, by its place in the order in which a check reads it. */
const DAMAGES: Readonly<Record<string, string>> = {
  records: `UPDATE records SET checksum = checksum + 1 WHERE key = (
    SELECT key FROM records ORDER BY tenant, kind, key LIMIT 1 OFFSET $1)`,
  operations: `UPDATE operations SET checksum = checksum + 1 WHERE operation_hash = (
    SELECT operation_hash FROM operations ORDER BY scope_hash, operation_hash LIMIT 1 OFFSET $1)`,
  index_terms: `UPDATE index_terms SET checksum = checksum + 1 WHERE number = (
    SELECT number FROM index_terms ORDER BY number LIMIT 1 OFFSET $1)`,
  indexed_turns: `UPDATE indexed_turns SET checksum = checksum + 1 WHERE turn = (
    SELECT turn FROM indexed_turns ORDER BY turn LIMIT 1 OFFSET $1)`,
  turns: `UPDATE turns SET payload_checksum = payload_checksum + 1 WHERE id = (
    SELECT id FROM turns ORDER BY id LIMIT 1 OFFSET $1)`,
};

for (const [table, damage] of Object.entries(DAMAGES)) {
  Deno.test(`check() finds one damaged row among ${COUNT} of ${table}, wherever it is`, async () => {
    await using store = await makeStore();
    store.damaged = true;
    const memory = await store.open(atNoon());
    const conversation = memory.conversation(ORCHARD);
    if (table === "records" || table === "operations") await times(COUNT, (index) => putFact(memory, index));
    else await times(COUNT, (index) => conversation.append([{ role: "user", content: `word${index}x` }]));
    if (table.startsWith("index")) await conversation.search("word");
    assert.equal((await memory.check()).ok, true);
    // Every check of an index reads all of it several times.
    const places = table.startsWith("index")
      ? [BATCH, 2 * BATCH]
      : [0, BATCH - 1, BATCH, BATCH + 1, 2 * BATCH];
    for (const place of places) {
      store.sql(damage, place);
      const { ok, problems } = await memory.check();
      assert.deepEqual([ok, problems[0]?.table], [false, table], `${place}`);
      store.sql(damage.replace("+ 1", "- 1"), place);
    }
    assert.equal((await memory.check()).ok, true);
  });
}

Deno.test(`inspect() counts each of ${COUNT} records of one tenant`, async () => {
  await using store = await makeStore();
  const memory = await store.open(atNoon());
  for (const count of [BATCH - 1, BATCH, BATCH + 1, COUNT]) {
    const before = (await memory.inspect()).tenants[0]?.records ?? 0;
    await times(count - before, (index) => putFact(memory, before + index));
    assert.equal((await memory.inspect()).tenants[0]?.records, count);
  }
});

Deno.test("records.list() returns each record once, in pages of any size, up to the largest", async () => {
  await using store = await makeStore();
  const memory = await store.open(atNoon());
  await times(LIST_ITEMS_MAX + 1, (index) => putFact(memory, index));
  const expected = Array.from({ length: LIST_ITEMS_MAX + 1 }, (_, index) => keyOf(index));
  for (const limit of [undefined, 333, 500, LIST_ITEMS_MAX]) {
    const keys: string[] = [];
    let next: string | null | undefined;
    while (next !== null) {
      const page: RecordPage = await memory.records.list("orchard", {
        ...(limit === undefined ? {} : { limit }),
        ...(next === undefined ? {} : { after: next }),
      });
      keys.push(...page.items.map(({ key }) => key));
      next = page.next;
    }
    assert.deepEqual(keys, expected, `${limit}`);
  }
});

Deno.test("A reader sees nothing that any deletion of a pending group names", async () => {
  await using store = await makeStore();
  const memory = await store.open(atNoon());
  const sessions = Array.from(
    { length: GROUP_MEMBERS_MAX },
    (_, index) => ({ ...ORCHARD, sessionId: `s${index}` }),
  );
  for (const scope of sessions) await talk(memory, ["t1"], scope);
  await talk(memory, ["h1"], HARBOUR);
  store.driver.fail({ database: "main", sql: "INSERT INTO deletions", effect: "before", code: RESULT.IOERR });
  const results = await Promise.allSettled(
    sessions.map((scope) =>
      memory.conversation(scope).delete({ kind: "turn", key: "t1", expectedRevision: 1 })
    ),
  );
  store.driver.heal();
  assert.deepEqual(results.map(({ status }) => status), sessions.map(() => "rejected"));
  const reader = await store.open({ ...atNoon(), readOnly: true, busyTimeoutMs: 0 });
  assert.equal((await reader.inspect()).pending, sessions.length);
  for (const scope of sessions) {
    await assert.rejects(reader.conversation(scope).snapshot(), { code: "READONLY" }, scope.sessionId);
  }
  assert.equal((await reader.conversation(HARBOUR).snapshot()).turnCount, 1);
  await reader.close();
  for (const scope of sessions) assert.equal((await memory.conversation(scope).snapshot()).turnCount, 0);
});

testThatNothingIsLeftOpen();
