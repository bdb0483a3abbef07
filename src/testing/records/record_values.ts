/** Records of one kind through their typed handle: lists with values, several at once, and the single calls. */

import assert from "node:assert/strict";
import type { Json } from "../../canonical/plain.ts";
import type { ListValuesOptions } from "../../contracts/options/kind_options.ts";
import { defineKind, type RecordKind } from "../../contracts/record_kind.ts";
import { KindError } from "../../errors.ts";
import type { KindRecords } from "../../records/kind_records.ts";
import { RECORDS } from "../../tables/schema/main_tables.ts";
import { forEachRow } from "../kit/each_row.ts";
import { MutableClock } from "../kit/mutable_clock.ts";
import type { Suite } from "../kit/suite.ts";
import { acceptAll, ANYTHING, COUNTER, wholeNumbers } from "./record_samples.ts";

const CREATE = { expectedRevision: null };

/** Puts a value of one under each key, in order. */
async function putKeys(
  records: KindRecords<Json>,
  keys: readonly string[],
  tenantId = "acme",
): Promise<void> {
  for (const key of keys) await records.put({ tenantId, key }, key, CREATE);
}

/** The keys of all pages, page by page. */
async function pagesOf(records: KindRecords<Json>, options: ListValuesOptions): Promise<string[][]> {
  const pages: string[][] = [];
  let after: string | undefined;
  do {
    const { items, next } = await records.list("acme", { ...options, after });
    pages.push(items.map(({ key }) => key));
    after = next ?? undefined;
  } while (after !== undefined);
  return pages;
}

export function testValues(suite: Suite): void {
  testHandle(suite);
  testListing(suite);
  testPrefixes(suite);
  testNewest(suite);
  testGetMany(suite);
  testRefusals(suite);
}

function testHandle({ promise }: Suite): void {
  promise("Records.of() puts, reads, updates and forgets the records of its kind", async (store) => {
    const { records } = await store.open({ kinds: [COUNTER, ANYTHING] });
    const counters = records.of(COUNTER);
    const visits = { tenantId: "acme", key: "visits" };
    assert.equal(await counters.put(visits, { n: 1 }, CREATE), 1);
    await records.of(ANYTHING).put(visits, "another kind", CREATE);
    assert.equal(await counters.update(visits, ({ n }) => ({ n: n + 1 })), 3);
    assert.deepEqual(await counters.get(visits), { revision: 3, expires: null, value: { n: 2 } });
    assert.deepEqual(await records.get({ ...visits, kind: "counter" }), await counters.get(visits));
    assert.equal(await counters.forget(visits, 3), true);
    assert.equal(await counters.get(visits), null);
    assert.equal((await records.of(ANYTHING).get(visits))?.value, "another kind");
  });

  promise("Records.of() refuses kinds that were not passed to openMemory", async (store) => {
    const { records } = await store.open({ kinds: [COUNTER] });
    const kinds: readonly unknown[] = [
      ...[ANYTHING, { ...COUNTER }, defineKind("counter", wholeNumbers("n")), "counter", "fact", null],
      ...[undefined, new Proxy(COUNTER, {})],
    ];
    await forEachRow(kinds, (kind) => {
      assert.throws(() => records.of(kind as RecordKind), { name: "ContractError", field: "kind" });
      return Promise.resolve();
    });
  });
}

function testListing({ promise, durable }: Suite): void {
  promise(
    "A list of a kind has key, revision, deadline and value of each live record, by key",
    async (store) => {
      const { records } = await store.open({ kinds: [ANYTHING, COUNTER] });
      const all = records.of(ANYTHING);
      await all.put({ tenantId: "acme", key: "b" }, { deep: [1, null] }, { ...CREATE, ttl: 60, now: 100 });
      await all.put({ tenantId: "acme", key: "a" }, null, CREATE);
      await all.put({ tenantId: "acme", key: "c" }, 1, { ...CREATE, ttl: 10, now: 100 });
      await all.put({ tenantId: "harbour", key: "d" }, 1, CREATE);
      await records.of(COUNTER).put({ tenantId: "acme", key: "e" }, { n: 1 }, CREATE);
      assert.deepEqual(await all.list("acme", { now: 110 }), {
        items: [
          { key: "a", revision: 2, expires: null, value: null, error: null },
          { key: "b", revision: 1, expires: 160, value: { deep: [1, null] }, error: null },
        ],
        next: null,
      });
    },
  );

  promise("A list of a kind goes by code points, and in pages neither repeats nor skips", async (store) => {
    const { records } = await store.open({ kinds: [ANYTHING] });
    const all = records.of(ANYTHING);
    const keys = ["10", "9", "Z", "a", "a/b", "z", "é", "\u{d7ff}", "\u{e000}", "\u{ffff}", "\u{10000}"];
    await putKeys(all, keys.toReversed());
    for (const limit of [1, 2, 3, 10, 11, 12]) {
      const pages = await pagesOf(all, { limit });
      assert.deepEqual(pages.flat(), keys);
      assert.ok(pages.every((page) => page.length > 0 && page.length <= limit), `limit ${limit}`);
    }
  });

  promise("A page goes on where the record that it would begin with is gone", async (store) => {
    const { records } = await store.open({ kinds: [ANYTHING] });
    const all = records.of(ANYTHING);
    await putKeys(all, ["a", "b", "c"]);
    const { next } = await all.list("acme", { limit: 1 });
    await all.forget({ tenantId: "acme", key: "b" }, 2);
    assert.deepEqual((await all.list("acme", { after: next! })).items.map(({ key }) => key), ["c"]);
  });

  promise("A page of large values has as many as 8 MB hold, and its cursor goes on", async (store) => {
    const { records } = await store.open({ kinds: [ANYTHING] });
    const keys = ["0", "1", "2", "3", "4", "5", "6", "7", "8"];
    await putKeys(records.of(ANYTHING), keys);
    assert.deepEqual(await pagesOf(records.of(ANYTHING), {}), [keys.slice(0, 8), ["8"]]);
  });

  durable(
    "A listed value that does not fit carries its error, and the others their values (KND-01)",
    async (store) => {
      const anyTicket = defineKind("ticket", acceptAll());
      const before = await store.open({ kinds: [anyTicket] });
      const first = before.records.of(anyTicket);
      for (const [key, value] of [["a", { step: 1 }], ["b", { stage: 2 }], ["c", { step: 3 }]] as const) {
        await first.put({ tenantId: "acme", key }, value, CREATE);
      }
      const kind = defineKind("ticket", wholeNumbers("step"));
      const { records } = await store.open({ kinds: [kind] });
      const { items } = await records.of(kind).list("acme");
      assert.deepEqual(items.map(({ key, value }) => [key, value]), [["a", { step: 1 }], ["b", null], ["c", {
        step: 3,
      }]]);
      const { error } = items[1]!;
      assert.ok(error instanceof KindError);
      assert.deepEqual([error.kind, error.field, error.details.revision], ["ticket", "value", 2]);
      assert.deepEqual(items.map((item) => item.error === null), [true, false, true]);
      const [b, a] = await records.of(kind).getMany("acme", ["b", "a"]);
      assert.deepEqual([b?.error?.field, b?.value, a?.value], ["value", null, { step: 1 }]);
    },
  );

  promise("A damaged record in a list is INTEGRITY", async (store) => {
    const { records } = await store.open({ kinds: [COUNTER] });
    await records.of(COUNTER).put({ tenantId: "acme", key: "a" }, { n: 1 }, CREATE);
    await store.damage(RECORDS, { body: '{"n": 2}' });
    store.damaged = true;
    const refusal = { code: "INTEGRITY" };
    await store.assertChangesNothing(() => records.of(COUNTER).list("acme"), refusal);
    await store.assertChangesNothing(() => records.of(COUNTER).list("acme", { order: "newest" }), refusal);
    await store.assertChangesNothing(() => records.of(COUNTER).getMany("acme", ["a"]), refusal);
  });
}

function testPrefixes({ promise }: Suite): void {
  promise("A list with a prefix has the keys that begin with it, in pages of any size", async (store) => {
    const { records } = await store.open({ kinds: [ANYTHING] });
    const all = records.of(ANYTHING);
    const last = "\u{10ffff}";
    const keys = [
      ...["a", "src", "src/", "src/a", "src/b%", "src/b_", "src0", "srd"],
      ...["\u{d7ff}", "\u{d7ff}x", "\u{e000}", last, `${last}a`, `${last}${last}`, `${last}${last}b`],
    ];
    await putKeys(all, keys);
    const sorted = keys.toSorted(byCodePoint);
    for (const prefix of ["", "src/", "src", "src/b%", "s", "x", "\u{d7ff}", last, `${last}${last}`]) {
      const expected = sorted.filter((key) => key.startsWith(prefix));
      for (const limit of [1, 2, 100]) {
        assert.deepEqual((await pagesOf(all, { prefix, limit })).flat(), expected, JSON.stringify(prefix));
        const newest = (await pagesOf(all, { prefix, limit, order: "newest" })).flat();
        assert.deepEqual(newest, keys.filter((key) => key.startsWith(prefix)).toReversed());
      }
    }
  });
}

function testNewest({ promise }: Suite): void {
  promise(
    "A list of the newest has the record written last first, whatever the clock says",
    async (store) => {
      const clock = new MutableClock(1_000);
      const { records } = await store.open({ clock: clock.now, kinds: [ANYTHING] });
      const all = records.of(ANYTHING);
      await putKeys(all, ["b", "a", "c"]);
      clock.set(900);
      await putKeys(all, ["d"]);
      await all.update({ tenantId: "acme", key: "a" }, () => 2);
      assert.deepEqual(await pagesOf(all, { order: "newest" }), [["a", "d", "c", "b"]]);
      assert.deepEqual(await pagesOf(all, { order: "newest", limit: 3 }), [["a", "d", "c"], ["b"]]);
    },
  );

  promise("Pages of the newest skip nothing that stays as it was while others are written", async (store) => {
    const { records } = await store.open({ kinds: [ANYTHING] });
    const all = records.of(ANYTHING);
    await putKeys(all, ["a", "b", "c", "d"]);
    const first = await all.list("acme", { order: "newest", limit: 2 });
    await putKeys(all, ["e"]);
    await all.update({ tenantId: "acme", key: "b" }, () => 2);
    const second = await all.list("acme", { order: "newest", limit: 2, after: first.next! });
    assert.deepEqual([...first.items, ...second.items].map(({ key }) => key), ["d", "c", "a"]);
  });
}

function testGetMany({ promise }: Suite): void {
  promise(
    "Records.of().getMany() has an item for each key in order, and null where no live record is",
    async (store) => {
      const { records } = await store.open({ kinds: [ANYTHING] });
      const all = records.of(ANYTHING);
      await putKeys(all, ["a", "b"]);
      await putKeys(all, ["c"], "harbour");
      await all.put({ tenantId: "acme", key: "late" }, 1, { ...CREATE, ttl: 10, now: 100 });
      const a = { key: "a", revision: 1, expires: null, value: "a", error: null };
      assert.deepEqual(await all.getMany("acme", ["b", "none", "a", "c", "late", "a"], { now: 110 }), [
        ...[{ ...a, key: "b", revision: 2, value: "b" }, null, a, null, null, a],
      ]);
      assert.equal((await all.getMany("acme", ["late"], { now: 109 }))[0]?.expires, 110);
      assert.deepEqual(await all.getMany("acme", []), []);
    },
  );
}

function testRefusals({ promise }: Suite): void {
  promise("Calls on a kind name the field that is wrong, and change nothing", async (store) => {
    const { records } = await store.open({ kinds: [ANYTHING, COUNTER] });
    const [all, counters] = [records.of(ANYTHING), records.of(COUNTER)];
    const list = (options: unknown) => () => all.list("acme", options as ListValuesOptions);
    const calls: readonly (readonly [call: () => Promise<unknown>, field: string])[] = [
      [() => counters.put({ tenantId: "acme", key: "" }, { n: 1 }, CREATE), "key"],
      [() => counters.put({ tenantId: "acme" } as never, { n: 1 }, CREATE), "key"],
      [() => counters.get({ tenantId: "acme", key: "a", kind: "fact" } as never), "place"],
      [() => counters.get(null as never), "place"],
      [() => counters.put({ tenantId: "acme", key: "a" }, { n: "1" } as never, CREATE), "value.n"],
      ...[0, -1, 1_001, 1.5, "2", null].map((limit) => [list({ limit }), "limit"] as const),
      ...["latest", null, 1].map((order) => [list({ order }), "order"] as const),
      ...["a\0", "\ud800", null, 5, "x".repeat(257)].map((prefix) => [list({ prefix }), "prefix"] as const),
      ...["", "a", "key:", "key:\0", "key:\ud800", "newest:1", 1, null].map((after) =>
        [list({ after }), "after"] as const
      ),
      ...["key:a", "newest:", "newest:0", "newest:-1", "newest:1e3"].map((after) =>
        [list({ after, order: "newest" }), "after"] as const
      ),
      [list({ after: "key:b", prefix: "a" }), "after"],
      [list({ kind: "fact" }), "options"],
      [list({ now: -1 }), "now"],
      [() => all.getMany("acme", "a" as never), "keys"],
      [() => all.getMany("acme", Array(101).fill("a")), "keys"],
      [() => all.getMany("acme", ["a", ""]), "keys[1]"],
      [() => all.getMany("", ["a"]), "tenantId"],
      [() => all.getMany("acme", ["a"], { now: 0.5 }), "now"],
    ];
    await forEachRow(calls, async ([call, field]) => {
      await store.assertChangesNothing(call, { name: "ContractError", field });
    });
  });
}

/** Orders by code point: UTF-16 order differs above U+FFFF. */
function byCodePoint(left: string, right: string): number {
  const [a, b] = [[...left], [...right]];
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const difference = a[index]!.codePointAt(0)! - b[index]!.codePointAt(0)!;
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
