/** What is stored and wrong is told where it is read, never given out, and disturbs nothing else. */

import assert from "node:assert/strict";
import { IntegrityError } from "../../../src/errors.ts";
import { type RecordHead, valueChecksum } from "../../../src/tables/records.ts";
import { RECORDS } from "../../../src/tables/schema/main_tables.ts";
import type { TestStore } from "../../kit/test_store.ts";
import type { RecordsSuite } from "./promise.ts";
import { COUNTER, factAt, factOf, LISTS, PREFERENCE, RUN, START } from "./samples.ts";

const CREATE = { expectedRevision: null, ttl: 60, now: 100 };
const HEAD: RecordHead = { revision: 1, created: 100, maxAge: null, expires: 160, valueChecksum: 0 };
const INTEGRITY = { name: "IntegrityError", code: "INTEGRITY" };

/** Overwrites the preference's body, with checksums that fit it. */
function writeBody(store: TestStore, body: string): void {
  const head = { ...HEAD, valueChecksum: valueChecksum(PREFERENCE, { ...HEAD, body }) };
  store.sql(
    "UPDATE records SET body = $1, value_checksum = $2, checksum = $3",
    body,
    head.valueChecksum,
    RECORDS.checksum({ ...PREFERENCE, tenant: PREFERENCE.tenantId, ...head }),
  );
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

/** What only puts and lists read. */
const HEAD_ONLY: ReadonlySet<string> = new Set(["created", "max_age", "checksum"]);

/** Every column of a record, and another value for it. */
const COLUMNS: readonly (readonly [string, string])[] = [
  ["tenant", "'orcharc'"],
  ["kind", "'checkpoint'"],
  ["key", "'preferencf'"],
  ["revision", "revision + 1"],
  ["created", "created - 1"],
  ["max_age", "1000000"],
  ["expires", "expires + 1"],
  ["expires", "NULL"],
  ["value_checksum", "value_checksum + 1"],
  ["checksum", "checksum + 1"],
  ["body", "replace(body, 'Fictional', 'fictional')"],
  ["body", "body || ' '"],
];

export function testStoredDamage(suite: RecordsSuite): void {
  testBodies(suite);
  testChecksums(suite);
  testMeta(suite);
}

function testBodies({ promise }: RecordsSuite): void {
  for (const [what, body] of BAD_BODIES) {
    promise(
      `A stored body that ${what} is INTEGRITY, never a value, though its checksums fit`,
      async (store) => {
        const memory = await store.open();
        await memory.records.put(PREFERENCE, LISTS, CREATE);
        writeBody(store, body);
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
    writeBody(store, ` ${JSON.stringify(LISTS, null, 1)}`);
    assert.deepEqual((await records.get(PREFERENCE, { now: 100 }))?.value, LISTS);
  });

  promise("A body that is no text cannot even be stored", async (store) => {
    const { records } = await store.open();
    await records.put(PREFERENCE, LISTS, CREATE);
    assert.throws(() => store.sql("UPDATE records SET body = x'7b7d'"), /cannot store BLOB value/);
  });

  promise("A damaged record disturbs no other: reads, puts, lists and purges go on", async (store) => {
    const { records } = await store.open();
    await records.put(PREFERENCE, LISTS, CREATE);
    writeBody(store, "damaged");
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
    writeBody(store, "damaged");
    assert.equal(await records.put(PREFERENCE, LISTS, { ...CREATE, expectedRevision: 1 }), 2);
    assert.deepEqual((await records.get(PREFERENCE, { now: 100 }))?.value, LISTS);
  });
}

function testChecksums({ promise }: RecordsSuite): void {
  for (const [column, value] of COLUMNS) {
    promise(
      `A changed ${column} (${value}) is caught: no value is given, and check() tells the row`,
      async (store) => {
        const memory = await store.open();
        await memory.records.put(PREFERENCE, LISTS, CREATE);
        store.sql(`UPDATE records SET ${column} = ${value}`);
        store.damaged = true;
        const [[tenantId, kind, key]] = store.sql("SELECT tenant, kind, key FROM records") as [
          [string, string, string],
        ];
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

  for (const number of ["9007199254740992", "9223372036854775807", "-9223372036854775808"]) {
    promise(`DRV-08 a stored revision of ${number} is refused, not rounded`, async (store) => {
      const memory = await store.open();
      await memory.records.put(PREFERENCE, LISTS, CREATE);
      store.sql(`UPDATE records SET revision = ${number}`);
      store.damaged = true;
      const damage = (error: unknown): boolean =>
        ["INTEGRITY", "CORRUPT"].includes((error as { code: string }).code);
      await assert.rejects(memory.records.get(PREFERENCE, { now: 100 }), damage);
      await assert.rejects(memory.records.list("orchard", { now: 100 }), damage);
      await assert.rejects(memory.records.put(PREFERENCE, LISTS, { ...CREATE, expectedRevision: 1 }), damage);
      assert.deepEqual(store.sql("SELECT CAST(revision AS TEXT), counter FROM records, meta"), [[number, 1]]);
      assert.equal((await memory.check()).ok, false);
    });
  }

  promise(
    "A damaged head is INTEGRITY for put and list too, changes nothing, and can be forgotten",
    async (store) => {
      const { records } = await store.open();
      await records.put(PREFERENCE, LISTS, CREATE);
      store.sql("UPDATE records SET revision = 2");
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
    store.sql("UPDATE records SET revision = 2");
    store.damaged = true;
    await records.put(factAt("a"), factOf("x"), CREATE);
    assert.equal((await records.list("orchard", { now: 100 })).items.length, 1);
    assert.equal((await records.get(factAt("a"), { now: 100 }))?.revision, 2);
  });

  promise("A damaged answer to an operation id is INTEGRITY when it is asked for", async (store) => {
    const memory = await store.open();
    const call = (): Promise<number> => memory.records.put(RUN, START, { ...CREATE, operationId: "call-1" });
    await call();
    store.sql("UPDATE operations SET result = 7");
    store.damaged = true;
    await store.assertChangesNothing(call, INTEGRITY);
    assert.deepEqual((await memory.check()).problems.map(({ table }) => table), ["operations"]);
  });

  promise(
    "A damaged revocation is INTEGRITY when its identity is used, not a way around it",
    async (store) => {
      const memory = await store.open();
      await memory.records.forget(RUN, null, { revoke: true });
      store.sql("UPDATE deletions SET at = at + 1");
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
    const body = store.sql("SELECT body FROM records")[0]![0] as string;
    const head = {
      ...HEAD,
      revision: 5,
      valueChecksum: valueChecksum(PREFERENCE, { ...HEAD, revision: 5, body }),
    };
    store.sql(
      "UPDATE records SET revision = 5, value_checksum = $1, checksum = $2",
      head.valueChecksum,
      RECORDS.checksum({ ...PREFERENCE, tenant: PREFERENCE.tenantId, ...head }),
    );
    store.damaged = true;
    assert.deepEqual((await memory.check()).problems.map(({ problem }) => problem), [
      "The counter is behind a revision",
    ]);
  });
}

function testMeta({ promise }: RecordsSuite): void {
  for (const column of ["counter", "clock_mark", "applied", "verified", "probe", "generation"]) {
    promise(`A changed ${column} of main's meta row is INTEGRITY for writes and lists`, async (store) => {
      const memory = await store.open();
      await memory.records.put(PREFERENCE, LISTS, CREATE);
      store.sql(`UPDATE meta SET ${column} = ${column} + 1`);
      store.damaged = true;
      await store.assertChangesNothing(
        () => memory.records.put(PREFERENCE, LISTS, { ...CREATE, expectedRevision: 1 }),
        IntegrityError,
      );
      await store.assertChangesNothing(() => memory.records.list("orchard", { now: 100 }), IntegrityError);
    });
  }

  promise("check() reports a damaged meta row of main: damage is told, not thrown", async (store) => {
    const memory = await store.open();
    store.sql("UPDATE meta SET counter = counter + 1");
    store.damaged = true;
    const { ok, problems } = await memory.check();
    assert.equal(ok, false);
    assert.equal(problems.some(({ database, table }) => database === "main" && table === "meta"), true);
  });

  promise("A meta row that is gone is INTEGRITY", async (store) => {
    const { records } = await store.open();
    store.sql("DELETE FROM meta");
    store.damaged = true;
    await store.assertChangesNothing(() => records.put(PREFERENCE, LISTS, CREATE), IntegrityError);
  });

  promise("A table that is gone is CORRUPT, and the error keeps SQLite's", async (store) => {
    const { records } = await store.open();
    store.sql("DROP TABLE records");
    store.damaged = true;
    await store.assertChangesNothing(() => records.get(PREFERENCE), (error: unknown) => {
      assert.equal((error as { code: string }).code, "CORRUPT");
      assert.equal(((error as Error).cause as Error).name, "SqliteFailure");
      return true;
    });
  });
}
