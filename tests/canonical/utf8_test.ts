import fc from "fast-check";
import assert from "node:assert/strict";
import { sliceCodePoints } from "../../src/canonical/text.ts";
import { exceedsBytes, utf8Length } from "../../src/canonical/utf8.ts";

const TEXT = fc.string({ unit: "binary" });
const UNITS = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units));

Deno.test("utf8Length() counts the bytes that TextEncoder writes", () => {
  const encoder = new TextEncoder();
  fc.assert(fc.property(fc.oneof(TEXT, UNITS), (text) => {
    assert.equal(utf8Length(text), encoder.encode(text).length);
  }));
});

Deno.test("utf8Length() is exact at the borders between lengths", () => {
  const lengths = ["\x7f", "\x80", "\u07ff", "\u0800", "\uffff", "\u{10000}"].map(utf8Length);
  assert.deepEqual(lengths, [1, 2, 2, 3, 3, 4]);
});

Deno.test("exceedsBytes() is exact at the limit", () => {
  for (const text of ["abc", "é🌍€", ""]) {
    const bytes = utf8Length(text);
    assert.equal(exceedsBytes(text, bytes), false);
    assert.equal(exceedsBytes(text, bytes - 1), true);
  }
});

Deno.test("sliceCodePoints() never splits a character", () => {
  assert.equal(sliceCodePoints("a🌍b🌍c", 1, 4), "🌍b🌍");
  assert.equal(sliceCodePoints("a🌍", 1, 9), "🌍");
  fc.assert(fc.property(TEXT, fc.nat(20), fc.nat(20), (text, start, length) => {
    const expected = [...text].slice(start, start + length).join("");
    assert.equal(sliceCodePoints(text, start, start + length), expected);
  }));
});
