/** SHA-256 of text. */

import type { BinaryLike } from "node:crypto";

type Hash = (algorithm: string, data: BinaryLike, encoding: "hex") => string;

let hashOrNull: Hash | null = null;

/**
 * SHA-256 over the UTF-8 of a text, as 64 lower-case hex digits. `node:crypto` is loaded by the first call: opening a
 * store and reading a record do without it, and so save its 12 ms or more.
 */
export function sha256Hex(text: string): string {
  hashOrNull ??= process.getBuiltinModule("node:crypto").hash;
  return hashOrNull("sha256", text, "hex");
}
