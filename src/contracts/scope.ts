/** The owner of a conversation: a label, not an authorisation. */

import { fields, name, type Schema, transform, validate } from "./validate.ts";

/** Whose conversation, and which one. */
export interface Scope {
  /** The tenant; text that is not blank, without U+0000. */
  readonly tenantId: string;
  /** The session within the tenant; text that is not blank, without U+0000. */
  readonly sessionId: string;
}

/** Validates a scope. */
export const scopeSchema: Schema<Scope> = transform(
  fields({ tenantId: name, sessionId: name }),
  (scope) => Object.freeze(scope),
);

/**
 * Validates an argument as a scope.
 *
 * @throws {ContractError} naming the path below `field`
 */
export function toScope(value: unknown, field = "scope"): Scope {
  return validate(scopeSchema, value, { field, noun: "scope" });
}

/** Whether two scopes are the same. */
export function sameScope(left: Scope, right: Scope): boolean {
  return left.tenantId === right.tenantId && left.sessionId === right.sessionId;
}
