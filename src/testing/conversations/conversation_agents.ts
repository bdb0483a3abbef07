/** What agents produce is stored as it is: every shape of message, small steps, and histories that are sent again. */

import assert from "node:assert/strict";
import type { Conversation, Message, NewMessage, TurnInput } from "../../../mod.ts";
import { SCOPES, TURNS } from "../../tables/schema/main_tables.ts";
import { historyDigest } from "../../contracts/digest.ts";
import { PARTS } from "../kit/message_parts.ts";
import { forEachRow } from "../kit/each_row.ts";
import type { Suite } from "../kit/suite.ts";
import {
  atNoon,
  erase,
  HARBOUR,
  ORCHARD,
  pinOf,
  pinUp,
  readTurns,
  revise,
  talk,
  turnOf,
} from "../kit/conversation_samples.ts";

/** A step of an agent, with whatever its messages may have. */
const STEP: readonly NewMessage[] = [
  { messageId: "s", role: "developer", content: "Be brief.", name: "policy" },
  { messageId: "u", role: "user", content: PARTS, metadata: { client: "web", tabs: [1, null] } },
  {
    messageId: "a",
    role: "assistant",
    content: null,
    toolCalls: [{ id: "call_0", name: "run", arguments: '{"cmd":"echo ' }, {
      id: "b",
      name: "look",
      arguments: {},
    }],
    metadata: { usage: { output: 12.5 }, model: "m-1" },
  },
  {
    messageId: "r",
    role: "tool",
    toolCallId: "call_0",
    content: [{ type: "text", text: "1 failed" }],
    isError: true,
  },
];

export function testAgents(suite: Suite): void {
  testShapes(suite);
  testSteps(suite);
  testContexts(suite);
  testSentAgain(suite);
  testDeletedMessages(suite);
  testNextRevisions(suite);
}

function testShapes({ promise, durable }: Suite): void {
  durable(
    "MSG-01 MSG-02 MSG-08 every shape comes back as it was given, also after a reopen",
    async (store) => {
      const memory = await store.open(atNoon());
      const { turnId } = await memory.conversation(ORCHARD).append(STEP, { metadata: { step: 7 } });
      await memory.close();
      const [stored] = await readTurns((await store.open(atNoon())).conversation(ORCHARD));
      assert.deepEqual([stored!.turnId, stored!.metadata], [turnId, { step: 7 }]);
      assert.deepEqual(stored!.messages, [
        STEP[0],
        { ...STEP[1], content: "Here\n\nit is.", parts: PARTS },
        {
          ...STEP[2],
          content: "",
          contentIsNull: true,
          toolCalls: [
            { id: "call_0", name: "run", arguments: '{"cmd":"echo ' },
            { id: "b", name: "look", arguments: "{}" },
          ],
        },
        { ...STEP[3], content: "1 failed", parts: [{ type: "text", text: "1 failed" }] },
      ]);
    },
  );

  promise(
    "MSG-01 what is read back can be appended and put again, and has the same digest",
    async (store) => {
      const memory = await store.open(atNoon());
      const conversation = await talk(memory, []);
      await conversation.append(STEP, { metadata: { step: 7 } });
      const [first] = await readTurns(conversation);
      await conversation.putTurn({ ...first!, revision: 2 }, { operationId: "put", expectedRevision: 1 });
      const [second] = await readTurns(conversation);
      assert.equal(historyDigest([{ ...second!, revision: 1 }]), historyDigest([first!]));
      const harbour = await talk(memory, [], HARBOUR);
      await harbour.append(second!.messages);
      assert.deepEqual((await readTurns(harbour))[0]!.messages, first!.messages);
    },
  );

  promise("MSG-01 text parts are searched as the content that they make", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    const content = [{ type: "text", text: "The build" }, {
      type: "text",
      text: "failed on Tuesday.",
    }] as const;
    await conversation.append([{ role: "tool", toolCallId: "c", content }]);
    const [hit] = await conversation.search("When did the build fail?");
    assert.equal(hit!.content, "The build\n\nfailed on Tuesday.");
    const { start, end } = hit!.source;
    assert.deepEqual([start, end], [0, 29]);
  });

  promise("append() takes the time at which messages were said", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    await conversation.append([{ role: "user", content: "a" }], { timestamp: "2026-03-01T09:00:00+01:00" });
    await conversation.append([{ role: "user", content: "b" }], { timestamp: new Date(0) });
    assert.deepEqual((await readTurns(conversation)).map(({ timestamp }) => timestamp), [
      "2026-03-01T09:00:00+01:00",
      "1970-01-01T00:00:00+00:00",
    ]);
  });

  promise("append() names the option that is wrong", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    const rows = [
      ["timestamp", { timestamp: "yesterday" }],
      ["metadata", { metadata: [] }],
      ["metadata", { metadata: { text: "x".repeat(16_384) } }],
      ["onDuplicate", { onDuplicate: "replace" }],
    ] as const;
    await forEachRow(rows, async ([field, options]) => {
      const call = (): Promise<unknown> =>
        conversation.append([{ role: "user", content: "x" }], options as never);
      await store.assertChangesNothing(call, { code: "CONTRACT", field });
    });
  });
}

function testSteps({ promise }: Suite): void {
  promise("MSG-07 a scope that is full says which option raises the limit", async (store) => {
    const memory = await store.open({ ...atNoon(), limits: { turnsPerScope: 1, bytesPerScope: 1_000 } });
    const conversation = await talk(memory, []);
    const full = (characters: number): Promise<unknown> =>
      conversation.append([{ role: "user", content: "x".repeat(characters) }]);
    await store.assertChangesNothing(() => full(2_000), {
      reason: "CAPACITY",
      message:
        "Cannot put turn: the scope would exceed its limits; limits.bytesPerScope of openMemory raises this one",
    });
    await full(10);
    await store.assertChangesNothing(() => full(10), {
      reason: "CAPACITY",
      message:
        "Cannot put turn: the scope would exceed its limits; limits.turnsPerScope of openMemory raises this one",
    });
  });

  promise("MSG-07 a result that is too large for a turn is refused with what to do", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    const result = { role: "tool", toolCallId: "c", content: "x".repeat(3_800_000) } as const;
    await store.assertChangesNothing(() => conversation.append([result]), {
      code: "CONTRACT",
      field: "messages",
      message:
        "messages must be at most 1000000 bytes as stored: split it into several turns, or shorten what tools returned",
    });
  });
}

function testContexts({ promise }: Suite): void {
  const call = {
    role: "assistant",
    content: null,
    toolCalls: [{ id: "c", name: "run", arguments: "{" }],
  } as const;

  promise(
    "MSG-03 a context of a stored history shows an open call as interrupted, and stores nothing",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), []);
      await conversation.append([call, { role: "tool", toolCallId: "lost", content: "nobody asked" }]);
      const { context } = await conversation.assemble("And now?", {}, { system: "Answer." });
      const window = context.blocks.find(({ kind }) => kind === "window")!.content;
      assert.match(window, /Interrupted: this call has no result\./);
      assert.doesNotMatch(window, /nobody asked/);
      assert.deepEqual(context.diagnostics.interruptedCallIds, ["c"]);
      assert.equal(context.diagnostics.omittedResultIds?.length, 1);
      assert.equal((await readTurns(conversation))[0]!.messages.length, 2);
    },
  );

  promise("MSG-03 the reference profile refuses a stored history with an open call", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    await conversation.append([{
      ...call,
      content: "",
      toolCalls: [{ ...call.toolCalls[0], arguments: "{}" }],
    }]);
    await store.assertChangesNothing(
      () => conversation.assemble("And now?", {}, { system: "Answer.", profile: "reference" }),
      { code: "CONTRACT", field: "turn.messages[0].toolCalls[0]" },
    );
  });
}

function testSentAgain({ promise, durable }: Suite): void {
  const sent = (...ids: readonly string[]): Message[] =>
    ids.map((messageId) => ({ messageId, role: "user", content: `It is ${messageId}.` }));

  promise("MSG-06 a client that sends its whole history again stores only what is new", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    await conversation.append(sent("a", "b"));
    const onDuplicate = "skip";
    const { turnId, revision, skipped } = await conversation.append(sent("a", "b", "c"), { onDuplicate });
    assert.deepEqual([revision, skipped], [2, ["a", "b"]]);
    const turns = await readTurns(conversation);
    assert.equal(turns[1]!.turnId, turnId);
    assert.deepEqual(turns.map(({ messages }) => messages), [sent("a", "b"), sent("c")]);
  });

  promise("MSG-06 a client that sends nothing new changes nothing", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    await conversation.append(sent("a", "b"));
    const before = [await store.rows(TURNS), await store.rows(SCOPES)];
    const again = await conversation.append(sent("b", "a"), { onDuplicate: "skip" });
    assert.deepEqual(again, { revision: 1, turnId: null, skipped: ["b", "a"] });
    assert.deepEqual([await store.rows(TURNS), await store.rows(SCOPES)], before);
  });

  promise("MSG-06 an id that is empty text is no id: such a message is always new", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    const again = { onDuplicate: "skip" } as const;
    const [message] = sent("");
    const first = await conversation.append([message!], again);
    const second = await conversation.append([message!], again);
    assert.deepEqual([first.skipped, second.skipped], [[], []]);
    const ids = (await readTurns(conversation)).map(({ messages }) => messages[0]!.messageId);
    assert.deepEqual(ids, [`${first.turnId}:0`, `${second.turnId}:0`]);
  });

  durable(
    "MSG-06 a repeated call with an operation id gives its first answer, also after a reopen",
    async (store) => {
      const memory = await store.open(atNoon());
      const options = { onDuplicate: "skip", operationId: "send" } as const;
      await memory.conversation(ORCHARD).append(sent("a"));
      const first = await memory.conversation(ORCHARD).append(sent("a", "b"), options);
      assert.deepEqual(first.skipped, ["a"]);
      await memory.close();
      const conversation = (await store.open(atNoon())).conversation(ORCHARD);
      assert.deepEqual(await conversation.append(sent("a", "b"), options), first);
      await erase(conversation, "turn", first.turnId!);
      assert.deepEqual(await conversation.append(sent("a", "b"), options), first);
      await store.assertChangesNothing(() => conversation.append(sent("a", "c"), options), {
        reason: "IDEMPOTENCY",
      });
    },
  );

  promise("MSG-06 a repeated call that stored nothing stores nothing later either", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    const options = { onDuplicate: "skip", operationId: "send" } as const;
    await conversation.append(sent("a"));
    const first = await conversation.append(sent("a"), options);
    assert.deepEqual(first, { revision: 1, turnId: null, skipped: ["a"] });
    await conversation.append(sent("b"));
    assert.deepEqual(await conversation.append(sent("a"), options), first);
  });
}

function testDeletedMessages({ durable, promise }: Suite): void {
  const given = { messageId: "given", role: "user", content: "My door code is 4711." } as const;
  const chosen = { role: "assistant", content: "I will not keep it." } as const;
  const DELETED = { code: "CONFLICT", reason: "DELETED", retryable: false };

  /** A conversation whose only turn was deleted, and its messages as a client still has them. */
  async function deleted(conversation: Conversation): Promise<readonly Message[]> {
    const { turnId } = await conversation.append([given, chosen]);
    const [turn] = await readTurns(conversation);
    await erase(conversation, "turn", turnId);
    return turn!.messages;
  }

  durable("MSG-06 a message that was deleted stays deleted when a client sends it again", async (store) => {
    const memory = await store.open(atNoon());
    const messages = await deleted(memory.conversation(ORCHARD));
    await memory.prune();
    await memory.close();
    const conversation = (await store.open(atNoon())).conversation(ORCHARD);
    const next: Message = { messageId: "next", role: "user", content: "And now?" };
    const { skipped } = await conversation.append([...messages, next], { onDuplicate: "skip" });
    assert.deepEqual(skipped, messages.map(({ messageId }) => messageId));
    assert.deepEqual((await readTurns(conversation)).map((turn) => turn.messages), [[next]]);
    for (const message of messages) {
      await store.assertChangesNothing(() => conversation.append([message]), DELETED);
    }
  });

  promise("MSG-06 only the scope's own deleted messages are refused", async (store) => {
    const memory = await store.open(atNoon());
    const messages = await deleted(memory.conversation(ORCHARD));
    await memory.conversation(HARBOUR).append([messages[0]!]);
    assert.equal((await readTurns(memory.conversation(HARBOUR))).length, 1);
  });

  promise("MSG-06 the ledger and main hold hashes of deleted ids, not the ids", async (store) => {
    const memory = await store.open(atNoon());
    await deleted(memory.conversation(ORCHARD));
    await memory.prune();
    assert.equal(JSON.stringify(await store.state()).includes("given"), false);
    const [event] = await store.events();
    assert.deepEqual(event!.hashes?.map((hash) => hash.length), [16], "the other id is the store's own");
    await memory.check();
  });

  promise("MSG-06 a message that a revision left out may come again: nobody deleted it", async (store) => {
    const conversation = await talk(await store.open(atNoon()), ["t1"]);
    const messages = [{ messageId: "other", role: "user", content: "x" }] as const;
    await revise(conversation, turnOf("t1", "", { messages }));
    await conversation.append([{ messageId: "t1-message", role: "user", content: "x" }]);
    assert.equal((await conversation.snapshot()).turnCount, 2);
  });
}

function testNextRevisions({ promise }: Suite): void {
  promise(
    "putTurn() without a revision stores the next one, and a revision keeps the turn's time",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), []);
      await conversation.append([{ role: "user", content: "before" }]);
      const put = async (turn: TurnInput): Promise<number> =>
        await conversation.putTurn(turn, {
          operationId: turn.messages[0]!.content as string,
          expectedRevision: await conversation.revision(),
        });
      await put(turnOf("t1", "first", { timestamp: "2026-03-01T09:00:00Z" }));
      for (const content of ["second", "third"]) await put(turnOf("t1", content));
      const [, turn] = await readTurns(conversation);
      assert.deepEqual([turn!.revision, turn!.timestamp, turn!.messages[0]!.content], [
        3,
        "2026-03-01T09:00:00+00:00",
        "third",
      ]);
      await assert.rejects(revise(conversation, turnOf("t1", "x", { revision: 3 })), { reason: "REVISION" });
    },
  );

  promise("putPin() without a revision stores the next one", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    for (const value of ["first", "second", "third"]) await pinUp(conversation, pinOf("k", value));
    const { pins } = await conversation.snapshot();
    assert.deepEqual(pins.map(({ revision, value }) => [revision, value]), [[3, "third"]]);
    await assert.rejects(pinUp(conversation, pinOf("k", "x", { revision: 1 })), { reason: "REVISION" });
  });
}
