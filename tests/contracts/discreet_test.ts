import assert from "node:assert/strict";
import { inspect } from "node:util";
import { pin } from "../../src/contracts/pin.ts";
import { summaryFromHistory } from "../../src/contracts/summary.ts";
import { turn } from "../../src/contracts/turn.ts";
import { HELLO, SCOPE, T1 } from "../vectors/conversation.ts";
import { refuses } from "./refusal.ts";

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
  Deno.test(`a ${name} shows no text however it is printed`, () => {
    const printed = [
      JSON.stringify(object),
      JSON.stringify({ nested: [object] }),
      Deno.inspect(object),
      Deno.inspect({ nested: [object] }, { depth: 9 }),
      inspect(object),
      inspect([object], { depth: 9 }),
      String(object),
      `${object}`,
      JSON.stringify(object.export()),
      JSON.stringify(object.export({ includeContent: false })),
    ];
    for (const text of printed) {
      assert(!text.includes("secret"), text);
      assert(!text.includes(HELLO.messageHash), text);
    }
    assert(Deno.inspect(object).startsWith(`${name} {`));
    assert(JSON.stringify(object).includes("characters"));
  });

  Deno.test(`a ${name} tells its text when asked, as a fresh plain copy`, () => {
    const copy = object.export({ includeContent: true });
    assert(JSON.stringify(copy).includes("secret"));
    assert.deepEqual(copy, { ...object });
    assert(!Object.isFrozen(copy) && !Object.isFrozen(copy.scope));
  });

  Deno.test(`a ${name} refuses to export for anything but a boolean`, () => {
    for (const value of [1, "true", null, {}]) {
      refuses("includeContent", () => object.export({ includeContent: value as unknown as boolean }));
    }
  });

  Deno.test(`a ${name} cannot be changed, and its fields are all that is enumerable`, () => {
    assert(Object.isFrozen(object));
    assert.deepEqual(Object.keys(object).filter((key) => key === "export" || key === "toJSON"), []);
    assert.deepEqual(Object.getOwnPropertySymbols(object), []);
  });
}

Deno.test("two turns with the same fields are equal, and differ with one of them", () => {
  const again = turn({ ...OBJECTS.Turn });
  assert.deepEqual(again, OBJECTS.Turn);
  assert.notDeepEqual(turn({ ...OBJECTS.Turn, revision: 2 }), OBJECTS.Turn);
});
