import assert from "node:assert/strict";
import fc from "fast-check";
import { elide, findElision } from "../../src/context/cap.ts";
import { CountMemory } from "../../src/context/counting/count_memory.ts";
import { defaultTokenCounter } from "../../src/context/counting/default_counter.ts";
import { PartCounter } from "../../src/context/counting/part_counter.ts";
import type { TokenCounter } from "../../src/context/counting/token_counter.ts";
import { readVectors, STUB4 } from "./golden.ts";

const DEFAULTS = { maxTokens: 35, headTokens: 22, tailTokens: 8 };
const O200K = await defaultTokenCounter();

function cap(text: string, limits = DEFAULTS, counter: TokenCounter = STUB4): string {
  const elision = findElision(text, limits, new PartCounter(counter, new CountMemory()));
  return elision === null ? text : elide(text, elision);
}

for (const [index, { text, result }] of readVectors().cap.entries()) {
  Deno.test(`The cap shortens example ${index} as the reference does`, () => {
    assert.equal(cap(text), result);
  });
}

const MARKER = /\n\[\.\.\. (\d+) tokens elided \.\.\.\]\n/;

/** Asserts that a capped text is a head, a marker with the true number of tokens, and a tail. */
function assertHonest(text: string, capped: string, counter: TokenCounter): void {
  const match = MARKER.exec(capped);
  assert.ok(match && text.startsWith(capped.slice(0, match.index)));
  const tail = capped.slice(match.index + match[0].length);
  assert.ok(text.endsWith(tail));
  const omitted = text.slice(match.index, text.length - tail.length);
  assert.equal(counter.countText(omitted), Number(match[1]));
}

for (const [name, counter] of [["the golden counter", STUB4], ["o200k_base", O200K]] as const) {
  Deno.test(`ASM-07 By ${name}, a shortened text is well-formed, fits with its marker, and counts what it left out`, () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 60, maxLength: 300 }), (raw) => {
        const text = raw.toWellFormed();
        const capped = cap(text, DEFAULTS, counter);
        assert.ok(capped.isWellFormed());
        assert.ok(counter.countText(capped) <= DEFAULTS.maxTokens);
        if (capped !== text) assertHonest(text, capped, counter);
      }),
      { seed: 7, numRuns: 150 },
    );
  });
}

Deno.test("ASM-07 Emoji at the cut stay whole at every size, or the cap is refused", () => {
  const text = "wwwwwww😀😀😀".repeat(12);
  for (let maxTokens = 12; maxTokens <= 24; maxTokens++) {
    for (let part = 1; part <= 8; part++) {
      try {
        const capped = cap(text, { maxTokens, headTokens: part, tailTokens: part }, O200K);
        assert.ok(capped.isWellFormed() && O200K.countText(capped) <= maxTokens);
      } catch (error) {
        assert.equal((error as { code?: string }).code, "CAP_BUDGET");
      }
    }
  }
});

Deno.test("TOK-06 Head and tail are parts of the text with at most their tokens", () => {
  const text = "ok 😀😀😀 é ".repeat(30);
  for (let part = 1; part <= 15; part++) {
    const capped = cap(text, { maxTokens: 60, headTokens: part, tailTokens: part }, O200K);
    const [head = "", , tail = ""] = capped.split(MARKER);
    assert.ok(O200K.countText(head) <= part + 1 && O200K.countText(tail) <= part + 1);
    assertHonest(text, capped, O200K);
  }
});

/** Caps a text with the reference's loop, step by step and without shortcuts. */
function plainCap(text: string, limits: typeof DEFAULTS, counter: TokenCounter): string | null {
  const points = [...text];
  const cut = (from: number, to: number): string => points.slice(from, to).join("");
  const longest = (tokensMax: number, cutAt: (size: number) => string): string => {
    let best = "";
    for (let low = 0, high = points.length; low <= high;) {
      const middle = Math.floor((low + high) / 2);
      if (counter.countText(cutAt(middle)) <= tokensMax) [best, low] = [cutAt(middle), middle + 1];
      else high = middle - 1;
    }
    return best;
  };
  if (counter.countText(text) <= limits.maxTokens) return text;
  let head = [...longest(limits.headTokens, (size) => cut(0, size)) || cut(0, 1)];
  let tail = [
    ...longest(limits.tailTokens, (size) => cut(points.length - size, points.length)) ||
      cut(points.length - 1, points.length),
  ];
  for (;;) {
    const omitted = cut(head.length, Math.max(head.length, points.length - tail.length));
    const marker = `\n[... ${counter.countText(omitted)} tokens elided ...]\n`;
    const candidate = head.join("") + marker + tail.join("");
    if (omitted !== "" && counter.countText(candidate) <= limits.maxTokens) return candidate;
    if (head.length >= tail.length && head.length > 1) head = head.slice(0, -1);
    else if (tail.length > 1) tail = tail.slice(1);
    else return null;
  }
}

Deno.test("The cap has the same result as the reference's loop, with any counter", () => {
  const word = fc.constantFrom(
    "the pump ",
    "failed, ",
    "12 345 ",
    "漢字",
    "😀",
    "\n\n",
    "  ",
    "ABC",
    "-",
    "é",
    "x".repeat(40),
  );
  const text = fc.array(word, { minLength: 20, maxLength: 60 }).map((words) => words.join(""));
  const limits = fc.record({
    maxTokens: fc.integer({ min: 14, max: 40 }),
    headTokens: fc.integer({ min: 1, max: 14 }),
    tailTokens: fc.integer({ min: 1, max: 14 }),
  });
  const byCharacter = { name: "units", version: "1", countText: (input: string) => input.length };
  fc.assert(
    fc.property(text, limits, fc.constantFrom(O200K, STUB4, byCharacter), (input, values, counter) => {
      const expected = plainCap(input, values, counter);
      if (expected === null) assert.throws(() => cap(input, values, counter), { code: "CAP_BUDGET" });
      else assert.equal(cap(input, values, counter), expected);
    }),
    { seed: 21, numRuns: 300 },
  );
});

Deno.test("Short, empty and odd texts are not changed", () => {
  for (const text of ["", " ", "short", "\n[... 3 tokens elided ...]\n", "\u0000"]) {
    assert.equal(cap(text), text);
  }
});

Deno.test("A cap without room for a marker is a budget error that names the cap", () => {
  const limits = { maxTokens: 5, headTokens: 2, tailTokens: 2 };
  assert.throws(() => cap("word ".repeat(50), limits), {
    code: "CAP_BUDGET",
    details: { maxTokens: 5, neededTokens: 20 },
  });
});
