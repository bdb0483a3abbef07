import assert from "node:assert/strict";
import { foldCase } from "../../src/index/analysis/case_fold.ts";
import { LEXICAL_ANALYZER } from "../../src/index/analysis/analyzer.ts";
import { lexicalTokens } from "../../src/index/analysis/lexical_analyzer.ts";
import { readVectors } from "../context/golden.ts";

for (const { text, tokens } of readVectors().lexical_tokens) {
  Deno.test(`lexicalTokens() returns the reference's tokens for ${JSON.stringify(text)}`, () => {
    assert.deepEqual(lexicalTokens(text), tokens);
  });
}

Deno.test("foldCase() agrees with the table of full case foldings, entry by entry", () => {
  const table = JSON.parse(Deno.readTextFileSync(new URL("../vectors/casefold.json", import.meta.url)));
  const entries = Object.entries(table as Record<string, string>);
  assert.equal(entries.length, 297);
  for (const [hex, folded] of entries) {
    assert.equal(foldCase(String.fromCodePoint(Number.parseInt(hex, 16))), folded, `U+${hex}`);
  }
});

Deno.test("The reference's analyzer normalises question and document alike: width, Cyrillic case, Telugu", () => {
  for (
    const [document, question] of [["ＳＨＡＲＤ-19", "shard-19"], ["ПАРТИЦИЯ", "партиция"], [
      "తెలుగు",
      "తెలుగు",
    ]] as const
  ) {
    const { frequencies } = LEXICAL_ANALYZER.documentTerms(document, "2026-05-01T00:00:00+00:00");
    const terms = LEXICAL_ANALYZER.queryTerms(question);
    assert.ok(terms.length > 0 && terms.every((term) => frequencies.has(term)), question);
  }
});

Deno.test("The reference's analyzer returns each word of a question once, in code point order", () => {
  assert.deepEqual(LEXICAL_ANALYZER.queryTerms("pump b 🜁𝔘 pump a"), ["a", "b", "pump", "u"]);
});

Deno.test("lexicalTokens() reads megabytes of joined words without a stack overflow", () => {
  assert.equal(lexicalTokens("a-".repeat(2_000_000)).length, 1);
});
