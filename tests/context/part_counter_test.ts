import assert from "node:assert/strict";
import fc from "fast-check";
import { CountMemory } from "../../src/context/counting/count_memory.ts";
import { defaultTokenCounter } from "../../src/context/counting/default_counter.ts";
import { PartCounter } from "../../src/context/counting/part_counter.ts";
import { RecentMap } from "../../src/context/counting/recent_map.ts";
import { isExactCut, runCuts } from "../../src/context/counting/token_runs.ts";
import { STUB4 } from "./golden.ts";

const COUNTER = await defaultTokenCounter();

const WORDS = [
  ..."aB9 '.,\n\t/\\\"{}[]:|<>",
  ...[
    "'s",
    "'LL",
    "he",
    "THE",
    " world",
    "\\n",
    "  ",
    "\r\n",
    "é",
    "e\u0301",
    "漢字",
    "ก็",
    "😀",
    "👩🏽‍💻",
    "\u00a0",
  ],
  ...["tokens", "don't", "9999", "ABCdef", "://", "\u3000", "ß", "\u2019s"],
];
const TEXT = fc.array(fc.constantFrom(...WORDS), { maxLength: 24 }).map((words) => words.join(""));

Deno.test("A text has the same count in parts as in one string", () => {
  fc.assert(
    fc.property(fc.array(TEXT, { maxLength: 6 }), (parts) => {
      const counter = new PartCounter(COUNTER, new CountMemory());
      assert.equal(counter.countParts(parts), COUNTER.countText(parts.join("")));
      assert.equal(counter.countPartsOnce(parts), COUNTER.countText(parts.join("")));
    }),
    { seed: 11, numRuns: 3_000 },
  );
});

Deno.test("A text with long runs has the same count in parts as in one string", () => {
  const long = fc.constantFrom(
    "w".repeat(500),
    " ".repeat(400),
    "漢".repeat(150),
    "=".repeat(600),
    "\u0301".repeat(200),
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(TEXT, long), { maxLength: 6 }), (parts) => {
      const counter = new PartCounter(COUNTER, new CountMemory());
      assert.equal(counter.countParts(parts), COUNTER.countText(parts.join("")));
    }),
    { seed: 12, numRuns: 500 },
  );
});

Deno.test("An exact cut changes no count", () => {
  fc.assert(
    fc.property(TEXT, (text) => {
      for (let offset = 1; offset < text.length; offset++) {
        if (!isExactCut(text, offset)) continue;
        const parted = COUNTER.countText(text.slice(0, offset)) + COUNTER.countText(text.slice(offset));
        assert.equal(parted, COUNTER.countText(text));
      }
    }),
    { seed: 13, numRuns: 1_000 },
  );
});

Deno.test("tokensAtCuts() returns the tokens before each cut", () => {
  const counter = new PartCounter(COUNTER, new CountMemory());
  const text = "the pump failed, then the lamp";
  for (const { offset, tokens } of counter.tokensAtCuts(text)) {
    assert.equal(tokens, COUNTER.countText(text.slice(0, offset)));
  }
  assert.ok(counter.tokensAtCuts(text).length > 4);
});

Deno.test("Any other counter counts whole texts", () => {
  const counter = new PartCounter(STUB4, new CountMemory());
  assert.equal(counter.countParts(["ab", "cd", "ef"]), 2);
  assert.deepEqual(counter.tokensAtCuts("one two three"), []);
});

Deno.test("A text is counted once, unless it is counted afresh", () => {
  let asked = 0;
  const spy = { name: "n", version: "1", countText: (text: string) => (asked++, text.length) };
  const counter = new PartCounter(spy, new CountMemory());
  counter.count("one");
  counter.count("one");
  assert.equal(asked, 1);
  counter.countAfresh("one");
  assert.equal(asked, 2);
});

Deno.test("runCuts() splits a run of any length every 128 bytes", () => {
  const expected = Array.from({ length: 39 }, (_, index) => 128 * (index + 1));
  for (const unit of ["a", " ", "-"]) assert.deepEqual(runCuts(unit.repeat(5_000)), expected);
});

Deno.test("runCuts() splits only long runs, and never inside a character", () => {
  assert.deepEqual(runCuts("ordinary words, and 12345 numbers ".repeat(50)), []);
  const text = `short ${"😀".repeat(200)} ${"w".repeat(400)}`;
  const cuts = runCuts(text);
  assert.ok(cuts.length >= 5);
  for (const cut of cuts) assert.ok(text.slice(0, cut).isWellFormed());
});

Deno.test("RecentMap forgets what was not asked for of late, and holds a bounded amount", () => {
  const map = new RecentMap<number>(10);
  map.set("aaaaa", 1);
  map.set("bbbbb", 2);
  map.set("ccccc", 3);
  assert.equal(map.get("aaaaa"), 1);
  map.set("ddddd", 4);
  map.set("eeeee", 5);
  assert.equal(map.get("bbbbb"), undefined);
  assert.equal(map.get("aaaaa"), 1);
  map.set("longer than all", 6);
  assert.equal(map.get("longer than all"), undefined);
});
