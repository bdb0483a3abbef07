/** Forgetting: an event in the ledger; with revoke, for ever. */

import assert from "node:assert/strict";
import { MutableClock } from "../kit/mutable_clock.ts";
import { forEachRow } from "../kit/each_row.ts";
import { RECORDS } from "../../tables/schema/main_tables.ts";
import type { Suite } from "../kit/suite.ts";
import { ANYTHING, factAt, factOf, PREFERENCE, RUN, START } from "./record_samples.ts";

const CREATE = { expectedRevision: null, ttl: 60, now: 100 };
const DELETED = { code: "CONFLICT", reason: "DELETED", retryable: false };

export function testForgetting(suite: Suite): void {
  testForget(suite);
  testLedger(suite);
  testRevoke(suite);
}

function testForget({ promise }: Suite): void {
  promise("Records.forget() is true only where a row was removed", async (store) => {
    const { records } = await store.open();
    assert.equal(await records.forget(RUN, 1), false);
    await records.put(RUN, START, CREATE);
    assert.equal(await records.forget(RUN, 2), false);
    assert.equal(await records.forget(RUN, null), false);
    assert.equal(await records.forget(RUN, 1), true);
    assert.equal(await records.forget(RUN, 1), false);
  });

  promise("Records.forget() that removes nothing changes nothing", async (store) => {
    const { records } = await store.open();
    await records.put(RUN, START, CREATE);
    const before = await store.state();
    assert.equal(await records.forget(RUN, 2), false);
    assert.equal(await records.forget(PREFERENCE, 1), false);
    assert.deepEqual(await store.state(), before);
  });

  promise("Records.forget() works on an expired row", async (store) => {
    const { records } = await store.open();
    await records.put(RUN, START, CREATE);
    assert.equal(await records.get(RUN, { now: 160 }), null);
    assert.equal(await records.forget(RUN, 1), true);
    assert.equal(await store.count(RECORDS), 0);
  });

  promise("Records.forget() leaves the counter where it is", async (store) => {
    const { records } = await store.open();
    await records.put(RUN, START, CREATE);
    await records.forget(RUN, 1);
    assert.equal(await store.counter(), 1);
  });

  promise("Records.forget() allows the identity to be used again", async (store) => {
    const { records } = await store.open();
    await records.put(RUN, START, CREATE);
    await records.forget(RUN, 1);
    assert.equal(await records.put(RUN, START, CREATE), 2);
  });

  promise("Records.forget() of a record whose body is damaged removes it", async (store) => {
    const { records } = await store.open();
    await records.put(RUN, START, CREATE);
    await store.damage(RECORDS, { body: "damaged" });
    assert.equal(await records.forget(RUN, 1), true);
    assert.equal(await records.put(RUN, START, CREATE), 2);
  });
}

function testLedger({ promise }: Suite): void {
  promise("deletionWatermark() of a new store has a lineage, sequence 0 and a head", async (store) => {
    const memory = await store.open();
    const { lineage, sequence, head } = await memory.deletionWatermark();
    assert.match(lineage, /^[0-9a-f]{32}$/);
    assert.equal(sequence, 0);
    assert.match(head, /^[0-9a-f]{64}$/);
  });

  promise("deletionWatermark() moves with each forget that removes, and with nothing else", async (store) => {
    const memory = await store.open();
    const { records } = memory;
    const sequences: number[] = [];
    const heads = new Set<string>();
    const note = async (): Promise<void> => {
      const { sequence, head } = await memory.deletionWatermark();
      sequences.push(sequence);
      heads.add(head);
    };
    await note();
    await records.put(RUN, START, CREATE);
    await records.forget(RUN, 9);
    await note();
    await records.forget(RUN, 1);
    await note();
    await records.put(RUN, START, CREATE);
    await records.purge("orchard", { now: 500 });
    await note();
    assert.deepEqual(sequences, [0, 0, 1, 1]);
    assert.equal(heads.size, 2);
  });

  promise(
    "A forget is one event: hashes, the revision covered, the time, a count, and no text",
    async (store) => {
      const clock = new MutableClock(1_000);
      const { records } = await store.open({ clock: clock.now });
      await records.put(PREFERENCE, factOf("x"), { expectedRevision: null, ttl: 60 });
      clock.set(1_001);
      await records.forget(PREFERENCE, 1);
      const events = await store.events();
      assert.equal(events.length, 1);
      const { scopeHash, keyHash, head, ...rest } = events[0]!;
      assert.deepEqual(rest, {
        sequence: 1,
        batch: 1,
        kind: "record",
        reserved: false,
        floor: 1,
        at: 1_001_000,
        counts: { records: 1 },
      });
      assert.deepEqual([scopeHash.length, keyHash.length], [16, 16]);
      assert.match(head, /^[0-9a-f]{64}$/);
      assert.equal(/orchard|preference/.test(JSON.stringify(await store.state())), false);
    },
  );

  promise(
    "Main's copy of the events ends where its watermark does, and check() verifies it",
    async (store) => {
      const memory = await store.open();
      for (const key of ["a", "b"]) {
        const revision = await memory.records.put(factAt(key), factOf("x"), CREATE);
        await memory.records.forget(factAt(key), revision);
      }
      const { sequence, head } = await memory.deletionWatermark();
      const { applied, appliedHead } = await store.facts();
      assert.deepEqual([applied, appliedHead], [sequence, head]);
      assert.equal((await store.events())[1]?.head, head);
      assert.equal((await memory.check()).ok, true);
    },
  );

  promise("Forgets made together are one batch, in call order", async (store) => {
    const { records } = await store.open();
    for (const key of ["a", "b", "c"]) await records.put(factAt(key), factOf("x"), CREATE);
    const answers = [["b", 2], ["a", 1], ["c", 9]] as const;
    assert.deepEqual(
      await Promise.all(answers.map(([key, expected]) => records.forget(factAt(key), expected))),
      [
        true,
        true,
        false,
      ],
    );
    const events = await store.events();
    assert.deepEqual(events.map(({ sequence, batch, floor }) => [sequence, batch, floor]), [[1, 1, 2], [
      2,
      1,
      1,
    ]]);
  });
}

function testRevoke({ promise }: Suite): void {
  promise("Records.forget() with revoke removes, and refuses every later put", async (store) => {
    const { records } = await store.open();
    await records.put(RUN, START, CREATE);
    assert.equal(await records.forget(RUN, 1, { revoke: true }), true);
    await store.assertChangesNothing(() => records.put(RUN, START, CREATE), DELETED);
    await store.assertChangesNothing(
      () => records.put(RUN, START, { ...CREATE, expectedRevision: 1 }),
      DELETED,
    );
  });

  promise(
    "Records.forget() with revoke where no row is gives false, and refuses every later put",
    async (store) => {
      const memory = await store.open();
      assert.equal(await memory.records.forget(RUN, null, { revoke: true }), false);
      assert.equal((await memory.deletionWatermark()).sequence, 1);
      await store.assertChangesNothing(() => memory.records.put(RUN, START, CREATE), DELETED);
    },
  );

  promise(
    "Records.forget() with revoke and an unmatched revision gives false and burns nothing",
    async (store) => {
      const { records } = await store.open();
      await records.put(RUN, START, CREATE);
      const before = await store.state();
      assert.equal(await records.forget(RUN, 2, { revoke: true }), false);
      assert.equal(await records.forget(RUN, null, { revoke: true }), false);
      assert.deepEqual(await store.state(), before);
      assert.equal(await records.put(RUN, START, { ...CREATE, expectedRevision: 1 }), 2);
    },
  );

  promise("Records.forget() with revoke after a plain forget burns too", async (store) => {
    const { records } = await store.open();
    await records.put(RUN, START, CREATE);
    await records.forget(RUN, 1);
    assert.equal(await records.forget(RUN, 1, { revoke: true }), false);
    await store.assertChangesNothing(() => records.put(RUN, START, CREATE), DELETED);
  });

  promise("Records.forget() with revoke, repeated, records nothing more", async (store) => {
    const { records } = await store.open();
    await records.forget(RUN, null, { revoke: true });
    const before = await store.state();
    assert.equal(await records.forget(RUN, null, { revoke: true }), false);
    assert.equal(await records.forget(RUN, 7), false);
    assert.deepEqual(await store.state(), before);
  });

  promise("A revoked identity leaves every other key, kind and tenant alone", async (store) => {
    const { records } = await store.open();
    await records.forget(factAt("same"), null, { revoke: true });
    assert.equal(await records.put(factAt("same-too"), factOf("x"), CREATE), 1);
    assert.equal(await records.put(factAt("same", "harbour"), factOf("x"), CREATE), 2);
    assert.equal(
      await records.put({ tenantId: "orchard", kind: "checkpoint", key: "same" }, START, CREATE),
      3,
    );
  });

  promise("A revocation holds for identities whose parts could be joined the same way", async (store) => {
    const { records } = await store.open({ kinds: [ANYTHING] });
    const at = (tenantId: string, key: string): { tenantId: string; kind: string; key: string } => ({
      tenantId,
      kind: "anything",
      key,
    });
    await records.forget(at("a", 'b","c'), null, { revoke: true });
    assert.equal(await records.put(at('a","b', "c"), 1, { expectedRevision: null, ttl: null }), 1);
    await assert.rejects(records.put(at("a", 'b","c'), 1, { expectedRevision: null, ttl: null }), DELETED);
  });

  promise("Records.forget() refuses a revoke that is no boolean", async (store) => {
    const { records } = await store.open();
    await forEachRow(["true", 1, 0, null, {}], async (revoke) => {
      await store.assertChangesNothing(() => records.forget(RUN, 1, { revoke: revoke as boolean }), {
        code: "CONTRACT",
        field: "revoke",
      });
    });
  });
}
