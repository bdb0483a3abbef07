/** Reads what a protocol handed over: plain JSON, with bytes and addresses as they are. */

import { type Json, JSON_DEPTH_MAX } from "../canonical/plain.ts";
import { isBlank } from "../canonical/text.ts";
import { ContractError } from "../errors.ts";
import { encodeBase64 } from "../canonical/base64.ts";
import { isObject } from "./difference.ts";

/** An object of a protocol, its fields not looked at yet. */
export type Item = Readonly<Record<string, unknown>>;

/** Values in one item: stops shared references from unfolding without end, as in every other argument. */
const ITEM_VALUES_MAX = 1_000_000;

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
    const copy = copied(`${field}[${index}]`, item);
    if (isObject(copy)) return copy;
    throw new ContractError(`${field}[${index}]`, `Expected ${field}[${index}] to be an object`);
  });
}

/** A copy as `JSON.stringify` would see it, but for bytes and addresses, which stay as they are. */
export function copied(field: string, given: unknown): unknown {
  let count = 0;
  const copy = (value: unknown, depth: number): unknown => {
    if (depth > JSON_DEPTH_MAX) {
      throw new ContractError(field, `Expected ${field} to be nested at most ${JSON_DEPTH_MAX} deep`);
    }
    if (++count > ITEM_VALUES_MAX) {
      throw new ContractError(field, `Expected ${field} to hold at most ${ITEM_VALUES_MAX} values`);
    }
    if (typeof value === "bigint") return String(value);
    if (typeof value === "number") return Number.isFinite(value) ? value + 0 : null;
    if (typeof value === "function" || typeof value === "symbol") return undefined;
    if (typeof value !== "object" || value === null || value instanceof URL) return value;
    if (value instanceof ArrayBuffer) return new Uint8Array(value.slice(0));
    if (value instanceof Uint8Array) return new Uint8Array(value);
    if (Array.isArray(value)) return value.map((item) => copy(item, depth + 1) ?? null);
    if ("toJSON" in value && typeof value.toJSON === "function") return copy(value.toJSON(), depth + 1);
    const fields = Object.entries(value).map(([name, inner]) => [name, copy(inner, depth + 1)] as const);
    return Object.fromEntries(fields.filter(([, inner]) => inner !== undefined));
  };
  return copy(given, 0);
}

/** What was copied, as JSON: bytes as base64, addresses as text. */
export function jsonOf(value: unknown): Json {
  if (value instanceof Uint8Array) return encodeBase64(value);
  if (value instanceof URL) return value.href;
  if (Array.isArray(value)) return value.map(jsonOf);
  if (!isObject(value)) return value as Json;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, jsonOf(inner)]));
}

/** What was written, as a copy that the caller may change: what a store reads back is frozen. Bytes are shared. */
export function unshared<T>(written: unknown): T {
  if (Array.isArray(written)) return written.map(unshared) as T;
  if (!isObject(written)) return written as T;
  return Object.fromEntries(Object.entries(written).map(([name, inner]) => [name, unshared(inner)])) as T;
}

/** Text that may name something: not blank. */
export function isName(value: unknown): value is string {
  return typeof value === "string" && !isBlank(value);
}
