/** Inspections: names, counts, bytes and times, in pages, without text, and without pending deletions. */

import assert from "node:assert/strict";
import type { Engine } from "../../src/engine/engine.ts";
import type { DeletionEvent } from "../../src/engine/operation.ts";
import { nodeSqlite } from "../../src/engines/sqlite/drivers/node_sqlite.ts";
import { RESULT } from "../../src/engines/sqlite/drivers/result_codes.ts";
import { inspect } from "../../src/inspect.ts";
import { CHECK_ROWS_PER_BATCH, PENDING_EVENTS_READ_MAX } from "../../src/limits.ts";
import { atNoon, HARBOUR, ORCHARD, talk } from "../conversations/samples.ts";
import { FaultyDriver } from "../kit/faulty_driver.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { makeFileStore } from "../kit/store_target.ts";
import { fill, freshStore, NOTE, ONE_OF_EACH } from "./filling.ts";

const PENDING: DeletionEvent = {
  kind: "turn",
  scopeHash: new Uint8Array(16),
  keyHash: new Uint8Array(16),
  reserved: true,
  floor: 1,
  counts: { turns: 1 },
};

Deno.test("An inspection lists tenants and scopes with counts, bytes and times, and no text", async () => {
  await using memory = await freshStore();
  await fill(memory, ONE_OF_EACH);
  assert.deepEqual(await memory.inspect(), {
    tenants: [{ tenantId: "orchard", records: 2, bytes: 41, nextExpiryAt: "2027-01-15T08:01:00+00:00" }],
    scopes: [
      {
        scope: ORCHARD,
        revision: 6,
        turns: 2,
        bytes: 744,
        pins: 2,
        journals: 0,
        journalBytes: 0,
        mediaBytes: 0,
        nextExpiryAt: "2027-01-15T08:01:00+00:00",
      },
      {
        scope: HARBOUR,
        revision: 1,
        turns: 1,
        bytes: 236,
        pins: 0,
        journals: 0,
        journalBytes: 0,
        mediaBytes: 0,
        nextExpiryAt: null,
      },
    ],
    pending: 0,
    leftovers: [],
    next: null,
  });
});

Deno.test("Pages of any size list every tenant and every scope once, in order", async () => {
  await using memory = await freshStore();
  for (const tenantId of ["b", "a", "\u{10000}", "\u{ffff}", "scope:1"]) {
    const identity = { tenantId, kind: NOTE.name, key: "k" };
    await memory.records.put(identity, 1, { expectedRevision: null, ttl: null });
  }
  for (const sessionId of ["z", "y", "x", "w"]) await talk(memory, [], { tenantId: "t", sessionId });
  for (let limit = 1; limit <= 12; limit++) {
    const tenants: string[] = [];
    const sessions: string[] = [];
    let after: string | null | undefined;
    while (after !== null) {
      const page = await memory.inspect({ limit, ...(after === undefined ? {} : { after }) });
      assert(page.tenants.length + page.scopes.length <= limit);
      tenants.push(...page.tenants.map(({ tenantId }) => tenantId));
      sessions.push(...page.scopes.map(({ scope }) => scope.sessionId));
      after = page.next;
    }
    assert.deepEqual(tenants, ["a", "b", "scope:1", "\u{ffff}", "\u{10000}"], `limit ${limit}`);
    assert.deepEqual(sessions, ["z", "y", "x", "w"], `limit ${limit}`);
  }
});

Deno.test("Each tenant's count covers its own records of every kind, however many there are", async () => {
  await using memory = await freshStore();
  const put = (tenantId: string, key: string): Promise<unknown> =>
    memory.records.put({ tenantId, kind: NOTE.name, key }, 1, { expectedRevision: null, ttl: null });
  const keys = Array.from({ length: CHECK_ROWS_PER_BATCH }, (_, index) => `key-${1_000 + index}`);
  await Promise.all([put("a", "k"), put("c", "k"), ...keys.map((key) => put("b", key))]);
  const run = { tenantId: "b", kind: "checkpoint", key: "run" } as const;
  await memory.records.put(run, { schema: 1, step: 0, items: [] }, { expectedRevision: null, ttl: 60 });
  const { tenants } = await memory.inspect();
  assert.deepEqual(tenants.map(({ tenantId, records }) => [tenantId, records]), [["a", 1], ["b", 501], [
    "c",
    1,
  ]]);
});

Deno.test("An empty store is inspected in one empty page", async () => {
  await using memory = await freshStore();
  assert.deepEqual(await memory.inspect({ limit: 1 }), {
    tenants: [],
    scopes: [],
    pending: 0,
    leftovers: [],
    next: null,
  });
});

Deno.test("REC-18 a limit of 0, -1, NaN or too much is refused, and so is a cursor that no page returned", async () => {
  await using memory = await freshStore();
  for (const limit of [0, -1, 0.5, NaN, 1_001, "7", true]) {
    await assert.rejects(memory.inspect({ limit } as never), { code: "CONTRACT", field: "limit" });
  }
  for (const after of ["", "x", "scope:", "scope:-1", "scope:1e3", "tenant:\0", "tenant:\ud800", 7, null]) {
    await assert.rejects(memory.inspect({ after } as never), { code: "CONTRACT", field: "after" });
  }
  await assert.rejects(memory.inspect({ more: 1 } as never), { code: "CONTRACT", field: "options" });
});

Deno.test("The target of a pending deletion is in no inspection: the deletion is completed first, or its target left out", async () => {
  await using store = await makeFileStore(new FaultyDriver(nodeSqlite));
  const memory = await store.open({ ...atNoon(), kinds: [NOTE] });
  await fill(memory, ONE_OF_EACH);
  store.driver.fail({
    database: "main",
    sql: "COMMIT",
    effect: "before",
    code: RESULT.IOERR,
  });
  await assert.rejects(memory.conversation(ORCHARD).delete({ kind: "scope", expectedRevision: 6 }), {
    code: "IO",
  });
  const reader = await store.open({ ...atNoon(), readOnly: true, busyTimeoutMs: 20 });
  const seen = await reader.inspect();
  assert.deepEqual(seen.scopes.map(({ scope }) => scope), [HARBOUR]);
  assert.equal(seen.pending, 1);
  await assert.rejects(Array.fromAsync(reader.exportLines({ scope: ORCHARD })), { code: "READONLY" });
  assert.equal((await Array.fromAsync(reader.exportLines({ scope: HARBOUR }))).length, 4);
  await reader.close();
  const after = await memory.inspect();
  assert.deepEqual(after.scopes.map(({ scope }) => scope), [HARBOUR]);
  assert.equal(after.pending, 0);
});

Deno.test("An inspection is refused while more deletions may be pending than are read at once", async () => {
  const engine = (count: number): Engine =>
    ({
      readOnly: true,
      read: () => Promise.resolve([]),
      pending: () => Promise.resolve(Array.from({ length: count }, () => PENDING)),
    }) as Partial<Engine> as Engine;
  const options = { after: "scope:1" };
  assert.equal((await inspect(engine(PENDING_EVENTS_READ_MAX - 1), options)).pending, 999);
  await assert.rejects(inspect(engine(PENDING_EVENTS_READ_MAX), options), { code: "READONLY" });
});

testThatNothingIsLeftOpen();
