import assert from "node:assert/strict";
import { THREAD, VISITS } from "./shared_names.ts";
import { assertIntact, StoreDirectory } from "./shared_store.ts";
import { Crew, nameOf, type Staff } from "./workers.ts";

const LONG = Deno.env.get("HOLDFAST_LONG") === "1";

/** Eight writers, each a process, or several of them in one process. */
const EIGHT: readonly Staff[] = [{ processes: 8, threads: 0 }, { processes: 2, threads: 4 }];
const FOUR: readonly Staff[] = [{ processes: 4, threads: 0 }, { processes: 2, threads: 2 }];

for (const staff of EIGHT) {
  Deno.test(`CON-01: ${nameOf(staff)} that increment one record 100 times each leave 800`, async () => {
    using store = new StoreDirectory();
    await using memory = await store.open();
    const first = await memory.records.put(VISITS, { n: 0 }, { expectedRevision: null, ttl: null });
    await using workers = await Crew.start(staff);
    await workers.perform(() => ({ do: "open", path: store.path, busyTimeoutMs: 60_000 }));
    await workers.perform(() => ({ do: "increment", times: 100 }));
    const found = await memory.records.get(VISITS);
    assert.deepEqual(found?.value, { n: 800 });
    assert.equal(found?.revision, first + 800);
    await assertIntact(memory);
  });
}

Deno.test("CON-01: facts that several processes put at once are all there", async () => {
  const [processes, facts] = LONG ? [12, 50] : [6, 50];
  using store = new StoreDirectory();
  await using memory = await store.open();
  await using workers = await Crew.start({ processes, threads: 0 });
  await workers.perform(() => ({ do: "open", path: store.path, busyTimeoutMs: 60_000 }));
  const revisions = await workers.perform<number[]>((index) => ({
    do: "facts",
    prefix: `w${index}`,
    count: facts,
  }));
  const handedOut = revisions.flat().sort((a, b) => a - b);
  assert.deepEqual(handedOut, Array.from({ length: processes * facts }, (_, index) => index + 1));
  const { items, next } = await memory.records.list("orchard", { limit: 1_000 });
  assert.equal(items.length, processes * facts);
  assert.equal(next, null);
  await assertIntact(memory);
});

for (const staff of FOUR) {
  Deno.test(`CON-01: turns that ${nameOf(staff)} append to one conversation are all there, one revision each`, async () => {
    const turns = LONG ? 100 : 25;
    using store = new StoreDirectory();
    await using memory = await store.open();
    const conversation = memory.conversation(THREAD);
    const created = await conversation.create();
    await using workers = await Crew.start(staff);
    await workers.perform(() => ({ do: "open", path: store.path, busyTimeoutMs: 60_000 }));
    const revisions = await workers.perform<number[]>((index) => ({
      do: "append",
      prefix: `w${index}`,
      count: turns,
    }));
    const handedOut = revisions.flat().sort((a, b) => a - b);
    assert.deepEqual(handedOut, Array.from({ length: 4 * turns }, (_, index) => created + index + 1));
    const contents: (string | null | undefined)[] = [];
    for await (const turn of conversation.turns()) contents.push(turn.messages[0]!.content);
    assert.equal(new Set(contents).size, 4 * turns);
    assert.equal(contents.length, 4 * turns);
    await assertIntact(memory);
  });
}

Deno.test("50 puts at once in one process are all there", async () => {
  using store = new StoreDirectory();
  await using memory = await store.open();
  const keys = Array.from({ length: 50 }, (_, index) => `key-${index}`);
  const value = { schema: 1, text: "at once", source: "one process", reviewed: false } as const;
  const revisions = await Promise.all(
    keys.map((key) =>
      memory.records.put({ tenantId: "orchard", kind: "fact", key }, value, {
        expectedRevision: null,
        ttl: 60,
      })
    ),
  );
  assert.deepEqual(revisions, keys.map((_, index) => index + 1));
  const { items } = await memory.records.list("orchard");
  assert.deepEqual(items.map(({ key }) => key), keys.toSorted());
  await assertIntact(memory);
});
