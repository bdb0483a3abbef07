/** SHA-256 of texts and bytes. */

import type { BinaryLike, Hash as RunningHash } from "node:crypto";

type Hash = (algorithm: string, data: BinaryLike, encoding: "hex") => string;

let hashOrNull: Hash | null = null;

/**
 * Returns the SHA-256 of bytes, or of a text in UTF-8, as 64 lower-case hexadecimal digits. The first call loads
 * `node:crypto`, which takes 12 ms or more; opening a store and reading a record do not need it.
 */
export function sha256Hex(text: string | Uint8Array): string {
  hashOrNull ??= process.getBuiltinModule("node:crypto").hash;
  return hashOrNull("sha256", text, "hex");
}

/** Computes the SHA-256 of text that arrives in chunks. */
export class RunningSha256 {
  readonly #hash: RunningHash = process.getBuiltinModule("node:crypto").createHash("sha256");

  /** Adds the next chunk of well-formed text. */
  add(text: string): void {
    this.#hash.update(text, "utf8");
  }

  /** Returns the hash as 64 lower-case hexadecimal digits. Nothing can be added afterwards. */
  finish(): string {
    return this.#hash.digest("hex");
  }
}
