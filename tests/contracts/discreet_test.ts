import assert from "node:assert/strict";
import { inspect } from "node:util";
import { pin } from "../../src/contracts/pin.ts";
import { summaryFromHistory } from "../../src/contracts/summary.ts";
import { turn } from "../../src/contracts/turn.ts";
import { HELLO, SCOPE, T1 } from "../vectors/conversation.ts";

const MESSAGE = { messageId: "m1", role: "assistant", content: "secret" } as const;
const TIME = "2026-03-01T09:00:00+00:00";

const OBJECTS = {
  Turn: turn({
    turnId: "t1",
    scope: SCOPE,
    messages: [{ ...MESSAGE, toolCalls: [{ id: "c", name: "dig", arguments: '{"a":"secret"}' }] }],
    timestamp: TIME,
  }),
  Pin: pin({ scope: SCOPE, key: "k", value: "secret", origin: "secret", effectiveAt: TIME, source: HELLO }),
  Summary: summaryFromHistory({
    scope: SCOPE,
    content: "secret",
    history: [T1],
    policyVersion: "secret",
    createdAt: TIME,
  }),
};

for (const [name, object] of Object.entries(OBJECTS)) {
  Deno.test(`a ${name} shows no text however it is printed (PRN-01)`, () => {
    const printed = [
      Deno.inspect(object),
      Deno.inspect({ nested: [object] }, { depth: 9 }),
      inspect(object),
      inspect([object], { depth: 9 }),
      String(object),
      `${object}`,
    ];
    for (const text of printed) {
      assert(!text.includes("secret"), text);
      assert(!text.includes(HELLO.messageHash), text);
    }
    assert(Deno.inspect(object).startsWith(`${name} {`));
    assert(Deno.inspect(object).includes("characters"));
  });

  Deno.test(`a ${name} is whole as JSON, as a structured clone and as a copy (PRN-01)`, () => {
    assert(JSON.stringify({ nested: [object] }).includes("secret"));
    assert.deepEqual(structuredClone(object), { ...object });
    assert.deepEqual(JSON.parse(JSON.stringify(object)), { ...object });
  });

  Deno.test(`a ${name} cannot be changed, and its fields are all that is enumerable`, () => {
    assert(Object.isFrozen(object));
    assert.deepEqual(Object.keys(object).filter((key) => typeof object[key as never] === "function"), []);
    assert.deepEqual(Object.getOwnPropertySymbols(object), []);
  });
}

Deno.test("two turns with the same fields are equal, and differ with one of them", () => {
  const again = turn({ ...OBJECTS.Turn });
  assert.deepEqual(again, OBJECTS.Turn);
  assert.notDeepEqual(turn({ ...OBJECTS.Turn, revision: 2 }), OBJECTS.Turn);
});

Deno.test("messages and calls of a turn are printed without their text, and are plain in all else (PRN-01)", () => {
  const [message] = OBJECTS.Turn.messages;
  for (const part of [OBJECTS.Turn.messages, message, message!.toolCalls, message!.toolCalls?.[0]]) {
    for (const text of [Deno.inspect(part, { depth: 9 }), inspect(part, { depth: 9 })]) {
      assert(!text.includes("secret"), text);
    }
    assert(JSON.stringify(part).includes("secret"));
    assert.deepEqual(structuredClone(part), JSON.parse(JSON.stringify(part)));
  }
  assert.deepEqual(message, {
    ...MESSAGE,
    toolCalls: [{ id: "c", name: "dig", arguments: '{"a":"secret"}' }],
  });
});

Deno.test("what was given back is taken again: a turn's messages make another turn (PRN-01)", () => {
  const again = turn({ ...OBJECTS.Turn, turnId: "t2" });
  assert.deepEqual(again.messages, OBJECTS.Turn.messages);
});
