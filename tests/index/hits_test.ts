import assert from "node:assert/strict";
import { type Conversation, type Hit, openMemory, type SearchOptions, turn } from "../../mod.ts";
import { extract } from "../../src/contracts/source_ref.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";

const SCOPE = { tenantId: "acme", sessionId: "ticket-4711" };

/** What a support agent does: it asks a shop's tools, and says what it found. */
async function append(conversation: Conversation): Promise<void> {
  await conversation.append([
    { role: "user", content: "Please look at my last order.", name: "Marisol Quintero" },
    {
      role: "assistant",
      content: "",
      toolCalls: [
        {
          id: "c1",
          name: "lookup_invoice",
          arguments: '{"customer":"Dagny Halvorsen","path":"/exports/q3.csv"}',
        },
        { id: "c2", name: "run_shell", arguments: '{"command":"systemctl restart 𝔘nit relay"}' },
      ],
    },
    { role: "tool", toolCallId: "c1", content: "Paid." },
    { role: "tool", toolCallId: "c2", content: "Done." },
  ], { timestamp: "2026-05-01T09:00:00+02:00" });
  await conversation.append([{
    role: "assistant",
    content: "The relay was restarted, and your order is paid.",
  }], {
    timestamp: "2026-05-05T10:00:00+02:00",
  });
}

function marked({ source, content, matches }: Hit): readonly string[] {
  const points = [...content];
  return matches.map(({ start, end }) => points.slice(start - source.start, end - source.start).join(""));
}

Deno.test("search() finds names and arguments of calls, paths, commands and people (SRC-01)", async () => {
  await using memory = await openMemory(":memory:");
  const conversation = memory.conversation(SCOPE);
  await append(conversation);
  const [stored] = await Array.fromAsync(conversation.turns());
  const found = async (query: string): Promise<readonly (string | undefined)[]> => {
    const [hit] = await conversation.search(query);
    assert(hit !== undefined && extract(hit.source, stored!) === hit.content);
    return [hit.source.toolCallId, hit.toolName, hit.content.slice(0, 12)];
  };
  assert.deepEqual(await found("Halvorsen"), ["c1", "lookup_invoice", '{"customer":']);
  assert.deepEqual(await found("the latest invoices"), ["c1", "lookup_invoice", '{"customer":']);
  assert.deepEqual(await found("q3.csv"), ["c1", "lookup_invoice", '{"customer":']);
  assert.deepEqual(await found("systemctl"), ["c2", "run_shell", '{"command":"']);
  assert.deepEqual(await found("Quintero"), [undefined, undefined, "Please look "]);
});

Deno.test("search() with the reference's profile finds contents alone (SRC-01)", async () => {
  await using memory = await openMemory(":memory:");
  const conversation = memory.conversation(SCOPE);
  await append(conversation);
  for (const query of ["Halvorsen", "lookup_invoice", "systemctl", "Quintero"]) {
    assert.deepEqual([...await conversation.search(query, { profile: "reference" })], []);
  }
});

Deno.test("assemble() cites a call whose arguments are evidence (SRC-01)", async () => {
  await using memory = await openMemory(":memory:");
  const conversation = memory.conversation(SCOPE);
  await append(conversation);
  for (let step = 0; step < 20; step++) {
    await conversation.append([{
      role: "user",
      content: `We then talked about number ${step} of the menu.`,
    }]);
  }
  const { context } = await conversation.assemble("What is Halvorsen's path?", {
    maxInputTokens: 600,
    retrievalReserve: 200,
    summaryReserve: 0,
  }, { system: "Answer." });
  const retrieved = context.blocks.find(({ kind }) => kind === "retrieved")!;
  assert.deepEqual(retrieved.sources[0]?.toolCallId, "c1");
  assert.deepEqual(JSON.parse(retrieved.content)[0].call, "c1");
});

Deno.test("a pin can cite the arguments of a call, and is read back with its source (SRC-01)", async () => {
  await using memory = await openMemory(":memory:");
  const conversation = memory.conversation(SCOPE);
  await append(conversation);
  const [hit] = await conversation.search("Halvorsen");
  const { source } = hit!;
  const pin = { scope: SCOPE, key: "customer", value: "Dagny Halvorsen", origin: "tool", source };
  await conversation.putPin(pin, { expectedRevision: await conversation.revision() });
  assert.deepEqual((await conversation.snapshot()).pins[0]?.source, source);
  const wrong = { ...pin, key: "other", source: { ...source, toolCallId: "c9" } };
  await assert.rejects(
    async () => await conversation.putPin(wrong, { expectedRevision: await conversation.revision() }),
    { code: "CONTRACT", field: "pin.source.toolCallId" },
  );
});

Deno.test("a hit says when, who and in which session, and which words match (SRC-02)", async () => {
  await using memory = await openMemory(":memory:");
  const conversation = memory.conversation(SCOPE);
  await append(conversation);
  const [said] = await conversation.search("relays restarting", {
    roles: ["assistant"],
    after: "2026-05-02T00:00:00Z",
  });
  const { sessionId, timestamp, role } = said!;
  assert.deepEqual({ sessionId, timestamp, role }, {
    sessionId: "ticket-4711",
    timestamp: "2026-05-05T10:00:00+02:00",
    role: "assistant",
  });
  assert.deepEqual(marked(said!), ["relay", "restarted"]);
  const [called] = await conversation.search("relay systemctl");
  assert.deepEqual(marked(called!), ["systemctl", "relay"]);
});

Deno.test("after, before and roles leave out hits and change no score (SRC-02)", async () => {
  await using memory = await openMemory(":memory:");
  const conversation = memory.conversation(SCOPE);
  for (const [day, role] of [[1, "user"], [2, "assistant"], [3, "user"], [4, "assistant"]] as const) {
    const messages = [{ messageId: `m${day}`, role, content: `On day ${day} the pump failed.` }];
    const timestamp = `2026-05-0${day}T12:00:00+00:00`;
    await conversation.putTurn(turn({ turnId: `t${day}`, scope: SCOPE, messages, revision: 1, timestamp }), {
      operationId: `op-${day}`,
      expectedRevision: await conversation.create(),
    });
  }
  const everything = await conversation.search("pump", { topK: 10 });
  const days = async (options: SearchOptions): Promise<readonly string[]> => {
    const hits = await conversation.search("pump", { topK: 10, ...options });
    const ids = new Set(hits.map(({ source }) => source.turnId));
    assert.deepEqual([...hits], everything.filter(({ source }) => ids.has(source.turnId)));
    return [...ids].sort();
  };
  assert.deepEqual(await days({}), ["t1", "t2", "t3", "t4"]);
  assert.deepEqual(await days({ after: "2026-05-02T12:00:00Z" }), ["t2", "t3", "t4"]);
  assert.deepEqual(await days({ before: new Date("2026-05-02T12:00:00Z") }), ["t1"]);
  assert.deepEqual(await days({ roles: ["assistant"] }), ["t2", "t4"]);
  assert.deepEqual(
    await days({ after: "2026-05-02T00:00:00Z", before: "2026-05-04T00:00:00Z", roles: ["user"] }),
    ["t3"],
  );
  assert.deepEqual(await days({ roles: [] }), []);
  const invalid: readonly (readonly [string, object])[] = [
    ["after", { after: "yesterday" }],
    ["before", { before: 5 }],
    ["roles[1]", { roles: ["user", "robot"] }],
    ["roles", { roles: "user" }],
  ];
  for (const [field, options] of invalid) {
    await assert.rejects(conversation.search("pump", options), { code: "CONTRACT", field });
  }
});

testThatNothingIsLeftOpen();
