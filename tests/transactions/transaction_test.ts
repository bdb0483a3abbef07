/** What `memory.transaction` promises: all or nothing, one commit, one answer. */

import assert from "node:assert/strict";
import { z } from "zod";
import {
  ConflictError,
  ContractError,
  defineKind,
  type Memory,
  openMemory,
  summaryFromHistory,
  type Transaction,
} from "../../mod.ts";

const SCOPE = { tenantId: "acme", sessionId: "ticket-7" };
const RUN = { tenantId: "acme", kind: "checkpoint", key: "ticket-7" } as const;
const QUESTION = [{ messageId: "u1", role: "user", content: "Where is order 7?" }] as const;
const CHECKPOINT = { schema: 1, step: 0, items: [] } as const;
const MADE = { expectedRevision: null, ttl: 3_600 } as const;

async function nothingIsThere(memory: Memory): Promise<void> {
  assert.deepEqual((await memory.inspect()).scopes, []);
  assert.equal(await memory.records.get(RUN), null);
  assert.equal((await memory.check()).ok, true);
}

/** A function that adds calls, whatever the types say of them. */
function loose(collect: (transaction: Transaction) => unknown): (transaction: Transaction) => void {
  return collect as (transaction: Transaction) => void;
}

Deno.test("A transaction writes an answer and a checkpoint together, and returns the results of the calls", async () => {
  await using memory = await openMemory(":memory:");
  const [answer, checkpoint] = await memory.transaction((transaction) => [
    transaction.append(SCOPE, QUESTION),
    transaction.put(RUN, CHECKPOINT, MADE),
  ]);
  assert.equal(answer.revision, await memory.conversation(SCOPE).revision());
  const [turn] = await Array.fromAsync(memory.conversation(SCOPE).turns());
  assert.equal(turn?.turnId, answer.turnId);
  assert.equal((await memory.records.get(RUN))?.revision, checkpoint);
  assert.equal((await memory.check()).ok, true);
});

Deno.test("A transaction whose function returns nothing resolves to the results of all calls in their order", async () => {
  await using memory = await openMemory(":memory:");
  const results = await memory.transaction((transaction) => {
    transaction.put(RUN, CHECKPOINT, MADE);
    transaction.append(SCOPE, QUESTION, { onDuplicate: "skip" });
  });
  assert.equal(results.length, 2);
  assert.equal(results[0], 1);
  assert.deepEqual((results[1] as { skipped: unknown }).skipped, []);
});

Deno.test("A call that the store refuses writes nothing of its transaction, and the error names the call", async () => {
  await using memory = await openMemory(":memory:");
  const refused = memory.transaction((transaction) => {
    transaction.append(SCOPE, QUESTION);
    transaction.put(RUN, CHECKPOINT, { expectedRevision: 5, ttl: 60 });
  });
  await assert.rejects(refused, (error: unknown) => {
    assert.ok(error instanceof ConflictError);
    assert.equal(error.reason, "REVISION");
    assert.equal(error.details.call, 1);
    assert.match(error.message, /^calls\[1\]: /);
    return true;
  });
  await nothingIsThere(memory);
});

Deno.test("A refused transaction leaves the calls that share its commit alone", async () => {
  await using memory = await openMemory(":memory:");
  const other = { ...RUN, key: "ticket-8" };
  const [before, refused, after] = await Promise.allSettled([
    memory.records.put(other, CHECKPOINT, MADE),
    memory.transaction((transaction) => {
      transaction.append(SCOPE, QUESTION);
      transaction.put(other, CHECKPOINT, MADE);
    }),
    memory.records.put({ ...RUN, key: "ticket-9" }, CHECKPOINT, MADE),
  ]);
  assert.deepEqual([before.status, refused.status, after.status], ["fulfilled", "rejected", "fulfilled"]);
  await nothingIsThere(memory);
});

Deno.test("A later call of a transaction sees what earlier ones did, and may expect the revision that one made", async () => {
  await using memory = await openMemory(":memory:");
  const toolCalls = [{ id: "c1", name: "track", arguments: "{}" }];
  const [, second, pinned, put] = await memory.transaction((transaction) => {
    const first = transaction.append(SCOPE, [{ role: "assistant", content: null, toolCalls }]);
    const second = transaction.append(SCOPE, [{ role: "tool", toolCallId: "c1", content: "Held." }]);
    const pin = { scope: SCOPE, key: "language", value: "Answer in Welsh.", origin: "settings" };
    const pinned = transaction.putPin(pin, { expectedRevision: second });
    const made = transaction.put(RUN, CHECKPOINT, MADE);
    return [first, second, pinned, transaction.put(RUN, CHECKPOINT, { expectedRevision: made, ttl: 60 })];
  });
  assert.equal(pinned, second.revision + 1);
  assert.equal((await memory.records.get(RUN))?.revision, put);
  assert.equal((await memory.conversation(SCOPE).snapshot()).turnCount, 2);
  assert.equal((await memory.check()).ok, true);
});

Deno.test("A pending call that is expected stands for the revision that it makes", async () => {
  await using memory = await openMemory(":memory:");
  await assert.doesNotReject(memory.transaction((transaction) => {
    const made = transaction.put(RUN, CHECKPOINT, MADE);
    transaction.put(RUN, CHECKPOINT, { expectedRevision: made, ttl: 60 });
  }));
});

Deno.test("A message that an earlier call of the transaction stored is a duplicate in a later one", async () => {
  await using memory = await openMemory(":memory:");
  const [, again] = await memory.transaction((transaction) => [
    transaction.append(SCOPE, QUESTION),
    transaction.append(SCOPE, QUESTION, { onDuplicate: "skip" }),
  ]);
  assert.deepEqual([again.turnId, again.skipped], [null, ["u1"]]);
});

Deno.test("A call may expect only the revision of a call on the same record or scope of the same transaction", async () => {
  await using memory = await openMemory(":memory:");
  const field = "calls[1].expectedRevision";
  await assert.rejects(
    memory.transaction((transaction) => {
      const made = transaction.put({ ...RUN, key: "other" }, CHECKPOINT, MADE);
      transaction.put(RUN, CHECKPOINT, { expectedRevision: made, ttl: 60 });
    }),
    { field },
  );
  let kept: ReturnType<Transaction["put"]> | undefined;
  await memory.transaction((transaction) => {
    kept = transaction.put(RUN, CHECKPOINT, MADE);
  });
  await assert.rejects(
    memory.transaction((transaction) => {
      transaction.append(SCOPE, QUESTION);
      transaction.put(RUN, CHECKPOINT, { expectedRevision: kept!, ttl: 60 });
    }),
    { field },
  );
});

Deno.test("A transaction puts records of typed kinds, validated before it begins", async () => {
  const budget = defineKind("budget", z.strictObject({ tokens: z.int() }));
  await using memory = await openMemory(":memory:", { kinds: [budget] });
  const place = { tenantId: "acme", key: "review-42" };
  const [revision] = await memory.transaction((transaction) => [
    transaction.of(budget).put(place, { tokens: 500 }, { expectedRevision: null }),
  ]);
  assert.deepEqual(await memory.records.of(budget).get(place), {
    revision,
    expires: null,
    value: { tokens: 500 },
  });
  const refused = memory.transaction((transaction) => {
    transaction.append(SCOPE, QUESTION);
    transaction.of(budget).put(place, { tokens: 0.5 }, { expectedRevision: revision });
  });
  await assert.rejects(refused, { code: "CONTRACT", field: "calls[1].value.tokens" });
  assert.deepEqual((await memory.inspect()).scopes, []);
});

Deno.test("A transaction puts a summary before it appends", async () => {
  await using memory = await openMemory(":memory:");
  const conversation = memory.conversation(SCOPE);
  await conversation.append(QUESTION);
  const snapshot = await conversation.snapshot();
  const history = await Array.fromAsync(conversation.turns({ snapshot }));
  const made = { content: "Order 7: asked.", policyVersion: "by-hand-1", createdAt: snapshot.at };
  const summary = summaryFromHistory({ scope: SCOPE, history, ...made });
  await memory.transaction((transaction) => {
    transaction.putSummary(snapshot, summary);
    transaction.append(SCOPE, [{ role: "assistant", content: "Held by customs." }]);
  });
  const after = await conversation.snapshot();
  assert.deepEqual([after.summary?.content, after.turnCount], ["Order 7: asked.", 2]);
});

Deno.test("An invalid argument refuses the whole transaction, even where the caller catches the error", async () => {
  await using memory = await openMemory(":memory:");
  const refused = memory.transaction((transaction) => {
    transaction.put(RUN, CHECKPOINT, MADE);
    try {
      transaction.append(SCOPE, [{ role: "nobody", content: "?" } as never]);
    } catch { /* the transaction is refused all the same */ }
  });
  await assert.rejects(refused, { code: "CONTRACT", field: "calls[1].messages[0].role" });
  await nothingIsThere(memory);
});

Deno.test("What the function throws rejects the transaction, and nothing is written", async () => {
  await using memory = await openMemory(":memory:");
  const reason = new Error("changed my mind");
  const refused = memory.transaction((transaction) => {
    transaction.append(SCOPE, QUESTION);
    throw reason;
  });
  await assert.rejects(refused, (error) => error === reason);
  await nothingIsThere(memory);
});

Deno.test("An async function is refused, and calls after the function returned are refused", async () => {
  await using memory = await openMemory(":memory:");
  let late: Promise<unknown> | undefined;
  const refused = memory.transaction(loose((transaction) => {
    transaction.append(SCOPE, QUESTION);
    late = (async () => {
      await Promise.resolve();
      transaction.put(RUN, CHECKPOINT, MADE);
    })();
    return late;
  }));
  await assert.rejects(refused, { code: "CONTRACT", field: "collect" });
  await assert.rejects(late!, { code: "CONTRACT", field: "transaction" });
  await nothingIsThere(memory);
});

Deno.test("Calls that delete are refused in a transaction, with the reason", async () => {
  await using memory = await openMemory(":memory:");
  for (const name of ["forget", "purge", "unpin", "delete", "clear", "rewind"]) {
    const refused = memory.transaction(loose((transaction) => {
      transaction.append(SCOPE, QUESTION);
      (transaction as unknown as Record<string, () => void>)[name]!();
    }));
    await assert.rejects(refused, (error: unknown) => {
      assert.ok(error instanceof ContractError);
      assert.match(error.message, /a deletion outlives a crash/);
      return error.field === name;
    });
  }
  await nothingIsThere(memory);
});

Deno.test("A transaction is of one tenant", async () => {
  await using memory = await openMemory(":memory:");
  const refused = memory.transaction((transaction) => {
    transaction.append(SCOPE, QUESTION);
    transaction.put({ ...RUN, tenantId: "globex" }, CHECKPOINT, MADE);
  });
  await assert.rejects(refused, { code: "CONTRACT", field: "calls[1].tenantId" });
  await nothingIsThere(memory);
});

Deno.test("A transaction needs a call, and takes at most 100 calls and 16 MB", async () => {
  await using memory = await openMemory(":memory:");
  await assert.rejects(memory.transaction(() => {}), { code: "CONTRACT", field: "calls" });
  const many = (count: number) =>
    memory.transaction((transaction) => {
      for (let index = 0; index < count; index++) {
        transaction.put({ ...RUN, key: `many-${index}` }, CHECKPOINT, MADE);
      }
    });
  await assert.rejects(many(101), {
    code: "CONTRACT",
    field: "calls",
    details: { field: "calls", maximum: 100, call: 100 },
  });
  assert.equal((await many(100)).length, 100);
  const content = "x".repeat(900_000);
  const large = (count: number) =>
    memory.transaction((transaction) => {
      for (let index = 0; index < count; index++) transaction.append(SCOPE, [{ role: "user", content }]);
    });
  await assert.rejects(large(18), { code: "CONTRACT", field: "calls" });
  await assert.rejects(memory.conversation(SCOPE).revision(), { reason: "MISSING" });
});

Deno.test("A repeated operation id returns the first results of every call, and writes nothing", async () => {
  await using memory = await openMemory(":memory:");
  const pin = { scope: SCOPE, key: "language", value: "Answer in Welsh.", origin: "settings" };
  const write = () =>
    memory.transaction((transaction) => {
      const asked = transaction.append(SCOPE, QUESTION);
      const again = transaction.append(SCOPE, [
        ...QUESTION,
        ...Array.from({ length: 40 }, (_, index) => ({
          messageId: `m${index}`,
          role: "user",
          content: "And now?",
        } as const)),
      ], { onDuplicate: "skip" });
      const pinned = transaction.putPin(pin, { expectedRevision: again });
      return [asked, again, pinned, transaction.put(RUN, CHECKPOINT, MADE)];
    }, { operationId: "step-1" });
  const first = await write();
  const before = await memory.conversation(SCOPE).revision();
  assert.deepEqual(await write().catch((error: Error) => error.message), first);
  assert.deepEqual(first[1].skipped, ["u1"]);
  assert.equal(await memory.conversation(SCOPE).revision(), before);
  assert.equal((await memory.check()).ok, true);
});

Deno.test("A repeated operation id returns the first results although scope and record were deleted since", async () => {
  await using memory = await openMemory(":memory:");
  const write = () =>
    memory.transaction((transaction) => [
      transaction.append(SCOPE, QUESTION),
      transaction.put(RUN, CHECKPOINT, MADE),
    ], { operationId: "step-1" });
  const first = await write();
  const conversation = memory.conversation(SCOPE);
  await conversation.delete({ kind: "scope", expectedRevision: first[0].revision });
  await memory.records.forget(RUN, first[1]);
  assert.deepEqual(await write(), first);
  await nothingIsThere(memory);
});

Deno.test("An operation id with other input is refused, also where the calls are on other scopes and records", async () => {
  await using memory = await openMemory(":memory:");
  const options = { operationId: "step-1" };
  await memory.transaction((transaction) => [transaction.append(SCOPE, QUESTION)], options);
  const elsewhere = { tenantId: "acme", sessionId: "ticket-8" };
  const refused = { reason: "IDEMPOTENCY" };
  await assert.rejects(memory.transaction((each) => [each.append(elsewhere, QUESTION)], options), refused);
  await assert.rejects(memory.transaction((each) => [each.put(RUN, CHECKPOINT, MADE)], options), refused);
  await assert.rejects(memory.records.put(RUN, CHECKPOINT, { ...MADE, ...options }), refused);
  const longer = memory.transaction(
    (each) => [each.append(SCOPE, QUESTION), each.append(SCOPE, QUESTION)],
    options,
  );
  await assert.rejects(longer, refused);
  const globex = { tenantId: "globex", sessionId: "ticket-7" };
  await memory.transaction((each) => [each.append(globex, QUESTION)], options); // another tenant's id is another id
});

Deno.test("An operation id is forgotten after a day, with all results that were kept for it", async () => {
  let nowMs = Date.UTC(2026, 2, 1);
  await using memory = await openMemory(":memory:", { clock: () => nowMs });
  const write = (operationId: string) =>
    memory.transaction((transaction) => [
      transaction.put(RUN, CHECKPOINT, { expectedRevision: null, ttl: 60 }),
      transaction.put({ ...RUN, key: `other-${operationId}` }, CHECKPOINT, MADE),
    ], { operationId });
  const first = await write("a");
  nowMs += 86_399_999;
  assert.deepEqual(await write("a"), first);
  nowMs += 1;
  await assert.rejects(write("a"), {
    reason: "EXPIRED",
    details: { reason: "EXPIRED", currentRevision: 1, call: 0 },
  });
});

Deno.test("A transaction erases what has expired in its scopes first", async () => {
  let nowMs = Date.UTC(2026, 2, 1);
  await using memory = await openMemory(":memory:", { clock: () => nowMs });
  const scopes = [SCOPE, { tenantId: "acme", sessionId: "ticket-8" }];
  for (const scope of scopes) await memory.conversation(scope).append(QUESTION, { ttl: 60 });
  nowMs += 60_000;
  await assert.doesNotReject(memory.transaction((transaction) => {
    for (const scope of scopes) transaction.append(scope, [{ role: "user", content: "And now?" }]);
  }));
  for (const scope of scopes) assert.equal((await memory.conversation(scope).snapshot()).turnCount, 1);
  assert.equal((await memory.check()).ok, true);
});

Deno.test("A withdrawn transaction writes nothing", async () => {
  await using memory = await openMemory(":memory:");
  const controller = new AbortController();
  const { signal } = controller;
  const withdrawn = memory.transaction((each) => [each.append(SCOPE, QUESTION)], { signal });
  controller.abort();
  await assert.rejects(withdrawn, { name: "AbortError" });
  await nothingIsThere(memory);
});

Deno.test("What a transaction was given may be changed as soon as the call has returned", async () => {
  await using memory = await openMemory(":memory:");
  const value = { schema: 1, step: 0, items: ["build"] } as const;
  const writing = memory.transaction((transaction) => {
    transaction.put(RUN, value, MADE);
  });
  (value as unknown as { items: string[] }).items.push("test");
  await writing;
  assert.deepEqual((await memory.records.get(RUN))?.value.items, ["build"]);
});

Deno.test("A transaction takes its place in the queue when it is called, the first one too", async () => {
  await using memory = await openMemory(":memory:");
  const first = memory.transaction((transaction) => [transaction.put(RUN, CHECKPOINT, MADE)]);
  const second = memory.records.put({ ...RUN, key: "later" }, CHECKPOINT, MADE);
  assert.deepEqual([await first, await second], [[1], 2]);
});

Deno.test("A call that takes an operation id or a signal of its own is refused in a transaction", async () => {
  await using memory = await openMemory(":memory:");
  for (const own of [{ operationId: "a" }, { signal: new AbortController().signal }]) {
    const refused = memory.transaction((transaction) => {
      transaction.append(SCOPE, QUESTION, own as never);
    });
    await assert.rejects(refused, { code: "CONTRACT", field: "calls[0].options" });
  }
});
