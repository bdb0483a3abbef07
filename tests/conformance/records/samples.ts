/** Records to write: identities, values, and kinds beyond checkpoint and fact. */

import { z } from "zod";
import type { Json } from "../../../src/canonical/plain.ts";
import type { Checkpoint, Fact } from "../../../src/contracts/record.ts";
import { defineKind, type RecordKind, type StandardSchema } from "../../../src/contracts/record_kind.ts";

/** A checkpoint's identity. */
export const RUN = { tenantId: "orchard", kind: "checkpoint", key: "run-a" } as const;

/** A fact's identity. */
export const PREFERENCE = { tenantId: "orchard", kind: "fact", key: "preference" } as const;

/** A checkpoint at its start. */
export const START: Checkpoint = { schema: 1, step: 0, items: [] };

/** The reference's fact. */
export const LISTS: Fact = {
  schema: 1,
  text: "Fictional team likes checklists.",
  source: "workshop-note-1",
  reviewed: false,
};

/** A fact that says this. */
export function factOf(text: string): Fact {
  return { schema: 1, text, source: "note", reviewed: false };
}

/** A fact's identity by key. */
export function factAt(key: string, tenantId = "orchard"): { tenantId: string; kind: "fact"; key: string } {
  return { tenantId, kind: "fact", key };
}

/** Counts; needs no deadline. */
export const COUNTER: RecordKind<{ n: number }> = defineKind("counter", z.strictObject({ n: z.int() }), {
  ttlMax: null,
});

/** Takes any JSON, with text identifiers, large bodies and no deadline. */
export const ANYTHING: RecordKind<Json> = defineKind("anything", acceptAll(), {
  ttlMax: null,
  identifiers: "text",
  maxBytes: 1_000_000,
});

function acceptAll(): StandardSchema<Json> {
  return {
    "~standard": { version: 1, vendor: "test", validate: (value) => ({ value: value as Json }) },
  };
}
