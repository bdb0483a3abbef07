/** Values as they read after one bit of them was flipped on disk. */

import type { SqlValue } from "../../src/engine/values.ts";

/** Every value that differs in one bit: of each code unit, each byte, or of the 53 bits of a whole number. */
export function flippedBits(value: SqlValue): readonly SqlValue[] {
  if (typeof value === "string") return flippedTexts(value);
  if (value instanceof Uint8Array) return flippedBytes(value);
  if (typeof value === "number") {
    return Array.from({ length: 53 }, (_, bit) => Number(BigInt(value) ^ (1n << BigInt(bit))));
  }
  return [];
}

function flippedTexts(text: string): readonly string[] {
  const flipped: string[] = [];
  for (let index = 0; index < text.length; index++) {
    for (let bit = 0; bit < 16; bit++) {
      const unit = String.fromCharCode(text.charCodeAt(index) ^ (1 << bit));
      flipped.push(text.slice(0, index) + unit + text.slice(index + 1));
    }
  }
  return flipped;
}

function flippedBytes(bytes: Uint8Array): readonly Uint8Array[] {
  const flipped: Uint8Array[] = [];
  for (let index = 0; index < bytes.length; index++) {
    for (let bit = 0; bit < 8; bit++) flipped.push(bytes.with(index, bytes[index]! ^ (1 << bit)));
  }
  return flipped;
}
