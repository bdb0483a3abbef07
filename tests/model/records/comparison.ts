/** Compares a store with the model: every lookup, every physical row, the counter, the ledger and its watermark. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { ModelRow, RecordModel } from "./record_model.ts";
import { chainHead, firstHead, keyedHash, type ObservedStore } from "./observed_store.ts";
import { IDENTITIES, TENANTS } from "./vocabulary.ts";

/** Compares everything; throws an `AssertionError` at the first difference. */
export async function compareAll(store: ObservedStore, model: RecordModel): Promise<void> {
  await compareLookups(store, model);
  await compareLists(store, model);
  await compareKinds(store, model);
  assert.equal(store.isTransaction, false, "a transaction stayed open after a call");
  compareRows(store, model);
  compareMeta(store, model);
  await compareDeletions(store, model);
}

async function compareLookups({ memory }: ObservedStore, model: RecordModel): Promise<void> {
  for (const identity of IDENTITIES) {
    const found = await memory.records.get(identity);
    assert.deepEqual(found, seen(model, model.live(identity, model.nowSeconds())), JSON.stringify(identity));
  }
  for (const { identity, expires } of model.rows.values()) {
    if (expires === null) continue;
    const [before, at] = [Math.max(0, expires - 1), expires];
    assert.deepEqual(
      await memory.records.get(identity, { now: before }),
      seen(model, model.live(identity, before)),
    );
    assert.equal(await memory.records.get(identity, { now: at }), null, "a record is hidden at its deadline");
  }
}

function seen(model: RecordModel, row: ModelRow | null): unknown {
  return row === null ? null : { revision: row.revision, expires: row.expires, value: model.valueOf(row) };
}

async function compareLists({ memory }: ObservedStore, model: RecordModel): Promise<void> {
  for (const tenant of TENANTS) {
    const { items, next } = await memory.records.list(tenant, { limit: 1_000 });
    assert.deepEqual(items, model.listed(tenant, model.nowSeconds()).map(listItem));
    assert.equal(next, null);
  }
}

/** The lists with values of each kind of the caller's, in both orders and by a prefix, and several records at once. */
async function compareKinds({ memory, kinds }: ObservedStore, model: RecordModel): Promise<void> {
  for (const kind of kinds) {
    const records = memory.records.of(kind);
    for (const tenant of TENANTS) {
      const item = (row: ModelRow): unknown => ({
        ...{ key: row.identity.key, revision: row.revision, expires: row.expires },
        ...{ value: model.valueOf(row), error: null },
      });
      const rows = model.listed(tenant, model.nowSeconds()).filter(({ identity }) =>
        identity.kind === kind.name
      );
      assert.deepEqual(await records.list(tenant), { items: rows.map(item), next: null });
      const begun = await records.list(tenant, { prefix: "a" });
      assert.deepEqual(begun.items, rows.filter(({ identity }) => identity.key.startsWith("a")).map(item));
      const newest = await records.list(tenant, { order: "newest" });
      assert.deepEqual(newest.items, rows.toSorted((a, b) => b.revision - a.revision).map(item));
      const keys = [...new Set(IDENTITIES.map(({ key }) => key))];
      const found = keys.map((key) => rows.find(({ identity }) => identity.key === key));
      assert.deepEqual(
        await records.getMany(tenant, keys),
        found.map((row) => row === undefined ? null : item(row)),
      );
    }
  }
}

/** A row as a list tells it. */
export function listItem({ identity: { kind, key }, revision, expires }: ModelRow): unknown {
  return { kind, key, revision, expires };
}

function compareRows(store: ObservedStore, model: RecordModel): void {
  const rows = store.main(
    "SELECT tenant, kind, key, revision, created, max_age, expires, version, body FROM records ORDER BY revision",
  );
  const expected = [...model.rows.values()].sort((a, b) => a.revision - b.revision);
  assert.deepEqual(
    rows.map((row) => [...row.slice(0, 8), JSON.parse(row[8] as string)]),
    expected.map((
      { identity: { tenantId, kind, key }, revision, created, maxAge, expires, version, value },
    ) => [
      tenantId,
      kind,
      key,
      revision,
      created,
      maxAge,
      expires,
      version,
      value,
    ]),
    "the physical rows",
  );
}

function compareMeta(store: ObservedStore, model: RecordModel): void {
  const [[counter, mark, applied]] = store.main(
    "SELECT counter, clock_mark, applied FROM meta",
  ) as unknown as [
    [number, number, number],
  ];
  assert.equal(counter, model.counter, "the counter");
  assert.equal(mark, model.markMs, "the clock mark");
  assert.equal(applied, model.events.length, "how many deletions are applied");
  const oldest = model.highestMs - 86_400_000;
  const [[kept]] = store.main(`SELECT count(*) FROM operations WHERE at > ${oldest}`) as [[number]];
  assert.equal(kept, model.operationsKept, "the remembered operations of the last day");
  assert.deepEqual(store.main("SELECT count(*) FROM floors"), [[0]], "records leave no floors in main");
  assert.deepEqual(
    store.main("SELECT name FROM dirty"),
    model.dirty ? [["records"]] : [],
    "the dirty tables",
  );
}

async function compareDeletions(store: ObservedStore, model: RecordModel): Promise<void> {
  const [[lineage, hashKey]] = store.main("SELECT lineage, hash_key FROM meta") as unknown as [
    [string, Uint8Array],
  ];
  const columns = "sequence, batch, kind, scope_hash, key_hash, reserved, floor, at, counts, head";
  const events = store.ledger(`SELECT ${columns} FROM events ORDER BY sequence`).map(plainRow);
  assert.deepEqual(store.main(`SELECT ${columns} FROM deletions ORDER BY sequence`).map(plainRow), events);
  let head = firstHead(lineage);
  assert.equal(events.length, model.events.length, "the number of recorded deletions");
  for (const [index, { identity, reserved, floor, at, records }] of model.events.entries()) {
    const { tenantId, kind, key } = identity;
    const event = [
      index + 1,
      events[index]![1],
      "record",
      keyedHash(hashKey, ["tenant", tenantId]),
      keyedHash(hashKey, ["record", tenantId, kind, key]),
      reserved,
      floor,
      at,
      JSON.stringify({ records }),
    ];
    head = chainHead(head, event);
    assert.deepEqual(
      events[index],
      [...event, head].map((value) => value === true ? 1 : value === false ? 0 : value),
    );
  }
  assert.deepEqual(await store.memory.deletionWatermark(), { lineage, sequence: events.length, head });
}

function plainRow(row: readonly unknown[]): unknown[] {
  return row.map((value) => value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value);
}
