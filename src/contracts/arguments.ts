/** Validates the arguments of calls: option names, numbers, identifiers, texts. Nothing is touched before they are good. */

import type { Damaged } from "./damaged.ts";
import { codePointLength, isBlank } from "../canonical/text.ts";
import { ContractError } from "../errors.ts";

/** The names that fields had once, each with the one that replaced it. */
const SUCCESSORS: ReadonlyMap<string, string> = new Map([
  ["tenant", "tenantId"],
  ["expected", "expectedRevision"],
  ["callId", "id"],
  ["argumentsJson", "arguments"],
  ["inputCap", "maxInputTokens"],
  ["modelCapacity", "contextWindow"],
  ["completionReservation", "maxOutputTokens"],
  ["ttlSeconds", "ttl"],
]);

/** A former name of a field, and the name that replaced it. */
interface FormerName {
  readonly name: string;
  readonly successor: string;
}

/** The former name that an unknown field has, if the name that replaced it is one of `names`; else null. */
export function formerName(name: string, names: readonly string[]): FormerName | null {
  const successor = SUCCESSORS.get(name);
  return successor !== undefined && names.includes(successor) ? { name, successor } : null;
}

/** By the key that was given, as letters only in lower case: the fields that may be meant, in order. */
const MEANT: Readonly<Record<string, readonly string[]>> = {
  args: ["arguments"],
  blocks: ["content"],
  callid: ["toolCallId", "id"],
  function: ["name and arguments"],
  id: ["messageId"],
  input: ["arguments", "json"],
  mimetype: ["mediaType"],
  parameters: ["arguments", "parametersJson"],
  parts: ["content"],
  text: ["content"],
  thinking: ["text"],
  toolcallid: ["id"],
  toolname: ["name"],
  tooluseid: ["toolCallId", "id"],
};

/** What a suggestion of several fields asks for. */
const SEVERAL: Readonly<Record<string, readonly string[]>> = { "name and arguments": ["name", "arguments"] };

/** The field among `names` that an unknown key probably means, such as `toolCalls` for `tool_calls`; else null. */
export function fieldMeantBy(key: string, names: readonly string[]): string | null {
  const letters = lettersOf(key);
  const same = names.find((name) => lettersOf(name) === letters);
  if (same !== undefined) return same;
  const meant = Object.hasOwn(MEANT, letters) ? MEANT[letters]! : [];
  return meant.find((field) => (SEVERAL[field] ?? [field]).every((name) => names.includes(name))) ?? null;
}

function lettersOf(key: string): string {
  return key.replace(/[_-]/g, "").toLowerCase();
}

/** Requires an object without unknown fields, and reads each known one once, so that a getter cannot change its mind. */
export function readFields<Name extends string>(
  field: string,
  value: unknown,
  names: readonly Name[],
): Partial<Record<Name, unknown>> {
  try {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw new ContractError(field, `Expected ${field} to be an object of the fields ${names.join(", ")}`);
    }
    const fields: Partial<Record<Name, unknown>> = {};
    // Names and symbols apart: both together take three times as long, and every call comes through here.
    if (Object.getOwnPropertySymbols(value).length > 0) throw unknownField(field, names);
    for (const name of Object.getOwnPropertyNames(value)) {
      if (!names.includes(name as Name)) throw unknownField(field, names, name);
      const descriptor = Object.getOwnPropertyDescriptor(value, name);
      if (descriptor === undefined || !("value" in descriptor)) throw notPlain(`${field}.${name}`);
      fields[name as Name] = descriptor.value;
    }
    return fields;
  } catch (error) {
    if (error instanceof ContractError) throw error;
    throw notPlain(field, error);
  }
}

function unknownField(field: string, names: readonly string[], name?: string): ContractError {
  const former = name === undefined ? null : formerName(name, names);
  if (former !== null) {
    const place = field === "options" ? "an option" : `a field of ${field}`;
    return new ContractError(field, `${former.name} is not ${place} any more: say ${former.successor}`);
  }
  return new ContractError(field, `Expected ${field} to have no other fields than ${names.join(", ")}`);
}

function notPlain(field: string, cause?: unknown): ContractError {
  return new ContractError(field, `Expected ${field} to be plain data`, { cause });
}

/** Requires a whole number within bounds; no boolean, text or bigint, no -0. */
export function requireInteger(field: string, value: unknown, min: number, max: number): number {
  if (
    typeof value !== "number" || !Number.isSafeInteger(value) || value < min || value > max ||
    Object.is(value, -0)
  ) {
    throw new ContractError(field, `Expected ${field} to be a whole number from ${min} to ${max}`, {
      details: { minimum: min, maximum: max },
    });
  }
  return value;
}

/** Requires text that is not blank, is well-formed, and has at most `max` code points. */
export function requireText(field: string, value: unknown, max: number): string {
  if (typeof value !== "string" || isBlank(value)) {
    throw new ContractError(field, `Expected ${field} to be text that is not blank`);
  }
  if (!value.isWellFormed()) throw new ContractError(field, `Expected ${field} to be well-formed Unicode`);
  if (codePointLength(value) > max) {
    throw new ContractError(field, `Expected ${field} to have at most ${max} code points`, {
      details: { maximum: max },
    });
  }
  return value;
}

/** Requires an exact boolean. */
export function requireBoolean(field: string, value: unknown): boolean {
  if (typeof value !== "boolean") throw new ContractError(field, `Expected ${field} to be true or false`);
  return value;
}

/** Requires an abort signal, or nothing. */
export function requireSignal(value: unknown): AbortSignal | undefined {
  if (value === undefined || isSignal(value)) return value;
  throw new ContractError("signal", "Expected signal to be an AbortSignal");
}

const isAborted = Object.getOwnPropertyDescriptor(AbortSignal.prototype, "aborted")!.get!;

/** The getter throws for what is no signal: an object that only inherits from one, or a proxy that was revoked. */
function isSignal(value: unknown): value is AbortSignal {
  try {
    isAborted.call(value);
    return true;
  } catch {
    return false;
  }
}

/** Requires what is to be done about damaged rows; `"error"` if nothing is said. */
export function requireDamaged(value: unknown): Damaged {
  if (value === undefined || value === "error" || value === "skip") return value ?? "error";
  throw new ContractError("damaged", 'Expected damaged to be "error" or "skip"');
}

/** Requires a function, or nothing. */
export function requireCallback(field: string, value: unknown): ((...given: never[]) => unknown) | undefined {
  if (value === undefined || isFunction(value)) return value as ((...given: never[]) => unknown) | undefined;
  throw new ContractError(field, `Expected ${field} to be a function`);
}

/**
 * Requires a list, and gives a copy of it. Its length is looked at before anything else: a list of holes can say that it
 * has four thousand million items.
 */
export function requireList(field: string, value: unknown, max: number): readonly unknown[] {
  if (isRevoked(value) || !Array.isArray(value)) {
    throw new ContractError(field, `Expected ${field} to be a list`);
  }
  const { length } = value;
  if (length <= max) return [...value];
  throw new ContractError(field, `Expected ${field} to have at most ${max} items`, {
    details: { maximum: max },
  });
}

/** Whether a value is a function that can be called. */
export function isFunction(value: unknown): boolean {
  return typeof value === "function" && !isRevoked(value);
}

/** Whether an object has a method; what cannot be asked has none. */
export function hasMethod<Name extends string>(value: unknown, name: Name): boolean {
  try {
    return isFunction((value as Partial<Record<Name, unknown>> | null | undefined)?.[name]);
  } catch {
    return false;
  }
}

/** Whether a value is an instance of a class; what cannot be asked is none. */
export function isInstance<T>(value: unknown, type: abstract new (...given: never[]) => T): value is T {
  return !isRevoked(value) && value instanceof type;
}

/** Whether a value is a proxy that was revoked: whatever is asked of one throws a `TypeError`. */
export function isRevoked(value: unknown): boolean {
  try {
    Array.isArray(value); // the one question that no trap answers
    return false;
  } catch {
    return true;
  }
}
