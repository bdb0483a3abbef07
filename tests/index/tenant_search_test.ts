import assert from "node:assert/strict";
import { type Hits, type IntegrityError, type Memory, nodeSqlite, openMemory } from "../../mod.ts";
import { FaultyDriver } from "../kit/faulty_driver.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { makeFileStore } from "../kit/store_target.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";
import { Writer } from "./vocabulary.ts";

const ACME = { tenantId: "acme" };

/** Texts of sessions: one to five turns each. */
function sessionsBy(seed: number, count: number): readonly (readonly string[])[] {
  const writer = new Writer(seed);
  return Array.from(
    { length: count },
    () => Array.from({ length: 1 + writer.next(5) }, () => writer.text(3 + writer.next(20))),
  );
}

async function store(
  memory: Memory,
  sessions: readonly (readonly string[])[],
  tenantId = "acme",
): Promise<void> {
  for (const [index, texts] of sessions.entries()) {
    const conversation = memory.conversation({ tenantId, sessionId: `s${index}` });
    for (const content of texts) await conversation.append([{ role: "user", content }]);
  }
}

function scored(hits: Hits): readonly (readonly [content: string, score: number])[] {
  return hits.map(({ content, score }) => [content, score.total]);
}

Deno.test("memory.search() ranks all sessions as if their turns were of one, where messages lend nothing", async () => {
  await using memory = await openMemory(":memory:");
  const sessions = sessionsBy(21, 40);
  await store(memory, sessions);
  const whole = memory.conversation({ tenantId: "other", sessionId: "whole" });
  for (const content of sessions.flat()) await whole.append([{ role: "user", content }]);
  for (
    const query of ["pump", "the copper relay of the north depot", "rollback shard-19 failed", "it was on"]
  ) {
    for (const topK of [1, 5, 500]) {
      const options = { topK, profile: "reference" } as const;
      const found = scored(await memory.search(ACME, query, options)).map(([, score]) => score);
      assert.deepEqual(found, scored(await whole.search(query, options)).map(([, score]) => score));
    }
  }
  assert.deepEqual((await memory.check()).problems, []);
});

Deno.test("memory.search() of one session is that session's search", async () => {
  await using memory = await openMemory(":memory:");
  await store(memory, sessionsBy(22, 12));
  for (const sessionId of ["s0", "s7", "none"]) {
    for (const profile of ["reference", "holdfast"] as const) {
      for (const query of ["pump", "where was the green relay?", "2025"]) {
        const own = await memory.conversation({ ...ACME, sessionId }).search(query, { profile, topK: 9 });
        const found = await memory.search(ACME, query, { profile, topK: 9, sessions: [sessionId] });
        assert.deepEqual([...found], [...own]);
      }
    }
  }
});

Deno.test("memory.search() returns the same hits for each topK, and takes no other tenant into account", async () => {
  await using memory = await openMemory(":memory:");
  await store(memory, sessionsBy(23, 30));
  const all = [...await memory.search(ACME, "the pump of the harbour", { topK: 1_000 })];
  assert(all.length > 60);
  await store(memory, sessionsBy(24, 30), "globex");
  await memory.search({ tenantId: "globex" }, "pump");
  for (const topK of [1, 3, 10, 60]) {
    assert.deepEqual([...await memory.search(ACME, "the pump of the harbour", { topK })], all.slice(0, topK));
  }
  assert.deepEqual([...await memory.search({ tenantId: "nobody" }, "pump")], []);
});

Deno.test("memory.search() finds nothing of a session or turn that was deleted, and what was appended since", async () => {
  await using memory = await openMemory(":memory:");
  const of = (sessionId: string) => memory.conversation({ ...ACME, sessionId });
  const found = async (): Promise<readonly string[]> =>
    (await memory.search(ACME, "quarterly invoice", { topK: 9 })).map(({ content }) => content).sort();
  await of("a").append([{ role: "user", content: "The invoice of March." }]);
  const { turnId } = await of("b").append([{ role: "user", content: "The invoice of May." }]);
  await of("b").append([{ role: "user", content: "The quarterly report." }]);
  assert.deepEqual(await found(), ["The invoice of March.", "The invoice of May.", "The quarterly report."]);
  await of("a").delete({ kind: "scope", expectedRevision: await of("a").revision() });
  await of("b").delete({ kind: "turn", key: turnId, expectedRevision: await of("b").revision() });
  assert.deepEqual(await found(), ["The quarterly report."]);
  await of("c").append([{ role: "user", content: "An invoice of June." }]);
  assert.deepEqual(await found(), ["An invoice of June.", "The quarterly report."]);
});

Deno.test("memory.search() leaves out what has expired, before it is erased", async () => {
  await using directory = await TemporaryDirectory.makeInMemory();
  let nowMs = Date.UTC(2026, 4, 1);
  const path = directory.file("agent.db");
  {
    await using memory = await openMemory(path, { clock: () => nowMs });
    const conversation = memory.conversation({ ...ACME, sessionId: "a" });
    await conversation.append([{ role: "user", content: "The pump is red." }], {
      expiresAt: new Date(nowMs + 9_000),
    });
    await conversation.append([{ role: "user", content: "The pump is green." }]);
    assert.equal((await memory.search(ACME, "pump")).length, 2);
  }
  nowMs += 9_000;
  await using memory = await openMemory(path, { clock: () => nowMs, readOnly: true });
  assert.deepEqual((await memory.search(ACME, "pump")).map(({ content }) => content), ["The pump is green."]);
});

Deno.test("memory.search() filters by time, role and session", async () => {
  await using memory = await openMemory(":memory:");
  for (const [sessionId, day] of [["a", 1], ["b", 2], ["c", 3]] as const) {
    await memory.conversation({ ...ACME, sessionId }).append([
      { role: "user", content: `Did the pump fail on day ${day}?` },
      { role: "assistant", content: "The pump failed." },
    ], { timestamp: `2026-05-0${day}T12:00:00Z` });
  }
  const options = {
    topK: 9,
    after: "2026-05-02T00:00:00Z",
    roles: ["assistant"],
    sessions: ["a", "b", "c", "b"],
  } as const;
  const found = await memory.search(ACME, "pump", options);
  assert.deepEqual(found.map(({ sessionId, role }) => `${sessionId} ${role}`).sort(), [
    "b assistant",
    "c assistant",
  ]);
});

Deno.test("memory.search() in a store opened read-only needs complete indexes, and says so", async () => {
  await using directory = await TemporaryDirectory.makeInMemory();
  const path = directory.file("agent.db");
  {
    await using memory = await openMemory(path);
    await store(memory, [["The pump failed."], ["The pump was mended."]]);
  }
  {
    await using memory = await openMemory(path, { readOnly: true });
    await assert.rejects(memory.search(ACME, "pump"), { reason: "NOT_READY" });
  }
  {
    await using memory = await openMemory(path);
    await memory.search(ACME, "pump");
  }
  await using memory = await openMemory(path, { readOnly: true });
  assert.equal((await memory.search(ACME, "pump")).length, 2);
});

Deno.test("memory.search() names a damaged turn with its session, or leaves it out and goes on (BAD-01)", async () => {
  await using made = await makeFileStore(
    new FaultyDriver(nodeSqlite),
    await TemporaryDirectory.makeInMemory(),
  );
  made.damaged = true;
  const memory = await made.open();
  await store(memory, [["The pump failed.", "The pump is red."], ["The pump was mended."]]);
  for (const isIndexed of [false, true]) {
    if (!isIndexed) made.sql(`UPDATE turns SET payload = 'x' WHERE id = 2`);
    await assert.rejects(memory.search(ACME, "pump"), (error: IntegrityError) => {
      const { tenantId, sessionId } = error.details;
      return tenantId === "acme" && sessionId === "s0";
    });
    const found = await memory.search(ACME, "pump", { damaged: "skip" });
    assert.deepEqual(found.map(({ content }) => content).sort(), [
      "The pump failed.",
      "The pump was mended.",
    ]);
    assert.deepEqual(found.skipped.map(({ table, sessionId }) => [table, sessionId]), [["turns", "s0"]]);
  }
});

Deno.test("memory.search() names the argument that is wrong", async () => {
  await using memory = await openMemory(":memory:");
  const search = memory.search.bind(memory) as (...given: unknown[]) => Promise<unknown>;
  const wrong: readonly (readonly [field: string, ...given: unknown[]])[] = [
    ["of", null, "pump"],
    ["of.tenantId", {}, "pump"],
    ["of", { tenantId: "acme", sessionId: "a" }, "pump"],
    ["query", ACME, 7],
    ["sessions", ACME, "pump", { sessions: "a" }],
    ["sessions[1].sessionId", ACME, "pump", { sessions: ["a", ""] }],
    ["topK", ACME, "pump", { topK: 0 }],
    ["options", ACME, "pump", { nearest: true }],
  ];
  for (const [field, ...given] of wrong) await assert.rejects(search(...given), { code: "CONTRACT", field });
});

testThatNothingIsLeftOpen();
