import assert from "node:assert/strict";
import { nodeSqlite } from "../../src/engines/sqlite/drivers/node_sqlite.ts";
import {
  assembleContext,
  ConflictError,
  type Conversation,
  openMemory,
  type TokenCounter,
} from "../../mod.ts";
import type {
  SqliteConnection,
  SqliteDriver,
  SqliteOpenOptions,
} from "../../src/engines/sqlite/drivers/driver.ts";
import { HashedMemory } from "../../src/context/counting/hashed_memory.ts";
import { STUB4 } from "../context/golden.ts";
import { MutableClock } from "../../src/testing/kit/mutable_clock.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { fileTarget } from "../kit/store_target.ts";
import { dumpStore } from "../kit/store_dump.ts";
import { TappedDriver } from "../kit/tapped_driver.ts";
import { countIndexRows, NO_ROWS } from "./index_contents.ts";
import { SCOPE } from "./scenario.ts";

const FILE = fileTarget("file", () => new TappedDriver(nodeSqlite));
const OPTIONS = { system: "S", counting: { counter: STUB4 } };
const BUDGET = { maxInputTokens: 500, retrievalReserve: 120, summaryReserve: 20 };

async function fill(conversation: Conversation, turns: number): Promise<void> {
  for (let index = 0; index < turns; index++) {
    await conversation.append([{
      role: "user",
      content: `pump ${index} failed at the north wall of kiln ${index % 7}`,
    }]);
  }
}

Deno.test("Nothing is indexed before all arguments are validated, including the budget", async () => {
  await using store = await FILE.make();
  const conversation = (await store.open()).conversation(SCOPE);
  await fill(conversation, 3);
  const bad: readonly (readonly [unknown, unknown, Record<string, unknown>, string])[] = [
    [7, BUDGET, {}, "question"],
    ["   ", BUDGET, {}, "question"], // BLK-01
    [{ messageId: "q", role: "user", content: "" }, BUDGET, {}, "question.content"],
    ["q", { maxInputTokens: 0 }, {}, "budget.maxInputTokens"],
    ["q", BUDGET, { system: " " }, "system"],
    ["q", BUDGET, { profile: "other" }, "profile"],
    ["q", BUDGET, { retrieval: { topK: 0 } }, "retrieval.topK"],
    ["q", BUDGET, { cap: { maxTokens: 0 } }, "cap.maxTokens"],
    ["q", BUDGET, { counting: { calibrationFactor: 0.5 } }, "counting.calibrationFactor"],
    ["q", BUDGET, { tools: [{}] }, "tools[0].name"],
    ["q", BUDGET, { options: { cap: 1 } }, "options.cap"],
    ["q", BUDGET, { summaryPrefix: 1 }, "summaryPrefix"],
    ["q", BUDGET, { chunkIndex: null }, "options"],
    ["q", BUDGET, { signal: {} }, "signal"],
  ];
  for (const [question, budget, options, field] of bad) {
    const call = () =>
      conversation.assemble(question as string, budget as object, { ...OPTIONS, ...options });
    await store.assertChangesNothing(call, { code: "CONTRACT", field });
  }
  await store.assertChangesNothing(
    () => conversation.assemble("q ".repeat(900), BUDGET, OPTIONS),
    (error: { code: string; details: Record<string, number> }) =>
      error.code === "REQUIRED_CONTEXT_TOO_LARGE" && error.details.inputAllowance === 500,
  );
  await store.assertChangesNothing(() => conversation.search(7 as unknown as string), { field: "query" });
  assert.deepEqual(countIndexRows((sql) => store.sql(sql)), NO_ROWS);
});

Deno.test("The error for a missing option has its name", async () => {
  await using store = await FILE.make();
  const conversation = (await store.open()).conversation(SCOPE);
  await assert.rejects(
    Reflect.apply(conversation.assemble, conversation, ["What?"]) as Promise<unknown>,
    {
      code: "CONTRACT",
      field: "options",
      message: /^Expected options to be an object of the fields system, /,
    },
  );
});

Deno.test("The question's own id must not be that of a message in the history", async () => {
  await using store = await FILE.make();
  const conversation = (await store.open()).conversation(SCOPE);
  await conversation.append([{ messageId: "m1", role: "user", content: "hello" }]);
  const question = { messageId: "m1", role: "user" as const, content: "hello?" };
  await store.assertChangesNothing(
    () => conversation.assemble(question, BUDGET, OPTIONS),
    { code: "CONTRACT", field: "question.messageId" },
  );
  const { context } = await conversation.assemble({ ...question, messageId: "m2" }, BUDGET, OPTIONS);
  assert.equal(context.request.messages.at(-1)?.content, "hello?");
});

Deno.test("ASM-06 A budget of exactly the request is enough, and one token less is not", async () => {
  await using memory = await openMemory(":memory:");
  const conversation = memory.conversation(SCOPE);
  await fill(conversation, 2);
  const ask = (maxInputTokens: number) =>
    conversation.assemble("q", { maxInputTokens, retrievalReserve: 0, summaryReserve: 0 }, OPTIONS);
  const { context } = await ask(3_000);
  const needed = context.diagnostics.estimate.estimatedTokens;
  assert.equal((await ask(needed)).context.diagnostics.keptTurnIds.length, 2);
  assert.equal((await ask(needed - 1)).context.diagnostics.keptTurnIds.length, 1);
  await assert.rejects(ask(1), { code: "REQUIRED_CONTEXT_TOO_LARGE" });
});

Deno.test("A read-only store searches with a complete index, and otherwise reports NOT_READY", async () => {
  await using store = await FILE.make();
  const writable = await store.open();
  await fill(writable.conversation(SCOPE), 4);
  const read = (await store.open({ readOnly: true })).conversation(SCOPE);
  const snapshot = await read.snapshot();
  await assert.rejects(read.search("pump"), { code: "CONFLICT", reason: "NOT_READY" });
  await assert.rejects(read.assemble("pump?", BUDGET, OPTIONS), { code: "CONFLICT", reason: "NOT_READY" });
  await assert.rejects(read.chunkIndex(snapshot), { code: "CONFLICT", reason: "NOT_READY" });
  await assert.rejects(read.indexBatch(snapshot), { code: "READONLY" });
  const expected = await writable.conversation(SCOPE).search("pump");
  assert.deepEqual(await read.search("pump"), expected);
  assert.equal((await read.chunkIndex(snapshot)).chunks.length, 4);
  await assert.rejects(read.indexBatch(snapshot), { code: "READONLY" });
});

Deno.test("Nothing is indexed for a context that cannot have evidence, read-only or not", async () => {
  await using store = await FILE.make();
  const memory = await store.open();
  await fill(memory.conversation(SCOPE), 4);
  const readOnly = await store.open({ readOnly: true });
  const without = { ...BUDGET, retrievalReserve: 0 };
  for (const conversation of [memory.conversation(SCOPE), readOnly.conversation(SCOPE)]) {
    await conversation.assemble("pump?", BUDGET, { ...OPTIONS, options: { retrieve: false } });
    await conversation.assemble("pump?", without, OPTIONS);
    const { context } = await conversation.assemble("pump?", { ...BUDGET, maxInputTokens: 3_000 }, OPTIONS);
    assert.equal(context.diagnostics.omittedTurnCount, 0); // the window holds the whole history
    assert.deepEqual(await conversation.search(" "), []);
  }
  assert.deepEqual(countIndexRows((sql) => store.sql(sql)), NO_ROWS);
});

Deno.test("A search or an assembly in a scope that does not exist has an empty history, and does not create the scope", async () => {
  await using store = await FILE.make();
  const memory = await store.open();
  const conversation = memory.conversation(SCOPE);
  assert.deepEqual(await conversation.search("pump"), []);
  const { snapshot, context } = await conversation.assemble("pump?", BUDGET, OPTIONS);
  const empty = { ...OPTIONS, scope: SCOPE, history: [], question: "pump?", budget: BUDGET };
  assert.deepEqual(context.request, (await assembleContext(empty)).request);
  assert.deepEqual([snapshot.revision, snapshot.turnCount], [0, 0]);
  await assert.rejects(conversation.snapshot(), { code: "CONFLICT", reason: "MISSING" });
  await conversation.create();
  await assert.rejects(conversation.assertCurrent(snapshot), { code: "CONFLICT", reason: "SNAPSHOT" });
  await conversation.delete({ kind: "scope", expectedRevision: await conversation.revision() });
  await assert.rejects(conversation.search("pump"), { code: "CONFLICT", reason: "DELETED" });
});

Deno.test("Expired turns that could not be erased yet are left out of contexts, searches and statistics", async () => {
  const clock = new MutableClock(1_750_000_000);
  await using store = await FILE.make();
  store.damaged = true; // expired turns stay; check() is not run
  const writable = (await store.open({ clock: clock.now })).conversation(SCOPE);
  await fill(writable, 12);
  for (const content of ["pump secret north", "pump pump pump"]) {
    await writable.append([{ role: "user", content }], { expiresAt: new Date(clock.ms + 5_000) });
  }
  await fill(writable, 3);
  await writable.search("pump");
  const later = new MutableClock(1_750_000_060);
  const read = (await store.open({ readOnly: true, clock: later.now })).conversation(SCOPE);
  const { snapshot, context } = await read.assemble("Which pump failed north?", BUDGET, OPTIONS);
  const history = await Array.fromAsync(read.turns());
  assert.equal(history.length, 15);
  const input = {
    ...OPTIONS,
    scope: SCOPE,
    budget: BUDGET,
    at: snapshot.at,
    question: "Which pump failed north?",
  };
  assert.deepEqual(context.request, (await assembleContext({ ...input, history })).request);
  assert.equal(JSON.stringify(context.request).includes("secret"), false);
  assert.deepEqual((await read.search("secret")).filter(({ score }) => score.lexical > 0), []);
});

/** Creates a slow counter, so that other calls run between its counts, and calls back for each count. */
function slowCounter(onCount: () => void): TokenCounter {
  return {
    name: "slow",
    version: "1",
    countText(text): number {
      onCount();
      const until = performance.now() + 9;
      while (performance.now() < until);
      return STUB4.countText(text);
    },
  };
}

Deno.test("An assembly starts again if its scope changes, and returns the snapshot of its context", async () => {
  await using memory = await openMemory(":memory:");
  const conversation = memory.conversation(SCOPE);
  await fill(conversation, 4);
  let appended: Promise<unknown> | null = null;
  const counter = slowCounter(() => {
    appended ??= conversation.append([{ role: "user", content: "something new" }]);
  });
  const { snapshot, context } = await conversation.assemble("pump?", BUDGET, {
    system: "S",
    counting: { counter },
  });
  await appended;
  assert.equal(snapshot.turnCount, 5);
  assert.equal((await conversation.assertCurrent(snapshot)).id, snapshot.id);
  assert.equal(JSON.stringify(context.request).includes("something new"), true);
});

Deno.test("An assembly of a scope that keeps changing fails with SNAPSHOT after a limited number of tries", async () => {
  await using memory = await openMemory(":memory:");
  const conversation = memory.conversation(SCOPE);
  await fill(conversation, 1);
  const writes: Promise<unknown>[] = [];
  const counter = slowCounter(() => {
    writes.push(conversation.append([{ role: "user", content: "again" }]));
  });
  const call = conversation.assemble("pump?", BUDGET, { system: "S", counting: { counter } });
  const message = /keeps changing/; // and not a stale snapshot, because the caller passed none
  await assert.rejects(call, (error) => {
    assert(error instanceof ConflictError);
    const { code, reason, retryable } = error;
    assert.deepEqual([code, reason, retryable], ["CONFLICT", "SNAPSHOT", true]);
    assert.match(error.message, message);
    return true;
  });
  await Promise.all(writes);
});

/** A driver that aborts a controller before the statement with a given number. */
class AbortingDriver implements SqliteDriver {
  readonly name = "aborting";
  readonly connections = new Map<string, SqliteConnection>();
  left = Infinity;
  controller = new AbortController();

  open(path: string, options: SqliteOpenOptions): SqliteConnection {
    const inner = nodeSqlite.open(path, options);
    this.connections.set(this.connections.size === 0 ? "main" : "ledger", inner);
    return {
      prepare: (sql) => {
        const statement = inner.prepare(sql);
        return {
          get: (parameters) => (this.#count(), statement.get(parameters)),
          all: (parameters) => (this.#count(), statement.all(parameters)),
          run: (parameters) => (this.#count(), statement.run(parameters)),
        };
      },
      get isTransaction(): boolean {
        return inner.isTransaction;
      },
      close: () => inner.close(),
    };
  }

  #count(): void {
    if (this.left-- === 0) this.controller.abort(new Error("enough"));
  }
}

Deno.test("An assembly that is cancelled at any statement rejects with the reason, and changes nothing", async () => {
  const driver = new AbortingDriver();
  await using memory = await openMemory(":memory:", { driver });
  const conversation = memory.conversation(SCOPE);
  await fill(conversation, 40);
  const ask = (): Promise<unknown> =>
    conversation.assemble("pump 3 at kiln 5", BUDGET, { ...OPTIONS, signal: driver.controller.signal });
  await ask();
  const dump = () => dumpStore((name) => driver.connections.get(name)!);
  const before = dump();
  let cancelled = 0;
  for (let at = 0; at < 400; at += 9) {
    driver.controller = new AbortController();
    driver.left = at;
    const result = await ask().catch((error) => error);
    driver.left = Infinity;
    if (result instanceof Error) {
      assert.equal(result.message, "enough");
      cancelled++;
    }
    assert.equal(driver.connections.get("main")!.isTransaction, false);
    assert.deepEqual(dump(), before);
  }
  assert.ok(cancelled > 5);
});

Deno.test("Cancelled indexing keeps only whole batches", async () => {
  const driver = new AbortingDriver();
  await using memory = await openMemory(":memory:", { driver });
  const conversation = memory.conversation(SCOPE);
  await fill(conversation, 30);
  const snapshot = await conversation.snapshot();
  for (let at = 0; at < 60; at += 7) {
    driver.controller = new AbortController();
    driver.left = at;
    const { signal } = driver.controller;
    await conversation.indexBatch(snapshot, {}, { batchSize: 3, signal }).catch(() => {});
    driver.left = Infinity;
    const { ok } = await memory.check();
    assert.equal(ok, true);
  }
  assert.equal((await conversation.snapshot()).id, snapshot.id);
});

Deno.test("A store's caches of token counts hold no text, and have a limited size", () => {
  const memory = new HashedMemory<number>(2);
  for (const [index, text] of ["alder", "birch", "cedar", "dogwood", "elm"].entries()) {
    memory.set(text, index);
  }
  assert.equal(memory.get("elm"), 4);
  assert.equal(memory.get("alder"), undefined);
  assert.equal(Deno.inspect(memory, { depth: 9, showHidden: true }).includes("elm"), false);
});

Deno.test("chunkIndex() and check() report a damaged index, and other calls on its scope do not fail", async () => {
  await using store = await FILE.make();
  store.damaged = true;
  const memory = await store.open();
  const conversation = memory.conversation(SCOPE);
  await fill(conversation, 3);
  await conversation.search("pump");
  store.sql(`DELETE FROM indexed_turns WHERE turn = 2`);
  const snapshot = await conversation.snapshot();
  await assert.rejects(conversation.chunkIndex(snapshot), { code: "INTEGRITY" });
  assert.equal((await memory.check()).ok, false);
  assert.equal((await Array.fromAsync(conversation.turns())).length, 3);
});

testThatNothingIsLeftOpen();
