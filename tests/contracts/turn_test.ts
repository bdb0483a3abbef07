import assert from "node:assert/strict";
import { isTimed, timed, toTurn, turn } from "../../src/contracts/turn.ts";
import { refuses } from "./refusal.ts";

const SCOPE = { tenantId: "t", sessionId: "s" };
const MESSAGE = { messageId: "m1", role: "user", content: "hello" } as const;
const TURN = { turnId: "t1", scope: SCOPE, messages: [MESSAGE] };

Deno.test("turn() fills in revision 1 and leaves a missing timestamp open", () => {
  const made = turn(TURN);
  assert.deepEqual({ ...made }, { ...TURN, revision: 1 });
  assert.equal(isTimed(made), false);
});

Deno.test("turn() freezes a copy, all the way down", () => {
  const given = { turnId: "t1", scope: { ...SCOPE }, messages: [{ ...MESSAGE }] };
  const made = turn(given);
  given.messages.length = 0;
  given.scope.tenantId = "other";
  assert.equal(made.messages.length, 1);
  assert.equal(made.scope.tenantId, "t");
  for (const part of [made, made.scope, made.messages, made.messages[0]]) assert(Object.isFrozen(part));
});

Deno.test("turn() takes a Date or text as timestamp, and gives text", () => {
  assert.equal(turn({ ...TURN, timestamp: new Date(0) }).timestamp, "1970-01-01T00:00:00+00:00");
  assert.equal(
    turn({ ...TURN, timestamp: "2026-03-01T09:00:00.5+01:00" }).timestamp,
    "2026-03-01T09:00:00.500000+01:00",
  );
});

Deno.test("turn() takes null and undefined for what may be absent", () => {
  const open = { ...TURN, revision: undefined, timestamp: null };
  assert.deepEqual({ ...toTurn(open) }, { ...turn(TURN) });
});

Deno.test("turn() takes the fields of another turn, with some changed", () => {
  const first = turn({ ...TURN, timestamp: "2026-03-01T09:00:00Z" });
  assert.equal(turn({ ...first, revision: 2 }).revision, 2);
});

const REFUSED: readonly [rule: string, field: string, change: Record<string, unknown>][] = [
  ["a blank turn id", "turnId", { turnId: " " }],
  ["a missing scope", "scope", { scope: undefined }],
  ["a scope with a blank tenant", "scope.tenantId", { scope: { ...SCOPE, tenantId: "" } }],
  ["an unknown field in the scope", "scope.extra", { scope: { ...SCOPE, extra: "secret" } }],
  ["messages that are no list", "messages", { messages: "secret" }],
  ["no messages", "messages", { messages: [] }],
  ["a sparse list of messages", "messages", { messages: Array(1) }],
  ["a repeated message id", "messages[1].messageId", { messages: [MESSAGE, MESSAGE] }],
  ["a wrong field of the second message", "messages[1].toolCallId", {
    messages: [MESSAGE, { messageId: "m2", role: "tool", content: "secret" }],
  }],
  ["revision 0", "revision", { revision: 0 }],
  ["a fractional revision", "revision", { revision: 1.5 }],
  ["a revision that is true", "revision", { revision: true }],
  ["a revision as text", "revision", { revision: "1" }],
  ["a revision as bigint", "revision", { revision: 1n }],
  ["a revision of NaN", "revision", { revision: NaN }],
  ["a revision of -0", "revision", { revision: -0 }],
  ["a revision beyond exact numbers", "revision", { revision: 2 ** 53 }],
  ["a timestamp without an offset", "timestamp", { timestamp: "2026-03-01T09:00:00" }],
  ["a timestamp on 30 February", "timestamp", { timestamp: "2026-02-30T09:00:00Z" }],
  ["a timestamp as a number", "timestamp", { timestamp: 0 }],
  ["an invalid Date", "timestamp", { timestamp: new Date(NaN) }],
  ["an empty object as timestamp", "timestamp", { timestamp: {} }],
  ["a Date where text belongs", "turnId", { turnId: new Date(0) }],
];

for (const [rule, field, change] of REFUSED) {
  Deno.test(`turn() refuses ${rule}`, () => {
    refuses(field, () => toTurn({ ...TURN, ...change }, ""));
    refuses(`history[3].${field}`, () => toTurn({ ...TURN, ...change }, "history[3]"));
  });
}

Deno.test("turn() names an unexpected field by its key, or by its parent where the key is no name", () => {
  refuses("extra", () => toTurn({ ...TURN, extra: "secret" }, ""));
  refuses("history[3].extra", () => toTurn({ ...TURN, extra: "secret" }, "history[3]"));
  refuses("turn", () => toTurn({ ...TURN, secret: { deep: [NaN] } }, ""));
  refuses("turn", () => toTurn({ ...TURN, "secret@example.com": 1 }, ""));
  refuses("history[3]", () => toTurn({ ...TURN, [`secret${"x".repeat(64)}`]: 1 }, "history[3]"));
});

Deno.test("turn() refuses what is no plain object, and runs none of its code", () => {
  const ran: string[] = [];
  const trap = (name: string) => (): never => {
    ran.push(name);
    throw new Error("secret");
  };
  const getter = Object.defineProperty({ ...TURN }, "turnId", { get: trap("getter"), enumerable: true });
  const hidden = Object.defineProperty({ ...TURN }, "turnId", { value: "secret", enumerable: false });
  const proxy = new Proxy({ ...TURN }, {
    get: trap("get"),
    ownKeys: trap("ownKeys"),
    getPrototypeOf: trap("proto"),
  });
  class Custom {
    turnId = "secret";
  }
  refuses("turnId", () => toTurn(getter, ""));
  refuses("turnId", () => toTurn(hidden, ""));
  refuses("turn", () => toTurn(proxy, ""));
  refuses("turn", () => toTurn(Object.create(TURN), ""));
  refuses("turn", () => toTurn(new Custom(), ""));
  refuses("turn", () => toTurn({ ...TURN, [Symbol("secret")]: 1 }, ""));
  refuses("turnId", () => toTurn(JSON.parse('{"__proto__":{"turnId":"secret"}}'), ""));
  refuses("messages[0]", () => toTurn({ ...TURN, messages: [proxy] }, ""));
  for (const value of [null, undefined, 1, "secret", [], new Map(), () => TURN]) {
    refuses("turn", () => toTurn(value, ""));
  }
  assert.deepEqual(ran, []);
});

Deno.test("turn() refuses nesting 20 000 deep, and lives [JSN-10]", () => {
  let nested: unknown = "secret";
  for (let level = 0; level < 20_000; level++) nested = { messages: nested };
  assert.throws(() => toTurn({ ...TURN, messages: nested }, ""), { code: "CONTRACT" });
});

Deno.test("toTurn() gives back a turn that was made by turn()", () => {
  const made = turn(TURN);
  assert.equal(toTurn(made), made);
});

Deno.test("toTurn() is not taken in by what only looks like a turn", () => {
  const fake = Object.create(Object.getPrototypeOf(turn(TURN)), {
    turnId: { value: "", enumerable: true },
  });
  refuses("turn", () => toTurn(fake));
});

Deno.test("timed() fills in an open timestamp, and leaves another as it is", () => {
  const text = "2026-03-01T09:00:00+00:00";
  const filled = timed(turn(TURN), text);
  assert.equal(filled.timestamp, text);
  assert.equal(timed(filled, "2027-01-01T00:00:00+00:00"), filled);
  assert(Object.isFrozen(filled));
});
