/** Reads what a protocol handed over: plain JSON, with bytes and addresses as they are. */

import type { Json } from "../canonical/plain.ts";
import { ContractError } from "../errors.ts";
import { encodeBase64 } from "./base64.ts";
import { isObject } from "./difference.ts";

/** An object of a protocol, its fields not looked at yet. */
export type Item = Readonly<Record<string, unknown>>;

/** Nesting that is still read: as deep as any JSON that a store keeps, and what stands around it. */
const DEPTH_MAX = 128;

/**
 * The items of a list as JSON: objects all of them.
 *
 * @throws {ContractError} naming the path of what is not
 */
export function readJsonItems(field: string, value: unknown): Item[] {
  return readItems(field, value).map((item) => jsonOf(item) as Item);
}

/** The same with bytes and addresses as they are. */
export function readItems(field: string, value: unknown): Item[] {
  if (!Array.isArray(value)) throw new ContractError(field, `Expected ${field} to be a list of messages`);
  return value.map((item, index) => {
    const copy = copied(`${field}[${index}]`, item, 0);
    if (isObject(copy)) return copy;
    throw new ContractError(`${field}[${index}]`, `Expected ${field}[${index}] to be an object`);
  });
}

/** A copy as JSON has it: what is `undefined` or a function is left out. Bytes and addresses stay as they are. */
function copied(field: string, value: unknown, depth: number): unknown {
  if (depth > DEPTH_MAX) {
    throw new ContractError(field, `Expected ${field} to be nested at most ${DEPTH_MAX} deep`);
  }
  if (value instanceof ArrayBuffer) return new Uint8Array(value.slice(0));
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (value instanceof URL) return value;
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number") return Number.isFinite(value) ? value + 0 : null;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => copied(field, item, depth + 1) ?? null);
  if ("toJSON" in value && typeof value.toJSON === "function") {
    return copied(field, value.toJSON(), depth + 1);
  }
  const entries = Object.entries(value).map(([name, inner]) =>
    [name, copied(field, inner, depth + 1)] as const
  );
  return Object.fromEntries(
    entries.filter(([, inner]) =>
      inner !== undefined && typeof inner !== "function" && typeof inner !== "symbol"
    ),
  );
}

/** What was copied, as JSON: bytes as base64, addresses as text. */
export function jsonOf(value: unknown): Json {
  if (value instanceof Uint8Array) return encodeBase64(value);
  if (value instanceof URL) return value.href;
  if (Array.isArray(value)) return value.map(jsonOf);
  if (!isObject(value)) return value as Json;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, jsonOf(inner)]));
}

/** Text that may name something: not blank. */
export function isName(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}
