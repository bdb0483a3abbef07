/** Parses a record's line, validated as a put validates its arguments. */

import { requireSubject } from "../contracts/arguments.ts";
import { type CanonicalValue, Float } from "../canonical/canonical_json.ts";
import type { Json } from "../canonical/plain.ts";
import { anything, fields, integer, optional } from "../contracts/validate.ts";
import { type RecordKind, requireIdentifier } from "../contracts/record_kind.ts";
import { type Schema, string, where } from "../contracts/schema.ts";
import { fromHex } from "../canonical/keyed_hash.ts";
import { ContractError } from "../errors.ts";
import { KIND_BYTES_MAX, KIND_VERSION_MAX, RECORD_SECONDS_MAX } from "../limits.ts";
import { encodeBody } from "../records/validate_value.ts";
import { readStored } from "../records/stored_value.ts";
import { toBody } from "../records/validate_value.ts";
import type { Identity } from "../tables/records.ts";
import { type LineFields, nullable, validateLine } from "./line_fields.ts";

/** A record to import. */
export interface ImportedRecord {
  readonly type: "record";
  readonly identity: Identity;
  readonly revision: number;
  readonly created: number;
  readonly maxAge: number | null;
  readonly expires: number | null;
  readonly version: number;
  /** The name of the person whose record it is; null if it is not said. */
  readonly subject: string | null;
  /** The person's hash in this store; null if the name is said, or there is no subject. */
  readonly subjectHash: Uint8Array | null;
  readonly body: string;
}

/** A keyed hash. */
export const KEYED_HASH: Schema<string> = where(
  (value): value is string => typeof value === "string" && /^[0-9a-f]{32}$/.test(value),
  "must be 32 lower-case hex digits",
);

const RECORD = fields({
  type: anything,
  tenant: string,
  kind: string,
  key: string,
  revision: integer(1),
  created: integer(0, RECORD_SECONDS_MAX),
  max_age: nullable(integer(1, RECORD_SECONDS_MAX)),
  expires: nullable(integer(1, 2 * RECORD_SECONDS_MAX)),
  version: optional(integer(1, KIND_VERSION_MAX)),
  subject: optional(anything),
  subject_hash: optional(KEYED_HASH),
  value: anything,
});

/**
 * Parses and validates a record's line.
 *
 * @throws {ContractError} naming the field
 */
export function parseRecord(given: LineFields, kinds: ReadonlyMap<string, RecordKind>): ImportedRecord {
  const fields = validateLine(RECORD, given);
  const { tenant: tenantId, kind: name, key, revision, created, max_age: maxAge, expires } = fields;
  const kind = kinds.get(name);
  if (kind === undefined) {
    throw new ContractError("kind", "Expected kind to be checkpoint, fact, or a kind passed to openMemory");
  }
  requireIdentifier("tenant", tenantId, kind.identifiers);
  requireIdentifier("key", key, kind.identifiers);
  requireDeadline(kind, { created, maxAge, expires });
  const version = fields.version ?? 1;
  const body = toBodyOf(kind, version, toPlain(fields.value as CanonicalValue, "value"));
  return {
    type: "record",
    identity: { tenantId, kind: name, key },
    revision,
    created,
    maxAge,
    expires,
    version,
    ...subjectIn(fields),
    body,
  };
}

/** Whose a line says something is. */
export function subjectIn(
  { subject, subject_hash: hash }: {
    readonly subject?: unknown;
    readonly subject_hash?: string | null | undefined;
  },
): Pick<ImportedRecord, "subject" | "subjectHash"> {
  return {
    subject: subject === undefined ? null : requireSubject(subject),
    subjectHash: hash === undefined || hash === null ? null : fromHex(hash),
  };
}

/** The text to store: the value as given, once it is known to fit after it is migrated. */
function toBodyOf(kind: RecordKind, version: number, value: Json): string {
  if (version === kind.version) return toBody(kind, value);
  if (version > kind.version) {
    throw new ContractError(
      "version",
      `Expected version to be at most ${kind.version}, the version of the kind ${kind.name} here`,
    );
  }
  const body = encodeBody(value);
  if (body.length > KIND_BYTES_MAX) {
    throw new ContractError("value", `Expected value to be at most ${KIND_BYTES_MAX} bytes as stored`);
  }
  const { error } = readStored(kind, { version, body });
  if (error === null) return body;
  throw new ContractError(
    error.field,
    `Expected ${error.field} to fit the kind ${kind.name}: ${error.rule}`,
    {
      cause: error,
    },
  );
}

/**
 * Validates a deadline as puts do. It must exist if the kind requires one, be at most `maxAge` after the creation, and be
 * reachable by some `now` and `ttl`. The clock is not used, since puts accept an explicit time.
 */
function requireDeadline(
  kind: RecordKind,
  { created, maxAge, expires }: Pick<ImportedRecord, "created" | "maxAge" | "expires">,
): void {
  if (expires === null) {
    if (kind.ttlMax !== null || maxAge !== null) {
      throw new ContractError("expires", `Expected expires in this record of the kind ${kind.name}`);
    }
    return;
  }
  if (expires > RECORD_SECONDS_MAX + (kind.ttlMax ?? RECORD_SECONDS_MAX)) {
    throw new ContractError(
      "expires",
      `Expected expires to be a deadline that a put of the kind ${kind.name} can set`,
    );
  }
  if (maxAge === null || expires <= created + maxAge) return;
  throw new ContractError("expires", "Expected expires to be at most max_age after created");
}

/**
 * Converts to a plain value; refuses numbers that JavaScript cannot represent exactly.
 *
 * @throws {ContractError} naming the field
 */
export function toPlain(value: CanonicalValue, field: string): Json {
  if (value instanceof Float) return value.value;
  if (typeof value === "bigint") {
    const number = Number(value);
    if (String(number) === String(value)) return number;
    throw new ContractError(
      field,
      `Expected ${field} to hold only numbers that JavaScript can represent exactly`,
    );
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => toPlain(each, field));
  const plain: Record<string, Json> = Object.create(null);
  for (const [key, each] of Object.entries(value)) plain[key] = toPlain(each, field);
  return plain;
}
