/** Who a record belongs to and what it is called. */

import assert from "node:assert/strict";
import { ANYTHING, factAt, factOf, PREFERENCE, START } from "./record_samples.ts";
import { forEachRow } from "../kit/each_row.ts";
import { RECORDS } from "../../tables/schema/main_tables.ts";
import type { Suite } from "../kit/suite.ts";

const CREATE = { expectedRevision: null, ttl: 60, now: 100 };

export function testIdentity({ promise }: Suite): void {
  promise("Records keep one key apart for each kind and each tenant", async (store) => {
    const { records } = await store.open();
    const checkpoint = { tenantId: "orchard", kind: "checkpoint", key: "same" } as const;
    await records.put(checkpoint, START, CREATE);
    await records.put(factAt("same"), factOf("mine"), CREATE);
    await records.put(factAt("same", "harbour"), factOf("theirs"), CREATE);
    assert.deepEqual((await records.get(checkpoint, { now: 100 }))?.value, START);
    assert.deepEqual((await records.get(factAt("same"), { now: 100 }))?.value, factOf("mine"));
    assert.deepEqual((await records.get(factAt("same", "harbour"), { now: 100 }))?.value, factOf("theirs"));
  });

  promise(
    "Records.forget() removes one kind's and one tenant's record of a key, and no other",
    async (store) => {
      const { records } = await store.open();
      await records.put({ tenantId: "orchard", kind: "checkpoint", key: "same" }, START, CREATE);
      await records.put(factAt("same"), factOf("mine"), CREATE);
      await records.put(factAt("same", "harbour"), factOf("theirs"), CREATE);
      assert.equal(await records.forget(factAt("same"), 2), true);
      assert.deepEqual(await store.cells(RECORDS, "tenant", "kind", "key"), [
        ["harbour", "fact", "same"],
        ["orchard", "checkpoint", "same"],
      ]);
    },
  );

  promise("REC-14 tenants whose names share a beginning stay apart on every path", async (store) => {
    const { records } = await store.open();
    await records.put(factAt("note", "red-7"), factOf("seven"), CREATE);
    await records.put(factAt("note", "red-77"), factOf("seventy-seven"), CREATE);
    assert.deepEqual((await records.list("red-7", { now: 100 })).items.map((item) => item.revision), [1]);
    assert.deepEqual((await records.list("red", { now: 100 })).items, []);
    assert.equal(await records.purge("red-7", { now: 160 }), 1);
    assert.deepEqual(await store.cells(RECORDS, "tenant"), [["red-77"]]);
  });

  promise("REC-14 wildcards and letter case in text tenants mean only themselves", async (store) => {
    const { records } = await store.open({ kinds: [ANYTHING] });
    const tenants = ["red-7", "red_7", "red-77", "RED-7", "50%", "505"];
    for (const tenantId of tenants) {
      await records.put({ tenantId, kind: "anything", key: "a" }, tenantId, {
        expectedRevision: null,
        ttl: 60,
        now: 100,
      });
    }
    for (const [index, tenant] of tenants.entries()) {
      const { items } = await records.list(tenant, { now: 100 });
      assert.deepEqual(items.map((item) => item.revision), [index + 1]);
    }
    assert.equal(await records.purge("red_7", { now: 160 }), 1);
    assert.equal(await records.purge("50%", { now: 160 }), 1);
    assert.deepEqual(await store.cells(RECORDS, "tenant"), [
      ["505"],
      ["RED-7"],
      ["red-7"],
      ["red-77"],
    ]);
  });

  promise("Records take narrow identifiers of 1 to 32 letters, digits and dashes", async (store) => {
    const { records } = await store.open();
    await forEachRow(["a", "z9", "a-", "a-0-b", "a".repeat(32)], async (name) => {
      const revision = await records.put(factAt(name, name), factOf("x"), CREATE);
      assert.equal((await records.get(factAt(name, name), { now: 100 }))?.revision, revision);
    });
  });

  promise("Records take text identifiers of 1 to 256 code points for kinds that say so", async (store) => {
    const { records } = await store.open({ kinds: [ANYTHING] });
    const names = [
      "x",
      "🌍".repeat(256),
      "Ärger & Söhne",
      "a/b/c",
      "'; DROP TABLE records; --",
      '"',
      "\u2028",
    ];
    for (const name of names) {
      const identity = { tenantId: name, kind: "anything", key: name };
      await records.put(identity, name, { expectedRevision: null, ttl: null });
      assert.equal((await records.get(identity))?.value, name);
      assert.deepEqual((await records.list(name)).items.map((item) => item.key), [name]);
    }
  });

  promise("Records take a quoted text as data, never as SQL", async (store) => {
    const { records } = await store.open();
    const text = `'); DELETE FROM records; -- " \\ \` $1 ?1 \${x}`;
    await records.put(PREFERENCE, factOf(text), CREATE);
    assert.equal((await records.get(PREFERENCE, { now: 100 }))?.value.text, text);
    assert.equal(await store.count(RECORDS), 1);
  });
}
