/** Tables fit their terminal, whatever they contain. */

import assert from "node:assert/strict";
import { cutToWidth, displayWidth, padTo, wrapped } from "../../src/cli/terminal/display_width.ts";
import { harmless } from "../../src/cli/terminal/harmless_text.ts";
import { tableLines } from "../../src/cli/terminal/table.ts";

const WIDTHS: readonly (readonly [text: string, cells: number])[] = [
  ["lamp", 4],
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

Deno.test("cutToWidth() cuts between graphemes and adds an ellipsis", () => {
  assert.equal(cutToWidth("梨桃柿", 5), "梨桃…");
  assert.equal(cutToWidth("梨桃柿", 4), "梨…");
  assert.equal(cutToWidth("a👩‍👩‍👧b", 3), "a…");
  assert.equal(cutToWidth("lamp", 4), "lamp");
  assert.equal(cutToWidth("lamp", 0), "");
});

Deno.test("padTo() counts cells, not characters", () => {
  assert.equal(padTo("梨", 4, "left"), "梨  ");
  assert.equal(padTo("7", 4, "right"), "   7");
});

Deno.test("wrapped() loses nothing", () => {
  assert.deepEqual(wrapped("梨桃柿abc", 4), ["梨桃", "柿ab", "c"]);
});

const ENDLESS: readonly (readonly [what: string, text: string])[] = [
  ["letters that Unicode keeps together", "\u0915\u094d".repeat(100)],
  ["leading consonants of Hangul", "\u1100".repeat(100)],
  ["vowels of Hangul", "\u1161".repeat(100)],
  ["marks", `e${"\u0301".repeat(100)}`],
  ["tones of skin", "\u{1f3fd}".repeat(100)],
  ["signs that stand before a number", "\u0600".repeat(100)],
];

for (const [what, text] of ENDLESS) {
  Deno.test(`however many ${what} follow each other, no line is wider than allowed (TRM-01)`, () => {
    const shown = harmless(text);
    const lines = wrapped(shown, 20, 18);
    assert.equal(lines.join(""), shown);
    assert(lines.length > 4, `${lines.length} lines`);
    assert.deepEqual(lines.filter((line, index) => displayWidth(line) > (index === 0 ? 20 : 18)), []);
    assert(displayWidth(cutToWidth(shown, 20)) <= 20);
    const characters = Math.max(...lines.map((line) => [...line].length));
    assert(characters <= 20 * 5, `${characters} characters in one line`);
  });
}

const COLUMNS = [{ head: "session" }, { head: "turns", align: "right" }, { head: "note" }] as const;
const ROWS = [["春の会話はとても長い", "1234567", "a note that is rather long"], [
  "x\x1b[2J",
  "2",
  "",
]] as const;

Deno.test("A piped table is as wide as its content, and harmless", () => {
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
    assert.equal(lines.filter((line) => line.includes("1234567")).length, 1);
    const shown = lines.join("").replaceAll(" ", "");
    for (const part of ["turns", "note"]) assert(shown.includes(part), shown);
  });
}

Deno.test("A table becomes a list if the terminal is too narrow", () => {
  assert.deepEqual(tableLines(COLUMNS, ROWS, 16), [
    "session",
    "  春の会話はとて",
    "  も長い",
    "turns 1234567",
    "note a note",
    "  that is",
    "  rather long",
    "",
    "session",
    "  x\\u{1b}[2J",
    "turns 2",
    "note",
  ]);
});

Deno.test("A text that wraps in a narrow table is complete, and its further lines are indented", () => {
  assert.deepEqual(tableLines(COLUMNS, ROWS, 40), [
    "session           turns  note",
    "春の会話はとて  1234567  a note that is",
    "  も長い                   rather long",
    "x\\u{1b}[2J            2",
  ]);
});

Deno.test("Heads of numbers are not cut: the table becomes a list instead", () => {
  const columns = ["turns", "pins", "bytes", "revision"].map((head) => ({ head, align: "right" as const }));
  assert.deepEqual(tableLines([{ head: "tenant" }, ...columns], [["acme", "1", "2", "3", "4"]], 30), [
    ...["tenant acme", "turns 1", "pins 2", "bytes 3", "revision 4"],
  ]);
});

Deno.test("One long name does not move the other rows of a piped table", () => {
  const long = "x".repeat(200);
  assert.deepEqual(
    tableLines([{ head: "tenant" }, { head: "turns", align: "right" }], [[long, "1"], ["a", "2"]], null),
    [
      `tenant${" ".repeat(36)}turns`,
      `${long}      1`,
      `a${" ".repeat(45)}2`,
    ],
  );
});

Deno.test("wrapped() breaks between words where it can, and loses nothing", () => {
  const text = "8,008 turns, next due 2026-12-01T00:00:00Z.";
  const lines = wrapped(text, 22);
  assert.deepEqual(lines, ["8,008 turns, next due ", "2026-12-01T00:00:00Z."]);
  assert.equal(lines.join(""), text);
});
