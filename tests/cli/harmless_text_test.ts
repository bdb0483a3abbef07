/** Stored text is shown so that it cannot drive a terminal. */

import assert from "node:assert/strict";
import { escapeJson, harmless, harmlessJson, harmlessLines } from "../../src/cli/terminal/harmless_text.ts";
import { DRIVES, POISON } from "./poison.ts";

for (const [what, text] of Object.entries(POISON)) {
  Deno.test(`CLI-01 text that would ${what} is escaped`, () => {
    const shown = harmless(`before${text}after`);
    assert.doesNotMatch(shown, DRIVES);
    assert(shown.startsWith("before\\") && shown.endsWith("after"));
  });
}

Deno.test("CLI-01 harmless() names each character that it escapes", () => {
  assert.equal(
    harmless("\x1b[2J\r\n\t\u009b\u202e\u{e0041}\ud83d"),
    "\\u{1b}[2J\\r\\n\\t\\u{9b}\\u{202e}\\u{e0041}\\u{d83d}",
  );
});

/** Every code point but the surrogates, and what it is by Unicode's data. */
function* codePoints(unseen: RegExp): Generator<string> {
  for (let each = 0; each <= 0x10ffff; each++) {
    if (each >= 0xd800 && each <= 0xdfff) continue;
    const character = String.fromCodePoint(each);
    if (unseen.test(character)) yield character;
  }
}

const UNSEEN: readonly (readonly [what: string, unseen: RegExp, least: number])[] = [
  ["is ignored by default: fillers, selectors, joiners, tags", /\p{Default_Ignorable_Code_Point}/u, 4_000],
  ["is unassigned, or no character at all", /\p{Cn}/u, 800_000],
  ["is private", /\p{Co}/u, 137_000],
  ["is a control, or formats text", /[\p{Cc}\p{Zl}\p{Zp}]|(?![\u0600-\u0605\u06dd\u070f\u08e2])\p{Cf}/u, 200],
  ["is a blank letter", /[\u2800\u3164\uffa0\u115f\u1160\u{1d159}\u{16fe4}\u{13441}\u{13442}]/u, 9],
];

for (const [what, unseen, least] of UNSEEN) {
  Deno.test(`what ${what} is spelled out between letters, as text and in JSON (TRM-01)`, () => {
    let count = 0;
    const raw: string[] = [];
    for (const character of codePoints(unseen)) {
      count++;
      const text = `a${character}b`;
      if (harmless(text).includes(character) || harmlessJson(text).includes(character)) {
        raw.push(character.codePointAt(0)!.toString(16));
      }
    }
    assert.deepEqual(raw, []);
    assert(count >= least, `${count} characters`);
  });
}

Deno.test("the first four marks of a letter are shown, and none without a letter (TRM-01)", () => {
  assert.equal(harmless(`e${"\u0301".repeat(6)}`), `e${"\u0301".repeat(4)}\\u{301}\\u{301}`);
  assert.equal(harmless("\u0301a \u0301\n\u20dd"), "\\u{301}a \\u{301}\\n\\u{20dd}");
  assert.equal(harmlessJson("\u0301"), '"\\u0301"');
  const pile = `z${"\u0301\u0323\u20dd".repeat(100)}`;
  assert.equal(JSON.parse(harmlessJson(pile)), pile);
  assert.equal([...harmless(pile).matchAll(/\p{M}/gu)].length, 4);
});

Deno.test("selectors and joiners stay only where they have a visible effect (TRM-01)", () => {
  assert.equal(harmless("pa\u200dss\u200cword\ufe0f"), "pa\\u{200d}ss\\u{200c}word\\u{fe0f}");
  assert.equal(harmless("\u{1f469}\u200d\u200d"), "\u{1f469}\\u{200d}\\u{200d}");
  assert.equal(harmless("می\u200c\u200cخ"), "می\\u{200c}\\u{200c}خ");
  assert.equal(harmless("\u{1f3f4}\u{e0067}\u{e007f}"), "\u{1f3f4}\\u{e0067}\\u{e007f}");
});

Deno.test("Hangul vowels and finals are escaped where they stand alone (TRM-01)", () => {
  assert.equal(harmless("\u1100\u1161\u11a8 가\u11a8"), "\u1100\u1161\u11a8 가\u11a8");
  assert.equal(harmless("\u1161\u1161a\u11a8"), "\\u{1161}\\u{1161}a\\u{11a8}");
});

for (const text of ["❤️ ☀️ 1️⃣ 👁️‍🗨️ 👋🏽 🇯🇵", "र्‍य ന്‍ র‍্যাব", "Tiếng Việt", "שָׁ֣לוֹם", "ཧཱུྃ", "é ä", "a b"]) {
  Deno.test(`harmless() leaves ${text} unchanged (TRM-01)`, () => {
    assert.equal(harmless(text), text);
  });
}

for (const text of ["The lamps, in March.", "梨と桃", "👩‍👩‍👧", "क्‍ष", "می‌خواهم", "\\u{1b}"]) {
  Deno.test(`harmless() leaves ${text} unchanged`, () => {
    assert.equal(harmless(text), text);
  });
}

Deno.test("harmlessLines() splits lines and escapes the rest", () => {
  assert.deepEqual(harmlessLines("one\n\ttwo\r\n\x1b"), ["one", "    two\\r", "\\u{1b}"]);
});

Deno.test("CLI-01 JSON says the same characters as escapes, and parses back exactly", () => {
  const value = { ...POISON, "\u2028": "\ud83d lone, 😀 paired, \u00ad soft" };
  const json = harmlessJson(value);
  assert.doesNotMatch(json, DRIVES);
  assert.deepEqual(JSON.parse(json), value);
});

Deno.test("escapeJson() keeps line feeds", () => {
  assert.equal(
    escapeJson('{"a":"\u009b"}\n{"b":"\u{e0041}"}\n'),
    '{"a":"\\u009b"}\n{"b":"\\udb40\\udc41"}\n',
  );
});
