/** Lists of sessions, and what is said of them. */

import assert from "node:assert/strict";
import type { Suite } from "../kit/suite.ts";
import { clockAtNoon, NOON, pinOf } from "../kit/conversation_samples.ts";
import { ACME, chat, GWEN, idsOf, note, optionsWith, OWEN, say } from "./session_samples.ts";

export function testSessionLists(suite: Suite): void {
  testOrder(suite);
  testPages(suite);
  testDescriptions(suite);
  testSubjects(suite);
}

function testOrder({ promise }: Suite): void {
  promise("OPS-01 sessions() lists a tenant's sessions, the last one written to first", async (store) => {
    const clock = clockAtNoon();
    const memory = await store.open(optionsWith(clock));
    for (const id of ["a", "b", "c"]) {
      await say(memory, id);
      clock.advance(1);
    }
    await say(memory, "of somebody else", { tenantId: "globex" });
    assert.deepEqual(await idsOf(memory), ["c", "b", "a"]);
    await say(memory, "a");
    const [first] = (await memory.sessions(ACME)).items;
    assert.deepEqual([first!.sessionId, first!.turns, first!.revision], ["a", 2, 2]);
    assert.deepEqual(
      [first!.createdAt, first!.updatedAt].map((at) => Date.parse(at) / 1_000 - NOON),
      [0, 3],
    );
    assert(first!.bytes > 0);
  });

  promise(
    "Pins and journal entries move a session to the top; what is said of it does not",
    async (store) => {
      const memory = await store.open(optionsWith(clockAtNoon()));
      for (const id of ["a", "b", "c"]) await say(memory, id);
      const a = chat(memory, "a");
      await a.putPin({ ...pinOf("tone"), scope: a.scope }, { expectedRevision: 1 });
      assert.deepEqual(await idsOf(memory), ["a", "c", "b"]);
      await memory.journal({ tenantId: ACME, sessionId: "b" }).append([{ json: 1 }]);
      assert.deepEqual(await idsOf(memory), ["b", "a", "c"]);
      await chat(memory, "c").describe({ title: "third" });
      await chat(memory, "c").search("c");
      assert.deepEqual(await idsOf(memory), ["b", "a", "c"]);
      await memory.journal({ tenantId: ACME, sessionId: "a" }).append([{ json: 1 }]);
      await memory.journal({ tenantId: ACME, sessionId: "c" }).append([{ json: 1 }]);
      await memory.journal({ tenantId: ACME, sessionId: "a" }).pop();
      assert.deepEqual(await idsOf(memory), ["a", "c", "b"]);
    },
  );
}

function testPages({ promise }: Suite): void {
  promise("sessions() pages through all of them in either order, each once", async (store) => {
    const memory = await store.open(optionsWith(clockAtNoon()));
    const ids = ["e", "d", "ü", "a:1", "b", "c"];
    for (const id of ids) await say(memory, id, { subject: id < "c" ? GWEN : OWEN });
    for (
      const [options, expected] of [
        [{}, ids.toReversed()],
        [{ order: "id" }, ["a:1", "b", "c", "d", "e", "ü"]],
        [{ subject: GWEN }, ["b", "a:1"]],
        [{ subject: OWEN, order: "id" }, ["c", "d", "e", "ü"]],
        [{ subject: "nobody" }, []],
      ] as const
    ) {
      for (const limit of [1, 2, 5, 500]) {
        const found: string[] = [];
        for (let after: string | null | undefined = undefined; after !== null;) {
          const page = await memory.sessions(ACME, { ...options, limit, ...after && { after } });
          assert(page.items.length <= limit);
          found.push(...page.items.map(({ sessionId }) => sessionId));
          after = page.next;
        }
        assert.deepEqual(found, expected);
      }
    }
  });

  promise("sessions() refuses what is no page of it", async (store) => {
    const memory = await store.open(optionsWith(clockAtNoon()));
    await say(memory, "a");
    await say(memory, "b");
    const { next } = await memory.sessions(ACME, { limit: 1 });
    for (
      const [options, field] of [
        [{ after: next, order: "id" }, "after"],
        [{ after: "recent:1" }, "after"],
        [{ after: 1 }, "after"],
        [{ limit: 0 }, "limit"],
        [{ limit: 501 }, "limit"],
        [{ order: "newest" }, "order"],
        [{ subject: " " }, "subject"],
        [{ tenant: ACME }, "options"],
      ] as const
    ) {
      await store.assertChangesNothing(() => memory.sessions(ACME, options as never), {
        code: "CONTRACT",
        field,
      });
    }
    await assert.rejects(memory.sessions("", {}), { code: "CONTRACT", field: "tenantId" });
  });
}

function testDescriptions({ promise, durable }: Suite): void {
  promise("describe() sets, keeps and removes title and metadata, and reads them", async (store) => {
    const memory = await store.open(optionsWith(clockAtNoon()));
    const conversation = chat(memory, "a");
    await assert.rejects(conversation.describe(), { code: "CONFLICT", reason: "MISSING" });
    const made = await conversation.describe({ title: "Order 7", metadata: { tags: ["order", 7] } });
    assert.deepEqual([made.title, made.metadata, made.subject, made.turns], [
      "Order 7",
      { tags: ["order", 7] },
      null,
      0,
    ]);
    assert.deepEqual(await conversation.describe(), made);
    assert.deepEqual((await memory.sessions(ACME)).items, [made]);
    const { title, metadata } = await conversation.describe({ title: null });
    assert.deepEqual([title, metadata], [null, { tags: ["order", 7] }]);
    const bare = await conversation.describe({ metadata: null });
    assert.deepEqual([bare.title, bare.metadata], [null, null]);
    await store.assertUnchangedBy(async () => {
      await conversation.describe();
    });
  });

  promise(
    "describe() moves no revision, makes no snapshot stale and drops no cached response",
    async (store) => {
      const memory = await store.open(optionsWith(clockAtNoon()));
      await say(memory, "a");
      const conversation = chat(memory, "a");
      const snapshot = await conversation.snapshot();
      await conversation.cachePut(snapshot, "answer", { text: "yes" });
      await conversation.describe({ title: "Order 7", subject: GWEN });
      assert.equal((await conversation.assertCurrent(snapshot)).id, snapshot.id);
      assert.deepEqual(await conversation.cacheGet(snapshot, "answer"), { text: "yes" });
    },
  );

  promise("describe() refuses what is no description, and a session that was deleted", async (store) => {
    const memory = await store.open(optionsWith(clockAtNoon()));
    await say(memory, "a");
    const conversation = chat(memory, "a");
    for (
      const [changes, field] of [
        [{ title: "" }, "title"],
        [{ title: "x".repeat(1_001) }, "title"],
        [{ metadata: "x" }, "metadata"],
        [{ metadata: { x: "x".repeat(16_384) } }, "metadata"],
        [{ subject: "" }, "subject"],
        [{ subject: "x".repeat(257) }, "subject"],
        [{ name: "x" }, "changes"],
      ] as const
    ) {
      await store.assertChangesNothing(() => conversation.describe(changes as never), {
        code: "CONTRACT",
        field,
      });
    }
    await conversation.delete({ kind: "scope", expectedRevision: 1 });
    await store.assertChangesNothing(() => conversation.describe({ title: "x" }), { reason: "DELETED" });
  });

  durable("What is said of a session is there when the store is opened again", async (store) => {
    const clock = clockAtNoon();
    const memory = await store.open(optionsWith(clock));
    await say(memory, "a", { subject: GWEN });
    const described = await chat(memory, "a").describe({ title: "Order 7" });
    await memory.close();
    const again = await store.open(optionsWith(clock));
    assert.deepEqual((await again.sessions(ACME, { subject: GWEN })).items, [described]);
  });
}

function testSubjects({ promise }: Suite): void {
  promise(
    "A session keeps its subject: append refuses another one, and describe changes it",
    async (store) => {
      const memory = await store.open(optionsWith(clockAtNoon()));
      const append = (subject?: string, operationId?: string): Promise<unknown> =>
        chat(memory, "a").append([{ role: "user", content: "hello" }], {
          ...subject === undefined ? {} : { subject },
          ...operationId === undefined ? {} : { operationId },
        });
      await append(GWEN, "first");
      await append(GWEN);
      await append();
      await store.assertChangesNothing(() => append(OWEN), { code: "CONFLICT", reason: "SUBJECT" });
      await chat(memory, "a").describe({ subject: OWEN });
      await append(OWEN);
      await append(GWEN, "first"); // a repetition: it answers as it did
      await store.assertChangesNothing(() => append(OWEN, "first"), { reason: "IDEMPOTENCY" });
      await chat(memory, "a").describe({ subject: null });
      await store.assertChangesNothing(() => append(OWEN), { code: "CONFLICT", reason: "SUBJECT" });
      assert.equal((await chat(memory, "a").snapshot()).turnCount, 4);
    },
  );

  promise("Setting the same subject again is no event; a first one is none either", async (store) => {
    const memory = await store.open(optionsWith(clockAtNoon()));
    await chat(memory, "a").describe({ subject: GWEN });
    await chat(memory, "a").describe({ subject: GWEN, title: "x" });
    await note(memory, "n", GWEN);
    assert.equal(await memory.records.label({ tenantId: ACME, kind: "note", key: "n" }, GWEN), true);
    assert.deepEqual(await store.events(), []);
    await chat(memory, "a").describe({ subject: OWEN });
    assert.equal(await memory.records.label({ tenantId: ACME, kind: "note", key: "n" }, null), true);
    assert.equal(await memory.records.label({ tenantId: ACME, kind: "note", key: "none" }, OWEN), false);
    const events = await store.events();
    assert.deepEqual(events.map(({ kind, reserved, hashes }) => [kind, reserved, hashes?.length]), [
      ["subject", false, 1],
      ["subject", false, undefined],
    ]);
    assert.equal(JSON.stringify(events).includes("gwen"), false);
  });

  promise("A record keeps its subject: put refuses another one, and changes nothing", async (store) => {
    const memory = await store.open(optionsWith(clockAtNoon()));
    const place = { tenantId: ACME, kind: "note", key: "n" };
    const put = (expectedRevision: number | null, subject?: string): Promise<number> =>
      memory.records.put(place, "x", { expectedRevision, ...subject === undefined ? {} : { subject } });
    const first = await put(null, GWEN);
    const second = await put(first);
    const third = await put(second, GWEN);
    await store.assertChangesNothing(() => put(third, OWEN), { code: "CONFLICT", reason: "SUBJECT" });
    await memory.records.label(place, OWEN);
    await put(third, OWEN);
    const nobodys = { ...place, key: "nobody's" };
    const revision = await memory.records.put(nobodys, "x", { expectedRevision: null });
    await store.assertChangesNothing(
      () => memory.records.put(nobodys, "x", { expectedRevision: revision, subject: GWEN }),
      { code: "CONFLICT", reason: "SUBJECT" },
    );
  });
}
