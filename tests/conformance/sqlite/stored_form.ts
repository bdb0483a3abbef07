/** What SQLite alone can store, and what its meta row and schema say: damage is reported, never given out. */

import assert from "node:assert/strict";
import { IntegrityError } from "../../../src/errors.ts";
import { factAt, factOf, LISTS, PREFERENCE } from "../../../src/testing/records/record_samples.ts";
import type { SqliteSuite } from "./promise.ts";

const CREATE = { expectedRevision: null, ttl: 60, now: 100 };

export function testStoredForm(suite: SqliteSuite): void {
  testValues(suite);
  testMeta(suite);
}

function testValues({ promise }: SqliteSuite): void {
  promise("A body that is no text cannot even be stored", async (store) => {
    const { records } = await store.open();
    await records.put(PREFERENCE, LISTS, CREATE);
    assert.throws(() => store.sql("UPDATE records SET body = x'7b7d'"), /cannot store BLOB value/);
  });

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

  promise("Main holds a copy of each event that was applied to it", async (store) => {
    const { records } = await store.open();
    for (const key of ["a", "b"]) {
      const revision = await records.put(factAt(key), factOf("x"), CREATE);
      await records.forget(factAt(key), revision);
    }
    const dump = store.dump();
    assert.deepEqual(
      dump.main.deletions!.map(({ checksum: _checksum, ...event }) => event),
      dump.ledger.events,
    );
    assert.deepEqual(
      store.sql("SELECT applied, applied_head = (SELECT head FROM deletions WHERE sequence = 2) FROM meta"),
      [
        [2, 1],
      ],
    );
  });
}

function testMeta({ promise }: SqliteSuite): void {
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
