/** Texts that can be found in any file: none is written twice, and the bytes of each identify it. */

import { defineKind, type RecordKind } from "@holdfast/memory";
import { z } from "zod";

/** Numbers in a row, times this, modulo 10^8, are all different and in no order. */
const SCATTER = 48_271;

/** Creates marks in the form that `tests/deletion/churn.ts` searches: `zqx` and eight digits. */
export class Marks {
  #count = 1;

  make(): string {
    return `zqx${String((this.#count++ * SCATTER) % 100_000_000).padStart(8, "0")}`;
  }
}

/** A text that repeats its mark so often that it may cross pages. */
export function textOf(mark: string, times: number): string {
  return Array.from({ length: times }, () => mark).join(" ");
}

/** The mark of a text. */
export function markOf(text: string): string {
  return text.slice(0, 11);
}

/** Every mark in a text. */
export function marksIn(text: string): readonly string[] {
  return [...new Set(text.match(/zqx\d{8}/g) ?? [])];
}

/** A kind without deadlines, under free names. */
export const NOTE: RecordKind = defineKind("note", z.strictObject({ note: z.string() }), {
  identifiers: "text",
  ttlMax: null,
  maxBytes: 100_000,
});
