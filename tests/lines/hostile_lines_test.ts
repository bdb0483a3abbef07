/** Lines that no export writes: errors name number and field, not their text, and nothing of them is kept. */

import assert from "node:assert/strict";
import type { Memory } from "@holdfast/memory";
import { LINE_BYTES_MAX } from "../../src/limits.ts";
import { ORCHARD, readTurns } from "../conversations/samples.ts";
import { assertIntact, testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { ALL_OF_EACH, exported, fill, freshStore, held, NONE, ONE_OF_EACH, refusedAt } from "./filling.ts";

const SECRET = "the pears were grafted";

async function linesOfEach(): Promise<readonly string[]> {
  await using source = await freshStore();
  await fill(source, ONE_OF_EACH);
  return await exported(source);
}

const LINES = await linesOfEach();
const [HEADER, RECORD, , SCOPE, TURN, , SUMMARY, PIN] = LINES as [
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string,
];

type Fields = Record<string, unknown>;

/** A line with some fields changed, within the object under `inner` if one is named. */
function changed(line: string, change: Fields, inner?: string): string {
  const fields = JSON.parse(line) as Fields;
  if (inner === undefined) return JSON.stringify({ ...fields, ...change });
  return JSON.stringify({ ...fields, [inner]: { ...fields[inner] as Fields, ...change } });
}

function withoutField(line: string, name: string): string {
  const { [name]: _left, ...fields } = JSON.parse(line) as Fields;
  return JSON.stringify(fields);
}

/** Tests that a line after valid ones is refused. */
function refuses(
  title: string,
  bad: string,
  field: string,
  before: readonly string[] = [HEADER, SCOPE],
): void {
  Deno.test(`A line is refused: ${title}`, async () => {
    await using memory = await freshStore();
    await assert.rejects(memory.importLines([...before, bad]), (error) => {
      refusedAt(before.length + 1, field)(error);
      const { message, details } = error as { message: string; details: unknown };
      assert(!JSON.stringify([message, details]).includes(SECRET), "the error contains the text");
      return true;
    });
    const scopes = before.length - 1;
    assert.deepEqual((await memory.inspect()).scopes.length, scopes, "what came before stays");
    await assertIntact(memory);
  });
}

const FACT = { schema: 1, text: "a", source: "b", reviewed: true };
const message = { message_id: "m", role: "user", content: SECRET, tool_call_id: null, tool_calls: [] };

refuses("JSN-11 cut in the middle", TURN.slice(0, 80), "lines");
refuses("JSN-11 two objects in one", `${PIN.trim()}${PIN.trim()}`, "lines");
refuses("a list", "[]", "lines");
refuses("a text", `"${SECRET}"`, "lines");
refuses("blanks", "   ", "lines");
refuses(
  "JSN-10 nested without end",
  `{"type":"scope","scope":${"[".repeat(20_000)}${"]".repeat(20_000)}}`,
  "lines",
);
refuses("a key twice", `{"type":"scope","type":"scope"}`, "lines");
refuses("JSN-01 a lone surrogate", TURN.replace("pears as of 2", "\ud800"), "lines");
refuses("JSN-01 a lone surrogate, escaped", TURN.replace("pears as of 2", "\\ud800"), "lines");
refuses("a raw NUL", TURN.replace("pears as of 2", "\0"), "lines");
refuses("a number beyond all", `{"type":"mark","sequence":1e999}`, "lines");
refuses("an unknown type", changed(TURN, { type: SECRET }), "type");
refuses("no type", withoutField(TURN, "type"), "type");
refuses("a field that no line has", changed(TURN, { [SECRET]: 1 }), "line");
refuses("a field missing", withoutField(TURN, "expires_at"), "expires_at");
refuses("a header again", HEADER, "type");
refuses("a record after a scope", RECORD, "type");
refuses(
  "a turn of another scope",
  changed(TURN, { scope: { tenant_id: "t", session_id: SECRET } }, "turn"),
  "turn.scope",
);
refuses("a turn without a scope", TURN, "turn.scope", [HEADER]);
refuses("a turn with a number for its id", changed(TURN, { turn_id: 7 }, "turn"), "turn.turnId");
refuses("DRV-01 a turn with a NUL in its id", changed(TURN, { turn_id: "a\0" }, "turn"), "turn.turnId");
refuses("a turn of revision 0", changed(TURN, { revision: 0 }, "turn"), "turn.revision");
refuses("a turn of revision 1.0", TURN.replace('"revision":2', '"revision":2.0'), "turn.revision");
refuses("a turn without messages", changed(TURN, { messages: [] }, "turn"), "turn.messages");
refuses(
  "a turn whose arguments are no JSON object but say so",
  changed(TURN, {
    messages: [{
      ...message,
      role: "assistant",
      tool_calls: [{ call_id: "c", name: "look", arguments_json: "[]" }],
    }],
  }, "turn"),
  "turn",
);
refuses(
  "a turn with parts that say otherwise",
  changed(TURN, { messages: [{ ...message, parts: [{ type: "text", text: "another" }] }] }, "turn"),
  "turn.messages[0].content",
);
refuses(
  "a turn with a part of no type",
  changed(TURN, { messages: [{ ...message, parts: [{ type: SECRET }] }] }, "turn"),
  "turn.messages[0].parts[0].type",
);
refuses(
  "a turn with media whose bytes are not there",
  changed(TURN, {
    messages: [{
      ...message,
      content: "",
      parts: [{ type: "media", media_type: "image/png", hash: "a".repeat(64), bytes: 1 }],
    }],
  }, "turn"),
  "turn.messages[0].content[0].ref",
);
refuses(
  "a turn with null content of a user",
  changed(TURN, { messages: [{ ...message, content: "", role: "user", content_null: true }] }, "turn"),
  "turn.messages[0].content",
);
refuses(
  "a turn with metadata that is no object",
  changed(TURN, { metadata: SECRET }, "turn"),
  "turn.metadata",
);
refuses(
  "a turn with a message id twice",
  changed(TURN, { messages: [message, message] }, "turn"),
  "turn.messages[1].messageId",
);
refuses(
  "a turn beyond its size",
  changed(TURN, { messages: [{ ...message, content: "x".repeat(1_000_000) }] }, "turn"),
  "turn",
);
refuses("a turn whose deadline is no time", changed(TURN, { expires_at: SECRET }), "expires_at");
refuses("a turn that is a text", changed(TURN, { turn: SECRET }), "turn");
refuses("a pin without a value", changed(PIN, { value: " " }, "pin"), "pin.value");
refuses(
  "a pin that expires before it begins",
  changed(PIN, { expires_at: "2000-01-01T00:00:00Z" }, "pin"),
  "pin.expiresAt",
);
refuses(
  "a summary of other turns than it cites",
  changed(SUMMARY, { covered_turn_ids: [] }, "summary"),
  "summary.sources[0]",
);
refuses(
  "RPC-03 a record with a number that would come back as another",
  changed(RECORD, { value: 0 }).replace('"value":0', '"value":12345678901234567890'),
  "value",
  [HEADER],
);
refuses("a record with -0", changed(RECORD, { value: 0 }).replace('"value":0', '"value":-0.0'), "value", [
  HEADER,
]);
refuses(
  "REC-12 a record that expires beyond all time",
  changed(RECORD, { expires: 30_000_000_000 }),
  "expires",
  [HEADER],
);
refuses(
  "a record that expires beyond its maxAge",
  changed(RECORD, { max_age: 10, expires: 9_000_000_000 }),
  "expires",
  [HEADER],
);
refuses(
  "a fact that expires later than any put can set",
  changed(RECORD, { kind: "fact", expires: 10_000_086_401, value: FACT }),
  "expires",
  [HEADER],
);
refuses("a record with a maxAge and no deadline", changed(RECORD, { max_age: 10 }), "expires", [HEADER]);
refuses("a record of revision -1", changed(RECORD, { revision: -1 }), "revision", [HEADER]);
refuses("a fact without a deadline", changed(RECORD, { kind: "fact" }), "expires", [HEADER]);
refuses(
  "a fact with an unknown field",
  changed(RECORD, {
    kind: "fact",
    expires: 1_800_000_060,
    value: { ...FACT, [SECRET]: 1 },
  }),
  "value",
  [HEADER],
);
refuses(
  "a fact with a tenant in another format",
  changed(RECORD, { kind: "fact", tenant: SECRET }),
  "tenant",
  [HEADER],
);
refuses("a kind of which nothing is known", changed(RECORD, { kind: SECRET }), "kind", [HEADER]);

Deno.test("A deadline that a put set at an explicit time is imported unchanged", async () => {
  await using source = await freshStore();
  const identity = { tenantId: "orchard", kind: "fact", key: "pears" };
  await source.records.put(identity, FACT, { expectedRevision: null, now: 10_000_000_000, ttl: 86_400 });
  await using memory = await freshStore();
  await memory.importLines(await exported(source));
  const at = { now: 10_000_000_000 };
  assert.deepEqual(await memory.records.get(identity, at), await source.records.get(identity, at));
  assert.equal((await memory.records.get(identity, at))?.expires, 10_000_086_400);
  await assertIntact(memory);
});

Deno.test("A header of another format or version is refused", async () => {
  await using memory = await freshStore();
  await assert.rejects(
    memory.importLines([changed(HEADER, { version: 2, more: 1 })]),
    refusedAt(1, "version"),
  );
  await assert.rejects(memory.importLines([changed(HEADER, { format: "other" })]), refusedAt(1, "format"));
  await assert.rejects(memory.importLines([SCOPE]), refusedAt(1, "type"));
  await assert.rejects(memory.importLines([]), refusedAt(1, "lines"));
  await assert.rejects(memory.importLines(""), refusedAt(1, "lines"));
});

Deno.test("JSN-11 lines that were cut off, changed, doubled or joined are reported, and the valid ones are imported", async () => {
  const rows: readonly (readonly [lines: readonly string[], line: number, field: string])[] = [
    [LINES.slice(0, -1), LINES.length, "lines"],
    [LINES.filter((line) => line !== PIN), LINES.length - 1, "digest"],
    [LINES.map((line) => line === PIN ? line.replace("brief", "BRIEF") : line), LINES.length, "digest"],
    [[...LINES, SCOPE], LINES.length + 1, "lines"],
    [[...LINES, ...LINES], LINES.length + 1, "lines"],
  ];
  for (const [lines, line, field] of rows) {
    await using memory = await freshStore();
    await assert.rejects(memory.importLines(lines), refusedAt(line, field));
    assert.equal((await readTurns(memory.conversation(ORCHARD))).length, 2);
    await assertIntact(memory);
  }
});

const FORMS: readonly (readonly [name: string, lines: unknown])[] = [
  ["one text", LINES.join("")],
  ["texts without line feeds", LINES.map((line) => line.trimEnd())],
  ["JSN-11 carriage returns", LINES.join("").replaceAll("\n", "\r\n")],
  ["JSN-11 a byte order mark", `\ufeff${LINES.join("")}`],
  ["JSN-11 empty lines", LINES.join("\n\n")],
  ["JSN-11 no line feed at the end", LINES.join("").trimEnd()],
  ["bytes", [bytesOf(LINES.join(""))]],
  ["bytes, one at a time", [...bytesOf(LINES.join(""))].map((byte) => Uint8Array.of(byte))],
  ["bytes in a buffer that is used again", reused(bytesOf(LINES.join("")))],
  ["JSN-13 bytes with a byte order mark", [bytesOf(`\ufeff${LINES.join("")}`)]],
  ["a stream of bytes", new Blob([LINES.join("")]).stream()],
  ["a stream of lines", ReadableStream.from(LINES)],
];

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function* reused(bytes: Uint8Array): Generator<Uint8Array> {
  const buffer = new Uint8Array(7);
  for (let at = 0; at < bytes.length; at += buffer.length) {
    const piece = bytes.subarray(at, at + buffer.length);
    buffer.fill(0);
    buffer.set(piece);
    yield buffer.subarray(0, piece.length);
  }
}

for (const [name, lines] of FORMS) {
  Deno.test(`Lines may come in this form: ${name}`, async () => {
    await using memory = await freshStore();
    const { imported } = await memory.importLines(lines as Parameters<Memory["importLines"]>[0]);
    assert.deepEqual(imported, ALL_OF_EACH);
    assert.equal(held(await exported(memory)), held(LINES));
  });
}

Deno.test("JSN-13 bytes that are not UTF-8 are refused at their line and offset", async () => {
  const good = bytesOf(HEADER + SCOPE);
  const bad: readonly (readonly [bytes: readonly number[], offset: number])[] = [
    [[0x5b, 0x22, 0xff, 0x22, 0x5d, 0x0a], 2],
    [[0xc0, 0x80, 0x0a], 0],
    [[0x22, 0xed, 0xa0, 0x80, 0x22], 2],
    [[0x22, 0xc3], 2],
    [[0x22, 0xc3, 0x0a], 2],
  ];
  for (const [bytes, offset] of bad) {
    await using memory = await freshStore();
    await assert.rejects(memory.importLines([good, Uint8Array.from(bytes)]), (error) => {
      refusedAt(3, "lines")(error);
      assert.equal((error as { details: { offset: number } }).details.offset, good.length + offset);
      return true;
    });
    assert.equal((await memory.inspect()).scopes.length, 1);
  }
});

Deno.test("JSN-11 a line without an end is refused before it fills the memory, as text and as bytes", async () => {
  let given = 0;
  function* endless(): Generator<Uint8Array> {
    for (;;) {
      given++;
      yield new Uint8Array(1_000_000).fill(0x20);
    }
  }
  await using memory = await freshStore();
  await assert.rejects(memory.importLines(endless()), refusedAt(1, "lines"));
  assert.equal(given, 5);
  await assert.rejects(memory.importLines([HEADER, " ".repeat(LINE_BYTES_MAX + 1)]), refusedAt(2, "lines"));
});

Deno.test("A source that yields neither text nor bytes is refused", async () => {
  await using memory = await freshStore();
  for (const lines of [null, undefined, 7, {}, [7], [HEADER, null]] as never[]) {
    await assert.rejects(memory.importLines(lines), { code: "CONTRACT", field: "lines" });
  }
  await assert.rejects(memory.importLines([], { more: 1 } as never), { code: "CONTRACT", field: "options" });
  await assert.rejects(memory.importLines([], { signal: 1 } as never), { code: "CONTRACT", field: "signal" });
  await assert.rejects(Array.fromAsync(memory.exportLines({ includeContent: 1 } as never)), {
    field: "includeContent",
  });
  await assert.rejects(Array.fromAsync(memory.exportLines({ scope: { tenantId: "a" } } as never)), {
    field: "scope.sessionId",
  });
  const lines = memory.exportLines({ scope: ORCHARD })[Symbol.asyncIterator]();
  await assert.rejects(lines.next(), { reason: "MISSING" }); // not even a header
});

Deno.test("JSN-04 a record of the greatest depth is imported unchanged", async () => {
  let value: unknown = 1;
  for (let depth = 0; depth < 128; depth++) value = [value];
  await using source = await freshStore();
  const identity = { tenantId: "t", kind: "note", key: "deep" };
  await source.records.put(identity, value, { expectedRevision: null, ttl: null });
  await using fresh = await freshStore();
  await fresh.importLines(await exported(source));
  assert.deepEqual((await fresh.records.get(identity))?.value, value);
});

Deno.test("An imported revision neither exhausts the counter nor enters the range of a later restore", async () => {
  await using memory = await freshStore();
  const high = [2 ** 31, 2 ** 32 + 5, Number.MAX_SAFE_INTEGER].map((revision, index) =>
    changed(RECORD, { revision, key: `k${index}` })
  );
  await assert.rejects(memory.importLines([HEADER, changed(RECORD, { revision: 2 ** 31 - 1 }), ...high]), {
    field: "lines",
  });
  const { items } = await memory.records.list("orchard");
  assert.deepEqual(items.map(({ key, revision }) => [key, revision]), [
    ["a", 2 ** 31 - 1],
    ["k0", 2 ** 31],
    ["k1", 2 ** 31 + 1],
    ["k2", 2 ** 31 + 2],
  ]);
  await assertIntact(memory);
  assert.deepEqual((await memory.importLines(LINES)).conflicting, NONE);
});

testThatNothingIsLeftOpen();
