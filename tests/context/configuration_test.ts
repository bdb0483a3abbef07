import assert from "node:assert/strict";
import {
  inputAllowance,
  toBudget,
  toCap,
  toCounting,
  toOptions,
  toRetrieval,
} from "../../src/context/configuration.ts";
import { settingsOf } from "../../src/context/validate_input.ts";

Deno.test("An absent value has the reference's default", () => {
  assert.deepEqual(toBudget(), {
    maxInputTokens: 3_000,
    contextWindow: 131_072,
    maxOutputTokens: 256,
    retrievalReserve: 280,
    summaryReserve: 80,
    providerInputCap: null,
    shrinking: [],
  });
  assert.deepEqual(toCap(), { maxTokens: 35, headTokens: 22, tailTokens: 8 });
  assert.deepEqual(toRetrieval({ topK: undefined }), {
    chunkCharacters: 360,
    overlapCharacters: 80,
    topK: 4,
    minimumScore: 0,
    k1: 1.5,
    b: 0.75,
    recoverCappedWindow: false,
  });
  assert.deepEqual(toOptions(), { cap: true, pins: true, retrieve: true, summarize: true });
  assert.deepEqual(toCounting(), { counter: null, calibrationFactor: 1.07, adapterOverheadTokens: 0 });
});

Deno.test("The allowance is the smallest of maxInputTokens, context window less output, and provider's cap", () => {
  assert.equal(inputAllowance(toBudget({ maxInputTokens: 900 })), 900);
  assert.equal(inputAllowance(toBudget({ contextWindow: 1_000, maxOutputTokens: 200 })), 800);
  assert.equal(inputAllowance(toBudget({ providerInputCap: 500 })), 500);
});

const COUNTS = [0, -1, NaN, Infinity, 0.5, "9", true, null, 2n, -0, 2 ** 53];

/** Every rule of section 6: the validator, the field, and values that break the rule. */
const RULES: readonly (readonly [(value: unknown) => unknown, string, string, readonly unknown[]])[] = [
  ...(["maxInputTokens", "contextWindow", "maxOutputTokens"] as const).map((name) =>
    [toBudget, "budget", name, COUNTS] as const
  ),
  ...(["retrievalReserve", "summaryReserve"] as const).map((name) =>
    [toBudget, "budget", name, COUNTS.slice(1)] as const
  ),
  [toBudget, "budget", "providerInputCap", COUNTS.filter((value) => value !== null)],
  ...(["maxTokens", "headTokens", "tailTokens"] as const).map((name) =>
    [toCap, "cap", name, COUNTS] as const
  ),
  ...(["chunkCharacters", "topK"] as const).map((name) => [toRetrieval, "retrieval", name, COUNTS] as const),
  [toRetrieval, "retrieval", "overlapCharacters", COUNTS.slice(1)],
  ...(["minimumScore", "k1", "b"] as const).map((name) =>
    [toRetrieval, "retrieval", name, [-1, NaN, Infinity, "1", true, null, -0]] as const
  ),
  [toRetrieval, "retrieval", "k1", [0]],
  [toRetrieval, "retrieval", "b", [1.01]],
  [toRetrieval, "retrieval", "recoverCappedWindow", [0, "yes", null]],
  ...(["cap", "pins", "retrieve", "summarize"] as const).map((name) =>
    [toOptions, "options", name, [0, 1, "true", null]] as const
  ),
  [toCounting, "counting", "calibrationFactor", [0.99, 0, -1, NaN, Infinity, "1.07", true, null]],
  [toCounting, "counting", "adapterOverheadTokens", COUNTS.slice(1)],
  [toCounting, "counting", "counter", [null, "o200k", 7]],
];

for (const [validate, noun, name, values] of RULES) {
  Deno.test(`ASM-06 The error for an invalid ${noun}.${name} has its name, and not its value`, () => {
    for (const value of values) {
      assert.throws(
        () => validate({ [name]: value }),
        { code: "CONTRACT", field: `${noun}.${name}` },
        String(value),
      );
    }
  });
}

/** The rules between fields. */
const TOGETHER: readonly (readonly [(value: unknown) => unknown, object, string])[] = [
  [toBudget, { contextWindow: 256 }, "budget.contextWindow"],
  [toBudget, { contextWindow: 256, maxOutputTokens: 256 }, "budget.maxOutputTokens"],
  [toBudget, { maxInputTokens: 359 }, "budget.maxInputTokens"],
  [toBudget, { providerInputCap: 100 }, "budget.providerInputCap"],
  [toBudget, { maxInputTokens: 359, retrievalReserve: 300 }, "budget.retrievalReserve"],
  [toBudget, { maxInputTokens: 359, summaryReserve: 80 }, "budget.summaryReserve"],
  [toCap, { maxTokens: 21 }, "cap.maxTokens"],
  [toCap, { maxTokens: 21, headTokens: 22 }, "cap.headTokens"],
  [toCap, { headTokens: 1, tailTokens: 36 }, "cap.tailTokens"],
  [toRetrieval, { chunkCharacters: 80 }, "retrieval.overlapCharacters"],
];

for (const [validate, value, field] of TOGETHER) {
  Deno.test(`ASM-06 ${JSON.stringify(value)} is refused for ${field}`, () => {
    assert.throws(() => validate(value), { code: "CONTRACT", field });
  });
}

Deno.test("The default cap under holdfast is a quarter of the window's tokens, and never below the reference's", () => {
  const capOf = (budget: object, cap = {}) => settingsOf({ budget, cap }).cap;
  assert.deepEqual(capOf({ maxInputTokens: 8_000, retrievalReserve: 1_200, summaryReserve: 400 }), {
    maxTokens: 1_600,
    headTokens: 1_165,
    tailTokens: 423,
  });
  assert.deepEqual(capOf({ maxInputTokens: 420 }), { maxTokens: 35, headTokens: 22, tailTokens: 8 });
  assert.deepEqual(settingsOf({ budget: { maxInputTokens: 8_000 }, profile: "reference" }).cap, {
    maxTokens: 35,
    headTokens: 22,
    tailTokens: 8,
  });
});

Deno.test("A cap with only maxTokens has head and tail in the proportion of the default", () => {
  const capOf = (maxTokens: number) => settingsOf({ cap: { maxTokens } }).cap;
  assert.deepEqual(capOf(35), { maxTokens: 35, headTokens: 22, tailTokens: 8 });
  assert.deepEqual(capOf(311), { maxTokens: 311, headTokens: 220, tailTokens: 80 });
  assert.deepEqual(capOf(1), { maxTokens: 1, headTokens: 1, tailTokens: 1 });
});

Deno.test("Under holdfast, default reserves shrink to fit the budget, and explicit reserves stay", () => {
  const budgetOf = (budget: object) => settingsOf({ budget }).budget;
  const { retrievalReserve, summaryReserve } = budgetOf({ maxInputTokens: 90 });
  assert.deepEqual([retrievalReserve, summaryReserve], [70, 20]);
  assert.equal(budgetOf({ maxInputTokens: 90, retrievalReserve: 60 }).summaryReserve, 30);
  assert.throws(() => budgetOf({ maxInputTokens: 90, retrievalReserve: 91 }), {
    field: "budget.retrievalReserve",
    details: { field: "budget.retrievalReserve", inputAllowance: 90, reservedTokens: 91 },
  });
});

Deno.test("Anything but a plain object with known fields is refused by the name of the object", () => {
  const validates = [[toBudget, "budget"], [toCap, "cap"], [toRetrieval, "retrieval"], [
    toOptions,
    "options",
  ]] as const;
  for (const [validate, field] of validates) {
    for (const value of [null, 7, "x", [], { secret: 1 }]) {
      assert.throws(() => validate(value), { code: "CONTRACT", field });
    }
  }
  const sly = Object.defineProperty({}, "maxTokens", { enumerable: true, get: () => 35 });
  assert.throws(() => toCap(sly), { code: "CONTRACT", field: "cap.maxTokens" });
});
