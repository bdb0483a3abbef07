/** Listing: order, pages, cursors, limits. */

import assert from "node:assert/strict";
import { MutableClock } from "../kit/mutable_clock.ts";
import type { StoreUnderTest } from "../kit/store_under_test.ts";
import type { Records } from "../../records/record_calls.ts";
import { forEachRow } from "../kit/each_row.ts";
import type { Suite } from "../kit/suite.ts";
import { ANYTHING, COUNTER, factAt, factOf, RUN, START } from "./record_samples.ts";

const CREATE = { expectedRevision: null, ttl: 60, now: 100 };

/** Five checkpoints, c1 to c5. */
async function openWithFive(store: StoreUnderTest): Promise<Records> {
  const { records } = await store.open();
  for (const key of ["c3", "c1", "c5", "c2", "c4"]) await records.put({ ...RUN, key }, START, CREATE);
  return records;
}

/** The keys of all pages, page by page. */
async function pagesOf(records: Records, options: { limit: number; kind?: string }): Promise<string[][]> {
  const pages: string[][] = [];
  let after: string | undefined;
  do {
    const { items, next } = await records.list("orchard", { ...options, after, now: 100 });
    pages.push(items.map(({ kind, key }) => `${kind} ${key}`));
    after = next ?? undefined;
  } while (after !== undefined);
  return pages;
}

export function testList({ promise }: Suite): void {
  promise("Records.list() tells kind, key, revision and deadline, and no value", async (store) => {
    const { records } = await store.open();
    await records.put(RUN, START, CREATE);
    assert.deepEqual(await records.list("orchard", { now: 100 }), {
      items: [{ kind: "checkpoint", key: "run-a", revision: 1, expires: 160 }],
      next: null,
    });
  });

  promise("Records.list() goes by kind, then key, in the order of code points", async (store) => {
    const { records } = await store.open({ kinds: [ANYTHING, COUNTER] });
    const keys = ["\u{10000}", "\uffff", "é", "z", "a", "Z", "10", "9"];
    for (const key of keys) {
      await records.put({ tenantId: "orchard", kind: "anything", key }, 1, {
        expectedRevision: null,
        ttl: null,
      });
    }
    await records.put({ tenantId: "orchard", kind: "counter", key: "a" }, { n: 1 }, {
      expectedRevision: null,
      ttl: null,
    });
    await records.put(factAt("a"), factOf("x"), CREATE);
    await records.put(RUN, START, CREATE);
    const sorted = ["10", "9", "Z", "a", "z", "é", "\uffff", "\u{10000}"].map((key) => `anything ${key}`);
    const all = [...sorted, "checkpoint run-a", "counter a", "fact a"];
    assert.deepEqual((await pagesOf(records, { limit: 100 })).flat(), all);
    for (const limit of [1, 2, 3, 7]) assert.deepEqual((await pagesOf(records, { limit })).flat(), all);
  });

  promise("Records.list() of one kind gives that kind alone, paged by key", async (store) => {
    const records = await openWithFive(store);
    await records.put(factAt("c2"), factOf("x"), CREATE);
    assert.deepEqual(await pagesOf(records, { kind: "checkpoint", limit: 2 }), [
      ["checkpoint c1", "checkpoint c2"],
      ["checkpoint c3", "checkpoint c4"],
      ["checkpoint c5"],
    ]);
  });

  promise("Records.list() ends with next null, also where the last page is full", async (store) => {
    const records = await openWithFive(store);
    assert.equal((await records.list("orchard", { limit: 5, now: 100 })).next, null);
    const { next } = await records.list("orchard", { limit: 4, now: 100 });
    assert.equal(next, "checkpoint/c4");
    assert.equal((await records.list("orchard", { limit: 1, after: next!, now: 100 })).next, null);
  });

  promise("Records.list() goes on after a key that has a slash in it", async (store) => {
    const { records } = await store.open({ kinds: [ANYTHING] });
    for (const key of ["a", "a/b", "a/c", "b/"]) {
      await records.put({ tenantId: "orchard", kind: "anything", key }, 1, {
        expectedRevision: null,
        ttl: null,
      });
    }
    assert.deepEqual(await pagesOf(records, { limit: 1 }), [
      ["anything a"],
      ["anything a/b"],
      ["anything a/c"],
      ["anything b/"],
    ]);
  });

  promise(
    "REC-17 pages neither repeat nor skip what was there throughout, at one and the same time",
    async (store) => {
      const clock = new MutableClock();
      const { records } = await store.open({ clock: clock.now });
      const keys = Array.from({ length: 12 }, (_, index) => `c${String(index + 1).padStart(2, "0")}`);
      for (const key of keys) await records.put({ ...RUN, key }, START, { expectedRevision: null, ttl: 60 });
      const first = await records.list("orchard", { limit: 5 });
      await records.put({ ...RUN, key: "c00" }, START, { expectedRevision: null, ttl: 60 });
      await records.forget({ ...RUN, key: "c02" }, 2);
      const seen = first.items.map(({ key }) => key);
      for (let { next } = first; next !== null;) {
        const page = await records.list("orchard", { limit: 5, after: next });
        seen.push(...page.items.map(({ key }) => key));
        next = page.next;
      }
      assert.deepEqual(seen, keys);
    },
  );

  promise("Records.list() gives 100 unless told otherwise, and at most 1 000", async (store) => {
    const { records } = await store.open();
    await Promise.all(
      Array.from({ length: 101 }, (_, index) => records.put(factAt(`k${index}`), factOf("x"), CREATE)),
    );
    assert.equal((await records.list("orchard", { now: 100 })).items.length, 100);
    assert.equal((await records.list("orchard", { limit: 1_000, now: 100 })).items.length, 101);
  });

  for (const [limit, count] of [[0, 0], [2, 2]] as const) {
    promise(`REC-18 a limit of ${limit} gives ${count}`, async (store) => {
      const records = await openWithFive(store);
      assert.equal((await records.list("orchard", { limit, now: 100 })).items.length, count);
    });
  }

  promise("REC-18 limits below 0, fractions, NaN, texts and more than 1 000 are refused", async (store) => {
    const records = await openWithFive(store);
    await forEachRow([-1, 2.5, NaN, 1e9, 1_001, "2", 2n, null, true, -0], async (limit) => {
      await store.assertChangesNothing(() => records.list("orchard", { limit: limit as number, now: 100 }), {
        code: "CONTRACT",
        field: "limit",
      });
    });
  });

  promise("Records.list() refuses to go on after what is no cursor", async (store) => {
    const records = await openWithFive(store);
    await forEachRow(
      ["", "checkpoint", "/run-a", "checkpoint/a\0", "checkpoint/\ud800", 5, null, {}],
      async (after) => {
        await store.assertChangesNothing(
          () => records.list("orchard", { after: after as string, now: 100 }),
          {
            code: "CONTRACT",
            field: "after",
          },
        );
      },
    );
  });
}
