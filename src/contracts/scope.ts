/** The owner of a conversation: a label, not an authorisation. */

import { fields, judge, made, name, type Schema } from "./judge.ts";

/** Whose conversation, and which one. */
export interface Scope {
  /** The tenant; text that is not blank, without U+0000. */
  readonly tenantId: string;
  /** The session within the tenant; text that is not blank, without U+0000. */
  readonly sessionId: string;
}

/** Judges a scope. */
export const scopeSchema: Schema<Scope> = made(
  fields({ tenantId: name, sessionId: name }),
  (scope) => Object.freeze(scope),
);

/**
 * Judges what a caller handed in as a scope.
 *
 * @throws {ContractError} naming the path below `field`
 */
export function toScope(value: unknown, field = "scope"): Scope {
  return judge(scopeSchema, value, { field, noun: "scope" });
}

/** Whether two scopes are the same. */
export function sameScope(left: Scope, right: Scope): boolean {
  return left.tenantId === right.tenantId && left.sessionId === right.sessionId;
}
