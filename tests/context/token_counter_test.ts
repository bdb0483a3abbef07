import assert from "node:assert/strict";
import fc from "fast-check";
import { defaultTokenCounter, O200kCounter } from "../../src/context/counting/default_counter.ts";
import { countTokens, requireCounter } from "../../src/context/counting/token_counter.ts";
import { readVectors, STUB4 } from "./golden.ts";

const COUNTER = await defaultTokenCounter();

for (const { text, tokens } of readVectors().count_text) {
  Deno.test(`The counter of the golden values counts ${JSON.stringify(text)} as ${tokens}`, () => {
    assert.equal(countTokens(STUB4, text), tokens);
  });
}

Deno.test("defaultTokenCounter() resolves to the same counter each time", async () => {
  assert.equal(await defaultTokenCounter(), COUNTER);
  assert.equal(COUNTER.name, "o200k_base");
});

Deno.test("The default counter counts as o200k_base does", () => {
  const known = [["", 0], ["hello world", 2], ["\0", 1], ["😀", 1], ["tiktoken is great!", 6]] as const;
  for (const [text, tokens] of known) assert.equal(COUNTER.countText(text), tokens, text);
});

Deno.test("TOK-01 Text that looks like a special token is plain text", () => {
  for (const text of ["<|endoftext|>", "<|im_start|>system", "<|fim_prefix|>", "a <|endofprompt|> b"]) {
    assert.ok(COUNTER.countText(text) > 2, text);
  }
});

Deno.test("The default counter empties its tokenizer's cache every million characters, before it fills up", () => {
  const sizes: number[] = [];
  let characters = 0;
  let charactersMax = 0;
  const counter = new O200kCounter({
    countTokens(text): number {
      characters += text.length;
      charactersMax = Math.max(charactersMax, characters);
      return 1;
    },
    setMergeCacheSize: (size) => sizes.push(size),
    clearMergeCache: () => characters = 0,
  });
  const text = "word ".repeat(2_000);
  for (let round = 0; round < 350; round++) counter.countText(text);
  assert.deepEqual(sizes, [Number.MAX_SAFE_INTEGER]);
  assert.ok(charactersMax > 1_000_000 && charactersMax <= 1_000_000 + text.length);
});

Deno.test("The default counter counts a text the same before and after many other words", () => {
  const text = "\u202eمرحبا ".repeat(200);
  const before = COUNTER.countText(text);
  for (let word = 0; word < 30; word++) COUNTER.countText(scrambled("abcdefgh ", 50_000));
  assert.equal(COUNTER.countText(text), before);
});

/** Returns the milliseconds of a count: the best of two, so that other load does not fail the test. */
function countMs(text: string): number {
  const times = [0, 1].map(() => {
    const startedMs = performance.now();
    COUNTER.countText(text);
    return performance.now() - startedMs;
  });
  return Math.min(...times);
}

/** Returns pseudo-random text, for which the merge cache does not help. */
function scrambled(alphabet: string, length: number): string {
  const letters = [...alphabet];
  let state = 12345;
  let text = "";
  for (let index = 0; index < length; index++) {
    state = (state * 1103515245 + 12345) & 0x7fffffff;
    text += letters[(state >> 8) % letters.length];
  }
  return text;
}

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const WORST = [
  ["one letter", "w".repeat(100_000)],
  ["random letters", scrambled("abcdefghijklmnopqrstuvwxyz", 50_000)],
  ["base64", scrambled(BASE64, 200_000)],
  ["Chinese", scrambled("夜间巡检后再关闭阀门需要检查数据管线的状态报告", 20_000)],
  ["Japanese", scrambled("のにをはがでもいるしたてなこれあら漢字カタカナ", 20_000)],
  ["Thai", scrambled("กขคงจชซญดตถทนบปผพฟมยรลวสหอะาิีุู", 20_000)],
  ["spaces", " ".repeat(100_000)],
  ["line ends", "\n".repeat(100_000)],
  ["emoji", "👩🏽‍💻".repeat(10_000)],
  ["punctuation", "=-".repeat(50_000)],
  ["combining marks", "a" + "\u0301".repeat(50_000)],
] as const;

for (const [name, text] of WORST) {
  Deno.test(`TOK-02 Counting is linear on ${name}`, () => {
    assert.ok(countMs(text) < 1_500);
    assert.ok(COUNTER.countText(text) > 0);
  });
}

Deno.test("TOK-02 The count of a long run is off by at most one token per chunk", () => {
  for (const text of ["w".repeat(2_000), "夜间巡检后再关闭阀门".repeat(60), " ".repeat(1_500)]) {
    const whole = COUNTER.countText(text.slice(0, 60)) * (text.length / 60);
    assert.ok(Math.abs(COUNTER.countText(text) - whole) < whole / 2 + 20);
  }
});

Deno.test("TOK-05 Lone surrogates count as U+FFFD, and no text throws", () => {
  for (const text of ["\ud83d", "a\ude00", "\ud83d\ud83d b", "", "\0", "\ufeff", "😀"]) {
    assert.equal(COUNTER.countText(text), COUNTER.countText(text.toWellFormed()));
  }
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 50 }), (text) => COUNTER.countText(text) >= 0),
    { seed: 5, numRuns: 300 },
  );
});

for (const sign of ["w", "数", "ก", "😀", "\u0301", "=", " ", "é"]) {
  Deno.test(`TOK-07 A run of millions of ${JSON.stringify(sign)} is counted, and never throws`, () => {
    const [small, large] = [40_960, 4_096_000].map((length) =>
      COUNTER.countText(sign.repeat(length / sign.length))
    );
    // A hundred times the text is about a hundred times the tokens.
    assert.ok(large! > small! * 99 && large! < small! * 101, `${small}, ${large}`);
  });
}

Deno.test("TOK-07 Ten megabytes are counted with bounded memory", () => {
  assert.ok(COUNTER.countText("the pump failed at noon. ".repeat(400_000)) > 1_000_000);
});

Deno.test("A counter that throws is a POLICY error that keeps the cause", () => {
  const cause = new Error("broken");
  const counter = {
    name: "n",
    version: "1",
    countText: (): number => {
      throw cause;
    },
  };
  assert.throws(() => countTokens(counter, "x"), (error) => {
    assert.ok(error instanceof Error && "code" in error);
    assert.equal(error.code, "POLICY");
    assert.equal(error.cause, cause);
    return true;
  });
});

Deno.test("A counter must return a whole number of at least zero", () => {
  for (const tokens of [-1, 0.5, NaN, Infinity, "3", null, undefined, 2n]) {
    const counter = { name: "n", version: "1", countText: () => tokens as number };
    assert.throws(() => countTokens(counter, "x"), { code: "POLICY" });
  }
  assert.ok(Object.is(countTokens({ name: "n", version: "1", countText: () => -0 }, "x"), 0));
});

Deno.test("requireCounter() names the field that a counter lacks", () => {
  const whole = { name: "n", version: "1", countText: () => 1 };
  assert.equal(requireCounter(whole, "counter"), whole);
  const broken = [
    [null, "counter"],
    [{ ...whole, name: " " }, "counter.name"],
    [{ ...whole, name: "\ud800" }, "counter.name"],
    [{ ...whole, version: 1 }, "counter.version"],
    [{ name: "n", version: "1" }, "counter.countText"],
  ] as const;
  for (const [counter, field] of broken) {
    assert.throws(() => requireCounter(counter, "counter"), { code: "CONTRACT", field });
  }
});
