/** Records to write: identities, values, and kinds beyond checkpoint and fact. */

import type { Json } from "../../canonical/plain.ts";
import type { Checkpoint, Fact } from "../../contracts/record.ts";
import {
  defineKind,
  type RecordKind,
  type StandardResult,
  type StandardSchema,
} from "../../contracts/record_kind.ts";

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
export const COUNTER: RecordKind<{ n: number }> = defineKind("counter", wholeNumbers("n"), {
  ttlMax: null,
});

/** Takes any JSON, with text identifiers, large bodies and no deadline. */
export const ANYTHING: RecordKind<Json> = defineKind("anything", acceptAll(), {
  ttlMax: null,
  identifiers: "text",
  maxBytes: 1_000_000,
});

/** A schema that validates like this. */
export function schemaOf<Value>(
  validate: (value: unknown) => StandardResult<Value>,
): StandardSchema<Value> {
  return { "~standard": { version: 1, vendor: "test", validate } };
}

/** Takes whatever it is. */
export function acceptAll(): StandardSchema<Json> {
  return schemaOf((value) => ({ value: value as Json }));
}

/** Takes an object that has one field, a whole number; declares the field as zod's schemas do, so that errors name it. */
export function wholeNumbers<Name extends string>(name: Name): StandardSchema<Record<Name, number>> {
  const schema = schemaOf((value) => {
    const fields = Object(value) as Record<string, unknown>;
    if (Object.keys(fields).join() !== name) return { issues: [{ message: "Another object" }] };
    if (!Number.isSafeInteger(fields[name])) {
      const issue = { code: "invalid_type", message: "No whole number", path: [name] };
      return { issues: [issue] };
    }
    return { value: value as Record<Name, number> };
  });
  return Object.assign(schema, { def: { shape: { [name]: {} } } });
}
