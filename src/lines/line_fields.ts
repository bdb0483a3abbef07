/** The fields of a line: how they are validated, and which of their names errors may show. */

import { type Schema, validatePlain } from "../contracts/validate.ts";

/** An object of JSON, of which nothing is known yet. */
export type LineFields = Readonly<Record<string, unknown>>;

/** The names that errors may show. */
const NAMES: ReadonlySet<string> = new Set([
  ..."at content created digest epoch expires expires_at format generation head key kind lineage".split(" "),
  ..."max_age pin pins records revision scope scopes sequence sessionId summaries summary tenant".split(" "),
  ..."session_id skipped table tenant_id turn_id".split(" "),
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

/** A field that must be there and may be null. */
export function nullable<T>(schema: Schema<T>): Schema<T | null> {
  return { read: (value, way) => value === null ? null : schema.read(value, way) };
}
