/** Exports read in pages and imports write in groups: around each limit every item is restored unchanged. */

import assert from "node:assert/strict";
import type { Memory, TimedTurn } from "@holdfast/memory";
import { EXPORT_AT_ONCE_BYTES, EXPORT_ROWS_PER_PAGE, IMPORT_GROUP_LINES } from "../../src/limits.ts";
import { clockAtNoon, ORCHARD, pinOf, readTurns, summaryOf, talk } from "../conversations/samples.ts";
import { assertIntact, testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { exported, freshStore, held, NONE, NOTE } from "./filling.ts";

const [PAGE, GROUP] = [EXPORT_ROWS_PER_PAGE, IMPORT_GROUP_LINES];

/** Around one page, two of them and a group, and three and more pages. */
const COUNTS = [PAGE - 1, PAGE, PAGE + 1, GROUP - 1, GROUP, GROUP + 1, 100];

function noteOf(index: number): { readonly tenantId: string; readonly kind: string; readonly key: string } {
  // Three tenants whose records lie on both sides of every border between pages.
  return { tenantId: `t${index % 3}`, kind: NOTE.name, key: `k${index}` };
}

/** Fills a store; returns a function that reads every item of it. */
type Fill = (memory: Memory, count: number) => Promise<(memory: Memory) => Promise<readonly unknown[]>>;

const FILLS: Readonly<Record<"records" | "scopes" | "turns" | "pins", Fill>> = {
  records: async ({ records }, count) => {
    await Promise.all(
      Array.from(
        { length: count },
        (_, index) =>
          records.put(noteOf(index), { index }, { expectedRevision: null, ttl: index % 2 === 0 ? null : 60 }),
      ),
    );
    return (memory) =>
      Promise.all(Array.from({ length: count }, (_, index) => memory.records.get(noteOf(index))));
  },
  scopes: async (memory, count) => {
    const scopeOf = (index: number) => ({ ...ORCHARD, sessionId: `s${index}` });
    await Promise.all(
      Array.from(
        { length: count },
        (_, index) => memory.conversation(scopeOf(index)).append([{ role: "user", content: `${index}` }]),
      ),
    );
    return (memory) =>
      Promise.all(
        Array.from({ length: count }, (_, index) => readTurns(memory.conversation(scopeOf(index)))),
      );
  },
  turns: async (memory, count) => {
    const conversation = await talk(memory, []);
    await Promise.all(
      Array.from(
        { length: count },
        (_, index) => conversation.append([{ role: "user", content: `turn ${index}` }]),
      ),
    );
    const summary = summaryOf(await readTurns(conversation));
    await conversation.putSummary(await conversation.snapshot(), summary);
    return async (memory) => {
      const read = memory.conversation(ORCHARD);
      const { summary } = await read.snapshot();
      return [...await readTurns(read), summary] as readonly (TimedTurn | typeof summary)[];
    };
  },
  pins: async (memory, count) => {
    const conversation = await talk(memory, []);
    let expectedRevision = await conversation.revision();
    for (let index = 0; index < count; index++) {
      expectedRevision = await conversation.putPin(pinOf(`k${index}`), { expectedRevision });
    }
    return async (memory) => (await memory.conversation(ORCHARD).snapshot()).pins;
  },
};

for (const [sort, fill] of Object.entries(FILLS)) {
  Deno.test(`TST-03 Each of any number of ${sort} comes back from an export as it was`, async () => {
    for (const count of COUNTS) {
      const clock = clockAtNoon();
      await using source = await freshStore(clock);
      const readAll = await fill(source, count);
      const things = await readAll(source);
      assert.equal(things.filter((thing) => thing !== null).length, count + (sort === "turns" ? 1 : 0));
      const lines = await exported(source);
      await using fresh = await freshStore(clock);
      const { imported, skipped, ...others } = await fresh.importLines(lines);
      assert.equal(imported[sort as keyof typeof FILLS], count, `${count} ${sort}`);
      assert.equal(skipped, 0);
      for (const outcome of Object.values(others)) assert.deepEqual(outcome, NONE);
      assert.deepEqual(await readAll(fresh), things, `${count} ${sort}`);
      assert.equal(held(await exported(fresh)), held(lines), `${count} ${sort}`);
      assert.deepEqual((await fresh.importLines(lines)).unchanged, imported);
      await assertIntact(fresh);
    }
  });
}

Deno.test("TST-03 A scope that is too large to be read at once is exported whole, page by page", async () => {
  await using source = await freshStore();
  const conversation = await talk(source, []);
  const count = 2 * PAGE + 1;
  const content = "x".repeat(Math.ceil(EXPORT_AT_ONCE_BYTES / count));
  await Promise.all(
    Array.from(
      { length: count },
      (_, index) => conversation.append([{ role: "user", content: `${index} ${content}` }]),
    ),
  );
  const lines = await exported(source);
  await using fresh = await freshStore();
  assert.equal((await fresh.importLines(lines)).imported.turns, count);
  assert.deepEqual(await readTurns(fresh.conversation(ORCHARD)), await readTurns(conversation));
});

Deno.test("TST-03 A page of nothing but expired records does not end an export", async () => {
  const clock = clockAtNoon();
  await using source = await freshStore(clock);
  const put = (index: number, ttl: number | null): Promise<number> => {
    const key = `k${String(index).padStart(3, "0")}`;
    return source.records.put({ tenantId: "t", kind: NOTE.name, key }, index, {
      expectedRevision: null,
      ttl,
    });
  };
  const ttls = Array.from({ length: 3 * PAGE + 1 }, (_, index) => index < 2 * PAGE ? 60 : null);
  await Promise.all(ttls.map((ttl, index) => put(index, ttl)));
  clock.advance(60);
  const keys = (await exported(source)).slice(1, -1).map((line) => JSON.parse(line).key);
  assert.deepEqual(
    keys,
    Array.from({ length: PAGE + 1 }, (_, index) => `k${String(2 * PAGE + index).padStart(3, "0")}`),
  );
});

Deno.test("TST-03 A group of nothing but expired lines does not end an import", async () => {
  const clock = clockAtNoon();
  await using source = await freshStore(clock);
  await Promise.all(
    Array.from({ length: 2 * GROUP + 1 }, (_, index) => {
      const ttl = index < GROUP ? 60 : null;
      const key = `k${String(index).padStart(3, "0")}`;
      return source.records.put({ tenantId: "t", kind: NOTE.name, key }, index, {
        expectedRevision: null,
        ttl,
      });
    }),
  );
  const lines = await exported(source);
  clock.advance(60);
  await using fresh = await freshStore(clock);
  const { imported, expired } = await fresh.importLines(lines);
  assert.deepEqual([imported.records, expired.records], [GROUP + 1, GROUP]);
  assert.equal((await fresh.records.list("t", { limit: 1_000 })).items.length, GROUP + 1);
});

testThatNothingIsLeftOpen();
