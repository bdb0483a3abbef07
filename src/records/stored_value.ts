/** Reads a stored value under its kind: migrated from an older version, validated, and never damaged for not fitting. */

import { copyPlain, type Json } from "../canonical/plain.ts";
import { isInstance } from "../contracts/arguments.ts";
import { isBuiltIn, type RecordKind } from "../contracts/record_kind.ts";
import { ContractError, type ErrorDetails, IntegrityError, KindError } from "../errors.ts";
import type { RawValue } from "../tables/records.ts";
import { encodeBody, validate } from "./validate_value.ts";

/** A value as stored: the version of the kind that wrote it, and its text. */
type StoredValue = Pick<RawValue, "version" | "body"> & { readonly revision?: number };

/** What stands in the way of reading a value. */
interface Obstacle {
  readonly field: string;
  readonly rule: string;
  readonly cause?: unknown;
}

/** A value, or why it cannot be read. */
type Reading = { readonly value: Json; readonly error: null } | {
  readonly value: null;
  readonly error: KindError;
};

/**
 * Reads a stored value. Runs the kind's `migrate` and its schema, so it is never called while a transaction is open.
 *
 * @throws {IntegrityError} if the text is not JSON, or if a built-in kind does not accept it: those never change
 */
export function readStored(kind: RecordKind, stored: StoredValue): Reading {
  const value = parse(stored.body);
  const migrated = stored.version < kind.version && kind.migrate !== null
    ? migrate(kind, value, stored.version)
    : { value, obstacle: null };
  const obstacle = stored.version > kind.version
    ? { field: "value", rule: "version" }
    : migrated.obstacle ?? obstacleOf(kind, migrated.value, migrated.value === value ? stored.body : null);
  if (obstacle === null) return { value: migrated.value, error: null };
  if (isBuiltIn(kind)) throw notBuiltIn(kind, obstacle);
  return { value: null, error: toKindError(kind, stored, obstacle) };
}

/**
 * Reads a stored value, and requires that it fits.
 *
 * @throws {KindError} if it does not fit
 * @throws {IntegrityError} as {@linkcode readStored}
 */
export function fromStored(kind: RecordKind, stored: StoredValue): Json {
  const { value, error } = readStored(kind, stored);
  if (error !== null) throw error;
  return value;
}

function parse(body: string): Json {
  try {
    return JSON.parse(body) as Json;
  } catch (cause) {
    throw new IntegrityError("Cannot read record: its body is not JSON", { cause });
  }
}

function migrate(
  kind: RecordKind,
  value: Json,
  from: number,
): { readonly value: Json; readonly obstacle: Obstacle | null } {
  try {
    const migrated = kind.migrate!(value, from);
    // Not awaited: its failure must not become an unhandled rejection.
    if (isInstance(migrated, Promise)) Promise.prototype.catch.call(migrated, () => {});
    return { value: copyPlain(migrated), obstacle: null };
  } catch (cause) {
    return { value: null, obstacle: { field: "value", rule: "migrate", cause } };
  }
}

/** What of a value does not fit; null where it does. A value that was not migrated has its text already. */
function obstacleOf(kind: RecordKind, value: Json, body: string | null): Obstacle | null {
  if ((body ?? encodeBody(value)).length > kind.maxBytes) return { field: "value", rule: "maxBytes" };
  try {
    return validate(kind, value).misfit;
  } catch (error) {
    // A schema that throws or is asynchronous accepts no value.
    if (error instanceof ContractError) return { field: error.field, rule: "schema", cause: error.cause };
    throw error;
  }
}

function notBuiltIn({ name: kind }: RecordKind, { field }: Obstacle): IntegrityError {
  return new IntegrityError(`Cannot read record: ${field} does not fit the kind ${kind}`, {
    details: { table: "records", kind, field },
  });
}

function toKindError(
  { name: kind, version }: RecordKind,
  stored: StoredValue,
  { field, rule, cause }: Obstacle,
): KindError {
  if (rule === "version") return newerVersion("read", { kind, version }, stored);
  const message = `Cannot read record: ${field} does not fit the kind ${kind}: ${rule}`;
  return new KindError(message, { kind, field, rule }, { details: detailsOf(stored), cause });
}

/** The error for a record that a newer version of its kind wrote. */
export function newerVersion(
  action: string,
  { kind, version }: { readonly kind: string; readonly version: number },
  stored: Omit<StoredValue, "body">,
): KindError {
  const message =
    `Cannot ${action} record: version ${stored.version} of the kind ${kind} wrote it, and this program has version ${version}`;
  return new KindError(message, { kind, field: "value", rule: "version" }, { details: detailsOf(stored) });
}

function detailsOf({ version, revision }: Omit<StoredValue, "body">): ErrorDetails {
  return revision === undefined ? { version } : { version, revision };
}
