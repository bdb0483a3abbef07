/** Validates the fields of a line, and lists the field names that errors may show. */

import { type Schema, validatePlain } from "../contracts/validate.ts";

/** A parsed JSON object that is not validated yet. */
export type LineFields = Readonly<Record<string, unknown>>;

/** The names that errors may show. */
const NAMES: ReadonlySet<string> = new Set([
  ..."at content created digest epoch expires expires_at format generation head key kind lineage".split(" "),
  ..."max_age pin pins records revision scope scopes sequence sessionId summaries summary tenant".split(" "),
  ..."session_id skipped table tenant_id turn_id".split(" "),
  ..."entries journals part place uuid".split(" "),
  ..."bytes data piece ref".split(" "),
  ..."created_at metadata recent subject subject_hash title updated_at".split(" "),
  ..."tenantId turn turns type value version watermark".split(" "),
]);

/**
 * Validates a line.
 *
 * @throws {ContractError} naming the field
 */
export function validateLine<T>(schema: Schema<T>, given: LineFields): T {
  return validatePlain(schema, given, { field: "", noun: "line", names: NAMES });
}

/** A required field that may be null. */
export function nullable<T>(schema: Schema<T>): Schema<T | null> {
  return { read: (value, way) => value === null ? null : schema.read(value, way) };
}
