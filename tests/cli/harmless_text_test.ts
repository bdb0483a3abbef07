/** Stored text is shown so that it cannot drive a terminal. */

import assert from "node:assert/strict";
import { escapeJson, harmless, harmlessJson, harmlessLines } from "../../src/cli/harmless_text.ts";
import { DRIVES, POISON } from "./poison.ts";

for (const [what, text] of Object.entries(POISON)) {
  Deno.test(`CLI-01 text that would ${what} is spelled out`, () => {
    const shown = harmless(`before${text}after`);
    assert.doesNotMatch(shown, DRIVES);
    assert(shown.startsWith("before\\") && shown.endsWith("after"));
  });
}

Deno.test("CLI-01 harmless() names each character that it spells out", () => {
  assert.equal(
    harmless("\x1b[2J\r\n\t\u009b\u202e\u{e0041}\ud83d"),
    "\\u{1b}[2J\\r\\n\\t\\u{9b}\\u{202e}\\u{e0041}\\u{d83d}",
  );
});

for (const text of ["The pears, in March.", "梨と桃", "👩‍👩‍👧", "क्‍ष", "می‌خواهم", "\\u{1b}"]) {
  Deno.test(`harmless() shows ${text} as it is`, () => {
    assert.equal(harmless(text), text);
  });
}

Deno.test("harmlessLines() keeps lines apart and spells out the rest", () => {
  assert.deepEqual(harmlessLines("one\n\ttwo\r\n\x1b"), ["one", "    two\\r", "\\u{1b}"]);
});

Deno.test("CLI-01 JSON says the same characters as escapes, and reads back exactly", () => {
  const value = { ...POISON, "\u2028": "\ud83d lone, 😀 paired, \u00ad soft" };
  const json = harmlessJson(value);
  assert.doesNotMatch(json, DRIVES);
  assert.deepEqual(JSON.parse(json), value);
});

Deno.test("escapeJson() keeps the ends of lines", () => {
  assert.equal(
    escapeJson('{"a":"\u009b"}\n{"b":"\u{e0041}"}\n'),
    '{"a":"\\u009b"}\n{"b":"\\udb40\\udc41"}\n',
  );
});
