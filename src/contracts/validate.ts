/** How what a caller hands in is validated: copied to plain JSON, then held against a schema, named by its field. */

import { jsonObjectFault } from "../canonical/json_object.ts";
import { copyPlain, type Json, type JsonPath, PlainFailure } from "../canonical/plain.ts";
import { isBlank } from "../canonical/text.ts";
import { type Instant, readDate, readInstant, TIME_RULE } from "../canonical/time.ts";
import { ContractError } from "../errors.ts";
import { Discreet } from "./discreet.ts";
import { refine, Refused, type Schema, string } from "./schema.ts";

export {
  anything,
  type Fault,
  fields,
  integer,
  list,
  oneOf,
  optional,
  refine,
  type Schema,
  transform,
} from "./schema.ts";

/**
 * The names that contracts use. A path ends before any other name: an unexpected field is reported by its parent,
 * because its name is the caller's text.
 */
const CONTRACT_NAMES: ReadonlySet<string> = new Set([
  "arguments chunkId chunkerVersion content coveredTurnIds createdAt description effectiveAt end expiresAt",
  "history historyFingerprint id key messageHash messageId messages name origin parametersJson policyVersion revision role",
  "scope sessionId source sources start tenantId timestamp toolCallId toolCalls turnId value",
].flatMap((names) => names.split(" ")));

/** Where a validated value stands. */
export interface Place {
  /** The path of the value itself; empty where its fields are named without a prefix, as in `turn({...})`. */
  readonly field: string;
  /** What the value is called where the path is empty. */
  readonly noun: string;
  /** The names of fields that errors may show; those of the contracts, unless others are given. */
  readonly names?: ReadonlySet<string>;
}

/**
 * Validates what a caller handed in, and gives what the schema makes of it. Fields that are `undefined` are absent.
 *
 * @throws {ContractError} naming the field, never the value
 */
export function validate<T>(schema: Schema<T>, value: unknown, place: Place): T {
  return validatePlain(schema, copy(value, place), place);
}

/** The same for a value that is plain already. */
export function validatePlain<T>(schema: Schema<T>, value: unknown, place: Place): T {
  try {
    return schema.read(value, []);
  } catch (error) {
    if (error instanceof Refused) throw refusal(place, error.path, error.rule);
    throw error;
  }
}

/** The error for a place inside a validated value. */
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
 * as a time and as nothing else. Turns, pins and summaries pass as they are: they were validated when they were made.
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

/** Text that may be empty. */
export const anyText: Schema<string> = refine(
  string,
  (value) => value.isWellFormed() ? null : [[], "must be well-formed Unicode"],
);

/** Text that is not blank. */
export const text: Schema<string> = refine(
  string,
  (value) =>
    value.isWellFormed()
      ? isBlank(value) ? [[], "must not be blank"] : null
      : [[], "must be well-formed Unicode"],
);

/**
 * Text that names something: SQLite cuts text at the first U+0000 when it is read back, so a name that held one could be
 * written and never read again. What payloads hold is escaped, and free of that.
 */
export const name: Schema<string> = refine(
  text,
  (value) => value.includes("\0") ? [[], "must not hold U+0000"] : null,
);

/** The text of a JSON object. */
export const jsonObjectText: Schema<string> = refine(string, (value) => {
  const rule = jsonObjectFault(value);
  return rule === null ? null : [[], rule];
});

/** A time, as an instant. */
export const time: Schema<Instant> = {
  read: (value, way) => {
    const instant = typeof value === "string" ? readInstant(value) : DATES.get(value as object) ?? null;
    if (instant !== null) return instant;
    throw new Refused([...way], TIME_RULE);
  },
};
