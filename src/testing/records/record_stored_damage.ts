/** What is stored and wrong is told where it is read, never given out, and disturbs nothing else. */

import assert from "node:assert/strict";
import type { SqlValue } from "../../engine/values.ts";
import { type RecordHead, valueChecksum } from "../../tables/records.ts";
import type { Fields } from "../../tables/schema/descriptor.ts";
import { DELETIONS, OPERATIONS, RECORDS } from "../../tables/schema/main_tables.ts";
import type { StoreUnderTest } from "../kit/store_under_test.ts";
import type { Suite } from "../kit/suite.ts";
import { COUNTER, factAt, factOf, LISTS, PREFERENCE, RUN, START } from "./record_samples.ts";

const CREATE = { expectedRevision: null, ttl: 60, now: 100 };
const HEAD: RecordHead = {
  revision: 1,
  created: 100,
  maxAge: null,
  expires: 160,
  version: 1,
  born: 0,
  subject: null,
  names: null,
  valueChecksum: 0,
};
const INTEGRITY = { name: "IntegrityError", code: "INTEGRITY" };

/** Overwrites the preference's body, with checksums that fit it. */
async function writeBody(store: StoreUnderTest, body: string): Promise<void> {
  const head = { ...HEAD, valueChecksum: valueChecksum(PREFERENCE, { ...HEAD, body }) };
  const checksum = RECORDS.checksum({ ...PREFERENCE, tenant: PREFERENCE.tenantId, ...head });
  await store.damage(RECORDS, { body, valueChecksum: head.valueChecksum, checksum });
}

/** Stored bodies that no put of this release wrote, each with right checksums. */
const BAD_BODIES: readonly (readonly [string, string])[] = [
  ["is empty", ""],
  ["is not JSON", "{schema: 1}"],
  ["is cut off", '{"reviewed": false, "schema": 1'],
  ["has a second value after it", `${JSON.stringify(LISTS)}{}`],
  ["is larger than its kind allows", JSON.stringify({ ...LISTS, text: "x".repeat(2_100) })],
  ["is padded beyond what its kind allows", JSON.stringify(LISTS) + " ".repeat(2_048)],
  ["has a further field", JSON.stringify({ ...LISTS, transcript: "x" })],
  ["lacks a field", JSON.stringify({ schema: 1, text: "x", reviewed: false })],
  ["is of another schema", JSON.stringify({ ...LISTS, schema: 2 })],
  ["has a number for a boolean", JSON.stringify({ ...LISTS, reviewed: 0 })],
  ["has a text that is too long", JSON.stringify({ ...LISTS, text: "x".repeat(257) })],
  ["is a list", "[]"],
  ["is null", "null"],
  ["is a checkpoint", JSON.stringify(START)],
  ["replaces its prototype", '{"__proto__": {"schema": 1}, "text": "x", "source": "x", "reviewed": false}'],
];

/** A record as it is stored. */
type StoredRecord = Fields<typeof RECORDS.columns>;

/** What only puts and lists read. */
const HEAD_ONLY: ReadonlySet<string> = new Set([
  "created",
  "maxAge",
  "born",
  "subject",
  "names",
  "checksum",
]);

/** Every column of a record, how it is changed, and another value for it. */
const CHANGES: readonly (readonly [keyof StoredRecord, string, (row: StoredRecord) => SqlValue])[] = [
  ["tenant", "another letter", () => "orcharc"],
  ["kind", "another kind", () => "checkpoint"],
  ["key", "another letter", () => "preferencf"],
  ["revision", "one more", ({ revision }) => revision + 1],
  ["created", "one less", ({ created }) => created - 1],
  ["maxAge", "set", () => 1_000_000],
  ["expires", "one more", ({ expires }) => expires! + 1],
  ["expires", "none", () => null],
  ["version", "one more", ({ version }) => version + 1],
  ["born", "one more", ({ born }) => born + 1],
  ["subject", "set", () => new Uint8Array(16)],
  ["names", "set", () => '["gwen"]'],
  ["valueChecksum", "one more", (row) => row.valueChecksum + 1],
  ["checksum", "one more", ({ checksum }) => checksum + 1],
  ["body", "another letter", ({ body }) => body.replace("Fictional", "fictional")],
  ["body", "a space at its end", ({ body }) => `${body} `],
];

export function testStoredDamage(suite: Suite): void {
  testBodies(suite);
  testChecksums(suite);
}

function testBodies({ promise }: Suite): void {
  for (const [what, body] of BAD_BODIES) {
    promise(
      `A stored body that ${what} is INTEGRITY, never a value, though its checksums fit`,
      async (store) => {
        const memory = await store.open();
        await memory.records.put(PREFERENCE, LISTS, CREATE);
        await writeBody(store, body);
        store.damaged = true;
        await store.assertChangesNothing(() => memory.records.get(PREFERENCE, { now: 100 }), INTEGRITY);
        const { ok, problems } = await memory.check();
        assert.equal(ok, false);
        assert.deepEqual(problems.map(({ database, table, row }) => [database, table, row]), [
          ["main", "records", "orchard/fact/preference"],
        ]);
      },
    );
  }

  promise("A stored body that fits its kind is a value, however it is spelled", async (store) => {
    const { records } = await store.open();
    await records.put(PREFERENCE, LISTS, CREATE);
    await writeBody(store, ` ${JSON.stringify(LISTS, null, 1)}`);
    assert.deepEqual((await records.get(PREFERENCE, { now: 100 }))?.value, LISTS);
  });

  promise("A damaged record disturbs no other: reads, puts, lists and purges go on", async (store) => {
    const { records } = await store.open();
    await records.put(PREFERENCE, LISTS, CREATE);
    await writeBody(store, "damaged");
    await records.put(factAt("a"), factOf("x"), CREATE);
    assert.deepEqual((await records.get(factAt("a"), { now: 100 }))?.value, factOf("x"));
    assert.deepEqual((await records.list("orchard", { now: 100 })).items.map(({ key }) => key), [
      "a",
      "preference",
    ]);
    assert.equal(await records.purge("orchard", { now: 160 }), 2);
  });

  promise("A damaged body can be replaced by who knows its revision", async (store) => {
    const { records } = await store.open();
    await records.put(PREFERENCE, LISTS, CREATE);
    await writeBody(store, "damaged");
    assert.equal(await records.put(PREFERENCE, LISTS, { ...CREATE, expectedRevision: 1 }), 2);
    assert.deepEqual((await records.get(PREFERENCE, { now: 100 }))?.value, LISTS);
  });
}

function testChecksums({ promise }: Suite): void {
  for (const [column, how, change] of CHANGES) {
    promise(
      `A changed ${column} (${how}) is caught: no value is given, and check() tells the row`,
      async (store) => {
        const memory = await store.open();
        await memory.records.put(PREFERENCE, LISTS, CREATE);
        await store.damage(RECORDS, (row) => ({ [column]: change(row) }));
        store.damaged = true;
        const [{ tenant: tenantId, kind, key }] = await store.rows(RECORDS) as [StoredRecord];
        const read = (): Promise<unknown> =>
          HEAD_ONLY.has(column)
            ? memory.records.list(tenantId, { now: 100 })
            : memory.records.get({ tenantId, kind, key }, { now: 100 });
        await store.assertChangesNothing(read, INTEGRITY);
        const { problems } = await memory.check();
        assert.deepEqual(problems.map(({ table, row }) => [table, row]), [[
          "records",
          `${tenantId}/${kind}/${key}`,
        ]]);
      },
    );
  }

  promise(
    "A damaged head is INTEGRITY for put and list too, changes nothing, and can be forgotten",
    async (store) => {
      const { records } = await store.open();
      await records.put(PREFERENCE, LISTS, CREATE);
      await store.damage(RECORDS, { revision: 2 });
      store.damaged = true;
      await store.assertChangesNothing(
        () => records.put(PREFERENCE, LISTS, { ...CREATE, expectedRevision: 2 }),
        INTEGRITY,
      );
      await store.assertChangesNothing(() => records.list("orchard", { now: 100 }), INTEGRITY);
      assert.equal(await records.forget(PREFERENCE, 2), true);
      assert.deepEqual((await records.list("orchard", { now: 100 })).items, []);
    },
  );

  promise("A damaged record of one tenant is not noticed by another", async (store) => {
    const { records } = await store.open();
    await records.put(factAt("a", "harbour"), factOf("x"), CREATE);
    await store.damage(RECORDS, { revision: 2 });
    store.damaged = true;
    await records.put(factAt("a"), factOf("x"), CREATE);
    assert.equal((await records.list("orchard", { now: 100 })).items.length, 1);
    assert.equal((await records.get(factAt("a"), { now: 100 }))?.revision, 2);
  });

  promise("A damaged answer to an operation id is INTEGRITY when it is asked for", async (store) => {
    const memory = await store.open();
    const call = (): Promise<number> => memory.records.put(RUN, START, { ...CREATE, operationId: "call-1" });
    await call();
    await store.damage(OPERATIONS, { result: 7 });
    store.damaged = true;
    await store.assertChangesNothing(call, INTEGRITY);
    assert.deepEqual((await memory.check()).problems.map(({ table }) => table), ["operations"]);
  });

  promise(
    "A damaged revocation is INTEGRITY when its identity is used, not a way around it",
    async (store) => {
      const memory = await store.open();
      await memory.records.forget(RUN, null, { revoke: true });
      await store.damage(DELETIONS, ({ at }) => ({ at: at + 1 }));
      store.damaged = true;
      await store.assertChangesNothing(() => memory.records.put(RUN, START, CREATE), INTEGRITY);
      assert.deepEqual((await memory.check()).problems.map(({ table, row }) => [table, row]), [[
        "deletions",
        "1",
      ]]);
    },
  );

  promise("check() tells a revision that the counter has not reached", async (store) => {
    const memory = await store.open({ kinds: [COUNTER] });
    await memory.records.put(PREFERENCE, LISTS, CREATE);
    const { body } = (await store.rows(RECORDS))[0]!;
    const head = {
      ...HEAD,
      revision: 5,
      valueChecksum: valueChecksum(PREFERENCE, { ...HEAD, revision: 5, body }),
    };
    await store.damage(RECORDS, {
      revision: 5,
      valueChecksum: head.valueChecksum,
      checksum: RECORDS.checksum({ ...PREFERENCE, tenant: PREFERENCE.tenantId, ...head }),
    });
    store.damaged = true;
    assert.deepEqual((await memory.check()).problems.map(({ problem }) => problem), [
      "The counter is behind a revision",
    ]);
  });
}
