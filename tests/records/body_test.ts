import fc from "fast-check";
import assert from "node:assert/strict";
import type { Json } from "../../src/canonical/plain.ts";
import { encodeBody } from "../../src/records/validate_value.ts";

/** Values and the output of Python's `json.dumps(value, sort_keys=True)`. */
const GOLDEN: readonly (readonly [Json, string])[] = [
  [null, "null"],
  [true, "true"],
  [0, "0"],
  [-12, "-12"],
  ["", '""'],
  ["plain", '"plain"'],
  ['"\\/', String.raw`"\"\\/"`],
  ["\b\t\n\f\r", String.raw`"\b\t\n\f\r"`],
  ["\u0000\u001f\u007f", '"\\u0000\\u001f\u007f"'],
  ["é\u2028\uffff", String.raw`"\u00e9\u2028\uffff"`],
  ["🌍", String.raw`"\ud83c\udf0d"`],
  [[], "[]"],
  [[1, [2, "x"]], '[1, [2, "x"]]'],
  [{}, "{}"],
  [{ b: 1, a: { d: 2, c: [] } }, '{"a": {"c": [], "d": 2}, "b": 1}'],
  [
    { "\u{10000}": 1, "\uffff": 2, "é": 3, Z: 4, a: 5 },
    String
      .raw`{"Z": 4, "a": 5, "\u00e9": 3, "\uffff": 2, "\ud800\udc00": 1}`,
  ],
];

Deno.test("encodeBody() sorts keys by code point, spaces its separators and escapes all but ASCII", () => {
  for (const [value, text] of GOLDEN) assert.equal(encodeBody(value), text);
});

Deno.test("encodeBody() writes only ASCII, which parses back to the value", () => {
  fc.assert(fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
    const plain = JSON.parse(JSON.stringify(value));
    const text = encodeBody(plain);
    assert.match(text, /^\p{ASCII}*$/u);
    assert.deepEqual(JSON.parse(text), plain);
  }));
});

Deno.test("encodeBody() returns the same text for a value, whatever the order of its keys", () => {
  assert.equal(encodeBody({ a: 1, b: { c: 2, d: 3 } }), encodeBody({ b: { d: 3, c: 2 }, a: 1 }));
});
