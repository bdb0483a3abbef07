import fc from "fast-check";
import assert from "node:assert/strict";
import { canonicalJson } from "../../src/canonical/canonical_json.ts";
import { canonicalJsonObject, decodePayload, jsonObjectFault } from "../../src/canonical/json_object.ts";
import { JSON_DEPTH_MAX } from "../../src/canonical/plain.ts";
import { readStrictJson, StrictJsonFailure } from "../../src/canonical/strict_json.ts";
import { IntegrityError } from "../../src/errors.ts";
import { toTool } from "../../src/contracts/tool.ts";
import { refuses } from "../contracts/refusal.ts";

const NOT_STRICT: readonly [title: string, text: string][] = [
  ["nothing", ""],
  ["space alone", " "],
  ["a second value", "{} {}"],
  ["a trailing comma in an object", '{"a":1,}'],
  ["a trailing comma in a list", "[1,]"],
  ["a leading comma", "[,1]"],
  ["a missing colon", '{"a" 1}'],
  ["a missing value", '{"a":}'],
  ["a bare key", "{a:1}"],
  ["single quotes", "{'a':1}"],
  ["an open object", '{"a":1'],
  ["an open list", "[1"],
  ["an open string", '"a'],
  ["an open string after an escaped quote", '"a\\"'],
  ["a backslash at the end", '"\\'],
  ["an unknown escape", '"\\x"'],
  ["a short escape", '"\\u12"'],
  ["a raw newline in a string", '"a\nb"'],
  ["a raw NUL in a string", '"\u0000"'],
  ["a raw tab in a string with escapes", '"\\n\t"'],
  ["NaN", "NaN"],
  ["Infinity", "Infinity"],
  ["negative Infinity", "-Infinity"],
  ["a leading plus", "+1"],
  ["a leading zero", "01"],
  ["a negative leading zero", "-01"],
  ["a bare minus", "-"],
  ["a bare point", ".5"],
  ["a point without digits", "1."],
  ["an exponent without digits", "1e"],
  ["a hexadecimal number", "0x10"],
  ["a float beyond the doubles", "1e999"],
  ["a negative float beyond the doubles", "-1.0e400"],
  ["a comment", "/**/{}"],
  ["a byte order mark", "\ufeff{}"],
  ["a no-break space", "\u00a0{}"],
  ["a vertical tab", "\u000b{}"],
  ["a truncated word", "tru"],
  ["a word in capitals", "True"],
  ["a lone surrogate", '"\ud800"'],
  ["an escaped lone surrogate", '"\\ud800"'],
  ["an escaped lone surrogate as key", '{"\\ude00":1}'],
  ["surrogates in reverse", '"\\ude00\\ud83d"'],
  ["a repeated key", '{"a":1,"a":1}'],
  ["a repeated key in another spelling", '{"a":1,"\\u0061":2}'],
  ["a repeated key below", '[{"x":{"k":1,"k":2}}]'],
  ["a repeated __proto__", '{"__proto__":1,"__proto__":2}'],
];

for (const [title, text] of NOT_STRICT) {
  Deno.test(`readStrictJson() refuses ${title}`, () => {
    assert.throws(() => readStrictJson(text), StrictJsonFailure);
  });
}

Deno.test("readStrictJson() allows the four white-space characters of JSON wherever JSON does", () => {
  assert.equal(canonicalJson(readStrictJson(' \t\r\n{ "a"\n:\r[ 1\t, { } ,[ ] ] } \n')), '{"a":[1,{},[]]}');
});

Deno.test("readStrictJson() keeps whether a number was written as a float, and integers of any size", () => {
  const table: readonly [string, string][] = [
    ["1.50", "1.5"],
    ["2e3", "2000.0"],
    ["2E+3", "2000.0"],
    ["-0", "0"],
    ["-0.0", "-0.0"],
    ["0e5", "0.0"],
    ["1e-999", "0.0"],
    ["9007199254740991", "9007199254740991"],
    ["9007199254740993", "9007199254740993"],
    ["-123456789012345678901234567890", "-123456789012345678901234567890"],
  ];
  for (const [lexeme, text] of table) assert.equal(canonicalJson(readStrictJson(`[${lexeme}]`)), `[${text}]`);
});

Deno.test("readStrictJson() reads integers up to its limit of digits", () => {
  const digits = "9".repeat(4_300);
  assert.equal(canonicalJson(readStrictJson(`-${digits}`)), `-${digits}`);
  assert.throws(() => readStrictJson(`${digits}9`), StrictJsonFailure);
});

Deno.test("readStrictJson() reads escapes, and pairs written as two escapes", () => {
  assert.equal(readStrictJson('"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\\ud83d\\ude00"'), '"\\/\b\f\n\r\t\u0000😀');
  assert.deepEqual(readStrictJson('["\\\\","b\\\\\\"","c"]'), ["\\", 'b\\"', "c"]);
});

Deno.test("readStrictJson() reads to its depth limit and not deeper [JSN-10]", () => {
  const nest = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
  const nestObjects = (depth: number): string => '{"a":'.repeat(depth) + "1" + "}".repeat(depth);
  assert.equal(canonicalJson(readStrictJson(nest(JSON_DEPTH_MAX))), nest(JSON_DEPTH_MAX));
  assert.equal(canonicalJson(readStrictJson(nestObjects(JSON_DEPTH_MAX))), nestObjects(JSON_DEPTH_MAX));
  for (
    const text of [
      nest(JSON_DEPTH_MAX + 1),
      nestObjects(JSON_DEPTH_MAX + 1),
      nest(20_000),
      "[".repeat(20_000),
    ]
  ) {
    assert.throws(() => readStrictJson(text), StrictJsonFailure);
  }
});

Deno.test("readStrictJson() keeps a key named __proto__ and touches no prototype [JSN-07]", () => {
  const text = '{"__proto__":{"x":1},"constructor":{"prototype":{"y":2}},"a":1}';
  const value = readStrictJson(text) as Record<string, unknown>;
  assert.deepEqual(Object.keys(value), ["__proto__", "constructor", "a"]);
  assert.equal("x" in {} || "y" in {}, false);
});

const STRICTER = ["must not repeat a key", "must be well-formed Unicode", "must hold finite numbers only"];

Deno.test("readStrictJson() accepts the same as JSON.parse, except for its stricter rules", () => {
  const character = fc.constantFrom(...'{}[]:,"\\ \ntrue0n1.e-ua');
  fc.assert(
    fc.property(fc.string({ unit: character, maxLength: 12 }), (text) => {
      const rule = ruleOf(text);
      if (!isJson(text)) assert.notEqual(rule, null);
      else assert(rule === null || STRICTER.includes(rule), rule ?? "");
    }),
    { numRuns: 2_000 },
  );
  fc.assert(fc.property(fc.json(), (text) => {
    assert.deepEqual(plain(readStrictJson(canonicalJson(JSON.parse(text)))), JSON.parse(text));
  }));
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function ruleOf(text: string): string | null {
  try {
    readStrictJson(text);
    return null;
  } catch (error) {
    if (error instanceof StrictJsonFailure) return error.rule;
    throw error;
  }
}

function plain(value: unknown): unknown {
  return JSON.parse(canonicalJson(value as never));
}

Deno.test("readStrictJson() takes linear time for quotes, backslashes and many keys", () => {
  const keys = Array.from({ length: 50_000 }, (_, index) => `"k${index}":"\\\\"`).join(",");
  assert.equal(Object.keys(readStrictJson(`{${keys}}`) as object).length, 50_000);
  assert.equal(readStrictJson(`"${"\\\\".repeat(200_000)}"`), "\\".repeat(200_000));
});

Deno.test("The error for text that is not a JSON object has the field and the rule, and not the text", () => {
  for (
    const text of [
      '["secret"]',
      '"secret"',
      "secret",
      "1",
      "null",
      " ",
      '{"secret":1,"secret":2}',
      '{"secret":1e999}',
    ]
  ) {
    refuses(
      "tool.parametersJson",
      () => toTool({ name: "lookup", description: "", parametersJson: text }),
    );
  }
  assert.equal(jsonObjectFault('{"a":1,"a":2}'), "must not repeat a key");
  assert.equal(jsonObjectFault("[]"), "must be the text of a JSON object");
  assert.equal(jsonObjectFault(' { "a" : 1 } '), null);
});

Deno.test("canonicalJsonObject() returns the canonical form, or null", () => {
  assert.equal(canonicalJsonObject('{ "b": 1.50, "a": 2e3 }'), '{"a":2000.0,"b":1.5}');
  assert.equal(canonicalJsonObject("[]"), null);
});

Deno.test("decodePayload() reports anything but an object of limited size as damage", () => {
  const damaged = [
    42,
    null,
    undefined,
    "",
    "42",
    "[]",
    '{"role":"us',
    '{"a":1,"a":1}',
    '{"a":NaN}',
    '{"a":"\\ud800"}',
  ];
  for (const raw of damaged) assert.throws(() => decodePayload(raw), IntegrityError);
  assert.equal(canonicalJson(decodePayload('{"é":1}', 8)), '{"é":1}');
  assert.throws(() => decodePayload('{"é":1}', 7), IntegrityError);
});
