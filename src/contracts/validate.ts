/** How what a caller hands in is validated: copied to plain JSON, then held against a schema, named by its field. */

import { jsonObjectFault } from "../canonical/json_object.ts";
import { copyPlain, type Json, type JsonPath, PlainFailure } from "../canonical/plain.ts";
import { isBlank } from "../canonical/text.ts";
import { type Instant, readDate, readInstant, TIME_RULE } from "../canonical/time.ts";
import { ContractError } from "../errors.ts";
import { JSON_VALUE_DEPTH_MAX } from "../limits.ts";
import { isBytes } from "./arguments.ts";
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
 * The names that contracts use. A path ends before any other name, since below that the keys are those of the caller's
 * own JSON. Only a key that stands where a field of a contract is expected is named, and only if it looks like a name.
 */
const CONTRACT_NAMES: ReadonlySet<string> = new Set([
  "alt arguments bytes chunkId chunkerVersion content contentIsNull coveredTurnIds createdAt data description",
  "effectiveAt encrypted end expiresAt filename format history historyFingerprint id isError json key mediaType",
  "messageHash messageId messages metadata name origin parametersJson parts policyVersion ref revision role scope",
  "sessionId signature source sources start tenantId text timestamp tokens toolCallId toolCalls turnId type url value",
].flatMap((names) => names.split(" ")));

/** A key that errors may show: it looks like a name, not like a text. */
const NAME_LIKE = /^[A-Za-z_$][\w$-]{0,63}$/;

/** Which argument a validated value is, for errors. */
export interface Argument {
  /** The path of the value itself; empty where its fields are named without a prefix, as in `turn({...})`. */
  readonly field: string;
  /** What the value is called where the path is empty. */
  readonly noun: string;
  /** The names of fields that errors may show; those of the contracts, unless others are given. */
  readonly names?: ReadonlySet<string>;
}

/**
 * Validates an argument, and returns what the schema makes of it. Fields that are `undefined` are absent.
 *
 * @throws {ContractError} naming the field, never the value
 */
export function validate<T>(schema: Schema<T>, value: unknown, place: Argument): T {
  return validatePlain(schema, copy(value, place), place);
}

/** The same for a value that is plain already. */
export function validatePlain<T>(schema: Schema<T>, value: unknown, place: Argument): T {
  try {
    return schema.read(value, []);
  } catch (error) {
    if (error instanceof Refused) throw refusalOf(place, error);
    throw error;
  }
}

function refusalOf(place: Argument, { path, rule, key }: Refused): ContractError {
  if (key === null) return refusal(place, path, rule);
  if (!NAME_LIKE.test(key)) return refusal(place, path, "must have no unknown field");
  const parent = pathText({ ...place, noun: "" }, path);
  const field = parent === "" ? key : `${parent}.${key}`;
  return new ContractError(field, `${field} ${rule}`);
}

/** The error for a place inside a validated value. */
export function refusal(place: Argument, path: JsonPath, rule: string): ContractError {
  const field = pathText(place, path);
  return new ContractError(field, `${field} ${rule}`);
}

function pathText({ field, noun, names = CONTRACT_NAMES }: Argument, path: JsonPath): string {
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

function copy(value: unknown, place: Argument): Json {
  try {
    return copyPlain(value, { undefinedIsAbsent: true, leaf });
  } catch (error) {
    if (error instanceof PlainFailure) throw refusal(place, error.path, error.rule);
    throw error;
  }
}

const DATES = new WeakMap<object, Instant>();

const BYTES = new WeakMap<object, Uint8Array>();

/**
 * A `Date` is carried through the copy as an empty object that only the time rule recognises, so that a `Date` passes
 * as a time and as nothing else; bytes likewise, copied. Turns, pins and summaries pass as they are: they were
 * validated when they were made.
 */
function leaf(value: object): Json | undefined {
  if (Discreet.isDiscreet(value)) return value as unknown as Json;
  if (isBytes(value)) {
    const carrier = Object.freeze({});
    BYTES.set(carrier, new Uint8Array(value));
    return carrier;
  }
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

/** Bytes, as a copy of their own. */
export const bytes: Schema<Uint8Array> = {
  read: (value, way) => {
    const copied = typeof value === "object" && value !== null ? BYTES.get(value) : undefined;
    if (copied !== undefined) return copied;
    throw new Refused([...way], "must be a Uint8Array");
  },
};

/** Plain JSON, frozen: no `Date`, no bytes, nothing that this module made. */
export const json: Schema<Json> = {
  read: (value, way) => {
    freezeJson(value, way);
    return value as Json;
  },
};

/** A plain object of JSON, frozen. */
export const jsonObject: Schema<{ readonly [key: string]: Json }> = {
  read: (value, way) => {
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    if (!isObject) throw new Refused([...way], "must be an object of plain JSON");
    return json.read(value, way) as { readonly [key: string]: Json };
  },
};

function freezeJson(value: unknown, way: (string | number)[], depth = 0): void {
  if (depth > JSON_VALUE_DEPTH_MAX) {
    throw new Refused([...way], `must be nested at most ${JSON_VALUE_DEPTH_MAX} deep`);
  }
  if (typeof value === "string" && !value.isWellFormed()) {
    throw new Refused([...way], "must be well-formed Unicode");
  }
  if (value === undefined || (typeof value === "number" && !Number.isFinite(value))) {
    throw new Refused([...way], "must be plain JSON");
  }
  if (typeof value !== "object" || value === null) return;
  if (DATES.has(value) || BYTES.has(value) || Discreet.isDiscreet(value)) {
    throw new Refused([...way], "must be plain JSON");
  }
  for (const key of Object.keys(value)) {
    if (!key.isWellFormed()) throw new Refused([...way], "must have well-formed keys");
    way.push(Array.isArray(value) ? Number(key) : key);
    freezeJson((value as Readonly<Record<string, unknown>>)[key], way, depth + 1);
    way.pop();
  }
  Object.freeze(value);
}

/** A time, as an instant. */
export const time: Schema<Instant> = {
  read: (value, way) => {
    const instant = typeof value === "string" ? readInstant(value) : DATES.get(value as object) ?? null;
    if (instant !== null) return instant;
    throw new Refused([...way], TIME_RULE);
  },
};
