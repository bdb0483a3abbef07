import fc from "fast-check";
import assert from "node:assert/strict";
import { codePointLength, compareCodePoints, isBlank } from "../../src/canonical/text.ts";

const TEXT = fc.string({ unit: "binary", maxLength: 8 });

Deno.test("isBlank() knows exactly the white space of the reference", () => {
  const ranges = [[0x09, 0x0d], [0x1c, 0x20], [0x85, 0x85], [0xa0, 0xa0], [0x1680, 0x1680], [0x2000, 0x200a]];
  ranges.push([0x2028, 0x2029], [0x202f, 0x202f], [0x205f, 0x205f], [0x3000, 0x3000]);
  for (let unit = 0; unit <= 0xffff; unit++) {
    const white = ranges.some(([first = 0, last = 0]) => unit >= first && unit <= last);
    assert.equal(isBlank(String.fromCharCode(unit)), white, unit.toString(16));
  }
  assert.equal(isBlank(""), true);
  assert.equal(isBlank(" a "), false);
});

Deno.test("codePointLength() counts the code points that a text iterates over", () => {
  fc.assert(fc.property(TEXT, (text) => assert.equal(codePointLength(text), [...text].length)));
  assert.equal(codePointLength("\ud800\ud83d\ude00\udc00"), 3);
});

Deno.test("compareCodePoints() orders as UTF-8 bytes do [JSN-02, the reference's answer]", () => {
  assert(compareCodePoints("\uffff", "\u{10000}") < 0);
  assert(compareCodePoints("\ue000", "\u{10ffff}") < 0);
  assert(compareCodePoints("\ud7ff", "\ue000") < 0);
  fc.assert(fc.property(TEXT, TEXT, (left, right) => {
    assert.equal(Math.sign(compareCodePoints(left, right)), compareBytes(left, right));
  }));
});

function compareBytes(left: string, right: string): number {
  const [first, second] = [left, right].map((text) => new TextEncoder().encode(text));
  if (first === undefined || second === undefined) return 0;
  for (let index = 0; index < Math.min(first.length, second.length); index++) {
    const difference = (first[index] ?? 0) - (second[index] ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  return Math.sign(first.length - second.length);
}
