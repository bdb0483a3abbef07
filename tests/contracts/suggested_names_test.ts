/** An option under a name that no call has is refused with the name that is probably meant. */

import assert from "node:assert/strict";
import * as holdfast from "@holdfast/memory";
import { Scratch } from "../files/scratch.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { readFields } from "../../src/contracts/arguments.ts";
import { publicCalls, setStage } from "./public_calls.ts";

/** The options of a call, the name that was given, and what is suggested; null where nothing is near. */
const NAMES: readonly (readonly [known: readonly string[], given: string, meant: string | null])[] = [
  [["topK", "profile", "retrieval", "damaged", "signal"], "topk", "topK"],
  [["topK", "profile", "retrieval", "damaged", "signal"], "top_k", "topK"],
  [["topK", "profile", "retrieval", "damaged", "signal"], "k", "topK"],
  [["topK", "profile", "retrieval", "damaged", "signal"], "limit", "topK"],
  [["snapshot", "last", "after", "damaged", "signal"], "limit", "last"],
  [["kind", "after", "limit", "now", "signal"], "cursor", "after"],
  [["ttl", "expiresAt", "signal"], "expires_at", "expiresAt"],
  [["ttl", "expiresAt", "signal"], "expires", "expiresAt"],
  [["ttl", "expiresAt", "signal"], "ttls", "ttl"],
  [["ttl", "expiresAt", "signal"], "singal", "signal"],
  [["ttl", "expiresAt", "signal"], "abortSignal", "signal"],
  [["operationId", "expectedRevision"], "operationID", "operationId"],
  [["operationId", "expectedRevision"], "idempotencyKey", "operationId"],
  [["operationId", "expectedRevision"], "revision", "expectedRevision"],
  [["maxInputTokens", "maxOutputTokens"], "max_tokens", "maxInputTokens"],
  [["maxInputTokens", "maxOutputTokens"], "maxInputToken", "maxInputTokens"],
  [["tenantId", "sessionId"], "thread_id", "sessionId"],
  [["ttl", "expiresAt", "signal"], "colour", null],
  [["ttl", "expiresAt", "signal"], "tt", null],
  [["ttl", "expiresAt", "signal"], "constructor", null],
  [["ttl", "expiresAt", "signal"], "__proto__", null],
  [["ttl", "expiresAt", "signal"], `t${"_".repeat(40)}tl`, null],
];

for (const [known, given, meant] of NAMES) {
  const title = meant === null ? "suggests nothing" : `suggests ${meant}`;
  Deno.test(`An unknown option ${given.slice(0, 20)} ${title} of ${known.join(", ")} (NAM-01)`, () => {
    const options = JSON.parse(`{ ${JSON.stringify(given)}: "secret" }`);
    const message = meant === null
      ? `Expected options to have no other fields than ${known.join(", ")}`
      : `${given} is not an option; did you mean ${meant}?`;
    assert.throws(() => readFields("options", options, known), {
      code: "CONTRACT",
      field: "options",
      message,
    });
  });
}

Deno.test("A field of any other object is suggested as a field of it (NAM-01)", () => {
  assert.throws(() => readFields("budget", { max_input_tokens: 9 }, ["maxInputTokens"]), {
    field: "budget",
    message: "max_input_tokens is not a field of budget; did you mean maxInputTokens?",
  });
});

/** Whether a value is a plain object. */
function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

Deno.test("Every options object of every public call suggests its own names (NAM-01)", async () => {
  using scratch = new Scratch();
  const stage = await setStage(scratch.at("agent.db"));
  await using _memory = stage.memory;
  const silent: string[] = [];
  let suggested = 0;
  for (const { name, given, call } of publicCalls(stage)) {
    const options = given.at(-1);
    if (given.length < 2 || !isPlain(options) || name === "Memory.verifyReceipt") continue;
    for (const option of Object.keys(options)) {
      const snake = option.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      const misspelled = snake === option ? `${option}_` : snake;
      const { [option]: value, ...rest } = options;
      const spoiled = [...given.slice(0, -1), { ...rest, [misspelled]: value }];
      const error = await Promise.try(call as never, ...spoiled).catch((thrown: unknown) => thrown);
      const says = `${misspelled} is not an option; did you mean ${option}?`;
      if (error instanceof holdfast.ContractError && error.message === says) suggested++;
      else silent.push(`${name}, ${misspelled}: ${error}`);
    }
  }
  assert.deepEqual(silent, []);
  assert(suggested > 60, `${suggested} suggestions`);
});

testThatNothingIsLeftOpen();
