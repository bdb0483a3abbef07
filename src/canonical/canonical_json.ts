/**
 * Canonical JSON, as the reference writes it: keys by code point, no spaces, integers of any size, floats in the
 * spelling of Python.
 */

import { ContractError } from "../errors.ts";
import { JSON_DEPTH_MAX } from "./plain.ts";
import { compareCodePoints } from "./text.ts";

/** A number that is written as a float even where it is whole: `0.0`, not `0`. */
export class Float {
  /** The number. */
  readonly value: number;

  /** Marks a number as a float. */
  constructor(value: number) {
    this.value = value;
  }
}

/**
 * What canonical JSON can say. A whole `number` or a `bigint` is an integer, any other `number` and every
 * {@linkcode Float} is a float.
 */
export type CanonicalValue =
  | null
  | boolean
  | string
  | number
  | bigint
  | Float
  | readonly CanonicalValue[]
  | CanonicalObject;

/** An object of canonical JSON. */
export interface CanonicalObject {
  readonly [key: string]: CanonicalValue;
}

/**
 * The canonical JSON of a value. What a caller handed in goes through `copyPlain` first: getters would run here.
 *
 * @throws {ContractError} naming `field`, for a number that is not finite, ill-formed text, anything that is not JSON,
 * and nesting beyond `JSON_DEPTH_MAX`
 */
export function canonicalJson(value: CanonicalValue, field = "value"): string {
  const text = write(value, 0);
  if (text === null) {
    const rule = `must be valid JSON with valid Unicode, nested at most ${JSON_DEPTH_MAX} deep`;
    throw new ContractError(field, `${field} ${rule}`);
  }
  return text;
}

/**
 * A text as a JSON string.
 *
 * @throws {ContractError} where it is ill-formed
 */
export function quote(text: string): string {
  return text.isWellFormed() ? JSON.stringify(text) : canonicalJson(text, "text");
}

/** A text as JSON, or null where it is ill-formed. For well-formed text `JSON.stringify` is canonical. */
function writeText(text: string): string | null {
  return text.isWellFormed() ? JSON.stringify(text) : null;
}

/** The canonical text, or null where there is none. */
function write(value: unknown, depth: number): string | null {
  switch (typeof value) {
    case "string":
      return writeText(value);
    case "number":
      return Number.isInteger(value) ? integerText(value) : floatText(value);
    case "bigint":
      return String(value);
    case "boolean":
      return value ? "true" : "false";
    case "object":
      if (value === null) return "null";
      if (value instanceof Float) return floatText(value.value);
      if (depth >= JSON_DEPTH_MAX) return null;
      return Array.isArray(value) ? writeArray(value, depth + 1) : writeObject(value, depth + 1);
    default:
      return null;
  }
}

function writeArray(items: readonly unknown[], depth: number): string | null {
  let text = "[";
  for (let index = 0; index < items.length; index++) {
    const item = write(items[index], depth);
    if (item === null) return null;
    text += index === 0 ? item : `,${item}`;
  }
  return `${text}]`;
}

function writeObject(value: object, depth: number): string | null {
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return null;
  const fields = value as Readonly<Record<string, unknown>>;
  let text = "";
  for (const key of Object.keys(value).sort(compareCodePoints)) {
    const name = writeText(key);
    const field = write(fields[key], depth);
    if (name === null || field === null) return null;
    text += `${text === "" ? "" : ","}${name}:${field}`;
  }
  return `{${text}}`;
}

/** A whole number in plain decimal, exactly; -0 is 0. */
function integerText(value: number): string {
  return Number.isSafeInteger(value) ? String(value) : String(BigInt(value));
}

/**
 * A float in the spelling of Python's `repr`, or null where it is not finite. Both languages write the shortest digits
 * that read back as the same number; they differ in when an exponent is used, and how it is padded.
 */
function floatText(value: number): string | null {
  if (!Number.isFinite(value)) return null;
  if (Object.is(value, -0)) return "-0.0";
  const magnitude = Math.abs(value);
  if (magnitude === 0 || (magnitude >= 1e-4 && magnitude < 1e16)) {
    return Number.isInteger(value) ? `${value}.0` : String(value);
  }
  const [digits, exponent = ""] = value.toExponential().split("e");
  return `${digits}e${exponent.charAt(0)}${exponent.slice(1).padStart(2, "0")}`;
}
