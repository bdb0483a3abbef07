/**
 * Writes canonical JSON as the reference does. Keys are sorted by code point, there are no spaces, integers have any size,
 * and floats are spelled as in Python.
 */

import { ContractError } from "../errors.ts";
import { JSON_DEPTH_MAX } from "./plain.ts";
import { compareCodePoints } from "./text.ts";

/** A number that is written as a float even if it is whole: `0.0`, not `0`. */
export class Float {
  /** The number. */
  readonly value: number;

  /** Wraps a number. */
  constructor(value: number) {
    this.value = value;
  }
}

/**
 * A value that canonical JSON can represent. A whole `number` or a `bigint` is an integer; any other `number` and
 * every {@linkcode Float} is a float.
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

/** An object in canonical JSON. */
export interface CanonicalObject {
  readonly [key: string]: CanonicalValue;
}

/**
 * Writes a value as canonical JSON. Copy a caller's value with `copyPlain` first: this function would run its getters.
 *
 * @throws {ContractError} that names `field`: a number is not finite, a text is ill-formed, something is not JSON, or
 * the nesting is deeper than `JSON_DEPTH_MAX`
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
 * Writes a text as a JSON string.
 *
 * @throws {ContractError} if the text is ill-formed
 */
export function quote(text: string): string {
  return text.isWellFormed() ? JSON.stringify(text) : canonicalJson(text, "text");
}

/** Writes a text, or returns null if it is ill-formed. `JSON.stringify` is canonical for well-formed text. */
function writeText(text: string): string | null {
  return text.isWellFormed() ? JSON.stringify(text) : null;
}

/** Writes a value, or returns null if canonical JSON cannot represent it. */
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

/** Writes a whole number exactly, in plain decimal digits; -0 becomes 0. */
function integerText(value: number): string {
  return Number.isSafeInteger(value) ? String(value) : String(BigInt(value));
}

/**
 * Writes a float as Python's `repr` does, or returns null if it is not finite. Both languages write the shortest digits
 * that read back as the same number. They differ in when they use an exponent, and in how they pad it.
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
