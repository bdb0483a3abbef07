/** A record's value as stored: JSON with sorted keys, every non-ASCII code unit escaped, separators ", " and ": ". */

import type { Json } from "../canonical/plain.ts";
import { compareCodePoints } from "../canonical/text.ts";

const NOT_ASCII = /[^\p{ASCII}]/u;
const EACH_NOT_ASCII = /[^\p{ASCII}]/gu;

/** Encodes plain JSON as the stored text. It is ASCII, so its length is its size in bytes. */
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
