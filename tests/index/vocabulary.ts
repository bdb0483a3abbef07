/** Generates the texts and steps of test conversations from a seed. */

import fc from "fast-check";
import { isBlank } from "../../src/canonical/text.ts";
import type { Asking, Step } from "./scenario.ts";

export { Writer } from "../../src/testing/searches/seeded_writer.ts";

/** Texts in many scripts, empty texts, and very long ones. */
export const TEXT: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.string({ unit: "grapheme", maxLength: 60 }).map((text) => text.toWellFormed()),
  },
  {
    weight: 6,
    arbitrary: fc.array(
      fc.constantFrom(
        ..."the pump failed at north wall shard-19 kiln2Temp valve noon when in May error retry".split(" "),
        "阀门",
        "関係",
        "กุญแจ",
        "مفتاح",
        "naïve",
        "🌍",
      ),
      { maxLength: 25 },
    ).map((words) => words.join(" ")),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "",
      " \n",
      "w".repeat(700),
      "the pump failed at the wall. ".repeat(25),
      "🌍".repeat(90),
    ),
  },
);

const TEXTS = fc.array(TEXT, { minLength: 1, maxLength: 3 });

/** A random step. */
export const STEP: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("put" as const),
      texts: TEXTS,
      calls: fc.constantFrom(0, 0, 0, 1, 2),
      ttl: fc.constantFrom(0, 0, 0, 40),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("edit" as const), which: fc.nat(), texts: TEXTS }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete" as const), which: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("wait" as const), seconds: fc.constantFrom(1, 30) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("pin" as const),
      value: fc.constantFrom("likes lists", "north"),
      ttl: fc.constantFrom(20, 90),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("summarize" as const), turns: fc.integer({ min: 1, max: 9 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("index" as const), batchSize: fc.constantFrom(1, 3, 32) }),
  },
);

/** The arguments of a random assembly. */
export const ASKING: fc.Arbitrary<Asking> = fc.record({
  question: fc.oneof(
    TEXT,
    fc.constantFrom("When did the pump fail?", "shard-19", "阀门", "north valve in May"),
  ),
  maxInputTokens: fc.integer({ min: 60, max: 900 }),
  retrievalReserve: fc.constantFrom(0, 60, 250),
  summaryReserve: fc.constantFrom(0, 40),
  chunkCharacters: fc.constantFrom(20, 60, 360),
  topK: fc.constantFrom(1, 4, 9),
  minimumScore: fc.constantFrom(0, 0, 2.5),
  options: fc.record({
    cap: fc.boolean(),
    retrieve: fc.constant(true),
    summarize: fc.boolean(),
    pins: fc.boolean(),
  }),
  recoverCappedWindow: fc.boolean(),
  profile: fc.constantFrom("reference" as const, "holdfast" as const),
}).map((
  { question, maxInputTokens, retrievalReserve, summaryReserve, options, profile, ...retrieval },
): Asking => ({
  // Only the reference accepts blank questions.
  question: profile === "holdfast" && isBlank(question) ? "?" : question,
  budget: {
    maxInputTokens,
    retrievalReserve: Math.min(retrievalReserve, maxInputTokens >> 1),
    summaryReserve: Math.min(summaryReserve, maxInputTokens >> 2),
  },
  options: { options, profile, retrieval: { ...retrieval, overlapCharacters: 10 } },
}));
