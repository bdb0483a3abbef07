/** JSON objects as text: what callers hand in (tool arguments and parameters), and what was stored. */

import { IntegrityError } from "../errors.ts";
import { canonicalJson, type CanonicalObject, type CanonicalValue } from "./canonical_json.ts";
import { readStrictJson, StrictJsonFailure } from "./strict_json.ts";
import { isBlank } from "./text.ts";
import { exceedsBytes } from "./utf8.ts";

/** UTF-8 bytes of one stored payload: the reference's bound. */
export const PAYLOAD_BYTES_MAX = 1_000_000;

/** The rule that a text breaks as the text of a JSON object ("must …"), or null where it is one. */
export function jsonObjectFault(text: string): string | null {
  const object = readObject(text);
  return typeof object === "string" ? object : null;
}

/** The canonical form of the text of a JSON object; null where it is none. */
export function canonicalJsonObject(text: string): string | null {
  const object = readObject(text);
  return typeof object === "string" ? null : canonicalJson(object);
}

/**
 * Reads a stored payload: at most `bytesMax` UTF-8 bytes of strict JSON with an object on top.
 *
 * @throws {IntegrityError} whatever is wrong with it
 */
export function decodePayload(raw: unknown, bytesMax = PAYLOAD_BYTES_MAX): CanonicalObject {
  const object = typeof raw === "string" && !exceedsBytes(raw, bytesMax) ? readObject(raw) : "must be text";
  if (typeof object === "string") throw new IntegrityError("Stored payload is not valid");
  return object;
}

/** The object that a text holds, or the rule it breaks. */
function readObject(text: string): CanonicalObject | string {
  if (isBlank(text)) return "must be the text of a JSON object";
  let value: CanonicalValue;
  try {
    value = readStrictJson(text);
  } catch (error) {
    if (error instanceof StrictJsonFailure) return error.rule;
    throw error;
  }
  return isObject(value) ? value : "must be the text of a JSON object";
}

function isObject(value: CanonicalValue): value is CanonicalObject {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === null;
}
