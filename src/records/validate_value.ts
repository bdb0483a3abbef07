/** Validates a value by its kind: plain JSON, which the schema accepts and does not change; and encodes it as stored. */

import { copyPlain, type Json, type JsonPath, PlainFailure } from "../canonical/plain.ts";
import { compareCodePoints } from "../canonical/text.ts";
import {
  type RecordKind,
  ruleOf,
  type StandardIssue,
  type StandardResult,
  type StandardSchema,
} from "../contracts/record_kind.ts";
import { isInstance } from "../contracts/arguments.ts";
import { ContractError } from "../errors.ts";

/** Copies and validates a caller's value; returns the text to store. */
export function toBody(kind: RecordKind, value: unknown): string {
  const plain = toPlain(kind, value);
  const { misfit, returned } = validate(kind, plain);
  if (misfit !== null) {
    const { field, why } = misfit;
    throw new ContractError(field, `Expected ${field} to fit the kind ${kind.name}${why}`);
  }
  if (!isSame(returned, plain)) {
    throw new ContractError(
      "value",
      `Expected the schema of the kind ${kind.name} to keep values unchanged: no dropped fields, no defaults, no coercion`,
    );
  }
  const body = encodeBody(plain);
  if (body.length > kind.maxBytes) {
    throw new ContractError("value", `Expected value to be at most ${kind.maxBytes} bytes as stored`, {
      details: { maximum: kind.maxBytes, bytes: body.length },
    });
  }
  return body;
}

function toPlain(kind: RecordKind, value: unknown): Json {
  try {
    return copyPlain(value);
  } catch (error) {
    if (!(error instanceof PlainFailure)) throw error;
    const field = fieldOf(kind.schema, error.path);
    throw new ContractError(field, `Cannot store ${field}: it ${error.rule}`);
  }
}

/** The field that does not fit. */
interface Misfit {
  readonly field: string;
  /** The rule that it breaks, as a word. */
  readonly rule: string;
  /** The rule, as the end of a sentence. */
  readonly why: string;
}

/** What a schema says of a value. */
interface Verdict {
  /** Null where the value fits. */
  readonly misfit: Misfit | null;
  /** What the schema returned as the value. */
  readonly returned: unknown;
}

/**
 * Validates plain JSON by the schema of a kind.
 *
 * @throws {ContractError} if the schema throws, is asynchronous, or returns neither a value nor issues
 */
export function validate(kind: RecordKind, plain: Json): Verdict {
  let result: unknown;
  try {
    result = kind.schema["~standard"].validate(plain);
  } catch (cause) {
    throw new ContractError("value", `The schema of the kind ${kind.name} threw`, { cause });
  }
  if (isInstance(result, Promise)) {
    Promise.prototype.catch.call(result, () => {});
    throw new ContractError("value", `Expected the schema of the kind ${kind.name} to be synchronous`);
  }
  try {
    return readResult(kind, result as StandardResult<unknown>);
  } catch (cause) {
    const message = `Expected the schema of the kind ${kind.name} to return its value or its issues`;
    throw new ContractError("value", message, { cause });
  }
}

/** Reads what a schema returned, which is the caller's: any of it may throw. */
function readResult(kind: RecordKind, result: StandardResult<unknown>): Verdict {
  if (typeof result !== "object") throw new TypeError("Not an object");
  if (result.issues === undefined) return { misfit: null, returned: result.value };
  const [issue] = result.issues;
  if (issue === undefined) {
    return { misfit: { field: "value", rule: "schema", why: "" }, returned: undefined };
  }
  const misfit = { field: fieldOf(kind.schema, pathOf(issue)), ...whyOf(kind, issue) };
  return { misfit, returned: undefined };
}

/** How the code of an issue looks where it is a name, such as zod's `too_big`; anything else may be content. */
const CODE = /^[a-z][a-z0-9_.]{0,39}$/i;

/** The rule that was broken: ours in words, that of a caller's schema by the code that some libraries give their issues. */
function whyOf(kind: RecordKind, issue: StandardIssue): Pick<Misfit, "rule" | "why"> {
  const ours = ruleOf(kind, issue);
  if (ours !== null) return { rule: "schema", why: `: it ${ours}` };
  const { code } = issue as { readonly code?: unknown };
  return typeof code === "string" && CODE.test(code)
    ? { rule: code, why: `: ${code}` }
    : { rule: "schema", why: "" };
}

/** Compares the validated value with the argument. A schema that adds defaults or coerces would change it. */
function isSame(validated: unknown, plain: Json): boolean {
  try {
    return equals(validated, plain);
  } catch {
    return false; // a proxy or a getter
  }
}

function equals(validated: unknown, plain: Json): boolean {
  if (validated === plain) return true;
  if (typeof validated !== "object" || typeof plain !== "object" || validated === null || plain === null) {
    return false;
  }
  if (Array.isArray(validated) !== Array.isArray(plain)) return false;
  const keys = Object.keys(plain);
  if (Object.keys(validated).length !== keys.length) return false;
  const [left, right] = [validated as Record<string, unknown>, plain as Record<string, Json>];
  return keys.every((key) => Object.hasOwn(left, key) && equals(left[key], right[key]!));
}

function pathOf(issue: StandardIssue): JsonPath {
  return (issue.path ?? []).map((segment) => {
    const key = typeof segment === "object" ? segment.key : segment;
    return typeof key === "number" ? key : String(key);
  });
}

/** The structure that zod's schemas expose. Other libraries expose none; then errors name only `value`. */
interface Inspectable {
  readonly def?: {
    readonly innerType?: unknown;
    readonly options?: readonly unknown[];
    readonly left?: unknown;
    readonly right?: unknown;
    readonly element?: unknown;
    readonly items?: readonly unknown[];
    readonly shape?: Readonly<Record<string, unknown>>;
  };
}

/**
 * A path in a value as a field name. A caller's own keys can be content, so only names that the schema declares are used;
 * the path ends before the first that it does not.
 */
function fieldOf(schema: StandardSchema<unknown>, path: JsonPath): string {
  let field = "value";
  let nodes = alternativesOf([schema]);
  for (const segment of path) {
    const next = [...nodes].map((node) => childOf(node, segment)).filter((node) => node !== undefined);
    if (next.length === 0) break;
    field += typeof segment === "number" ? `[${segment}]` : `.${segment}`;
    nodes = alternativesOf(next);
  }
  return field;
}

/** Schemas looked through for a name: a union has several, each of which may be a union again. */
const ALTERNATIVES_MAX = 100;

/** The schemas that a value may follow: what optional ones, unions and intersections are made of. */
function alternativesOf(schemas: readonly unknown[]): ReadonlySet<Inspectable> {
  const all = new Set(schemas.filter(isInspectable));
  for (const { def } of all) {
    if (all.size > ALTERNATIVES_MAX) break;
    const options = Array.isArray(def?.options) ? def.options : [];
    for (const each of [def?.innerType, ...options, def?.left, def?.right]) {
      if (isInspectable(each)) all.add(each);
    }
  }
  return all;
}

function isInspectable(schema: unknown): schema is Inspectable {
  return typeof schema === "object" && schema !== null || typeof schema === "function";
}

/** The schema of an item or field; undefined where the schema declares none. */
function childOf({ def }: Inspectable, segment: string | number): unknown {
  if (typeof segment === "number") return def?.element ?? def?.items?.[segment];
  return def?.shape !== undefined && Object.hasOwn(def.shape, segment) ? def.shape[segment] : undefined;
}

const NOT_ASCII = /[^\p{ASCII}]/u;
const EACH_NOT_ASCII = /[^\p{ASCII}]/gu;

/**
 * Encodes plain JSON as the stored text: sorted keys, every non-ASCII code unit escaped, separators ", " and ": ". It is ASCII,
 * so its length is its size in bytes.
 */
export function encodeBody(value: Json): string {
  if (value === null || typeof value !== "object") return encodeLeaf(value);
  if (isList(value)) return `[${value.map(encodeBody).join(", ")}]`;
  const fields = Object.keys(value).sort(compareCodePoints)
    .map((key) => `${encodeLeaf(key)}: ${encodeBody(value[key]!)}`);
  return `{${fields.join(", ")}}`;
}

function isList(value: readonly Json[] | { readonly [key: string]: Json }): value is readonly Json[] {
  return Array.isArray(value);
}

function encodeLeaf(value: null | boolean | number | string): string {
  const text = JSON.stringify(value);
  return NOT_ASCII.test(text) ? text.replace(EACH_NOT_ASCII, escapeCharacter) : text;
}

function escapeCharacter(character: string): string {
  let escaped = "";
  for (let index = 0; index < character.length; index++) {
    escaped += `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`;
  }
  return escaped;
}
