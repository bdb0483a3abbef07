/** Validates the arguments of calls: option names, numbers, identifiers, texts. Nothing is touched before they are good. */

import type { Damaged } from "./damaged.ts";
import { codePointLength, isBlank } from "../canonical/text.ts";
import { ContractError } from "../errors.ts";
import { SUBJECT_CODE_POINTS_MAX, TITLE_CODE_POINTS_MAX } from "../limits.ts";

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
  const place = field === "options" ? "an option" : `a field of ${field}`;
  const former = name === undefined ? null : formerName(name, names);
  if (former !== null) {
    return new ContractError(field, `${former.name} is not ${place} any more: say ${former.successor}`);
  }
  const near = name === undefined ? null : nearestOption(name, names);
  if (near !== null) return new ContractError(field, `${name} is not ${place}; did you mean ${near}?`);
  return new ContractError(field, `Expected ${field} to have no other fields than ${names.join(", ")}`);
}

/** What other libraries call options of ours, each name without capitals, `_` and `-`; the first that a call has is meant. */
const FOREIGN_NAMES: Readonly<Record<string, readonly string[]>> = {
  abortsignal: ["signal"],
  chunkoverlap: ["overlapCharacters"],
  chunksize: ["chunkCharacters"],
  contextlength: ["contextWindow"],
  conversationid: ["sessionId"],
  count: ["topK", "limit", "last"],
  cursor: ["after"],
  deadline: ["expiresAt"],
  expiration: ["expiresAt"],
  expires: ["expiresAt"],
  expiresin: ["ttl"],
  idempotencykey: ["operationId"],
  ifmatch: ["expectedRevision"],
  instructions: ["system"],
  k: ["topK"],
  ledger: ["deletionPath"],
  lifetime: ["ttl"],
  limit: ["topK", "last", "maxBytes"],
  maxcompletiontokens: ["maxOutputTokens"],
  maxresults: ["topK", "limit"],
  maxtokens: ["maxInputTokens"],
  offset: ["after"],
  pagesize: ["limit"],
  retries: ["attempts"],
  revision: ["expectedRevision"],
  systemprompt: ["system"],
  threadid: ["sessionId"],
  threshold: ["minimumScore"],
  timeout: ["busyTimeoutMs"],
  tokenizer: ["counter"],
  type: ["kind"],
  userid: ["tenantId"],
  version: ["expectedRevision"],
};

/** The longest unknown name that errors repeat: no name of an option is longer. */
const NAME_LENGTH_MAX = 32;

/** The option among `names` that an unknown name probably means, such as `topK` for `top_k`; else null. */
function nearestOption(name: string, names: readonly string[]): string | null {
  if (name.length > NAME_LENGTH_MAX) return null;
  const letters = plainLetters(name);
  const same = names.find((known) => plainLetters(known) === letters);
  if (same !== undefined) return same;
  const foreign = Object.hasOwn(FOREIGN_NAMES, letters) ? FOREIGN_NAMES[letters]! : [];
  const meant = foreign.find((known) => names.includes(known));
  if (meant !== undefined) return meant;
  const near = names.map((known) => [editDistance(plainLetters(known), letters), known] as const)
    .filter(([distance, known]) => distance <= (known.length < 6 ? 1 : 2))
    .sort(([left], [right]) => left - right);
  return letters.length > 2 ? near[0]?.[1] ?? null : null;
}

function plainLetters(name: string): string {
  return name.replace(/[_-]/g, "").toLowerCase();
}

/** How many letters have to be added, left out or replaced to make one text the other (Levenshtein). */
function editDistance(left: string, right: string): number {
  let above = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const replaced = above[column - 1]! + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, above[column]! + 1, current[column - 1]! + 1));
    }
    above = current;
  }
  return above.at(-1)!;
}

function notPlain(field: string, cause?: unknown): ContractError {
  return new ContractError(field, `Expected ${field} to be plain data`, { cause });
}

/** Requires a whole number within bounds; no boolean, text or bigint, no -0. `also` says what else the caller accepts. */
export function requireInteger(field: string, value: unknown, min: number, max: number, also = ""): number {
  if (
    typeof value !== "number" || !Number.isSafeInteger(value) || value < min || value > max ||
    Object.is(value, -0)
  ) {
    throw new ContractError(field, `Expected ${field} to be a whole number from ${min} to ${max}${also}`, {
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

/** Requires a title. */
export function requireTitle(value: unknown): string {
  return requireText("title", value, TITLE_CODE_POINTS_MAX);
}

/** Requires a subject. */
export function requireSubject(value: unknown): string {
  return requireText("subject", value, SUBJECT_CODE_POINTS_MAX);
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
 * Requires a list, and returns a copy of it. Its length is looked at before anything else: a list of holes can say that it
 * has four thousand million items.
 */
export function requireList(field: string, value: unknown, max: number): readonly unknown[] {
  let items: readonly unknown[] | null;
  try {
    if (!Array.isArray(value)) throw new TypeError("Not a list");
    items = value.length <= max ? [...value] : null;
  } catch (cause) {
    throw new ContractError(field, `Expected ${field} to be a list`, { cause });
  }
  if (items !== null) return items;
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
  try {
    return value instanceof type;
  } catch {
    return false; // a proxy that was revoked, or whose trap throws
  }
}

/** Whether a value is bytes; an object that only inherits from `Uint8Array` holds none. */
export function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && isInstance(value, Uint8Array);
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
