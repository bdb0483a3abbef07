import fc from "fast-check";
import assert from "node:assert/strict";
import { canonicalJson, type CanonicalValue, Float } from "../../src/canonical/canonical_json.ts";
import { JSON_DEPTH_MAX } from "../../src/canonical/plain.ts";
import { readStrictJson } from "../../src/canonical/strict_json.ts";
import { canonicalVector } from "../vectors/conversation.ts";
import { refuses } from "../contracts/refusal.ts";

Deno.test("canonicalJson() writes floats as the reference does", () => {
  const floats = [0, 1, -0, 1.5, 1e-7, 1e-5, 0.0001, 1e15, 1e16, 1e22, 1.2345678901234568e17, 5e-324];
  const values = [...floats.map((value) => new Float(value)), 1, true, null];
  assert.equal(canonicalJson(values), canonicalVector("floats").text);
});

Deno.test("canonicalJson() writes exponents with a sign and at least two digits [JSN-04, the reference's answer]", () => {
  const table: readonly [number, string][] = [
    [4.5, "4.5"],
    [1e30, "1e+30"],
    [333333333.33333329, "333333333.3333333"],
    [1e21, "1e+21"],
    [1e-7, "1e-07"],
    [0.000001, "1e-06"],
    [0.00001234, "1.234e-05"],
    [0.0001234, "0.0001234"],
    [-0.00005, "-5e-05"],
    [9999999999999998, "9999999999999998.0"],
    [-1e100, "-1e+100"],
    [1.7976931348623157e308, "1.7976931348623157e+308"],
    [2.2250738585072014e-308, "2.2250738585072014e-308"],
  ];
  for (const [value, text] of table) assert.equal(canonicalJson(new Float(value)), text);
});

Deno.test("canonicalJson() writes a whole number as an integer of any size [JSN-04, the reference's answer]", () => {
  const table: readonly [CanonicalValue, string][] = [
    [0, "0"],
    [-0, "0"],
    [1.0, "1"],
    [-42, "-42"],
    [9007199254740993n, "9007199254740993"],
    [1e21, "1000000000000000000000"],
    [12345678901234567890123n, "12345678901234567890123"],
    [new Float(2), "2.0"],
  ];
  for (const [value, text] of table) assert.equal(canonicalJson(value), text);
});

Deno.test("canonicalJson() sorts keys by code point, at every depth [JSN-02, the reference's answer]", () => {
  const vector = canonicalVector("key order: astral vs BMP private use");
  assert.equal(canonicalJson({ "🌍": 1, "\uffff": 2, a: 3, Z: 4 }), vector.text);
  assert.equal(canonicalJson([{ "😀": 2, "\ufb33": 1 }]), '[{"\ufb33":1,"😀":2}]');
  assert.equal(
    canonicalJson({ x: { "€": 1, "\r": 2, "1": 3, "\u0080": 4, "ö": 5, "😀": 6, "</script>": 7 } }),
    '{"x":{"\\r":2,"1":3,"</script>":7,"\u0080":4,"ö":5,"€":1,"😀":6}}',
  );
});

Deno.test("canonicalJson() escapes control characters, quotes and backslashes, and nothing else", () => {
  assert.equal(
    canonicalJson('\u0000\b\t\n\u000b\f\r\u001f"\\/\u007f\u2028é🌍'),
    '"\\u0000\\b\\t\\n\\u000b\\f\\r\\u001f\\"\\\\/\u007f\u2028é🌍"',
  );
});

Deno.test("canonicalJson() refuses lone surrogates in values and keys [JSN-01]", () => {
  for (const text of ["\ud800", "\udead", "\ude00\ud83d", "ok\ud83d"]) {
    refuses("value", () => canonicalJson(text));
    refuses("value", () => canonicalJson({ [text]: 1 }));
  }
  assert.equal(canonicalJson("\ud83d\ude00"), '"😀"');
});

Deno.test("canonicalJson() refuses what JSON cannot hold [JSN-06]", () => {
  const cycle: unknown[] = [];
  cycle.push(cycle);
  const values = [
    undefined,
    { a: undefined },
    Array(2),
    () => 1,
    Symbol("s"),
    new Map([[1, 2]]),
    new Date(0),
    NaN,
    Infinity,
    new Float(-Infinity),
    Object("x"),
    new Uint8Array(2),
    cycle,
  ];
  for (const value of values) refuses("value", () => canonicalJson(value as CanonicalValue));
});

Deno.test("canonicalJson() keeps keys named __proto__ and constructor [JSN-07]", () => {
  const text = '{"__proto__":{"x":1},"a":1,"constructor":{"prototype":{"y":2}}}';
  assert.equal(canonicalJson(readStrictJson(text)), text);
  assert.equal(canonicalJson(JSON.parse(text)), text);
  assert.equal("x" in {}, false);
});

Deno.test("canonicalJson() refuses nesting beyond its limit without a stack overflow [JSN-10]", () => {
  const nest = (depth: number): CanonicalValue => {
    let value: CanonicalValue = [];
    for (let level = 1; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
    return value;
  };
  assert.equal(canonicalJson(nest(JSON_DEPTH_MAX)).length > 0, true);
  refuses("value", () => canonicalJson(nest(JSON_DEPTH_MAX + 1)));
  refuses("payload", () => canonicalJson(nest(20_000), "payload"));
});

Deno.test("canonicalJson() writes equal text exactly for equal values [RPC-03, the reference's answer]", () => {
  const canonical = (text: string): string => canonicalJson(readStrictJson(text));
  assert.equal(canonical('{"b":1,"a":[1,100]}'), canonical(' { "a" : [ 1, 100 ] , "b" : 1 } '));
  assert.equal(canonical('{"x":-0}'), canonical('{"x":0}'));
  assert.notEqual(canonical('{"a":[1.0,1e2]}'), canonical('{"a":[1,100]}'));
  assert.notEqual(canonical('{"x":"1"}'), canonical('{"x":1}'));
  assert.notEqual(canonical('{"a":null}'), canonical("{}"));
  assert.notEqual(canonical("[1,2]"), canonical("[2,1]"));
});

Deno.test("canonicalJson() and readStrictJson() are inverse for every JSON value", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => {
    const text = canonicalJson(value as CanonicalValue);
    assert.equal(canonicalJson(readStrictJson(text)), text);
    assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
  }));
});

Deno.test("canonicalJson() writes every double so that it reads back as itself", () => {
  fc.assert(fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
    const text = canonicalJson(new Float(value));
    assert(Object.is(Number(text), value), text);
    assert.match(text, /^-?\d+(\.\d+(e[+-]\d{2,})?|e[+-]\d{2,})$/);
  }));
});
