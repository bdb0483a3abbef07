/** What is wrong with what a caller hands in is told at the door, by its field, before anything is touched. */

import assert from "node:assert/strict";
import { TURNS } from "../../tables/schema/main_tables.ts";
import {
  type Conversation,
  type Message,
  pin,
  summaryFromHistory,
  turn,
  type TurnInput,
} from "../../../mod.ts";
import { forEachRow } from "../kit/each_row.ts";
import type { Suite } from "../kit/suite.ts";
import {
  after,
  atNoon,
  HARBOUR,
  ORCHARD,
  pinOf,
  pinUp,
  readTurns,
  sourceOf,
  summaryOf,
  talk,
  turnOf,
} from "../kit/conversation_samples.ts";

const PUT = { operationId: "put", expectedRevision: 0 };
const ASK: Message = { messageId: "ask", role: "user", content: "Any pears?" };
const CALL: Message = {
  messageId: "call",
  role: "assistant",
  content: "",
  toolCalls: [
    { id: "c1", name: "count", arguments: '{"of":"pears"}' },
    { id: "c2", name: "count", arguments: '{"of":"plums"}' },
  ],
};

function result(toolCallId: string, messageId = `result ${toolCallId}`): Message {
  return { messageId, role: "tool", content: "7", toolCallId };
}

/** What agents leave behind: calls that are open, answered out of order, twice or never, and ids that come again. */
const UNPAIRED: readonly (readonly [what: string, messages: readonly Message[]])[] = [
  ["MSG-03 a call without a result", [ASK, CALL]],
  ["MSG-03 one of two calls without a result", [ASK, CALL, result("c1")]],
  ["TRN-05 two results for one call", [CALL, result("c1"), result("c2"), result("c1", "again")]],
  ["MSG-08 a result without a call", [ASK, result("c9")]],
  ["a result before its call", [result("c1"), CALL]],
  ["TRN-06 a user's message between call and result", [CALL, result("c1"), ASK, result("c2")]],
  ["MSG-04 a call's id used twice", [CALL, result("c1"), result("c2"), { ...CALL, messageId: "call again" }]],
];

export function testDoors(suite: Suite): void {
  testCalls(suite);
  testMessageIds(suite);
  testFields(suite);
  testSizes(suite);
  testTimes(suite);
}

function testCalls({ promise }: Suite): void {
  for (const [what, messages] of UNPAIRED) {
    promise(`putTurn() and append() store ${what}, as it is`, async (store) => {
      const conversation = await talk(await store.open(atNoon()), []);
      await conversation.putTurn(turnOf("t1", "", { messages }), PUT);
      const again = messages.map((message) => ({ ...message, messageId: `${message.messageId} 2` }));
      await conversation.append(again);
      const [first, second] = await readTurns(conversation);
      assert.deepEqual([first!.messages, second!.messages], [messages, again]);
    });
  }

  promise("TRN-06 results may come in any order, and stay in the order in which they came", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    const messages = [ASK, CALL, result("c2"), result("c1")];
    await conversation.putTurn(turnOf("t1", "", { messages }), PUT);
    const [stored] = await readTurns(conversation);
    assert.deepEqual(stored!.messages, messages);
  });

  promise("JSN-07 a call's arguments are kept byte for byte, __proto__ among them", async (store) => {
    const argumentsJson = '{ "__proto__" : {"x":1}, "constructor":{"prototype":{"y":2}}, "n":1.50 }';
    const conversation = await talk(await store.open(atNoon()), []);
    await conversation.append([
      {
        messageId: "call",
        role: "assistant",
        content: "",
        toolCalls: [{ id: "c1", name: "dig", arguments: argumentsJson }],
      },
      result("c1"),
    ]);
    const [stored] = await readTurns(conversation);
    assert.equal(stored!.messages[0]!.toolCalls![0]!.arguments, argumentsJson);
    assert.equal(({} as { x?: number }).x, undefined);
  });

  promise("MSG-02 a call's arguments that are no JSON object come back as they were given", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    const given = [
      "[1]",
      "7",
      "{",
      '{"a":1,"a":2}',
      '{"n":NaN}',
      '{"n":1e999}',
      '{"t":"\\ud800"}',
      "",
      "{}{}",
      `{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`,
    ];
    await forEachRow(given, async (text) => {
      const toolCalls = [{ id: "c1", name: "dig", arguments: text }];
      const { turnId } = await conversation.append([{ role: "assistant", content: "", toolCalls }]);
      const stored = (await readTurns(conversation)).find((turn) => turn.turnId === turnId);
      assert.equal(stored!.messages[0]!.toolCalls![0]!.arguments, text);
    });
    await conversation.append([{
      role: "assistant",
      toolCalls: [{ id: "c1", name: "dig", arguments: { z: 1, a: [] } }],
    }]);
    const stored = (await readTurns(conversation)).at(-1);
    assert.equal(stored!.messages[0]!.toolCalls![0]!.arguments, '{"z":1,"a":[]}');
  });

  promise("TRN-07 empty content and blank results come back as they were given", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    const contents = ["", "\n", " ", "\u0000", "\ufeff", "a\u0000b"];
    for (const [index, content] of contents.entries()) {
      await conversation.append([{ messageId: `m${index}`, role: "assistant", content }]);
    }
    const stored = await readTurns(conversation);
    assert.deepEqual(stored.map(({ messages }) => messages[0]!.content), contents);
  });

  promise(
    "DRV-01 a name with U+0000 is refused: it could be written, and never read again",
    async (store) => {
      const memory = await store.open(atNoon());
      const conversation = await talk(memory, ["t1"]);
      const snapshot = await conversation.snapshot();
      const message = { messageId: "m", role: "user", content: "x" } as const;
      const put = (turn: TurnInput): Promise<number> =>
        conversation.putTurn(turn, { operationId: "put", expectedRevision: 1 });
      const rows: readonly (readonly [field: string, call: () => Promise<unknown>])[] = [
        ["turn.turnId", () => put(turnOf("a\0b"))],
        [
          "turn.messages[0].messageId",
          () => put(turnOf("t2", "x", { messages: [{ ...message, messageId: "\0" }] })),
        ],
        ["messages[0].messageId", () => conversation.append([{ ...message, messageId: "a\0" }])],
        ["pin.key", () => conversation.putPin(pinOf("\0a"), { expectedRevision: 1 })],
        ["key", () => conversation.cachePut(snapshot, "a\0b", {})],
        [
          "scope.tenantId",
          () => Promise.resolve().then(() => memory.conversation({ tenantId: "a\0b", sessionId: "s" })),
        ],
        [
          "scope.sessionId",
          () => Promise.resolve().then(() => memory.conversation({ tenantId: "t", sessionId: "s\0" })),
        ],
      ];
      await forEachRow(rows, async ([field, call]) => {
        await store.assertChangesNothing(call, { code: "CONTRACT", field });
      });
    },
  );

  promise("TRN-07 content that is neither text, parts nor an assistant's null is refused", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    await forEachRow(
      [["user", null], ["user", undefined], ["assistant", 7], ["assistant", {}]],
      async (row) => {
        const [role, content] = row;
        const message = { role, content } as unknown as Message;
        await store.assertChangesNothing(() => conversation.append([message]), {
          code: "CONTRACT",
          field: "messages[0].content",
        });
      },
    );
  });
}

function testMessageIds({ promise }: Suite): void {
  promise("A message id that another turn of the scope has is refused, not stored", async (store) => {
    const conversation = await talk(await store.open(atNoon()), ["t1"]);
    const messages = [{ ...ASK }, { ...ASK, messageId: "t1-message" }];
    const again = turnOf("t2", "", { messages });
    await store.assertChangesNothing(() => conversation.putTurn(again, { ...PUT, expectedRevision: 1 }), {
      code: "CONTRACT",
      field: "turn.messages[1].messageId",
    });
    await store.assertChangesNothing(() => conversation.append(messages), {
      code: "CONTRACT",
      field: "messages[1].messageId",
    });
  });

  promise("A message id that occurs twice in one turn is refused", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    await store.assertChangesNothing(() => conversation.append([ASK, ASK]), {
      code: "CONTRACT",
      field: "messages[1].messageId",
    });
  });

  promise(
    "A turn's own message ids may stay in its next revision, or go to other messages",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), []);
      const put = (revision: number, ids: readonly string[]): Promise<number> => {
        const messages = ids.map((messageId): Message => ({ messageId, role: "user", content: messageId }));
        return conversation.putTurn(turnOf("t1", "", { revision, messages }), {
          operationId: `put ${revision}`,
          expectedRevision: revision - 1,
        });
      };
      await put(1, ["a", "b"]);
      await put(2, ["b", "c"]);
      await put(3, ["c"]);
      assert.equal((await conversation.append([{ ...ASK, messageId: "a" }])).revision, 4);
    },
  );

  promise("MSG-06 a message that was deleted with its turn cannot be put again", async (store) => {
    const conversation = await talk(await store.open(atNoon()), ["t1"]);
    await conversation.delete({ kind: "turn", key: "t1", expectedRevision: 1 });
    const message = { ...ASK, messageId: "t1-message" };
    const deleted = { code: "CONFLICT", reason: "DELETED", retryable: false };
    await store.assertChangesNothing(() => conversation.append([ASK, message]), deleted);
    const put = turnOf("t2", "", { messages: [message] });
    await store.assertChangesNothing(
      () => conversation.putTurn(put, { ...PUT, expectedRevision: 2 }),
      deleted,
    );
  });

  promise("Another scope's message ids are its own", async (store) => {
    const memory = await store.open(atNoon());
    await talk(memory, ["t1"]);
    const harbour = await talk(memory, ["t1"], HARBOUR);
    assert.equal(await harbour.revision(), 1);
  });
}

type Bad = readonly [what: string, field: string, call: (conversation: Conversation) => Promise<unknown>];

const BAD_CALLS: readonly Bad[] = [
  ["a turn of another scope", "turn.scope", (c) => c.putTurn(turnOf("t", "x", { scope: HARBOUR }), PUT)],
  ["a turn without messages", "turn.messages", (c) => c.putTurn(turnOf("t", "x", { messages: [] }), PUT)],
  ["a blank turn id", "turn.turnId", (c) => c.putTurn(turnOf(" \u0085"), PUT)],
  ["a turn id that is ill-formed", "turn.turnId", (c) => c.putTurn(turnOf("a\ud800"), PUT)],
  ["revision 0", "turn.revision", (c) => c.putTurn(turnOf("t", "x", { revision: 0 }), PUT)],
  [
    "a revision that is text",
    "turn.revision",
    (c) => c.putTurn(turnOf("t", "x", { revision: "1" as never }), PUT),
  ],
  ["a role that is none", "turn.messages[0].role", (c) => {
    const messages = [{ ...ASK, role: "root" as never }];
    return c.putTurn(turnOf("t", "x", { messages }), PUT);
  }],
  ["an unknown field of a turn", "turn.extra", (c) => c.putTurn({ ...turnOf("t"), extra: 1 } as never, PUT)],
  ["a turn that is none", "turn", (c) => c.putTurn(null as never, PUT)],
  ["no operation id", "operationId", (c) => c.putTurn(turnOf("t"), { expectedRevision: 0 } as never)],
  ["a blank operation id", "operationId", (c) => c.putTurn(turnOf("t"), { ...PUT, operationId: " " })],
  ["an operation id of 257 code points", "operationId", (c) => {
    return c.putTurn(turnOf("t"), { ...PUT, operationId: "🌍".repeat(257) });
  }],
  [
    "no expected revision",
    "expectedRevision",
    (c) => c.putTurn(turnOf("t"), { operationId: "put" } as never),
  ],
  [
    "an expected revision of 0.5",
    "expectedRevision",
    (c) => c.putTurn(turnOf("t"), { ...PUT, expectedRevision: 0.5 }),
  ],
  ["an unknown option", "options", (c) => c.putTurn(turnOf("t"), { ...PUT, expiry: 1 } as never)],
  [
    "a pin of another scope",
    "pin.scope",
    (c) => c.putPin(pinOf("k", "v", { scope: HARBOUR }), { expectedRevision: 0 }),
  ],
  ["a blank pin", "pin.value", (c) => c.putPin(pinOf("k", " "), { expectedRevision: 0 })],
  ["a pin that ends at its start", "pin.expiresAt", (c) => {
    const times = { effectiveAt: after(60), expiresAt: after(60) };
    return c.putPin(pinOf("k", "v", times), { expectedRevision: 0 });
  }],
  ["a pin that would end at the store's time", "pin.expiresAt", (c) => {
    return c.putPin(pinOf("k", "v", { expiresAt: after(0) }), { expectedRevision: 0 });
  }],
  ["a pin that has ended", "pin.expiresAt", (c) => {
    const times = { effectiveAt: after(-60), expiresAt: after(0) };
    return c.putPin(pinOf("k", "v", times), { expectedRevision: 0 });
  }],
  ["no messages", "messages", (c) => c.append([])],
  ["messages that are no list", "messages", (c) => c.append({} as never)],
  ["an unknown kind of deletion", "kind", (c) => c.delete({ kind: "summary" as never, expectedRevision: 0 })],
  ["a scope's deletion with a key", "key", (c) => c.delete({ kind: "scope", key: "t", expectedRevision: 0 })],
  ["a turn's deletion without a key", "key", (c) => c.delete({ kind: "turn", expectedRevision: 0 })],
  ["a deletion without a revision", "expectedRevision", (c) => c.delete({ kind: "scope" } as never)],
  ["a deletion whose scrub is no boolean", "scrub", (c) => {
    return c.delete({ kind: "scope", expectedRevision: 0 }, { scrub: 1 as never });
  }],
  ["a snapshot that is none", "snapshot", (c) => c.assertCurrent({ id: "x" } as never)],
  ["last of -1", "last", (c) => readTurns(c, undefined, { last: -1 })],
  ["last of 1.5", "last", (c) => readTurns(c, undefined, { last: 1.5 })],
  ["a blank after", "after", (c) => readTurns(c, undefined, { after: "" })],
];

function testFields({ promise }: Suite): void {
  promise("Every call names the field that is wrong, and changes nothing", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    await forEachRow(BAD_CALLS, async ([, field, call]) => {
      await store.assertChangesNothing(() => call(conversation), {
        code: "CONTRACT",
        field,
        retryable: false,
      });
    });
  });

  promise("cachePut() names the field that is wrong, and changes nothing", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    const snapshot = await conversation.snapshot();
    const put = (key: unknown, payload: unknown, ttl: unknown = 60): Promise<void> =>
      conversation.cachePut(snapshot, key as string, payload as never, { ttl: ttl as number });
    const rows: readonly (readonly [string, string, () => Promise<void>])[] = [
      ["blank key", "key", () => put(" ", {})],
      ["list", "payload", () => put("k", [1])],
      ["null", "payload", () => put("k", null)],
      ["text", "payload", () => put("k", "x")],
      ["RPC-04 undefined", "payload", () => put("k", undefined)],
      ["JSN-06 undefined inside", "payload", () => put("k", { a: undefined })],
      ["JSN-06 a hole", "payload", () => put("k", { a: [, 1] })],
      ["JSN-06 a function", "payload", () => put("k", { a: (): number => 1 })],
      ["JSN-06 a Map", "payload", () => put("k", { a: new Map([[1, 2]]) })],
      ["JSN-06 a Date", "payload", () => put("k", { a: new Date(0) })],
      ["JSN-06 a bigint", "payload", () => put("k", { a: 5n })],
      ["JSN-06 NaN", "payload", () => put("k", { a: NaN })],
      ["JSN-01 a lone surrogate", "payload", () => put("k", { a: "\udead" })],
      ["JSN-01 a lone surrogate in a key", "payload", () => put("k", { "\ud800": 1 })],
      [
        "JSN-10 20 000 levels",
        "payload",
        () => put("k", JSON.parse(`{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`)),
      ],
      ["ttl 0", "ttl", () => put("k", {}, 0)],
      ["ttl 1.5", "ttl", () => put("k", {}, 1.5)],
      ["ttl of more than a day", "ttl", () => put("k", {}, 86_401)],
    ];
    await forEachRow(rows, async ([, field, call]) => {
      await store.assertChangesNothing(call, { code: "CONTRACT", field });
    });
  });

  promise(
    "A pin's source that does not say what stands in the turn is refused by its field",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), ["t1"]);
      const source = sourceOf((await readTurns(conversation))[0]!);
      const rows = [
        ["scope", { ...source, scope: HARBOUR }],
        ["messageId", { ...source, messageId: "other" }],
        ["revision", { ...source, revision: 2 }],
        ["end", { ...source, end: 3 }],
        ["messageHash", { ...source, messageHash: "0".repeat(64) }],
        ["end", { ...source, start: 2, end: 2 }],
      ] as const;
      await forEachRow(rows, async ([field, source]) => {
        await store.assertChangesNothing(
          () => conversation.putPin(pinOf("k", "v", { source }), { expectedRevision: 1 }),
          { code: "CONTRACT", field: `pin.source.${field}` },
        );
      });
      const missing = pinOf("k", "v", { source: { ...source, turnId: "other" } });
      await store.assertChangesNothing(() => conversation.putPin(missing, { expectedRevision: 1 }), {
        code: "CONFLICT",
        reason: "MISSING",
      });
    },
  );

  promise("What turn() and pin() made may be handed in, and so may its plain look-alike", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    await conversation.putTurn(turn(turnOf("t1")), PUT);
    await pinUp(conversation, pin(pinOf("k1")));
    await pinUp(conversation, pinOf("k2"));
    assert.deepEqual((await conversation.snapshot()).pins.map(({ key }) => key), ["k1", "k2"]);
  });
}

function testSizes({ promise }: Suite): void {
  promise(
    "TRN-08 a turn of exactly 1 000 000 bytes is kept; one byte more is refused whole",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), []);
      await conversation.putTurn(turnOf("t1", "", { timestamp: after(0) }), PUT);
      const room = 1_000_000 - (await store.rows(TURNS))[0]!.bytes;
      const put = (content: string): Promise<number> =>
        conversation.putTurn(turnOf("t2", content, { timestamp: after(0) }), {
          operationId: "put t2",
          expectedRevision: 1,
        });
      const astral = "😀".repeat(1_000);
      const fits = astral + "w".repeat(room - 4_000);
      await store.assertChangesNothing(() => put(`${fits}w`), { code: "CONTRACT", field: "turn" });
      await put(fits);
      assert.equal((await readTurns(conversation))[1]!.messages[0]!.content, fits);
    },
  );

  promise("TRN-08 an oversized turn's error tells limit and size", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    await assert.rejects(conversation.append([{ role: "user", content: "x".repeat(1_000_000) }]), (error) => {
      const { details } = error as { details: Record<string, unknown> };
      assert.equal(details.maximum, 1_000_000);
      assert((details.bytes as number) > 1_000_000);
      return true;
    });
  });

  promise("A pin of more than 65 536 bytes is refused", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    const put = (characters: number): Promise<number> =>
      conversation.putPin(pinOf("k", "x".repeat(characters)), { expectedRevision: 0 });
    await store.assertChangesNothing(() => put(65_536), { code: "CONTRACT", field: "pin" });
    assert.equal(await put(65_000), 1);
  });

  promise("A summary of more than 256 000 bytes is refused", async (store) => {
    const conversation = await talk(await store.open(atNoon()), ["t1"]);
    const snapshot = await conversation.snapshot();
    const turns = await readTurns(conversation);
    const put = (characters: number): Promise<number> =>
      conversation.putSummary(snapshot, summaryOf(turns, "x".repeat(characters)));
    await store.assertChangesNothing(() => put(256_000), { code: "CONTRACT", field: "summary" });
    assert.equal(await put(255_000), 2);
  });

  promise("RPC-04 a replay of more than 1 000 000 bytes is refused, and leaves no row", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    const snapshot = await conversation.snapshot();
    const put = (characters: number): Promise<void> =>
      conversation.cachePut(snapshot, "k", { text: "x".repeat(characters) });
    await store.assertChangesNothing(() => put(1_000_000), { code: "CONTRACT", field: "payload" });
    await put(999_989);
    assert.equal(((await conversation.cacheGet(snapshot, "k")) as { text: string }).text.length, 999_989);
  });

  promise("Whatever id a turn or pin could be put with, it can be deleted by", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    const turnId = "i".repeat(400_000);
    const key = "k".repeat(60_000);
    const messages = [{ ...ASK }];
    await conversation.putTurn(turnOf(turnId, "", { messages }), PUT);
    await conversation.putPin(pinOf(key, "v"), { expectedRevision: 1 });
    const turn = await conversation.delete({ kind: "turn", key: turnId, expectedRevision: 2 });
    const pin = await conversation.delete({ kind: "pin", key, expectedRevision: 3 });
    assert.deepEqual([turn.erased.turns, pin.erased.pins], [1, 1]);
  });
}

const NO_TIMES: readonly unknown[] = [
  "2027-01-16",
  "2027-01-16T08:00:00",
  "2027-01-16 08:00:00Z",
  "2027-02-30T08:00:00Z",
  "2027-01-16T24:00:00Z",
  "2027-01-16T08:00:60Z",
  "2027-01-16T08:00:00.1234567Z",
  "0000-01-16T08:00:00Z",
  "tomorrow",
  "",
  1_800_000_060_000,
  new Date(NaN),
  true,
  {},
];

function testTimes({ promise }: Suite): void {
  promise("Times are RFC 3339 text with an offset, or a Date; anything else is refused", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    await forEachRow(NO_TIMES, async (time) => {
      const refused = (call: () => Promise<unknown>, field: string): Promise<void> =>
        store.assertChangesNothing(call, { code: "CONTRACT", field });
      const at = time as string;
      await refused(() => conversation.putTurn(turnOf("t", "x", { timestamp: at }), PUT), "turn.timestamp");
      await refused(() => conversation.putTurn(turnOf("t"), { ...PUT, expiresAt: at }), "expiresAt");
      await refused(() => conversation.append([ASK], { expiresAt: at }), "expiresAt");
      const put = { expectedRevision: 0 };
      await refused(() => conversation.putPin(pinOf("k", "v", { effectiveAt: at }), put), "pin.effectiveAt");
      await refused(() => conversation.putPin(pinOf("k", "v", { expiresAt: at }), put), "pin.expiresAt");
      assert.throws(
        () =>
          summaryFromHistory({
            scope: ORCHARD,
            content: "x",
            history: [],
            policyVersion: "1",
            createdAt: at,
          }),
        { code: "CONTRACT", field: "createdAt" },
      );
    });
  });

  promise("A time comes back as text with its own offset and microseconds", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    const put = (index: number, timestamp: string | Date): Promise<number> =>
      conversation.putTurn(turnOf(`t${index}`, "x", { timestamp }), {
        operationId: `put ${index}`,
        expectedRevision: index,
      });
    await put(0, "2027-01-15T10:00:00.25+02:00");
    await put(1, "2027-01-15T08:00:00.000001Z");
    await put(2, new Date("2027-01-15T08:00:00.5Z"));
    assert.deepEqual((await readTurns(conversation)).map(({ timestamp }) => timestamp), [
      "2027-01-15T10:00:00.250000+02:00",
      "2027-01-15T08:00:00.000001+00:00",
      "2027-01-15T08:00:00.500000+00:00",
    ]);
  });

  promise("A missing timestamp or start becomes the store's time", async (store) => {
    const conversation = await talk(await store.open(atNoon()), ["t1"]);
    await pinUp(conversation, pinOf("k"));
    const [stored] = await readTurns(conversation);
    const { pins, at } = await conversation.snapshot();
    assert.deepEqual(
      [stored!.timestamp, pins[0]!.effectiveAt, at],
      Array(3).fill("2027-01-15T08:00:00+00:00"),
    );
  });

  promise(
    "A deadline at or before the store's time is refused, and one a millisecond later is taken",
    async (store) => {
      const conversation = await talk(await store.open(atNoon()), []);
      for (const expiresAt of [after(0), after(-1), "2027-01-15T09:00:00+01:00"]) {
        await store.assertChangesNothing(() => conversation.putTurn(turnOf("t1"), { ...PUT, expiresAt }), {
          code: "CONTRACT",
          field: "expiresAt",
        });
        await store.assertChangesNothing(() => conversation.append([ASK], { expiresAt }), {
          field: "expiresAt",
        });
      }
      await conversation.append([ASK], { expiresAt: after(0.001) });
      assert.equal((await conversation.snapshot()).nextExpiryAt, "2027-01-15T08:00:00.001000+00:00");
    },
  );

  promise("The last deadlines that can be written are taken, and every read goes on", async (store) => {
    const conversation = await talk(await store.open(atNoon()), []);
    for (const expiresAt of ["9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59-23:59"]) {
      await conversation.append([{ ...ASK, messageId: expiresAt }], { expiresAt });
    }
    assert.equal((await conversation.snapshot()).nextExpiryAt, "9999-12-31T23:59:59.999000+00:00");
    assert.equal((await readTurns(conversation)).length, 2);
  });
}
