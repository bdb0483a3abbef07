/** What a prune does in rounds and reads in pages: counts around each limit, and every last thing gone. */

import assert from "node:assert/strict";
import type { Memory, Scope } from "@holdfast/memory";
import {
  CLEARED_TURNS_MAX,
  EXPIRED_PER_GROUP_MAX,
  EXPIRING_SCOPES_PER_READ,
  SCOPE_PINS_MAX,
  TENANTS_PER_READ,
} from "../../src/limits.ts";
import { after, atNoon, clockAtNoon, derive, ORCHARD, pinOf, talk } from "../conversations/samples.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { storeHolds } from "../kit/stored_bytes.ts";
import { promiseOfMany } from "./file_store.ts";

const NONE = { turns: 0, pins: 0, summaries: 0, replay: 0, records: 0 };
const SECRET = "zweckgeheimnis";

/** Counts for which a round is not full, just full, followed by a short one, and by a full and a short one. */
function around(limit: number): readonly number[] {
  return [limit - 1, limit, limit + 1, 2 * limit + 1];
}

/** Puts facts that expire a minute after noon; their keys begin with `prefix`. */
async function putFacts(memory: Memory, tenantId: string, prefix: string, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, index) => {
    const fact = { schema: 1, text: `${SECRET} ${index}`, source: "y", reviewed: false } as const;
    return memory.records.put({ tenantId, kind: "fact", key: `${prefix}-${index}` }, fact, {
      expectedRevision: null,
      ttl: 60,
    });
  }));
}

/** Appends turns that expire a minute after noon. */
async function appendDue(memory: Memory, scope: Scope, count: number): Promise<void> {
  const conversation = memory.conversation(scope);
  await Promise.all(
    Array.from(
      { length: count },
      () => conversation.append([{ role: "user", content: SECRET }], { expiresAt: after(60) }),
    ),
  );
}

for (const count of around(EXPIRED_PER_GROUP_MAX)) {
  promiseOfMany(
    `TST-06 Of ${count} expired records of one tenant prune() leaves none, in no file`,
    async (store) => {
      const clock = clockAtNoon();
      const memory = await store.open({ clock: clock.now });
      await putFacts(memory, "orchard", "a", count);
      clock.advance(60);
      const told: number[] = [];
      const onProgress = ({ part, done }: { readonly part: string; readonly done: number }): void => {
        if (part === "expire") told.push(done);
      };
      const { expired, scrub } = await memory.prune({ onProgress });
      assert.deepEqual(expired, { ...NONE, records: count });
      assert.equal(told.at(-1), count);
      assert(told.every((done, round) => done - (told[round - 1] ?? 0) <= EXPIRED_PER_GROUP_MAX), `${told}`);
      assert.equal(scrub?.complete, true);
      assert.deepEqual(store.sql("SELECT count(*) FROM records"), [[0]]);
      assert.equal(storeHolds(store.path, SECRET), false);
    },
  );

  promiseOfMany(`Of ${count} expired turns of one scope prune() leaves none, in no file`, async (store) => {
    const clock = clockAtNoon();
    const memory = await store.open({ clock: clock.now });
    await appendDue(memory, ORCHARD, count);
    clock.advance(60);
    const { expired, scrub } = await memory.prune();
    assert.deepEqual([expired, scrub?.complete], [{ ...NONE, turns: count }, true]);
    assert.deepEqual(store.sql("SELECT turns, next_expiry FROM scopes"), [[0, null]]);
    assert.equal(storeHolds(store.path, SECRET), false);
  });
}

promiseOfMany("Pins and what derives go with as many turns as fill a round", async (store) => {
  const clock = clockAtNoon();
  const memory = await store.open({ clock: clock.now });
  const conversation = await talk(memory, []);
  await appendDue(memory, ORCHARD, EXPIRED_PER_GROUP_MAX);
  await derive(conversation);
  let expectedRevision = await conversation.revision();
  for (let index = 1; index < SCOPE_PINS_MAX; index++) {
    const pin = pinOf(`k${index}`, SECRET, { expiresAt: after(60) });
    expectedRevision = await conversation.putPin(pin, { expectedRevision });
  }
  clock.advance(60);
  const { expired } = await memory.prune();
  assert.deepEqual([expired.turns, expired.pins, expired.summaries], [
    EXPIRED_PER_GROUP_MAX,
    SCOPE_PINS_MAX,
    1,
  ]);
  assert.deepEqual(store.sql("SELECT turns, pins, next_expiry FROM scopes"), [[0, 0, null]]);
  assert.equal(storeHolds(store.path, SECRET), false);
});

for (const count of around(EXPIRING_SCOPES_PER_READ)) {
  promiseOfMany(`prune() erases what is due in each of ${count} scopes`, async (store) => {
    const clock = clockAtNoon();
    const memory = await store.open({ clock: clock.now });
    await Promise.all(
      Array.from(
        { length: count },
        (_, index) => appendDue(memory, { ...ORCHARD, sessionId: `${index}` }, 1),
      ),
    );
    clock.advance(60);
    assert.deepEqual((await memory.prune({ scrub: false })).expired, { ...NONE, turns: count });
    assert.deepEqual(store.sql("SELECT count(*) FROM turns"), [[0]]);
  });
}

for (const count of around(TENANTS_PER_READ)) {
  promiseOfMany(`prune() purges what is due of the first and the last of ${count} tenants`, async (store) => {
    const clock = clockAtNoon();
    const memory = await store.open({ clock: clock.now });
    await Promise.all(Array.from({ length: count }, (_, index) => {
      const identity = { tenantId: `t${String(index).padStart(3, "0")}`, kind: "fact", key: "a" } as const;
      const ttl = index === 0 || index === count - 1 ? 60 : 3_600;
      const fact = { schema: 1, text: "x", source: "y", reviewed: false } as const;
      return memory.records.put(identity, fact, { expectedRevision: null, ttl });
    }));
    clock.advance(60);
    assert.equal((await memory.prune({ scrub: false })).expired.records, 2);
    assert.deepEqual(store.sql("SELECT count(*) FROM records"), [[count - 2]]);
  });
}

promiseOfMany(
  "records.purge() removes the expired records of a tenant in one go, and of no other",
  async (store) => {
    const clock = clockAtNoon();
    const memory = await store.open({ clock: clock.now });
    await putFacts(memory, "orchard", "a", 2 * EXPIRED_PER_GROUP_MAX + 1);
    await putFacts(memory, "harbour", "a", 1);
    clock.advance(60);
    assert.equal(await memory.records.purge("orchard"), 2 * EXPIRED_PER_GROUP_MAX + 1);
    assert.deepEqual(store.sql("SELECT tenant FROM records"), [["harbour"]]);
  },
);

for (const count of around(CLEARED_TURNS_MAX).slice(0, 3)) {
  promiseOfMany(`Of an index of ${count} turns that made room for another nothing is left`, async (store) => {
    const memory = await store.open(atNoon());
    const conversation = await talk(memory, []);
    await Promise.all(
      Array.from(
        { length: count },
        (_, index) => conversation.append([{ role: "user", content: `pumps ${index}` }]),
      ),
    );
    await conversation.search("pump", { profile: "reference" });
    await conversation.search("pump");
    await conversation.search("pump", { retrieval: { chunkCharacters: 200, overlapCharacters: 0 } });
    assert.deepEqual(store.sql("SELECT retired, count(*) FROM chunk_indexes GROUP BY retired"), [[0, 2]]);
    for (const table of ["unindexed_turns", "indexed_turns", "index_terms", "postings"]) {
      const orphans = `SELECT count(*) FROM ${table} WHERE index_id NOT IN (SELECT id FROM chunk_indexes)`;
      assert.deepEqual(store.sql(orphans), [[0]], table);
    }
  });
}

testThatNothingIsLeftOpen();
