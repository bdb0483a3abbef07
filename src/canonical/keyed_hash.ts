/** Keyed hashes of identifiers, and helpers for hashes as bytes. */

import type { BinaryLike } from "node:crypto";

type Hash = (algorithm: string, data: BinaryLike, encoding: "hex") => string;

let hashOrNull: Hash | null = null;
let encoderOrNull: TextEncoder | null = null;

/** Bytes of a keyed hash. */
export const KEYED_HASH_BYTES = 16;

/** Hexadecimal digits of a keyed hash. */
const KEYED_HASH_DIGITS = 2 * KEYED_HASH_BYTES;

/**
 * Returns the first 16 bytes of SHA-256(key ‖ canonical JSON of the parts). The key is random and stored in main, so
 * that a guess cannot be confirmed with the ledger alone. The parts are well-formed texts, for which `JSON.stringify`
 * is canonical.
 */
export function keyedHash(key: Uint8Array, parts: readonly string[]): Uint8Array {
  hashOrNull ??= process.getBuiltinModule("node:crypto").hash as Hash;
  // The encoder is created on first use too, because Deno loads its encodings at that moment.
  encoderOrNull ??= new TextEncoder();
  const text = encoderOrNull.encode(JSON.stringify(parts));
  const input = new Uint8Array(key.length + text.length);
  input.set(key);
  input.set(text, key.length);
  return Uint8Array.fromHex(hashOrNull("sha256", input, "hex").slice(0, KEYED_HASH_DIGITS));
}

/** Returns bytes as lower-case hexadecimal digits. */
export function toHex(bytes: Uint8Array): string {
  return bytes.toHex();
}

/** The bytes of hexadecimal digits. */
export function fromHex(text: string): Uint8Array {
  return Uint8Array.from(
    { length: text.length / 2 },
    (_, index) => parseInt(text.slice(2 * index, 2 * index + 2), 16),
  );
}

/** Whether two byte arrays are equal. */
export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}
