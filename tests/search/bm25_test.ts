import assert from "node:assert/strict";
import { type DocumentCounts, LexicalScorer } from "../../src/search/bm25.ts";
import { statisticsOf } from "../../src/search/ranking.ts";
import { readVectors } from "../context/golden.ts";

const DEFAULTS = { k1: 1.5, b: 0.75 };

/** Compares scores with a tolerance, because Math.log may differ from the reference's in the last bit. */
function assertClose(actual: number, expected: number): void {
  assert.ok(
    Math.abs(actual - expected) <= 1e-12 * Math.max(1, Math.abs(expected)),
    `${actual} for ${expected}`,
  );
}

function countsOf(
  documents: readonly (readonly string[])[],
  query: readonly string[],
): readonly DocumentCounts[] {
  return documents.map((terms) => {
    const frequencies = query.map((asked) => terms.filter((term) => term === asked).length);
    return { length: terms.length, frequencies };
  });
}

Deno.test("LexicalScorer computes the reference's scores", () => {
  const { corpus, query, scores, idf } = readVectors().bm25;
  const counts = countsOf(corpus, query);
  const scorer = new LexicalScorer(statisticsOf(counts, query.length), DEFAULTS, "delta");
  for (const [index, document] of counts.entries()) {
    assertClose(scorer.score(document), Number(scores[index]));
  }
  for (const [index, term] of query.entries()) {
    assertClose(scorer.weights[index] ?? 0, Number(idf[term] ?? 0));
  }
});

Deno.test("RET-10 A term that every document has still scores above zero, and repetitions add less and less", () => {
  const counts = countsOf([["pump", "north", "valve"], ["pump"], ["pump", "pump", "south"]], ["pump"]);
  const scorer = new LexicalScorer(statisticsOf(counts, 1), DEFAULTS, "nothing");
  const [a = 0, b = 0, c = 0] = counts.map((document) => scorer.score(document));
  assert.ok(b > c && c > a && a > 0);
});

Deno.test("RET-10 A single document, and one of two, score above zero", () => {
  for (const documents of [[["pump"]], [["pump"], ["valve"]]]) {
    const counts = countsOf(documents, ["pump"]);
    const scorer = new LexicalScorer(statisticsOf(counts, 1), DEFAULTS, "delta");
    assert.ok(scorer.score(counts[0] ?? { length: 0, frequencies: [] }) > 0);
  }
});

Deno.test("termScoreMax() is an upper bound of every document's score for a term", () => {
  const counts = countsOf([["a"], ["a", "a", "a", "b"], ["c", "c"]], ["a", "b", "c"]);
  const scorer = new LexicalScorer(statisticsOf(counts, 3), DEFAULTS, "nothing");
  const most = scorer.termScoreMax(0) + scorer.termScoreMax(1) + scorer.termScoreMax(2);
  for (const document of counts) assert.ok(scorer.score(document) <= most);
});

Deno.test("A score is bitwise the same with statistics that are counted and with those that are updated", () => {
  const all = countsOf([["a", "b"], ["a"], ["b", "b", "c"], ["c", "a"]], ["a", "b", "c"]);
  const whole = statisticsOf(all, 3);
  const left = statisticsOf(all.slice(3), 3);
  const corrected = {
    documents: whole.documents - left.documents,
    totalLength: whole.totalLength - left.totalLength,
    documentFrequencies: whole.documentFrequencies.map((count, index) =>
      count - (left.documentFrequencies[index] ?? 0)
    ),
  };
  const afresh = new LexicalScorer(statisticsOf(all.slice(0, 3), 3), DEFAULTS, "nothing");
  const kept = new LexicalScorer(corrected, DEFAULTS, "nothing");
  for (const document of all.slice(0, 3)) assert.equal(kept.score(document), afresh.score(document));
});

Deno.test("A term that is in no document has the weight 0", () => {
  for (const documents of [4, 0]) {
    const statistics = { documents, totalLength: 9, documentFrequencies: [0] };
    assert.deepEqual(new LexicalScorer(statistics, DEFAULTS, "delta").weights, [0]);
  }
});
