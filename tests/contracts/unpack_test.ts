import fc from "fast-check";
import assert from "node:assert/strict";
import { encodePin, encodeScope, encodeSummary, encodeTurn } from "../../src/contracts/payload.ts";
import { pin } from "../../src/contracts/pin.ts";
import { quickTurn } from "../../src/contracts/stored/quick_turn.ts";
import { type TimedTurn, turn } from "../../src/contracts/turn.ts";
import { unpackPin, unpackSummary, unpackTurn } from "../../src/contracts/stored/unpack.ts";
import { IntegrityError } from "../../src/errors.ts";
import { METADATA, NAME, SPOKEN } from "../kit/message_arbitrary.ts";
import { BARE_PIN, canonicalVector, PIN, SCOPE, SUMMARY, T1, T2 } from "../vectors/conversation.ts";

const PAYLOADS: readonly [name: string, text: string, unpack: (raw: unknown) => unknown, value: unknown][] = [
  ["turn t1 payload; digest(turn)", encodeTurn(T1), unpackTurn, T1],
  ["turn t2 payload", encodeTurn(T2), unpackTurn, T2],
  ["pin payload", encodePin(PIN), unpackPin, PIN],
  ["pin without source/expiry", encodePin(BARE_PIN), unpackPin, BARE_PIN],
  ["summary payload", encodeSummary(SUMMARY), unpackSummary, SUMMARY],
];

for (const [name, text, unpack, value] of PAYLOADS) {
  Deno.test(`the payload of the reference is written and read back: ${name}`, () => {
    assert.equal(text, canonicalVector(name).text);
    assert.deepEqual(unpack(text), value);
  });
}

Deno.test("the scope of the reference is written", () => {
  assert.equal(encodeScope(SCOPE), canonicalVector("scope (also the SQL scope key)").text);
});

const T1_TEXT = encodeTurn(T1);
const PIN_TEXT = encodePin(PIN);
const SUMMARY_TEXT = encodeSummary(SUMMARY);

const DAMAGED: readonly [title: string, unpack: (raw: unknown) => unknown, raw: unknown][] = [
  ["no text", unpackTurn, 42],
  ["nothing", unpackTurn, ""],
  ["a cut turn [TRN-11]", unpackTurn, '{"role":"us'],
  ["a number [TRN-11]", unpackTurn, "42"],
  ["a list", unpackTurn, `[${T1_TEXT}]`],
  ["an unknown role [TRN-11]", unpackTurn, T1_TEXT.replace('"role":"user"', '"role":"root"')],
  ["an unknown field", unpackTurn, T1_TEXT.replace('"revision":1', '"extra":1,"revision":1')],
  ["an unknown field of a message", unpackTurn, T1_TEXT.replace('"role":"user"', '"extra":1,"role":"user"')],
  ["a field named __proto__", unpackTurn, T1_TEXT.replace('"revision":1', '"__proto__":{},"revision":1')],
  ["a field named like a method", unpackTurn, T1_TEXT.replace('"revision":1', '"toString":1,"revision":1')],
  ["a repeated field", unpackTurn, T1_TEXT.replace('"revision":1', '"revision":1,"revision":1')],
  ["a camelCase field", unpackTurn, T1_TEXT.replace('"turn_id"', '"turnId"')],
  ["a missing timestamp", unpackTurn, T1_TEXT.replace(/"timestamp":"[^"]*",/, "")],
  ["an open timestamp", unpackTurn, T1_TEXT.replace(/"timestamp":"[^"]*"/, '"timestamp":null')],
  ["a timestamp without an offset", unpackTurn, T1_TEXT.replace("+05:30", "")],
  ["a timestamp that is a number", unpackTurn, T1_TEXT.replace(/"timestamp":"[^"]*"/, '"timestamp":1')],
  ["missing tool calls", unpackTurn, encodeTurn(T2).replace(',"tool_calls":[]', "")],
  ["a revision written as float", unpackTurn, T1_TEXT.replace('"revision":1', '"revision":1.0')],
  ["revision 0", unpackTurn, T1_TEXT.replace('"revision":1', '"revision":0')],
  ["a revision of 20 digits", unpackTurn, T1_TEXT.replace('"revision":1', '"revision":10000000000000000000')],
  ["an escaped lone surrogate", unpackTurn, T1_TEXT.replace("Hello", "\\ud800")],
  ["a raw lone surrogate", unpackTurn, T1_TEXT.replace("Hello", "\ud800")],
  [
    "arguments that are no object",
    unpackTurn,
    T1_TEXT.replace(/"arguments_json":"(\\"|[^"])*"/, '"arguments_json":"1"'),
  ],
  [
    "arguments of an object as other text",
    unpackTurn,
    T1_TEXT.replace('"arguments_json":"', '"arguments_text":"'),
  ],
  [
    "arguments twice",
    unpackTurn,
    T1_TEXT.replace('"arguments_json":', '"arguments_text":"[]","arguments_json":'),
  ],
  [
    "null content of a user",
    unpackTurn,
    T1_TEXT.replace('"message_id":"m1"', '"content_null":true,"message_id":"m1"'),
  ],
  [
    "a flag that is false",
    unpackTurn,
    T1_TEXT.replace('"message_id":"m2"', '"content_null":false,"message_id":"m2"'),
  ],
  ["parts that say otherwise", unpackTurn, T1_TEXT.replace('"role":"user"', '"parts":[],"role":"user"')],
  ["a part of no type", unpackTurn, T1_TEXT.replace('"role":"user"', '"parts":[{}],"role":"user"')],
  ["metadata that is no object", unpackTurn, T1_TEXT.replace('"revision":1', '"metadata":1,"revision":1')],
  [
    "metadata beyond numbers",
    unpackTurn,
    T1_TEXT.replace('"revision":1', `"metadata":{"n":${"9".repeat(400)}},"revision":1`),
  ],
  ["a repeated message id", unpackTurn, T1_TEXT.replace('"m2"', '"m1"')],
  ["a turn where a pin belongs", unpackPin, T1_TEXT],
  ["an open start", unpackPin, PIN_TEXT.replace(/"effective_at":"[^"]*"/, '"effective_at":null')],
  ["a missing source", unpackPin, encodePin(BARE_PIN).replace(',"source":null', "")],
  ["a missing expiry", unpackPin, encodePin(BARE_PIN).replace('"expires_at":null,', "")],
  ["a source as text", unpackPin, encodePin(BARE_PIN).replace('"source":null', '"source":"m1"')],
  ["a summary's missing sources", unpackSummary, SUMMARY_TEXT.replace(/,"sources":[^]*\]/, "")],
  [
    "a summary that expires before its creation",
    unpackSummary,
    SUMMARY_TEXT.replace("T01:00:00", "T00:00:00"),
  ],
  [
    "nesting 20 000 deep [JSN-10]",
    unpackTurn,
    T1_TEXT.replace('"revision":1', `"revision":${"[".repeat(20_000)}`),
  ],
  ["a payload beyond its bound", unpackTurn, T1_TEXT.replace("Hello", "x".repeat(1_000_000))],
];

for (const [title, unpack, raw] of DAMAGED) {
  Deno.test(`reading back refuses ${title} as damage`, () => {
    assert.throws(() => unpack(raw), (error) => {
      assert(error instanceof IntegrityError);
      assert(!JSON.stringify([error.message, error.details]).includes("Hello"));
      return true;
    });
  });
}

Deno.test("reading back takes any spelling of the same turn, and gives the canonical one", () => {
  const spaced = JSON.stringify(JSON.parse(T1_TEXT), null, 1).replace("+05:30", "000+05:30");
  const spelled = spaced.replace("456000000", "456").replace("T01:02:03", " 01:02:03");
  assert.equal(quickTurn(spelled), null);
  assert.deepEqual(unpackTurn(spelled), T1);
  const offset = T1_TEXT.replace("+05:30", "-03:00:07");
  assert.equal(unpackTurn(offset).timestamp, "2026-09-08T01:02:03.456000-03:00:07");
  assert.equal(encodeTurn(unpackTurn(offset)), offset);
});

const MESSAGES = fc.array(SPOKEN, { minLength: 1, maxLength: 4 }).map((spoken) =>
  spoken.map((message, index) => ({ messageId: `m${index}`, ...message }))
);

const TURN = fc.record({
  turnId: NAME,
  scope: fc.record({ tenantId: NAME, sessionId: NAME }),
  messages: MESSAGES,
  revision: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  timestamp: fc.date({
    min: new Date("0001-01-01T00:00:00Z"),
    max: new Date("9999-12-31T23:59:59Z"),
    noInvalidDate: true,
  }),
  metadata: METADATA,
}, { requiredKeys: ["turnId", "scope", "messages", "revision", "timestamp"] });

/** Reads a turn in the strict way: the quick one takes no space. */
function strictTurn(text: string): TimedTurn {
  assert.equal(quickTurn(` ${text}`), null);
  return unpackTurn(` ${text}`);
}

Deno.test("every turn is read back as it was, both ways", () => {
  fc.assert(fc.property(TURN, (fields) => {
    const made = turn(fields);
    const text = encodeTurn(made);
    assert.deepEqual(quickTurn(text), made);
    assert.deepEqual(strictTurn(text), made);
  }));
});

Deno.test("what the quick way reads, the strict way reads the same; what the strict way refuses, the quick way refuses", () => {
  const change = fc.record({
    at: fc.nat(),
    insert: fc.string({ unit: fc.constantFrom(...'"\\{}[]:,01.e\nnul '), maxLength: 3 }),
    remove: fc.nat(3),
  });
  fc.assert(
    fc.property(TURN, fc.array(change, { minLength: 1, maxLength: 2 }), (fields, changes) => {
      let text = encodeTurn(turn(fields));
      for (const { at, insert, remove } of changes) {
        const index = at % text.length;
        text = text.slice(0, index) + insert + text.slice(index + remove);
      }
      const quick = quickTurn(text);
      if (quick !== null) assert.deepEqual(strictTurn(text), quick);
    }),
    { numRuns: 500 },
  );
});

Deno.test("every pin is read back as it was", () => {
  const time = fc.date({ min: new Date(0), max: new Date("2999-01-01T00:00:00Z"), noInvalidDate: true });
  const given = fc.record({
    key: NAME,
    value: NAME,
    origin: NAME,
    revision: fc.integer({ min: 1 }),
    effectiveAt: time,
  });
  fc.assert(fc.property(given, fc.boolean(), (fields, expires) => {
    const expiresAt = expires ? "9000-01-01T00:00:00.000001-23:59" : null;
    const made = pin({ scope: SCOPE, ...fields, expiresAt });
    assert.deepEqual(unpackPin(encodePin(made)), made);
  }));
});
