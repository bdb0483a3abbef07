/** Tables fit their terminal, whatever stands in them. */

import assert from "node:assert/strict";
import { cutToWidth, displayWidth, filledTo, wrapped } from "../../src/cli/display_width.ts";
import { tableLines } from "../../src/cli/table.ts";

const WIDTHS: readonly (readonly [text: string, cells: number])[] = [
  ["pear", 4],
  ["梨", 2],
  ["ｶﾅ", 2],
  ["e\u0301", 1],
  ["👩‍👩‍👧", 2],
  ["❤️", 2],
  ["🇯🇵", 2],
  ["각", 2],
  ["\u1100\u1161\u11a8", 2],
];

for (const [text, cells] of WIDTHS) {
  Deno.test(`displayWidth() of ${text} is ${cells}`, () => {
    assert.equal(displayWidth(text), cells);
  });
}

Deno.test("cutToWidth() cuts between graphemes and says so", () => {
  assert.equal(cutToWidth("梨桃柿", 5), "梨桃…");
  assert.equal(cutToWidth("梨桃柿", 4), "梨…");
  assert.equal(cutToWidth("a👩‍👩‍👧b", 3), "a…");
  assert.equal(cutToWidth("pear", 4), "pear");
  assert.equal(cutToWidth("pear", 0), "");
});

Deno.test("filledTo() counts cells, not characters", () => {
  assert.equal(filledTo("梨", 4, "left"), "梨  ");
  assert.equal(filledTo("7", 4, "right"), "   7");
});

Deno.test("wrapped() loses nothing", () => {
  assert.deepEqual(wrapped("梨桃柿abc", 4), ["梨桃", "柿ab", "c"]);
});

const COLUMNS = [{ head: "session" }, { head: "turns", align: "right" }, { head: "note" }] as const;
const ROWS = [["春の会話はとても長い", "1234567", "a note that is rather long"], [
  "x\x1b[2J",
  "2",
  "",
]] as const;

Deno.test("A table that is piped is as wide as what it holds, and harmless", () => {
  assert.deepEqual(tableLines(COLUMNS, ROWS, null), [
    "session                 turns  note",
    "春の会話はとても長い  1234567  a note that is rather long",
    "x\\u{1b}[2J                  2",
  ]);
});

for (const width of [120, 50, 40, 30, 23]) {
  Deno.test(`A table in ${width} cells has no longer line, and no number is cut`, () => {
    const lines = tableLines(COLUMNS, ROWS, width);
    assert.deepEqual(lines.filter((line) => displayWidth(line) > width), []);
    assert.equal(lines.length, 3);
    assert.match(lines[1]!, /1234567/);
  });
}

Deno.test("A table for which the terminal is too narrow becomes a list", () => {
  assert.deepEqual(tableLines(COLUMNS, ROWS, 16), [
    "session 春の会…",
    "turns 1234567",
    "note a note tha…",
    "",
    "session x\\u{1b}…",
    "turns 2",
    "note",
  ]);
});
