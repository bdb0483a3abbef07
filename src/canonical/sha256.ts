/** SHA-256 of texts and bytes. */

import type { BinaryLike, Hash as RunningHash } from "node:crypto";

type Hash = (algorithm: string, data: BinaryLike, encoding: "hex") => string;

let hashOrNull: Hash | null = null;

/**
 * SHA-256 over bytes, or the UTF-8 of a text, as 64 lower-case hex digits. `node:crypto` is loaded by the first call: opening a
 * store and reading a record do without it, and so save its 12 ms or more.
 */
export function sha256Hex(text: string | Uint8Array): string {
  hashOrNull ??= process.getBuiltinModule("node:crypto").hash;
  return hashOrNull("sha256", text, "hex");
}

/** SHA-256 of text that comes in pieces. */
export class RunningSha256 {
  readonly #hash: RunningHash = process.getBuiltinModule("node:crypto").createHash("sha256");

  /** Takes the next piece: well-formed text. */
  add(text: string): void {
    this.#hash.update(text, "utf8");
  }

  /** The hash of everything, as 64 lower-case hex digits; nothing can be added afterwards. */
  finish(): string {
    return this.#hash.digest("hex");
  }
}
