import assert from "node:assert/strict";
import { assembleContext, openMemory, turn } from "../../mod.ts";

const SCOPE = { tenantId: "orchard", sessionId: "spring" };
const IDENTITY = { tenantId: "orchard", kind: "checkpoint", key: "run-a" } as const;
const START = { schema: 1, step: 0, items: [] } as const;
const CALL = { id: "call-1", name: "look", arguments: "{}" };

function turnWith(call: Record<string, unknown>): unknown {
  const message = { messageId: "m1", role: "assistant", content: "", toolCalls: [call] };
  return turn({ turnId: "t1", scope: SCOPE, messages: [message] } as never);
}

Deno.test("An identity with tenant is refused by every call on records, with the name tenantId", async () => {
  await using memory = await openMemory(":memory:");
  const { tenantId: tenant, ...rest } = IDENTITY;
  const identity = { tenant, ...rest } as never;
  const refused = {
    code: "CONTRACT",
    field: "identity",
    message: "tenant is not a field of identity any more: say tenantId",
  };
  const { records } = memory;
  await assert.rejects(records.put(identity, START, { expectedRevision: null, ttl: 60 }), refused);
  await assert.rejects(records.get(identity), refused);
  await assert.rejects(records.update(identity, () => null, { ttl: 60 }), refused);
  await assert.rejects(records.forget(identity, 1), refused);
  await assert.rejects(records.get({ ...IDENTITY, tenant } as never), refused);
});

Deno.test("put() with expected is refused with the name expectedRevision", async () => {
  await using memory = await openMemory(":memory:");
  const put = memory.records.put(IDENTITY, START, { expected: null, ttl: 60 } as never);
  const message = "expected is not an option any more: say expectedRevision";
  await assert.rejects(put, { code: "CONTRACT", field: "options", message });
  assert.equal(await memory.records.get(IDENTITY), null);
});

for (
  const [former, name] of [
    ["inputCap", "maxInputTokens"],
    ["modelCapacity", "contextWindow"],
    ["completionReservation", "maxOutputTokens"],
  ] as const
) {
  Deno.test(`A budget with ${former} is refused with the name ${name}`, async () => {
    const question = { messageId: "q", role: "user", content: "Which row?" } as const;
    const budget = { [former]: 900 } as never;
    const input = { scope: SCOPE, history: [], question, system: "Answer.", budget };
    const message = `${former} is not a field of budget any more: say ${name}`;
    await assert.rejects(assembleContext(input), { code: "CONTRACT", field: "budget", message });
  });
}

for (
  const [former, name] of [["callId", "id"], ["argumentsJson", "arguments"]] as const
) {
  Deno.test(`A tool call with ${former} is refused with the name ${name}`, () => {
    const { [name]: value, ...rest } = CALL;
    const field = "messages[0].toolCalls[0]";
    const refused = {
      code: "CONTRACT",
      field,
      message: `${field} has no field ${former} any more: say ${name}`,
    };
    assert.throws(() => turnWith({ ...rest, [former]: value }), refused);
    assert.throws(() => turnWith({ ...CALL, [former]: value }), refused);
  });
}

Deno.test("cachePut() with ttlSeconds is refused with the name ttl", async () => {
  await using memory = await openMemory(":memory:");
  const conversation = memory.conversation(SCOPE);
  await conversation.create();
  const snapshot = await conversation.snapshot();
  const message = "ttlSeconds is not an option any more: say ttl";
  const refused = { code: "CONTRACT", field: "options", message };
  await assert.rejects(conversation.cachePut(snapshot, "k", {}, { ttlSeconds: 60 } as never), refused);
  assert.equal(await conversation.cacheGet(snapshot, "k"), null);
});

Deno.test("A former name is an unknown field like any other where nothing replaced it", async () => {
  await using memory = await openMemory(":memory:");
  const get = memory.records.get(IDENTITY, { expected: 1 } as never);
  const message = "Expected options to have no other fields than now, signal";
  await assert.rejects(get, { code: "CONTRACT", field: "options", message });
});
