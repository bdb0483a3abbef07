/** Kinds of records: the two the store knows, and those that callers define. */

import type { Json } from "../canonical/plain.ts";
import { codePointLength } from "../canonical/text.ts";
import { ContractError } from "../errors.ts";
import {
  CHECKPOINT_ITEMS_MAX,
  IDENTIFIER_CODE_POINTS_MAX,
  KIND_BYTES_MAX,
  KIND_VERSION_MAX,
  RECORD_BYTES_MAX,
  RECORD_SECONDS_MAX,
  RECORD_TEXT_CODE_POINTS_MAX,
  RECORD_TTL_SECONDS_MAX,
} from "../limits.ts";
import { hasMethod, readFields, requireCallback, requireInteger, requireList } from "./arguments.ts";
import type { Checkpoint, Fact } from "./record.ts";
import {
  boolean,
  type Fault,
  fields,
  integer,
  list,
  oneOf,
  refine,
  Refused,
  type Schema,
  string,
} from "./schema.ts";

/**
 * A schema of any library that follows Standard Schema (zod, valibot, arktype, …); it validates and does not transform.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { defineKind, openMemory, type StandardSchema } from "@holdfast/memory";
 *
 * const even: StandardSchema<number> = {
 *   "~standard": {
 *     version: 1,
 *     vendor: "by-hand",
 *     validate: (value) => Number(value) % 2 === 0 ? { value: Number(value) } : { issues: [{ message: "odd" }] },
 *   },
 * };
 * await using memory = await openMemory(":memory:", { kinds: [defineKind("even", even)] });
 * const put = memory.records.put({ tenantId: "acme", kind: "even", key: "n" }, 3, { expectedRevision: null, ttl: 60 });
 * await assert.rejects(put, { code: "CONTRACT" });
 * ```
 */
export interface StandardSchema<Value> {
  /** The standard's one property. */
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Value> | Promise<StandardResult<Value>>;
  };
}

/**
 * What such a schema answers: the value, or what is wrong with it.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type StandardResult } from "@holdfast/memory";
 *
 * const validate = (value: unknown): StandardResult<string> =>
 *   typeof value === "string" ? { value } : { issues: [{ message: "Expected text" }] };
 * assert.deepEqual(validate("flights"), { value: "flights" });
 * assert.equal(validate(7).issues?.length, 1);
 * ```
 */
export type StandardResult<Value> =
  | { readonly value: Value; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/**
 * One thing that is wrong.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type StandardIssue } from "@holdfast/memory";
 * import { z } from "zod";
 *
 * const validated = await z.strictObject({ flights: z.int() })["~standard"].validate({ flights: "two" });
 * const issues: readonly StandardIssue[] = validated.issues ?? [];
 * assert.deepEqual(issues[0]?.path, ["flights"]);
 * ```
 */
export interface StandardIssue {
  /** The library's own words; never shown, since they may tell the value. */
  readonly message: string;
  /** Where in the value. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/**
 * How a kind's tenants and keys look.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { defineKind, type IdentifierFormat, openMemory } from "@holdfast/memory";
 * import { z } from "zod";
 *
 * const identifiers: IdentifierFormat = "text";
 * const note = defineKind("note", z.string(), { identifiers });
 * await using memory = await openMemory(":memory:", { kinds: [note] });
 * const identity = { tenantId: "Obstgarten Süd", kind: "note", key: "Birnen, Reihe 2" };
 * assert((await memory.records.put(identity, "Veredelt.", { expectedRevision: null, ttl: 60 })) > 0);
 * ```
 */
export type IdentifierFormat = "narrow" | "text";

/**
 * A kind of record. Make one with {@linkcode defineKind}.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { defineKind, type RecordKind } from "@holdfast/memory";
 * import { z } from "zod";
 *
 * const note: RecordKind<string> = defineKind("note", z.string());
 * assert.deepEqual([note.name, note.maxBytes, note.ttlMax, note.identifiers], ["note", 2_048, null, "text"]);
 * ```
 */
export interface RecordKind<Value = unknown> {
  /** The kind's name, as in a record's identity. */
  readonly name: string;
  /** Validates each value when it is written and when it is read. */
  readonly schema: StandardSchema<Value>;
  /** The version that values are written with. */
  readonly version: number;
  /** Turns a value of an older version into one of this version; null if values of older versions are read as they are. */
  readonly migrate: ((value: Json, from: number) => unknown) | null;
  /** The most UTF-8 bytes of a stored value. */
  readonly maxBytes: number;
  /** The longest `ttl` in seconds; null if records of this kind need no deadline. */
  readonly ttlMax: number | null;
  /** How tenants and keys look. */
  readonly identifiers: IdentifierFormat;
}

/**
 * What {@linkcode defineKind} takes besides name and schema.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { defineKind, type KindOptions, openMemory } from "@holdfast/memory";
 * import { z } from "zod";
 *
 * const options: KindOptions = { maxBytes: 100, ttlMax: 60 };
 * await using memory = await openMemory(":memory:", { kinds: [defineKind("note", z.string(), options)] });
 * const identity = { tenantId: "acme", kind: "note", key: "ticket-7" };
 * const put = memory.records.put(identity, "Called back.", { expectedRevision: null, ttl: 61 });
 * await assert.rejects(put, { code: "CONTRACT", field: "ttl" });
 * ```
 */
export interface KindOptions {
  /** The version of the values that the schema accepts: 1 to 1 000 000; 1 if omitted. Raise it with each change of the schema. */
  readonly version?: number | undefined;
  /**
   * Turns a stored value of an older version into one of this version, whenever it is read; the next put stores it so. Called
   * with a copy of the value and the version that it was stored with. It must be synchronous.
   */
  readonly migrate?: ((value: Json, from: number) => unknown) | undefined;
  /** The most UTF-8 bytes of a stored value: 1 to 1 000 000; 2 048 if omitted. */
  readonly maxBytes?: number | undefined;
  /** The longest `ttl` in seconds, which a put must then give. Null if omitted: a record without `ttl` never expires. */
  readonly ttlMax?: number | null | undefined;
  /** `text` (1–256 code points, no control characters; the default) or `narrow` (`^[a-z][a-z0-9-]{0,31}$`). */
  readonly identifiers?: IdentifierFormat | undefined;
}

/** What {@linkcode defineKind} made: only that was validated. */
const madeKinds = new WeakSet<object>();

const NARROW = /^[a-z][a-z0-9-]{0,31}$/;

const KIND_FIELDS = ["version", "migrate", "maxBytes", "ttlMax", "identifiers"] as const;

/**
 * Defines a kind of record: a name, the schema of its values, and what its records may be.
 *
 * A value that was stored with an older `version` is migrated whenever it is read, and stored so by the next put. A value of a
 * newer version, or one that no longer fits the schema, is a `KindError` where it is read; it is not damaged.
 *
 * @throws {ContractError} naming the field that is wrong
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { defineKind, openMemory } from "@holdfast/memory";
 * import { z } from "zod";
 *
 * const path = `${await Deno.makeTempDir()}/agent.db`;
 * const identity = { tenantId: "acme", kind: "customer", key: "ann@example.com" };
 * const before = defineKind("customer", z.strictObject({ name: z.string() }));
 * {
 *   await using memory = await openMemory(path, { kinds: [before] });
 *   await memory.records.put(identity, { name: "Ann" }, { expectedRevision: null });
 * }
 * const after = defineKind("customer", z.strictObject({ name: z.string(), orders: z.int() }), {
 *   version: 2,
 *   migrate: (value) => ({ ...value as { name: string }, orders: 0 }),
 * });
 * await using memory = await openMemory(path, { kinds: [after] });
 * assert.deepEqual((await memory.records.get(identity))?.value, { name: "Ann", orders: 0 });
 * ```
 */
export function defineKind<Value>(
  name: string,
  schema: StandardSchema<Value>,
  options: KindOptions = {},
): RecordKind<Value> {
  if (typeof name !== "string" || !NARROW.test(name)) {
    throw new ContractError("name", "Expected name to match ^[a-z][a-z0-9-]{0,31}$");
  }
  if (!followsStandard(schema)) {
    throw new ContractError("schema", "Expected schema to follow Standard Schema");
  }
  const { version = 1, migrate, maxBytes = RECORD_BYTES_MAX, ttlMax = null, identifiers = "text" } =
    readFields(
      "options",
      options,
      KIND_FIELDS,
    );
  if (identifiers !== "narrow" && identifiers !== "text") {
    throw new ContractError("identifiers", "Expected identifiers to be narrow or text");
  }
  const kind = Object.freeze({
    name,
    schema,
    version: requireInteger("version", version, 1, KIND_VERSION_MAX),
    migrate: (requireCallback("migrate", migrate) ?? null) as RecordKind["migrate"],
    maxBytes: requireInteger("maxBytes", maxBytes, 1, KIND_BYTES_MAX),
    ttlMax: ttlMax === null ? null : requireInteger("ttlMax", ttlMax, 1, RECORD_SECONDS_MAX),
    identifiers,
  });
  madeKinds.add(kind);
  return kind;
}

function followsStandard(schema: unknown): boolean {
  try {
    return hasMethod(
      (schema as Partial<StandardSchema<unknown>> | null | undefined)?.["~standard"],
      "validate",
    );
  } catch {
    return false; // a proxy that was revoked, or a getter that throws
  }
}

const SCHEMA_VERSION = oneOf([1], "must be 1");

const RECORD_TEXT = refine(string, (text): Fault | null => {
  // No more code points than code units: most texts need not be counted.
  if (text !== "" && text.length <= RECORD_TEXT_CODE_POINTS_MAX) return null;
  const length = codePointLength(text);
  if (length >= 1 && length <= RECORD_TEXT_CODE_POINTS_MAX) return null;
  return [[], `must have 1 to ${RECORD_TEXT_CODE_POINTS_MAX} code points`];
});

const CHECKPOINT: Schema<Checkpoint> = fields({
  schema: SCHEMA_VERSION,
  step: integer(0, 2),
  items: refine(
    list(RECORD_TEXT),
    (items) =>
      items.length <= CHECKPOINT_ITEMS_MAX ? null : [[], `must have at most ${CHECKPOINT_ITEMS_MAX} items`],
  ),
});

const FACT: Schema<Fact> = fields({
  schema: SCHEMA_VERSION,
  text: RECORD_TEXT,
  source: RECORD_TEXT,
  reviewed: boolean,
});

/** One of our schemas in the form that any library's schemas have. */
function asStandard<Value>(schema: Schema<Value>): StandardSchema<Value> {
  const validate = (value: unknown): StandardResult<Value> => {
    try {
      return { value: schema.read(value, []) };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const message = error.key === null ? error.rule : "must have no unknown field";
      return { issues: [{ message, path: error.path }] };
    }
  };
  return { ...schema, "~standard": { version: 1, vendor: "holdfast", validate } };
}

/** The limits of the reference, which the built-in kinds keep. */
const REFERENCE: KindOptions = { ttlMax: RECORD_TTL_SECONDS_MAX, identifiers: "narrow" };

/** The kinds every store has. */
const BUILT_IN_KINDS: readonly RecordKind[] = [
  defineKind("checkpoint", asStandard(CHECKPOINT), REFERENCE),
  defineKind("fact", asStandard(FACT), REFERENCE),
];

/** Whether a kind is one that every store has: it never changes, so that what does not fit it was not put. */
export function isBuiltIn(kind: RecordKind): boolean {
  return BUILT_IN_KINDS.includes(kind);
}

/**
 * The rule of ours that a value broke, as the end of a sentence; null where a caller's schema validated, whose words may
 * tell the value.
 */
export function ruleOf(kind: RecordKind, issue: StandardIssue): string | null {
  return isBuiltIn(kind) ? issue.message : null;
}

/** Requires kinds made by {@linkcode defineKind}, each name once and none of the built-in ones. */
export function collectKinds(kinds: unknown, max: number): ReadonlyMap<string, RecordKind> {
  const given = requireList("kinds", kinds, max);
  const all = new Map<string, RecordKind>();
  for (const kind of [...BUILT_IN_KINDS, ...given as RecordKind[]]) {
    if (!madeKinds.has(kind)) {
      throw new ContractError("kinds", "Expected kinds to be made by defineKind");
    }
    if (all.has(kind.name)) throw new ContractError("kinds", "Expected kinds to have names of their own");
    all.set(kind.name, kind);
  }
  return all;
}

/** Requires a tenant or key in a kind's format. */
export function requireIdentifier(field: string, value: unknown, format: IdentifierFormat): string {
  if (format === "narrow") {
    if (typeof value === "string" && NARROW.test(value)) return value;
    throw new ContractError(field, `Expected ${field} to match ^[a-z][a-z0-9-]{0,31}$`);
  }
  if (typeof value === "string" && value.isWellFormed() && !/\p{Cc}/u.test(value)) {
    const length = codePointLength(value);
    if (length >= 1 && length <= IDENTIFIER_CODE_POINTS_MAX) return value;
  }
  throw new ContractError(
    field,
    `Expected ${field} to be text of 1 to ${IDENTIFIER_CODE_POINTS_MAX} code points without control characters`,
  );
}
