/** Keyed hashes of identifiers, and hashes as bytes. */

import type { BinaryLike } from "node:crypto";

type Hash = (algorithm: string, data: BinaryLike, encoding: "hex") => string;

let hashOrNull: Hash | null = null;
let encoderOrNull: TextEncoder | null = null;

/** Bytes of a keyed hash. */
export const KEYED_HASH_BYTES = 16;

/** Hexadecimal digits of a keyed hash. */
const KEYED_HASH_DIGITS = 2 * KEYED_HASH_BYTES;

/**
 * The first 16 bytes of SHA-256(key ‖ canonical JSON of the parts). The key is random and lives in main, so that the
 * ledger alone cannot even confirm a guess. Parts are well-formed texts, for which `JSON.stringify` is canonical.
 */
export function keyedHash(key: Uint8Array, parts: readonly string[]): Uint8Array {
  hashOrNull ??= process.getBuiltinModule("node:crypto").hash as Hash;
  // Made by the first call as well: Deno loads its encodings when an encoder is first asked for.
  encoderOrNull ??= new TextEncoder();
  const text = encoderOrNull.encode(JSON.stringify(parts));
  const input = new Uint8Array(key.length + text.length);
  input.set(key);
  input.set(text, key.length);
  return Uint8Array.fromHex(hashOrNull("sha256", input, "hex").slice(0, KEYED_HASH_DIGITS));
}

/** Lower-case hex digits. */
export function toHex(bytes: Uint8Array): string {
  return bytes.toHex();
}

/** Whether two byte strings are equal. */
export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}
