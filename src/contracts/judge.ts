/** How what a caller hands in is judged: copied to plain JSON, then held against a schema, named by its field. */

import { z } from "zod/mini";
import { jsonObjectFault } from "../canonical/json_object.ts";
import { copyPlain, type Json, type JsonPath, PlainFailure } from "../canonical/plain.ts";
import { isBlank } from "../canonical/text.ts";
import { type Instant, readDate, readInstant, TIME_RULE } from "../canonical/time.ts";
import { ContractError } from "../errors.ts";
import { Discreet } from "./discreet.ts";

/**
 * The names that contracts use. A path ends before any other name: an unexpected field is reported by its parent,
 * because its name is the caller's text.
 */
const CONTRACT_NAMES: ReadonlySet<string> = new Set([
  "argumentsJson callId chunkId chunkerVersion content coveredTurnIds createdAt description effectiveAt end expiresAt",
  "history historyFingerprint key messageHash messageId messages name origin parametersJson policyVersion revision role",
  "scope sessionId source sources start tenantId timestamp toolCallId toolCalls turnId value",
].flatMap((names) => names.split(" ")));

/** Where a judged value stands. */
export interface Place {
  /** The path of the value itself; empty where its fields are named without a prefix, as in `turn({...})`. */
  readonly field: string;
  /** What the value is called where the path is empty. */
  readonly noun: string;
  /** The names of fields that errors may show; those of the contracts, unless others are given. */
  readonly names?: ReadonlySet<string>;
}

/**
 * Judges what a caller handed in, and gives what the schema makes of it. Fields that are `undefined` are absent.
 *
 * @throws {ContractError} naming the field, never the value
 */
export function judge<T>(schema: Schema<T>, value: unknown, place: Place): T {
  return judgePlain(schema, copy(value, place), place);
}

/** The same for a value that is plain already. */
export function judgePlain<T>(schema: Schema<T>, value: unknown, place: Place): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw refusal(place, (issue?.path ?? []) as JsonPath, issue?.message ?? "is not valid");
}

/** The error for a place inside a judged value. */
export function refusal(place: Place, path: JsonPath, rule: string): ContractError {
  const field = pathText(place, path);
  return new ContractError(field, `${field} ${rule}`);
}

function pathText({ field, noun, names = CONTRACT_NAMES }: Place, path: JsonPath): string {
  let text = field;
  for (const step of path) {
    if (typeof step === "number") {
      text += `[${step}]`;
    } else {
      if (!names.has(step)) break;
      text += text === "" ? step : `.${step}`;
    }
  }
  return text === "" ? noun : text;
}

function copy(value: unknown, place: Place): Json {
  try {
    return copyPlain(value, { undefinedIsAbsent: true, leaf });
  } catch (error) {
    if (error instanceof PlainFailure) throw refusal(place, error.path, error.rule);
    throw error;
  }
}

const DATES = new WeakMap<object, Instant>();

/**
 * A `Date` is carried through the copy as an empty object that only the time rule recognises, so that a `Date` passes
 * as a time and as nothing else. Turns, pins and summaries pass as they are: they were judged when they were made.
 */
function leaf(value: object): Json | undefined {
  if (Discreet.isDiscreet(value)) return value as unknown as Json;
  const instant = readDate(value);
  return instant === null ? undefined : carried(instant);
}

/** An instant in a form that {@linkcode time} takes. */
export function carried(instant: Instant): Json {
  const carrier = Object.freeze({});
  DATES.set(carrier, instant);
  return carrier;
}

/** A broken rule: where, from the judged value, and what must hold. */
export type Fault = readonly [path: readonly (string | number)[], rule: string];

/** A schema that gives a `T`. */
export type Schema<T> = z.ZodMiniType<T>;

/** A schema with one more rule, which looks at the whole value and gives the first fault. */
export function ruled<T>(schema: Schema<T>, faultOf: (value: T) => Fault | null): Schema<T> {
  return schema.check((context) => {
    const fault = faultOf(context.value);
    if (fault === null) return;
    const [path, message] = fault;
    context.issues.push({ code: "custom", input: context.value, path: [...path], message });
  });
}

/** A schema whose value is made into something else once it is good. */
export function made<T, U>(schema: Schema<T>, make: (value: T) => U): Schema<U> {
  return z.pipe(schema, z.transform((value: T) => make(value)));
}

/** A field that may be absent; `undefined` and `null` count as absent. */
export function absent<T>(schema: Schema<T>): z.ZodMiniOptional<z.ZodMiniNullable<Schema<T>>> {
  return z.nullish(schema);
}

/** Text that may be empty. */
export const anyText: Schema<string> = ruled(
  z.string({ error: "must be text" }),
  (value) => value.isWellFormed() ? null : [[], "must be well-formed Unicode"],
);

/** Text that is not blank. */
export const text: Schema<string> = ruled(
  z.string({ error: "must be text" }),
  (value) =>
    value.isWellFormed()
      ? isBlank(value) ? [[], "must not be blank"] : null
      : [[], "must be well-formed Unicode"],
);

/** The text of a JSON object. */
export const jsonObjectText: Schema<string> = ruled(z.string({ error: "must be text" }), (value) => {
  const rule = jsonObjectFault(value);
  return rule === null ? null : [[], rule];
});

/** A whole number of at least `minimum`. */
export function wholeNumber(minimum: number): Schema<number> {
  const rule = `must be a whole number of at least ${minimum}`;
  return z.int({ error: rule }).check(z.minimum(minimum, { error: rule }));
}

/** A time, as an instant. */
export const time: Schema<Instant> = z.pipe(
  z.unknown(),
  z.transform((value, context): Instant => {
    const instant = typeof value === "string" ? readInstant(value) : DATES.get(value as object) ?? null;
    if (instant !== null) return instant;
    context.issues.push({ code: "custom", input: value, message: TIME_RULE });
    return z.NEVER;
  }),
);

/** An object with exactly these fields. */
export function fields<S extends z.core.$ZodShape>(shape: S): z.ZodMiniObject<S, z.core.$strict> {
  return z.strictObject(shape, {
    error: (issue) => issue.code === "unrecognized_keys" ? "must have no unknown field" : "must be an object",
  });
}

/** A list of items. */
export function list<T>(item: Schema<T>): Schema<T[]> {
  return z.array(item, { error: "must be a list" });
}
