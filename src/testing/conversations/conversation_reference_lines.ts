/** Every line of the reference's test list for its memory store that has a surface here; deviations stand in the titles. */

import assert from "node:assert/strict";
import { inspect } from "node:util";
import { PINS, REPLAYS, SUMMARIES, TURNS } from "../../tables/schema/main_tables.ts";
import { checksumOf } from "../../canonical/checksum.ts";
import type { StoreUnderTest } from "../kit/store_under_test.ts";
import type { Suite } from "../kit/suite.ts";
import {
  after,
  atNoon,
  clockAtNoon,
  derive,
  erase,
  HARBOUR,
  NOON,
  ORCHARD,
  pinOf,
  pinUp,
  readIds,
  readTurns,
  revise,
  sourceOf,
  summaryOf,
  talk,
  turnOf,
} from "../kit/conversation_samples.ts";

export function testReferenceLines(suite: Suite): void {
  testTurns(suite);
  testScopes(suite);
  testDerived(suite);
  testDamage(suite);
  testDeletion(suite);
}

function testTurns({ promise, durable }: Suite): void {
  durable(
    "Reference list: a turn put twice with its operation id gives one answer, and is the same after a reopen",
    async (store) => {
      const first = await store.open(atNoon());
      const conversation = first.conversation(ORCHARD);
      await conversation.create();
      const put = (expectedRevision: number): Promise<number> =>
        conversation.putTurn(turnOf("t1", "Which trees were grafted?"), {
          operationId: "put-1",
          expectedRevision,
        });
      assert.equal(await put(0), 1);
      assert.equal(await put(0), 1);
      assert.equal(await put(99), 1);
      const [before] = await readTurns(conversation);
      await first.close();
      const again = (await store.open(atNoon())).conversation(ORCHARD);
      assert.deepEqual(await readTurns(again), [before]);
      await assert.rejects(
        again.putTurn(turnOf("t1", "other"), { operationId: "put-1", expectedRevision: 1 }),
        { code: "CONFLICT", reason: "IDEMPOTENCY", retryable: false },
      );
    },
  );

  promise(
    "Reference list: a snapshot is printed without text, and is written as JSON with it",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), ["t1"]);
      await pinUp(conversation, pinOf("language", "Answer in Welsh."));
      const snapshot = await conversation.snapshot();
      assert.equal(inspect(snapshot, { depth: 9 }).includes("Welsh"), false);
      assert.equal(JSON.stringify(snapshot).includes("Welsh"), true);
    },
  );

  promise(
    "Reference list: a turn's revision advances by exactly one, from a current scope revision",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), ["t1", "t2"]);
      const put = (revision: number, expectedRevision: number): Promise<number> =>
        conversation.putTurn(turnOf("t1", `as of ${revision}`, { revision }), {
          operationId: `put ${revision} at ${expectedRevision}`,
          expectedRevision,
        });
      await assert.rejects(put(3, 2), { reason: "REVISION", currentRevision: 1, retryable: true });
      await assert.rejects(put(2, 1), { reason: "REVISION", currentRevision: 2, retryable: true });
      assert.equal(await put(2, 2), 3);
      const turns = await readTurns(conversation);
      assert.deepEqual(turns.map(({ turnId, revision }) => [turnId, revision]), [["t1", 2], ["t2", 1]]);
      assert.equal(turns[0]!.messages[0]!.content, "as of 2");
    },
  );

  promise(
    "Reference list: an oversized turn, a negative revision and a ttl above a day are refused (as CONTRACT)",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), []);
      const put = (content: string, expectedRevision: number): Promise<number> =>
        conversation.putTurn(turnOf("t1", content), { operationId: "put", expectedRevision });
      await store.assertChangesNothing(() => put("x".repeat(1_000_000), 0), {
        code: "CONTRACT",
        field: "turn",
      });
      await store.assertChangesNothing(() => put("x", -1), { code: "CONTRACT", field: "expectedRevision" });
      const snapshot = await conversation.snapshot();
      await store.assertChangesNothing(
        () => conversation.cachePut(snapshot, "k", {}, { ttl: 86_401 }),
        { code: "CONTRACT", field: "ttl" },
      );
    },
  );
}

function testScopes({ promise }: Suite): void {
  promise("Reference list: scopes share nothing, and a deleted one cannot be made again", async (store) => {
    const memory = await store.open(atNoon());
    const orchard = await talk(memory, ["t1"]);
    const harbour = await talk(memory, ["t1"], HARBOUR);
    await orchard.cachePut(await orchard.snapshot(), "answer", { of: "orchard" });
    await harbour.cachePut(await harbour.snapshot(), "answer", { of: "harbour" });
    await erase(orchard, "scope");
    assert.deepEqual(await readIds(harbour), ["t1"]);
    assert.deepEqual(await harbour.cacheGet(await harbour.snapshot(), "answer"), { of: "harbour" });
    await assert.rejects(orchard.create(), { code: "CONFLICT", reason: "DELETED", retryable: false });
  });

  promise("Reference list: what is no scope is refused (as CONTRACT)", async (store) => {
    const memory = await store.open(atNoon());
    for (const scope of [null, "orchard", { tenantId: "orchard" }, { tenantId: " ", sessionId: "s" }]) {
      assert.throws(() => memory.conversation(scope as never), { code: "CONTRACT" });
    }
  });

  promise("Reference list: of two updates of one pin exactly one wins", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    await pinUp(conversation, pinOf("language", "Welsh"));
    const put = (value: string): Promise<number> =>
      conversation.putPin(pinOf("language", value, { revision: 2 }), { expectedRevision: 1 });
    const outcomes = await Promise.allSettled([put("Breton"), put("Cornish")]);
    assert.deepEqual(outcomes.map(({ status }) => status), ["fulfilled", "rejected"]);
    const { pins, revision } = await conversation.snapshot();
    assert.deepEqual([pins[0]!.value, pins[0]!.revision, revision], ["Breton", 2, 2]);
  });

  promise(
    "Reference list: a pin counts from its start to its end, and each changes the snapshot's id",
    async (store) => {
      const clock = clockAtNoon();
      const conversation = await talk(await store.open({ clock: clock.now }), []);
      const times = { effectiveAt: after(60), expiresAt: after(120) };
      await pinUp(conversation, pinOf("notice", "Spray on Tuesday.", times));
      const hidden = await conversation.snapshot();
      clock.advance(60);
      const visible = await conversation.snapshot();
      clock.advance(60);
      const gone = await conversation.snapshot();
      assert.deepEqual([hidden, visible, gone].map(({ pins }) => pins.length), [0, 1, 0]);
      assert.equal(new Set([hidden.id, visible.id, gone.id]).size, 3);
    },
  );
}

function testDerived({ promise, durable }: Suite): void {
  const changes = {
    updated: (conversation: Awaited<ReturnType<typeof talk>>): Promise<unknown> =>
      revise(conversation, turnOf("t1", "now this", { revision: 2 })),
    deleted: (conversation: Awaited<ReturnType<typeof talk>>): Promise<unknown> =>
      erase(conversation, "turn", "t1"),
  };
  for (const [how, change] of Object.entries(changes)) {
    promise(`Reference list: what derives from a turn goes when it is ${how}`, async (store) => {
      const conversation = await talk(await store.open(atNoon()), ["t1", "t2"]);
      const [source] = await readTurns(conversation);
      const before = await derive(conversation);
      await change(conversation);
      const now = await conversation.snapshot();
      assert.deepEqual([now.pins.length, now.summary], [0, null]);
      assert.equal(await conversation.cacheGet(now, "answer"), null);
      await assert.rejects(conversation.assertCurrent(before), { reason: "SNAPSHOT", retryable: true });
      const put = (revision: number): Promise<number> =>
        pinUp(conversation, pinOf("derived", "t1", { source: sourceOf(source!), revision }));
      await assert.rejects(put(1), { reason: "REVISION", currentRevision: 1 });
      await assert.rejects(
        put(2),
        how === "updated" ? { field: "pin.source.revision" } : { reason: "MISSING" },
      );
    });
  }

  promise(
    "Reference list: what derives from a turn goes when it expires; the id may come back with the next revision",
    async (store) => {
      const clock = clockAtNoon();
      const conversation = await talk(await store.open({ clock: clock.now }), []);
      await conversation.putTurn(turnOf("t1"), {
        operationId: "put t1",
        expectedRevision: 0,
        expiresAt: after(60),
      });
      await derive(conversation);
      clock.advance(60);
      const now = await conversation.snapshot();
      assert.deepEqual([now.turnCount, now.pins.length, now.summary], [0, 0, null]);
      const put = (revision: number): Promise<number> =>
        revise(conversation, turnOf("t1", "x", { revision }));
      await assert.rejects(put(1), { reason: "REVISION", currentRevision: 1 });
      assert.equal(await put(2), now.revision + 1);
    },
  );

  promise(
    "Reference list: a deleted turn cannot be put again, under whatever operation id",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), ["t1"]);
      await erase(conversation, "turn", "t1");
      for (const revision of [1, 2]) {
        await assert.rejects(revise(conversation, turnOf("t1", "again", { revision })), {
          reason: "DELETED",
          retryable: false,
        });
      }
    },
  );

  durable(
    "Reference list: a summary is there after a reopen, and goes exactly at its expiry",
    async (store) => {
      const clock = clockAtNoon();
      const first = await store.open({ clock: clock.now });
      const conversation = await talk(first, ["t1", "t2"]);
      const summary = summaryOf(await readTurns(conversation), "two turns", { expiresAt: after(60) });
      await conversation.putSummary(await conversation.snapshot(), summary);
      const before = await conversation.snapshot();
      await first.close();
      const again = (await store.open({ clock: clock.now })).conversation(ORCHARD);
      assert.equal((await again.assertCurrent(before)).summary?.content, "two turns");
      clock.ms += 59_999;
      assert.equal((await again.snapshot()).id, before.id);
      clock.ms += 1;
      assert.equal((await again.snapshot()).summary, null);
    },
  );

  promise(
    "Reference list: a summary of other turns than there are conflicts; one with a later start is taken",
    async (store) => {
      const clock = clockAtNoon();
      const conversation = await talk(await store.open({ clock: clock.now }), ["t1", "t2"]);
      const snapshot = await conversation.snapshot();
      const turns = await readTurns(conversation);
      const wrong = { ...summaryOf(turns), historyFingerprint: "other" };
      await store.assertChangesNothing(() => conversation.putSummary(snapshot, wrong as never), {
        reason: "SNAPSHOT",
      });
      clock.advance(60);
      const later = summaryOf(turns, "later", { createdAt: after(60) });
      assert.equal(await conversation.putSummary(snapshot, later), 3);
    },
  );

  promise(
    "Reference list: a replay goes at its end; a clock that steps back brings nothing back (and stops no read)",
    async (store) => {
      const clock = clockAtNoon();
      const conversation = await talk(await store.open({ clock: clock.now }), ["t1"]);
      const snapshot = await conversation.snapshot();
      await conversation.cachePut(snapshot, "answer", { n: 1 }, { ttl: 60 });
      clock.ms += 59_999;
      assert.deepEqual(await conversation.cacheGet(snapshot, "answer"), { n: 1 });
      clock.ms += 1;
      assert.equal(await conversation.cacheGet(snapshot, "answer"), null);
      clock.set(NOON);
      assert.equal(await conversation.cacheGet(snapshot, "answer"), null);
      assert.deepEqual(await readIds(conversation), ["t1"]);
    },
  );
}

/** Overwrites a stored payload, with checksums that fit it. */
async function writePayload(store: StoreUnderTest, spoil: (payload: string) => string): Promise<void> {
  await store.damage(TURNS, (row) => {
    const payload = spoil(row.payload);
    const payloadChecksum = checksumOf(payload);
    return { payload, payloadChecksum, checksum: TURNS.checksum({ ...row, payloadChecksum }) };
  });
}

function testDamage({ promise }: Suite): void {
  const bad = {
    "has a repeated key": (good: string): string => good.replace("{", '{"revision":1,'),
    "holds NaN": (good: string): string => good.replace('"revision":1', '"revision":NaN'),
    "is a list": (good: string): string => `[${good}]`,
    "is cut off": (good: string): string => good.slice(0, -5),
    "is empty": (): string => "",
    "has an unknown field": (good: string): string => good.replace("{", '{"extra":1,'),
    "has another id": (good: string): string => good.replaceAll('"t1"', '"t9"'),
    "is of another scope": (good: string): string => good.replace("orchard", "orcharc"),
    "has another revision": (good: string): string => good.replace('"revision":1', '"revision":2'),
  };
  for (const [what, spoil] of Object.entries(bad)) {
    promise(
      `Reference list: a stored turn that ${what} is INTEGRITY though its checksums fit`,
      async (store) => {
        const conversation = await talk(await store.open(atNoon()), ["t1"]);
        await writePayload(store, spoil);
        store.damaged = true;
        await assert.rejects(readTurns(conversation), { name: "IntegrityError", code: "INTEGRITY" });
      },
    );
  }

  promise(
    "Reference list: an emptied pin, summary or replay is INTEGRITY where it is read",
    async (store) => {
      store.damaged = true;
      const conversation = await talk(await store.open(atNoon()), ["t1"]);
      const snapshot = await derive(conversation);
      const damage = { code: "INTEGRITY" };
      await store.damage(REPLAYS, { payload: "" });
      await assert.rejects(conversation.cacheGet(snapshot, "answer"), damage);
      await store.damage(SUMMARIES, { payload: "" });
      await assert.rejects(conversation.snapshot(), damage);
      await store.discard(SUMMARIES);
      assert.equal((await conversation.snapshot()).pins.length, 1);
      await store.damage(PINS, { payload: "" });
      await assert.rejects(conversation.snapshot(), damage);
    },
  );

  promise(
    "Reference list: a turn's id or a pin's revision that is not its payload's is INTEGRITY",
    async (store) => {
      store.damaged = true;
      const memory = await store.open(atNoon());
      const conversation = await talk(memory, ["t1"]);
      await pinUp(conversation, pinOf("language"));
      await store.damage(TURNS, { turnId: "t9" });
      await assert.rejects(readTurns(conversation), { code: "INTEGRITY" });
      await store.damage(TURNS, { turnId: "t1" });
      assert.deepEqual(await readIds(conversation), ["t1"]);
      await store.damage(PINS, { revision: 2 });
      await assert.rejects(conversation.snapshot(), { code: "INTEGRITY" });
      assert.deepEqual((await memory.check()).problems.map(({ table, row }) => [table, row]), [
        ["pins", "orchard/spring/language"],
      ]);
    },
  );
}

function testDeletion({ promise, refusing }: Suite): void {
  promise(
    "Reference list: deleting twice makes one event; the second gives its receipt (and moves no revision)",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), ["t1"]);
      const first = await erase(conversation, "turn", "t1");
      const revision = await conversation.revision();
      const second = await erase(conversation, "turn", "t1");
      assert.deepEqual(second, { ...first, already: true, mac: second.mac });
      assert.equal(await conversation.revision(), revision);
      assert.equal((await store.events()).length, 1);
    },
  );

  refusing("Reference list: a deletion that fails half-way is taken back in both files", async (store) => {
    const conversation = await talk(await store.open(atNoon()), ["t1"]);
    await derive(conversation);
    const allow = await store.refuse({ table: "pins", verb: "DELETE" });
    await store.assertChangesNothing(() => erase(conversation, "turn", "t1"), { name: "IntegrityError" });
    await allow();
    assert.equal((await erase(conversation, "turn", "t1")).erased.pins, 1);
  });

  promise(
    "Reference list: after a deletion the repeated put gives its first answer, and brings nothing back",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), ["t1"]);
      await erase(conversation, "turn", "t1");
      const before = await store.state();
      const put = conversation.putTurn(turnOf("t1"), { operationId: "put t1", expectedRevision: 0 });
      assert.equal(await put, 1);
      assert.deepEqual(await readIds(conversation), []);
      assert.deepEqual(await store.state(), before);
    },
  );
}
