/** The golden jobs of the reference, and the small counter with which their values were computed. */

import type { AssembleContextInput } from "../../src/context/assemble_context.ts";
import { frozenSummary } from "../../src/context/summary_policy.ts";
import type { TokenCounter } from "../../src/context/counting/token_counter.ts";
import { FOURS } from "../../src/testing/searches/fours_counter.ts";
import { pin } from "../../src/contracts/pin.ts";
import { toSummary } from "../../src/contracts/summary.ts";
import { turn } from "../../src/contracts/turn.ts";

/** The counter of the golden values: four letters or four spaces are a token, and so is any other character. */
export const STUB4: TokenCounter = FOURS;

/** A golden job and its result, in the format of the vectors. */
export interface GoldenCase {
  readonly job: Record<string, unknown> & { readonly name: string };
  readonly result: Record<string, unknown>;
}

/** The golden values of the reference. */
export interface Vectors {
  readonly assemble: readonly GoldenCase[];
  readonly count_text: readonly { readonly text: string; readonly tokens: number }[];
  readonly lexical_tokens: readonly { readonly text: string; readonly tokens: readonly string[] }[];
  readonly ceil: readonly { serialized: number; overhead: number; factor: number; estimated: number }[];
  readonly cap: readonly { readonly text: string; readonly result: string }[];
  readonly bm25: { corpus: string[][]; query: string[]; scores: string[]; idf: Record<string, string> };
  readonly chunks_4_1_of_t1: readonly {
    id: string;
    message: string;
    start: number;
    end: number;
    text: string;
  }[];
  readonly canonical: readonly { readonly name: string; readonly text: string }[];
}

/** Reads the vectors. */
export function readVectors(): Vectors {
  return JSON.parse(Deno.readTextFileSync(new URL("../vectors/conversation.json", import.meta.url)));
}

/** Field of the vectors → our name, if it is not the same name in camelCase. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ["call_id", "id"],
  ["arguments_json", "arguments"],
  ["input_cap", "maxInputTokens"],
  ["model_capacity", "contextWindow"],
  ["completion_reservation", "maxOutputTokens"],
]);

/** Renames every field of a value to our name; does not change the contents of strings. */
export function camelCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelCased);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [
      NAMES.get(key) ?? key.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase()),
      camelCased(field),
    ]),
  );
}

type Fields = Record<string, unknown>;

/** Returns a job as the input of `assembleContext`. */
export function inputOf(job: GoldenCase["job"]): AssembleContextInput {
  const fields = camelCased(job) as Fields & { history: Fields[]; pins: Fields[]; summary: Fields | null };
  const { history, pins, summary } = fields;
  return {
    scope: fields.scope,
    history: history.map((item) => turn(item as unknown as Parameters<typeof turn>[0])),
    question: fields.question,
    pins: pins.map((item) => pin(item as unknown as Parameters<typeof pin>[0])),
    budget: fields.budget,
    cap: fields.cap,
    retrieval: fields.retrieval,
    options: fields.options,
    tools: fields.tools,
    system: fields.system,
    at: fields.at,
    profile: "reference",
    counting: { counter: STUB4 },
    ...(summary === null ? {} : { summaryPolicy: frozenSummary(toSummary(summary)) }),
  } as AssembleContextInput;
}
