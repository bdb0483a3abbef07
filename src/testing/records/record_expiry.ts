/** Deadlines: exact, exclusive, set by every write, extended by no read. */

import assert from "node:assert/strict";
import { defineKind } from "../../contracts/record_kind.ts";
import { MutableClock } from "../kit/mutable_clock.ts";
import { forEachRow } from "../kit/each_row.ts";
import { RECORDS } from "../../tables/schema/main_tables.ts";
import type { Suite } from "../kit/suite.ts";
import { acceptAll, COUNTER, factAt, factOf, LISTS, PREFERENCE, RUN, START } from "./record_samples.ts";

export function testExpiry(suite: Suite): void {
  testBoundary(suite);
  testTtl(suite);
  testMaxAge(suite);
}

function testBoundary({ promise }: Suite): void {
  promise(
    "Records.get() sees what was written at 100 with ttl 10 at 109, and nothing at 110",
    async (store) => {
      const { records } = await store.open();
      await records.put(PREFERENCE, LISTS, { expectedRevision: null, ttl: 10, now: 100 });
      assert.deepEqual(await records.get(PREFERENCE, { now: 109 }), {
        revision: 1,
        expires: 110,
        value: LISTS,
      });
      assert.equal(await records.get(PREFERENCE, { now: 110 }), null);
    },
  );

  promise("Records.get() extends no deadline and removes no row", async (store) => {
    const { records } = await store.open();
    await records.put(PREFERENCE, LISTS, { expectedRevision: null, ttl: 10, now: 100 });
    const before = await store.state();
    await records.get(PREFERENCE, { now: 109 });
    await records.get(PREFERENCE, { now: 500 });
    await records.list("orchard", { now: 500 });
    assert.deepEqual(await store.state(), before);
    assert.equal((await records.get(PREFERENCE, { now: 109 }))?.expires, 110);
  });

  promise("REC-01 every path hides an expired record by one rule, without any sweep", async (store) => {
    const clock = new MutableClock(1_000);
    const memory = await store.open({ clock: clock.now });
    const { records } = memory;
    await records.put(RUN, START, { expectedRevision: null, ttl: 5 });
    clock.set(1_004);
    assert.equal((await records.get(RUN))?.revision, 1);
    assert.equal((await records.list("orchard")).items.length, 1);
    for (const seconds of [1_005, 1_006]) {
      clock.set(seconds);
      assert.equal(await records.get(RUN), null);
      assert.deepEqual((await records.list("orchard")).items, []);
      assert.deepEqual((await records.list("orchard", { kind: "checkpoint" })).items, []);
      await assert.rejects(records.update(RUN, (value) => value, { ttl: 5 }), { reason: "MISSING" });
      await assert.rejects(records.put(RUN, START, { expectedRevision: 1, ttl: 5 }), { reason: "EXPIRED" });
    }
    assert.equal(await store.count(RECORDS), 1);
  });

  promise("REC-01 a purged key is created afresh with a new revision", async (store) => {
    const { records } = await store.open();
    await records.put(RUN, START, { expectedRevision: null, ttl: 5, now: 100 });
    assert.equal(await records.purge("orchard", { now: 105 }), 1);
    assert.equal(await records.put(RUN, START, { expectedRevision: null, ttl: 5, now: 105 }), 2);
  });

  promise("REC-02 deadlines are whole numbers and are compared as numbers", async (store) => {
    const clock = new MutableClock(Date.parse("2026-03-14T07:59:00Z") / 1_000);
    const { records } = await store.open({ clock: clock.now });
    await records.put(RUN, START, { expectedRevision: null, ttl: 60 });
    assert.deepEqual(await store.cells(RECORDS, "expires"), [[1_773_475_200]]);
    clock.set(Date.parse("2026-03-14T23:59:59Z") / 1_000);
    assert.equal(await records.get(RUN), null);
  });

  promise("Records.put() conflicts on an expired row, whatever it expects", async (store) => {
    const { records } = await store.open();
    await records.put(RUN, START, { expectedRevision: null, ttl: 10, now: 100 });
    for (const expectedRevision of [null, 1, 2]) {
      await store.assertChangesNothing(
        () => records.put(RUN, START, { expectedRevision, ttl: 10, now: 110 }),
        {
          code: "CONFLICT",
          reason: "EXPIRED",
          currentRevision: 1,
          retryable: false,
        },
      );
    }
  });

  promise("Records.put() takes the clock's milliseconds, floored to seconds", async (store) => {
    const clock = new MutableClock();
    clock.ms = 100_999;
    const { records } = await store.open({ clock: clock.now });
    await records.put(RUN, START, { expectedRevision: null, ttl: 10 });
    clock.ms = 109_999;
    assert.equal((await records.get(RUN))?.expires, 110);
    clock.ms = 110_000;
    assert.equal(await records.get(RUN), null);
  });
}

const BAD_TTLS = [
  0,
  -1,
  -0,
  0.5,
  NaN,
  Infinity,
  -Infinity,
  "60",
  60n,
  true,
  null,
  undefined,
  86_401,
  2 ** 31,
  1e300,
];

function testTtl({ promise }: Suite): void {
  promise(
    "REC-12 Records.put() and update() refuse a ttl that is no whole number from 1 to 86 400",
    async (store) => {
      const { records } = await store.open();
      await records.put(RUN, START, { expectedRevision: null, ttl: 60 });
      const refusal = { code: "CONTRACT", field: "ttl" };
      await forEachRow(BAD_TTLS, async (given) => {
        const ttl = given as number;
        await store.assertChangesNothing(
          () => records.put(RUN, START, { expectedRevision: 1, ttl }),
          refusal,
        );
        await store.assertChangesNothing(() => records.update(RUN, (value) => value, { ttl }), refusal);
      });
    },
  );

  promise("REC-12 a ttl of 1 and of 86 400 seconds is exact", async (store) => {
    const { records } = await store.open();
    await records.put(factAt("short"), factOf("x"), { expectedRevision: null, ttl: 1, now: 100 });
    await records.put(factAt("long"), factOf("x"), { expectedRevision: null, ttl: 86_400, now: 100 });
    assert.deepEqual(
      (await records.list("orchard", { now: 100 })).items.map(({ key, expires }) => [key, expires]),
      [
        ["long", 86_500],
        ["short", 101],
      ],
    );
  });

  promise("REC-12 a kind's own ttlMax holds: 30 days, and not a second more", async (store) => {
    const month = 30 * 86_400;
    const kind = defineKind("month", acceptAll(), { ttlMax: month });
    const { records } = await store.open({ kinds: [kind] });
    const identity = { tenantId: "orchard", kind: "month", key: "a" };
    await records.put(identity, 1, { expectedRevision: null, ttl: month, now: 0 });
    assert.equal((await records.get(identity, { now: month - 1 }))?.expires, month);
    await store.assertChangesNothing(
      () => records.put(identity, 1, { expectedRevision: 1, ttl: month + 1, now: 0 }),
      {
        code: "CONTRACT",
        field: "ttl",
      },
    );
    await store.assertChangesNothing(
      () => records.put(identity, 1, { expectedRevision: 1, ttl: null, now: 0 }),
      {
        code: "CONTRACT",
        field: "ttl",
      },
    );
  });

  promise(
    "A kind with ttlMax null keeps a record with ttl null for ever: never due, never purged",
    async (store) => {
      const { records } = await store.open({ kinds: [COUNTER] });
      const identity = { tenantId: "orchard", kind: "counter", key: "a" };
      await records.put(identity, { n: 1 }, { expectedRevision: null, ttl: null, now: 100 });
      assert.equal((await records.get(identity, { now: 10_000_000_000 }))?.expires, null);
      assert.equal(await records.purge("orchard", { now: 10_000_000_000 }), 0);
      assert.equal((await records.list("orchard", { now: 10_000_000_000 })).items[0]?.expires, null);
    },
  );

  promise("A kind with ttlMax null takes deadlines too, up to 10^10 seconds", async (store) => {
    const { records } = await store.open({ kinds: [COUNTER] });
    const identity = { tenantId: "orchard", kind: "counter", key: "a" };
    await records.put(identity, { n: 1 }, { expectedRevision: null, ttl: 10_000_000_000, now: 100 });
    assert.equal((await records.get(identity, { now: 100 }))?.expires, 10_000_000_100);
    await store.assertChangesNothing(
      () => records.put(identity, { n: 2 }, { expectedRevision: 1, ttl: 10_000_000_001 }),
      {
        code: "CONTRACT",
        field: "ttl",
      },
    );
  });

  promise("Records.put() sets a new deadline with every write, later or earlier", async (store) => {
    const { records } = await store.open({ kinds: [COUNTER] });
    const identity = { tenantId: "orchard", kind: "counter", key: "a" };
    const expiries: (number | null | undefined)[] = [];
    for (const [index, ttl] of [60, 5, null, 7].entries()) {
      await records.put(identity, { n: 1 }, {
        expectedRevision: index === 0 ? null : index,
        ttl,
        now: 100 + index,
      });
      expiries.push((await records.get(identity, { now: 103 }))?.expires);
    }
    assert.deepEqual(expiries, [160, 106, null, 110]);
  });

  promise("REC-19 a write keeps the row's creation time", async (store) => {
    const { records } = await store.open();
    await records.put(RUN, START, { expectedRevision: null, ttl: 86_400, now: 100 });
    await records.put(RUN, START, { expectedRevision: 1, ttl: 86_400, now: 900 });
    await records.put(RUN, START, { expectedRevision: 2, ttl: 86_400, now: 950 });
    assert.deepEqual(await store.cells(RECORDS, "created", "expires"), [[100, 87_350]]);
  });
}

function testMaxAge({ promise }: Suite): void {
  promise("maxAge is a deadline from creation that sliding writes cannot pass", async (store) => {
    const { records } = await store.open();
    await records.put(RUN, START, { expectedRevision: null, ttl: 60, now: 100, maxAge: 100 });
    assert.equal((await records.get(RUN, { now: 100 }))?.expires, 160);
    await records.put(RUN, START, { expectedRevision: 1, ttl: 60, now: 150 });
    assert.equal((await records.get(RUN, { now: 150 }))?.expires, 200);
    await records.put(RUN, START, { expectedRevision: 2, ttl: 60, now: 199 });
    assert.equal((await records.get(RUN, { now: 199 }))?.expires, 200);
    assert.equal(await records.get(RUN, { now: 200 }), null);
  });

  promise("maxAge can only fall: a later, greater one changes nothing", async (store) => {
    const { records } = await store.open();
    await records.put(RUN, START, { expectedRevision: null, ttl: 60, now: 100, maxAge: 50 });
    await records.put(RUN, START, { expectedRevision: 1, ttl: 60, now: 110, maxAge: 500 });
    assert.equal((await records.get(RUN, { now: 110 }))?.expires, 150);
    await records.put(RUN, START, { expectedRevision: 2, ttl: 60, now: 110, maxAge: 20 });
    assert.equal((await records.get(RUN, { now: 110 }))?.expires, 120);
  });

  promise(
    "maxAge that would end the record now or earlier is EXPIRED, and changes nothing",
    async (store) => {
      const { records } = await store.open();
      await records.put(RUN, START, { expectedRevision: null, ttl: 60, now: 100 });
      for (const maxAge of [10, 5]) {
        await store.assertChangesNothing(
          () => records.put(RUN, START, { expectedRevision: 1, ttl: 60, now: 110, maxAge }),
          {
            code: "CONFLICT",
            reason: "EXPIRED",
            currentRevision: 1,
          },
        );
      }
      assert.equal(await records.put(RUN, START, { expectedRevision: 1, ttl: 60, now: 110, maxAge: 11 }), 2);
    },
  );

  promise("maxAge starts anew once a record was purged and created afresh", async (store) => {
    const { records } = await store.open();
    await records.put(RUN, START, { expectedRevision: null, ttl: 60, now: 100, maxAge: 10 });
    await records.purge("orchard", { now: 110 });
    await records.put(RUN, START, { expectedRevision: null, ttl: 60, now: 110 });
    assert.equal((await records.get(RUN, { now: 110 }))?.expires, 170);
  });

  promise("maxAge bounds a record that has no ttl", async (store) => {
    const { records } = await store.open({ kinds: [COUNTER] });
    const identity = { tenantId: "orchard", kind: "counter", key: "a" };
    await records.put(identity, { n: 1 }, { expectedRevision: null, ttl: null, now: 100, maxAge: 10 });
    assert.equal((await records.get(identity, { now: 109 }))?.expires, 110);
    assert.equal(await records.purge("orchard", { now: 110 }), 1);
  });

  promise("Records.put() refuses a maxAge that is no whole number from 1 to 10^10", async (store) => {
    const { records } = await store.open();
    await forEachRow([0, -1, 1.5, NaN, Infinity, "10", 10n, null, true, 10_000_000_001], async (maxAge) => {
      const options = { expectedRevision: null, ttl: 60, maxAge: maxAge as number };
      await store.assertChangesNothing(() => records.put(RUN, START, options), {
        code: "CONTRACT",
        field: "maxAge",
      });
    });
  });
}
