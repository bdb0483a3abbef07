/** JSON objects as text: tool arguments and parameters that callers pass, and stored payloads. */

import { IntegrityError } from "../errors.ts";
import { canonicalJson, type CanonicalObject, type CanonicalValue } from "./canonical_json.ts";
import { readStrictJson, StrictJsonFailure } from "./strict_json.ts";
import { isBlank } from "./text.ts";
import { exceedsBytes } from "./utf8.ts";

/** Most UTF-8 bytes of one stored payload, as in the reference. */
export const PAYLOAD_BYTES_MAX = 1_000_000;

/** Returns the rule that a text breaks ("must …"), or null if it is the text of a JSON object. */
export function jsonObjectFault(text: string): string | null {
  const object = readObject(text);
  return typeof object === "string" ? object : null;
}

/** Returns the canonical form of the text of a JSON object, or null if the text is not one. */
export function canonicalJsonObject(text: string): string | null {
  const object = readObject(text);
  return typeof object === "string" ? null : canonicalJson(object);
}

/**
 * Reads a stored payload: at most `bytesMax` UTF-8 bytes of strict JSON with an object on top.
 *
 * @throws {IntegrityError} if the payload breaks any of these rules
 */
export function decodePayload(raw: unknown, bytesMax = PAYLOAD_BYTES_MAX): CanonicalObject {
  const object = typeof raw === "string" && !exceedsBytes(raw, bytesMax) ? readObject(raw) : "must be text";
  if (typeof object === "string") throw new IntegrityError("Stored payload is not valid");
  return object;
}

/** Returns the object in a text, or the rule that the text breaks. */
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
