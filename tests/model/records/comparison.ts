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
  assert.equal(store.isTransaction, false, "a transaction stayed open after a call");
  compareRows(store, model);
  compareMeta(store, model);
  await compareDeletions(store, model);
}

async function compareLookups({ memory }: ObservedStore, model: RecordModel): Promise<void> {
  for (const identity of IDENTITIES) {
    const found = await memory.records.get(identity);
    assert.deepEqual(found, seen(model.live(identity, model.nowSeconds())), JSON.stringify(identity));
  }
  for (const { identity, expires } of model.rows.values()) {
    if (expires === null) continue;
    const [before, at] = [Math.max(0, expires - 1), expires];
    assert.deepEqual(await memory.records.get(identity, { now: before }), seen(model.live(identity, before)));
    assert.equal(await memory.records.get(identity, { now: at }), null, "a record is hidden at its deadline");
  }
}

function seen(row: ModelRow | null): unknown {
  return row === null ? null : { revision: row.revision, expires: row.expires, value: row.value };
}

async function compareLists({ memory }: ObservedStore, model: RecordModel): Promise<void> {
  for (const tenant of TENANTS) {
    const { items, next } = await memory.records.list(tenant, { limit: 1_000 });
    assert.deepEqual(items, model.listed(tenant, model.nowSeconds()).map(listItem));
    assert.equal(next, null);
  }
}

/** A row as a list tells it. */
export function listItem({ identity: { kind, key }, revision, expires }: ModelRow): unknown {
  return { kind, key, revision, expires };
}

function compareRows(store: ObservedStore, model: RecordModel): void {
  const rows = store.main(
    "SELECT tenant, kind, key, revision, created, max_age, expires, body FROM records ORDER BY revision",
  );
  const expected = [...model.rows.values()].sort((a, b) => a.revision - b.revision);
  assert.deepEqual(
    rows.map((row) => [...row.slice(0, 7), JSON.parse(row[7] as string)]),
    expected.map(({ identity: { tenantId, kind, key }, revision, created, maxAge, expires, value }) => [
      tenantId,
      kind,
      key,
      revision,
      created,
      maxAge,
      expires,
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
