/** Kinds of one's own: versions of a value, values that no longer fit, lifetimes and identifiers. */

import assert from "node:assert/strict";
import type { Json } from "../../canonical/plain.ts";
import { defineKind, type KindOptions, type RecordKind } from "../../contracts/record_kind.ts";
import { RECORDS } from "../../tables/schema/main_tables.ts";
import { forEachRow } from "../kit/each_row.ts";
import { MutableClock } from "../kit/mutable_clock.ts";
import type { Suite } from "../kit/suite.ts";
import { acceptAll, COUNTER, factAt, factOf, schemaOf, wholeNumbers } from "./record_samples.ts";

const TICKET = { tenantId: "acme", kind: "ticket", key: "ticket-7" };
const CREATE = { expectedRevision: null };

/** Tickets as they were first: `{ step }`. */
const FIRST = defineKind("ticket", wholeNumbers("step"));

/** Tickets as they are now: `{ stage }`. Version 2 had `{ phase }`. */
const THIRD = defineKind("ticket", wholeNumbers("stage"), {
  version: 3,
  migrate: (value, from) => {
    const { step, phase } = value as { readonly step: number; readonly phase: number };
    return { stage: from === 1 ? step * 10 : phase };
  },
});

/** A kind of tickets in which nothing fits, in its own way. */
function unfit(options: KindOptions, validate = (value: unknown): unknown => ({ value })): RecordKind {
  return defineKind("ticket", schemaOf(validate as never), options);
}

function fail(): never {
  throw new Error("the caller's code failed");
}

/** Kinds that a stored ticket of version 1 does not fit; the field and the rule that are named. */
const UNFIT: readonly (readonly [what: string, kind: RecordKind, field: string, rule: string])[] = [
  ["whose schema has another field", defineKind("ticket", wholeNumbers("stage")), "value", "schema"],
  [
    "whose schema names field and rule",
    unfit({}, () => ({
      issues: [{ message: "secret", code: "too_big", path: ["step"] }],
    })),
    "value",
    "too_big",
  ],
  ["whose schema throws", unfit({}, fail), "value", "schema"],
  ["whose schema is asynchronous", unfit({}, () => Promise.resolve({ value: 1 })), "value", "schema"],
  ["that holds less", unfit({ maxBytes: 5 }), "value", "maxBytes"],
  ["whose migration throws", unfit({ version: 2, migrate: fail }), "value", "migrate"],
  ["whose migration returns nothing", unfit({ version: 2, migrate: () => undefined }), "value", "migrate"],
  [
    "whose migration is asynchronous",
    unfit({ version: 2, migrate: () => Promise.reject(1) }),
    "value",
    "migrate",
  ],
  ["whose migration returns no JSON", unfit({ version: 2, migrate: () => new Map() }), "value", "migrate"],
  [
    "whose migration returns too much",
    unfit({ version: 2, maxBytes: 99, migrate: () => "x".repeat(98) }),
    "value",
    "maxBytes",
  ],
];

export function testOwnKinds(suite: Suite): void {
  testVersions(suite);
  testMisfits(suite);
  testLifetimes(suite);
  testReplacing(suite);
  testIdentifiers(suite);
}

function testVersions({ durable }: Suite): void {
  durable(
    "A value of an older version is migrated when read, and stored so by the next put (KND-01)",
    async (store) => {
      const before = await store.open({ kinds: [FIRST] });
      await before.records.put(TICKET, { step: 4 }, CREATE);
      const { records } = await store.open({ kinds: [THIRD] });
      assert.deepEqual((await records.get(TICKET))?.value, { stage: 40 });
      assert.deepEqual(await store.cells(RECORDS, "version", "body"), [[1, '{"step": 4}']]);
      await records.update(TICKET, (value) => ({ stage: (value as { stage: number }).stage + 1 }), {});
      assert.deepEqual(await store.cells(RECORDS, "version", "body"), [[3, '{"stage": 41}']]);
      assert.deepEqual((await records.get(TICKET))?.value, { stage: 41 });
    },
  );

  durable("A migration is given the version that wrote the value, and a copy of its own", async (store) => {
    const given: [Json, number][] = [];
    const kind = defineKind("ticket", acceptAll(), {
      version: 5,
      migrate: (value, from) => {
        given.push([structuredClone(value) as Json, from]);
        (value as { step: number }).step = 99;
        return value;
      },
    });
    for (const [version, key] of [[1, "a"], [4, "b"]] as const) {
      const { records } = await store.open({ kinds: [defineKind("ticket", acceptAll(), { version })] });
      await records.put({ ...TICKET, key }, { step: version }, CREATE);
    }
    const { records } = await store.open({ kinds: [kind] });
    for (const key of ["a", "b", "a"]) {
      assert.deepEqual((await records.get({ ...TICKET, key }))?.value, { step: 99 });
    }
    assert.deepEqual(given, [[{ step: 1 }, 1], [{ step: 4 }, 4], [{ step: 1 }, 1]]);
  });

  durable("A value of an older version is read as it is where its kind has no migration", async (store) => {
    const before = await store.open({ kinds: [FIRST] });
    await before.records.put(TICKET, { step: 4 }, CREATE);
    const { records } = await store.open({
      kinds: [defineKind("ticket", wholeNumbers("step"), { version: 2 })],
    });
    assert.deepEqual((await records.get(TICKET))?.value, { step: 4 });
  });

  durable(
    "A value of a newer version is a KindError on get, update and put, and stays (KND-01)",
    async (store) => {
      const newer = await store.open({ kinds: [THIRD] });
      await newer.records.put(TICKET, { stage: 1 }, CREATE);
      const { records } = await store.open({ kinds: [FIRST] });
      const refusal = {
        name: "KindError",
        code: "KIND",
        kind: "ticket",
        field: "value",
        rule: "version",
        details: { kind: "ticket", field: "value", rule: "version", version: 3, revision: 1 },
      };
      await store.assertChangesNothing(() => records.get(TICKET), refusal);
      await store.assertChangesNothing(() => records.update(TICKET, () => fail(), {}), refusal);
      await store.assertChangesNothing(
        () => records.put(TICKET, { step: 1 }, { expectedRevision: 1 }),
        refusal,
      );
      await store.assertChangesNothing(() => records.put(TICKET, { step: 1 }, { expectedRevision: 7 }), {
        reason: "REVISION",
      });
      assert.equal((await records.list("acme")).items.length, 1);
      assert.equal(await records.forget(TICKET, 1), true);
    },
  );
}

function testMisfits({ durable }: Suite): void {
  for (const [what, kind, field, rule] of UNFIT) {
    durable(
      `A value that does not fit a kind ${what} is a KindError, and not damage (KND-01)`,
      async (store) => {
        const before = await store.open({ kinds: [FIRST] });
        await before.records.put(TICKET, { step: 4 }, CREATE);
        const memory = await store.open({ kinds: [kind] });
        const refusal = {
          name: "KindError",
          ...{ kind: "ticket", field, rule },
          details: { kind: "ticket", field, rule, version: 1, revision: 1 },
        };
        await store.assertChangesNothing(() => memory.records.get(TICKET), refusal);
        await store.assertChangesNothing(() => memory.records.update(TICKET, () => fail(), {}), refusal);
        const { ok, misfits } = await memory.check();
        assert.deepEqual([ok, misfits], [true, [{ row: "acme/ticket/ticket-7", field }]]);
      },
    );
  }

  durable(
    "A value that does not fit is replaced by a put with the revision that its error names",
    async (store) => {
      const before = await store.open({ kinds: [FIRST] });
      await before.records.put(TICKET, { step: 4 }, CREATE);
      const { records } = await store.open({ kinds: [defineKind("ticket", wholeNumbers("stage"))] });
      const error = await records.get(TICKET).catch((thrown: unknown) => thrown);
      const { details: { revision } } = error as { readonly details: { readonly revision: number } };
      await records.put(TICKET, { stage: 1 }, { expectedRevision: revision });
      assert.deepEqual((await records.get(TICKET))?.value, { stage: 1 });
    },
  );
}

function testLifetimes({ promise }: Suite): void {
  promise("A record of a kind of one's own that is put without a lifetime never expires", async (store) => {
    const { records } = await store.open({ kinds: [COUNTER] });
    const identity = { tenantId: "acme", kind: "counter", key: "a" };
    await records.put(identity, { n: 1 }, { ...CREATE, now: 100 });
    assert.equal((await records.get(identity, { now: 10_000_000_000 }))?.expires, null);
    await records.put(identity, { n: 2 }, { expectedRevision: 1, ttl: 60, now: 100 });
    await records.put(identity, { n: 3 }, { expectedRevision: 2, now: 100 });
    assert.equal((await records.get(identity, { now: 10_000_000_000 }))?.expires, null);
  });

  promise(
    "An update without a lifetime keeps the deadline of the record, or its having none",
    async (store) => {
      const clock = new MutableClock(100);
      const { records } = await store.open({ clock: clock.now, kinds: [COUNTER] });
      const identity = { tenantId: "acme", kind: "counter", key: "a" };
      const count = (value: unknown): unknown => ({ n: (value as { n: number }).n + 1 });
      await records.put(identity, { n: 1 }, { ...CREATE, ttl: 60 });
      clock.set(159);
      await records.update(identity, count, {});
      assert.deepEqual(await records.get(identity), { revision: 2, expires: 160, value: { n: 2 } });
      await records.update(identity, count, { ttl: null });
      await records.update(identity, count, {});
      assert.deepEqual(await records.get(identity), { revision: 4, expires: null, value: { n: 4 } });
    },
  );

  promise("A record that expires while it is updated without a lifetime is MISSING", async (store) => {
    const clock = new MutableClock(100);
    const { records } = await store.open({ clock: clock.now, kinds: [COUNTER] });
    const identity = { tenantId: "acme", kind: "counter", key: "a" };
    await records.put(identity, { n: 1 }, { ...CREATE, ttl: 60 });
    const late = (): unknown => {
      clock.set(160);
      return { n: 2 };
    };
    await store.assertChangesNothing(() => records.update(identity, late, {}), { reason: "MISSING" });
  });

  promise("A kind with a longest lifetime requires one with every put and update", async (store) => {
    const { records } = await store.open({ kinds: [defineKind("ticket", acceptAll(), { ttlMax: 60 })] });
    await records.put(TICKET, 1, { ...CREATE, ttl: 60 });
    const refusal = { code: "CONTRACT", field: "ttl" };
    await store.assertChangesNothing(() => records.put(TICKET, 1, { expectedRevision: 1 }), refusal);
    await store.assertChangesNothing(() => records.update(TICKET, () => 1, {}), refusal);
  });
}

function testReplacing({ promise }: Suite): void {
  promise(
    "An expired record of a kind of one's own is replaced by a put that expects nothing (OPS-05)",
    async (store) => {
      const { records } = await store.open({ kinds: [COUNTER] });
      const identity = { tenantId: "acme", kind: "counter", key: "a" };
      await records.put(identity, { n: 1 }, { ...CREATE, ttl: 60, maxAge: 50, now: 100 });
      await store.assertChangesNothing(() => records.put(identity, { n: 2 }, { ...CREATE, now: 149 }), {
        reason: "REVISION",
        currentRevision: 1,
      });
      await store.assertChangesNothing(
        () => records.put(identity, { n: 2 }, { expectedRevision: 1, now: 150 }),
        {
          reason: "EXPIRED",
          currentRevision: 1,
        },
      );
      assert.equal(await records.put(identity, { n: 2 }, { ...CREATE, now: 150 }), 2);
      assert.deepEqual(await store.cells(RECORDS, "created", "maxAge", "expires", "body"), [[
        ...[150, null, null, '{"n": 2}'],
      ]]);
      assert.deepEqual((await records.get(identity, { now: 10_000 }))?.value, { n: 2 });
    },
  );

  promise("An expired checkpoint or fact must be purged before its key is used again", async (store) => {
    const { records } = await store.open();
    await records.put(factAt("a"), factOf("x"), { ...CREATE, ttl: 60, now: 100 });
    await store.assertChangesNothing(
      () => records.put(factAt("a"), factOf("x"), { ...CREATE, ttl: 60, now: 160 }),
      {
        reason: "EXPIRED",
        currentRevision: 1,
      },
    );
  });

  promise("A record that is hidden only because the clock was ahead is not replaced", async (store) => {
    const clock = new MutableClock(100);
    const { records } = await store.open({ clock: clock.now, kinds: [COUNTER] });
    const identity = { tenantId: "acme", kind: "counter", key: "a" };
    await records.put(identity, { n: 1 }, { ...CREATE, ttl: 60 });
    clock.set(170);
    await records.put({ ...identity, key: "b" }, { n: 1 }, CREATE);
    clock.set(110);
    assert.equal(await records.get(identity), null);
    await store.assertChangesNothing(() => records.put(identity, { n: 2 }, CREATE), { reason: "EXPIRED" });
    clock.set(160);
    assert.equal(await records.put(identity, { n: 2 }, CREATE), 3);
  });
}

function testIdentifiers({ promise }: Suite): void {
  promise("Keys of one's own kinds are UUIDs, paths and e-mail addresses (OPS-05)", async (store) => {
    const { records } = await store.open({ kinds: [COUNTER] });
    const keys = [
      "1f0e9d8c-7b6a-4958-8777-6f5e4d3c2b1a",
      "src/open.ts",
      "C:\\agent\\öl.md",
      "ann@example.com",
    ];
    await forEachRow(keys, async (key) => {
      const identity = { tenantId: "Acme & Sons", kind: "counter", key };
      await records.put(identity, { n: 1 }, CREATE);
      assert.deepEqual((await records.get(identity))?.value, { n: 1 });
    });
    const { items } = await records.list("Acme & Sons");
    assert.deepEqual(items.map(({ key }) => key), keys.toSorted());
  });
}
